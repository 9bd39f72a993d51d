#pragma once

#include <functional>
#include <memory>
#include <string>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/base/io/http_client.h"
#include "heliostat/node/training_run/signal_source.h"

namespace heliostat::training_run {

// A live provider's signal, asked in the background so that the program's output never waits for a server. When the
// provider is silent the last values are used and told as stale, later what is usual at that hour. For one thread
// beside its own.
class FeedSignal final : public SignalSource {
 public:
  // Makes what asks servers; a request ends early when `should_stop` says so.
  using MakeHttp = std::function<std::unique_ptr<io::HttpClient>(std::function<bool()> should_stop)>;

  // Asks once and fails when nothing is known at all: neither the provider nor the store on disk answers. `clock`
  // outlives it, and may be read from several threads.
  static Result<std::unique_ptr<SignalSource>> Open(const std::string& provider, const std::string& zone,
                                                    const std::string& model, const Environment& environment,
                                                    const Clock& clock, const MakeHttp& make_http = MakeCurl);
  ~FeedSignal() override;

  // Asks now rather than in some minutes. An error says that neither provider nor store answered; what was known stays.
  Status Refresh();

  const std::string& name() const override { return name_; }
  Value At(Instant now) override;
  std::vector<double> Ahead(Instant now, Duration slot, std::size_t count) override;
  double HighestOfDay(Instant now) override;

 private:
  static std::unique_ptr<io::HttpClient> MakeCurl(std::function<bool()> should_stop);

  struct Asker;
  FeedSignal(std::string name, std::unique_ptr<Asker> asker);
  std::string name_;
  std::unique_ptr<Asker> asker_;
};

}  // namespace heliostat::training_run
