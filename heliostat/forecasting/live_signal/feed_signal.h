#pragma once

#include <functional>
#include <memory>
#include <string>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/base/io/http_client.h"
#include "heliostat/forecasting/live_signal/signal_source.h"

namespace heliostat::live_signal {

// A live provider's signal, fetched by a background thread, so that nothing waits for a server. Until provider or store
// have answered once, no value is known. When the provider does not answer later, the last values are used and reported
// as stale, later the climatology. Used from one thread, besides its own.
class FeedSignal final : public SignalSource {
 public:
  // Makes the HTTP client. A request ends early when `should_stop` returns true.
  using MakeHttp = std::function<std::unique_ptr<io::HttpClient>(std::function<bool()> should_stop)>;

  // Fails only for a provider that does not exist. `clock` must outlive the source and be thread-safe.
  static Result<std::unique_ptr<SignalSource>> Open(const std::string& provider, const std::string& zone,
                                                    const std::string& model, const Environment& environment,
                                                    const Clock& clock, const MakeHttp& make_http = MakeCurl);
  ~FeedSignal() override;

  // Fetches now, in this thread. Fails when neither provider nor store answers; earlier values stay.
  Status Refresh();

  const std::string& name() const override { return name_; }
  void Begin() override;
  bool is_known() override;
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

}  // namespace heliostat::live_signal
