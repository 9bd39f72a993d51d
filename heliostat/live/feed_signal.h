#pragma once

#include <memory>
#include <string>

#include "heliostat/core/environment.h"
#include "heliostat/live/signal_source.h"

namespace heliostat::live {

// A live provider's signal, asked in the background so that the program's output never waits for a server. When the
// provider is silent the last values are used and told as stale, later what is usual at that hour.
class FeedSignal final : public SignalSource {
 public:
  // Asks once and fails when nothing is known at all: neither the provider nor the store on disk answers.
  static Result<std::unique_ptr<SignalSource>> Open(const std::string& provider, const std::string& zone,
                                                    const std::string& model, const Environment& environment);
  ~FeedSignal() override;

  const std::string& name() const override { return name_; }
  Value At(Instant now) override;
  std::vector<double> Ahead(Instant now, Duration slot, std::size_t count) override;
  double HighestOfDay(Instant now) override;

 private:
  struct Asker;
  FeedSignal(std::string name, std::unique_ptr<Asker> asker);
  std::string name_;
  std::unique_ptr<Asker> asker_;
};

}  // namespace heliostat::live
