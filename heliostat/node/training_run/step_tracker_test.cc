#include "heliostat/node/training_run/step_tracker.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heliostat/node/device_model/simulated_gpu.h"
#include "heliostat/node/training_progress/step_layout.h"

namespace heliostat::training_run {
namespace {

using std::chrono::seconds;

// A program that reports its steps, as python/heliostat.py does.
class Reporter {
 public:
  explicit Reporter(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    void* const memory =
        ::mmap(nullptr, sizeof(training_progress::StepLayout), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    layout_ = static_cast<training_progress::StepLayout*>(memory);
    layout_->pid = static_cast<std::uint64_t>(::getpid());
  }
  ~Reporter() { ::munmap(layout_, sizeof(training_progress::StepLayout)); }
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  void Step(std::uint64_t steps, std::uint64_t phase = 0) {
    layout_->steps = steps;
    layout_->phase = phase;
  }

 private:
  training_progress::StepLayout* layout_;
};

class TrackerTest : public ::testing::Test {
 protected:
  TrackerTest() { gpu_.Run(device_model::LoadOf("resnet50", *device_model::FindCardModel("H200"))); }
  void Poll(int at_s) { tracker_->Poll(start_ + seconds(at_s), {&gpu_}); }

  const StepTracker::Time start_ = StepTracker::Time(seconds(1000));
  device_model::SimulatedGpu gpu_{*device_model::FindCardModel("H200"), 0};
  const ManualClock clock_{Instant{}};
  Result<StepTracker> tracker_ = StepTracker::Make("", ProcessEnvironment(), clock_);
};

TEST_F(TrackerTest, KnowsNothingAtFirst) {
  Poll(0);
  EXPECT_EQ(tracker_->source(), ledger::ProgressSource::kNone);
  EXPECT_TRUE(tracker_->is_aside());
  EXPECT_EQ(tracker_->how(), "");
}

TEST_F(TrackerTest, ReportedStepsComeBeforeOutputAndCountOn) {
  tracker_->Observe(" 10%|#  | 100/1000 [00:01<00:09, 100.0it/s]\r");
  Poll(1);
  EXPECT_EQ(tracker_->source(), ledger::ProgressSource::kOutput);
  EXPECT_EQ(tracker_->steps(), 100.0);
  EXPECT_EQ(tracker_->total(), 1000.0);
  Reporter program(tracker_->steps_path());
  program.Step(7);
  Poll(2);
  EXPECT_EQ(tracker_->source(), ledger::ProgressSource::kReported);
  EXPECT_EQ(tracker_->steps(), 100.0);
  program.Step(17);
  Poll(3);
  EXPECT_EQ(tracker_->steps(), 110.0);
  EXPECT_FALSE(tracker_->total());
}

TEST_F(TrackerTest, AnEvaluationIsAside) {
  Reporter program(tracker_->steps_path());
  program.Step(5);
  Poll(1);
  EXPECT_FALSE(tracker_->is_aside());
  program.Step(5, 1);
  Poll(2);
  EXPECT_TRUE(tracker_->is_aside());
}

TEST_F(TrackerTest, CountersAreAskedOnlyWhenNothingElseTellsForAWhile) {
  for (int s = 0; s <= 20; ++s) Poll(s);
  EXPECT_EQ(tracker_->source(), ledger::ProgressSource::kNone);
  for (int s = 21; s <= 30; ++s) Poll(s);
  EXPECT_EQ(tracker_->source(), ledger::ProgressSource::kCounters);
  const auto reading = gpu_.Read();
  const double share = *reading->utilisation * *reading->core_mhz / 1980.0;
  EXPECT_NEAR(tracker_->steps(), 30.0 * share, 1e-9);
  EXPECT_NE(tracker_->how().find("estimate"), std::string::npos);
}

TEST_F(TrackerTest, TheProgramsOwnCountIsKnownHoweverLateItIsSeen) {
  EXPECT_FALSE(tracker_->done());
  for (int s = 0; s <= 30; ++s) Poll(s);
  EXPECT_FALSE(tracker_->done()) << "counters are an estimate";
  tracker_->Observe("step 446/1500\n");
  Poll(31);
  tracker_->Observe("step 1500/1500\n");
  Poll(32);
  EXPECT_LT(tracker_->steps(), 1500.0);
  EXPECT_EQ(tracker_->done(), 1500.0);
}

TEST_F(TrackerTest, APatternThatIsNoneIsRefused) {
  EXPECT_FALSE(StepTracker::Make("step ((", ProcessEnvironment(), clock_));
}

}  // namespace
}  // namespace heliostat::training_run
