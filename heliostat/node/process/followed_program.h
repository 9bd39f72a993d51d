#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "heliostat/node/process/child.h"
#include "heliostat/node/process/output_queue.h"
#include "heliostat/node/process/pacer.h"
#include "heliostat/node/process/program.h"

namespace heliostat::process {

// The user's program, followed to its end by the thread that has started it. That thread passes output and signals on
// and paces the program, and waits for nothing else: neither a GPU driver nor an agent, a disk or a network. Another
// thread controls it through the functions of Program. Start() and Follow() are for one thread, the rest is
// thread-safe.
class FollowedProgram final : public Program {
 public:
  // As Child::Start().
  static Result<std::unique_ptr<FollowedProgram>> Start(const ProgramCommand& command);

  // Returns when the program has ended and its output is passed on.
  Ending Follow();
  bool had_terminal() const { return child_->had_terminal(); }

  void Wait(std::chrono::milliseconds timeout) override;
  bool is_done() const override { return is_done_; }
  std::optional<Ending> ending() const override;
  std::string TakeOutput() override { return output_.Take(); }
  void SetDuty(double duty) override { duty_ = duty; }
  void SetOwesCard(bool owes) override { child_->SetOwesCard(owes); }
  void End() override { should_end_ = true; }

 private:
  FollowedProgram() = default;
  void AskToEnd(Pacer::Time now);

  std::unique_ptr<Child> child_;
  OutputQueue output_;
  Pacer pacer_;
  std::atomic<double> duty_{1.0};
  std::atomic<bool> should_end_{false};
  std::optional<Pacer::Time> asked_to_end_;
  bool is_killed_ = false;
  std::atomic<bool> is_done_{false};
  std::optional<Ending> ending_;
  mutable std::mutex mutex_;  // guards `ending_`, and is for Wait()
  std::condition_variable ended_;
};

}  // namespace heliostat::process
