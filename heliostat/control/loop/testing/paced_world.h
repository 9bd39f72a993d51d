#pragma once

#include <chrono>
#include <thread>

#include "heliostat/control/loop/world.h"

namespace heliostat::loop::testing {

// Another world in which every Wait() takes a millisecond of real time, for tests with threads besides the loop's.
class PacedWorld : public World {
 public:
  explicit PacedWorld(World& inner) : inner_(inner) {}
  std::shared_ptr<const scenario::Site> site() const override { return inner_.site(); }
  policy::Capabilities capabilities() const override { return inner_.capabilities(); }
  Instant horizon() const override { return inner_.horizon(); }
  Instant now() const override { return inner_.now(); }
  WorldView Look() override { return inner_.Look(); }
  void Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) override {
    inner_.Apply(decision, receipts);
  }
  bool Wait(Instant until) override {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    return inner_.Wait(until);
  }

 private:
  World& inner_;
};

}  // namespace heliostat::loop::testing
