#include "heliostat/control/loop/replay.h"

#include "heliostat/control/loop/record_json.h"
#include "heliostat/control/loop/recorded_world.h"

namespace heliostat::loop {
namespace {

// Keeps the last decision.
class Listener : public StepListener {
 public:
  void Stepped(const policy::Observation& /*observation*/, const policy::Decision& decision) override {
    last_ = ToJson(decision).Line();
  }
  const std::string& last() const { return last_; }

 private:
  std::string last_;
};

}  // namespace

Result<Replayed> Replay(const std::string& path, const PolicyMaker& make) {
  auto world = RecordedWorld::Open(path);
  if (!world) return Propagate(world);
  Replayed result{(*world)->header().policy, 0, {}};
  auto policy = make(result.policy, (*world)->header().options);
  if (!policy) return Propagate(policy);
  Listener listener;
  Driver driver(**world, **world, **policy, &listener, world->get());
  do {
    if (result.steps > 0 && (*world)->is_first()) {
      auto next = make(result.policy, (*world)->header().options);
      if (!next) return Propagate(next);
      driver.Replace(**next);
      *policy = *std::move(next);
    }
    driver.Step();
    ++result.steps;
    if (!(*world)->is_on_record() || listener.last() != (*world)->decision()) {
      result.difference = {(*world)->step(), (*world)->now(), (*world)->decision(), listener.last()};
      return result;
    }
  } while (driver.Wait());
  if (!(*world)->status()) return Propagate((*world)->status());
  return result;
}

}  // namespace heliostat::loop
