#include "heliostat/forecasting/live_signal/feed_signal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "heliostat/base/core/log.h"
#include "heliostat/base/core/random.h"
#include "heliostat/signals/provider/registry.h"
#include "heliostat/signals/store/default_path.h"
#include "heliostat/signals/store/feed.h"

namespace heliostat::live_signal {
namespace {

constexpr std::chrono::minutes kEvery{5};
// While nothing is known yet.
constexpr std::chrono::seconds kTryAgain{10};
constexpr Duration kHistory = std::chrono::days(28);
constexpr Duration kMaxAge = std::chrono::hours(1);

// Asks a thread to end, and ends its waits.
class Stop {
 public:
  void Set() {
    {
      const std::lock_guard hold(mutex_);
      is_set_ = true;
    }
    wake_.notify_all();
  }
  bool IsSet() {
    const std::lock_guard hold(mutex_);
    return is_set_;
  }
  // Waits for at most `longest`. Returns true as soon as the stop is set.
  bool Await(std::chrono::milliseconds longest) {
    std::unique_lock hold(mutex_);
    return wake_.wait_for(hold, longest, [this] { return is_set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_set_ = false;
};

// A clock whose sleeps end when the thread should end, so that an ended program does not wait for a silent server.
class StoppableClock final : public Clock {
 public:
  StoppableClock(const Clock& clock, Stop& stop) : clock_(clock), stop_(stop) {}
  Instant Now() const override { return clock_.Now(); }
  Time Steady() const override { return clock_.Steady(); }
  void Sleep(std::chrono::milliseconds duration) override { (void)stop_.Await(duration); }

 private:
  const Clock& clock_;
  Stop& stop_;
};

}  // namespace

// Everything that the background thread uses.
struct FeedSignal::Asker {
  struct Answer {
    std::shared_ptr<SignalSource> source;
    // The end of the newest measurement, where the source has only the climatology.
    std::optional<Instant> usual_since;
  };

  Asker(std::string named, std::string forecast_model, std::string of_whom, provider::SignalRequest asked,
        Environment variables, const Clock& time, const MakeHttp& make_http)
      : name(std::move(named)),
        model(std::move(forecast_model)),
        provider(std::move(of_whom)),
        request(std::move(asked)),
        environment(std::move(variables)),
        clock(time, stop),
        http(make_http([this] { return stop.IsSet(); })) {}
  ~Asker() {
    stop.Set();
    if (thread.joinable()) thread.join();
  }

  // Called from the thread and from Refresh().
  Status Ask() {
    const std::lock_guard asking(ask_mutex);
    if (const auto opened = Open(); !opened) return opened;
    const Instant now = std::chrono::floor<std::chrono::minutes>(clock.Now());
    request.span = {std::chrono::floor<std::chrono::hours>(now - kHistory), now};
    const auto answer = store::Feed(*store, clock, *source).Get(request, kMaxAge);
    if (!answer) return Propagate(answer);
    if (answer->freshness != signal::Freshness::kMeasured) LogLine(LogLevel::kDebug, answer->explanation);
    // No replay: the time of the signal is that of the run.
    const Instant last = answer->signal.series.end() - answer->signal.series.step();
    auto made = RecordedSignal::Make(name, answer->signal, {last, last, 1.0}, model, answer->freshness);
    if (!made) return Propagate(made);
    Answer usable{std::move(*made), std::nullopt};
    if (answer->freshness == signal::Freshness::kClimatology) usable.usual_since = now - answer->age.value_or(kHistory);
    const std::lock_guard hold(mutex);
    latest = std::move(usable);
    return {};
  }
  // Opens what is not open yet: a disk that was full, or a key that was missing, may be mended meanwhile.
  Status Open() {
    if (!store) {
      const auto path = store::DefaultStorePath(environment);
      if (!path) return Propagate(path);
      auto opened = store::SignalStore::Open(*path);
      if (!opened) return Propagate(opened);
      store.emplace(std::move(*opened));
    }
    if (source) return {};
    const RandomStream random(static_cast<std::uint64_t>(clock.Steady().time_since_epoch().count()));
    auto made = provider::MakeProvider(provider, {*http, clock, random, environment, std::nullopt, {}});
    if (!made) return Propagate(made);
    source = std::move(*made);
    return {};
  }
  void Go() {
    std::string told;
    do {
      const auto asked = Ask();
      if (asked || stop.IsSet()) continue;
      // Without any value this is why nothing is chosen; later it is told as stale.
      const bool is_news = !IsKnown() && std::exchange(told, asked.error().Line()) != asked.error().Line();
      LogLine(is_news ? LogLevel::kWarning : LogLevel::kDebug, asked.error().Line());
    } while (!stop.Await(IsKnown() ? std::chrono::milliseconds(kEvery) : std::chrono::milliseconds(kTryAgain)));
  }
  bool IsKnown() { return Latest().source != nullptr; }
  Answer Latest() {
    const std::lock_guard hold(mutex);
    return latest;
  }

  std::string name;
  std::string model;
  std::string provider;
  provider::SignalRequest request;
  Environment environment;
  Stop stop;
  StoppableClock clock;
  std::unique_ptr<io::HttpClient> http;
  std::optional<store::SignalStore> store;
  std::optional<provider::Provider> source;
  std::mutex ask_mutex;
  std::mutex mutex;  // guards `latest`
  Answer latest;
  std::thread thread;
};

Result<std::unique_ptr<SignalSource>> FeedSignal::Open(const std::string& provider, const std::string& zone,
                                                       const std::string& model, const Environment& environment,
                                                       const Clock& clock, const MakeHttp& make_http) {
  const auto facts = provider::FindProvider(provider);
  if (!facts) return Propagate(facts);
  const std::string name = provider + " " + zone;
  auto asker = std::make_unique<Asker>(name, model, provider, provider::SignalRequest{zone, facts->kind, {}},
                                       environment, clock, make_http);
  return std::unique_ptr<SignalSource>(new FeedSignal(name, std::move(asker)));
}

void FeedSignal::Begin() {
  asker_->thread = std::thread([asker = asker_.get()] { asker->Go(); });
}

bool FeedSignal::is_known() { return asker_->IsKnown(); }

FeedSignal::FeedSignal(std::string name, std::unique_ptr<Asker> asker)
    : name_(std::move(name)), asker_(std::move(asker)) {}
FeedSignal::~FeedSignal() = default;

std::unique_ptr<io::HttpClient> FeedSignal::MakeCurl(std::function<bool()> should_stop) {
  io::HttpOptions options;
  options.should_stop = std::move(should_stop);
  return std::make_unique<io::CurlHttpClient>(options);
}

Status FeedSignal::Refresh() { return asker_->Ask(); }

SignalSource::Value FeedSignal::At(Instant now) {
  const Asker::Answer latest = asker_->Latest();
  Value value = latest.source->At(now);
  if (latest.usual_since) {
    value.freshness = signal::Freshness::kClimatology;
    value.age = std::max(now - *latest.usual_since, Duration{0});
  }
  return value;
}
std::vector<double> FeedSignal::Ahead(Instant now, Duration slot, std::size_t count) {
  return asker_->Latest().source->Ahead(now, slot, count);
}
double FeedSignal::HighestOfDay(Instant now) { return asker_->Latest().source->HighestOfDay(now); }

}  // namespace heliostat::live_signal
