// Laws of GpuLeases: any order of owners, and random sequences compared with a model of where the card must stand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

#include "heliostat/node/lease/testing/leases_fixture.h"
#include "heliostat/node/lease/testing/watched_gpu.h"

namespace heliostat::lease {
namespace {

using namespace std::chrono_literals;
using device::Knob;
using device::Setting;

// Every order of taking and releasing a number of leases. After each step the lowest setting stands.
class Orders {
 public:
  Orders(World& world, std::vector<int> wishes)
      : world_(&world), leases_(world.Open()), wishes_(std::move(wishes)), base_(world.limit_w()) {}

  void Walk(std::size_t taken = 0) {
    if (::testing::Test::HasFatalFailure()) return;
    if (taken == wishes_.size() && held_.empty()) {
      ++count;
      return;
    }
    if (taken < wishes_.size()) {
      Take(wishes_[taken]);
      Walk(taken + 1);
      Release(held_.size() - 1);
    }
    for (std::size_t i = 0; i < held_.size(); ++i) {
      const int wish = held_[i].second;
      Release(i);
      Walk(taken);
      Take(wish);
      std::rotate(held_.begin() + static_cast<std::ptrdiff_t>(i), held_.end() - 1, held_.end());
    }
  }

  int count = 0;

 private:
  void Take(int watts) {
    const auto grant = leases_.Take(world_->By(10, Limit(watts)));
    ASSERT_TRUE(grant);
    held_.emplace_back(grant->lease.id, watts);
    Look();
  }
  void Release(std::size_t i) {
    ASSERT_TRUE(leases_.Release(held_[i].first, LeaseEnd::kReleased));
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    Look();
  }
  void Look() {
    int lowest = base_;
    for (std::size_t i = 0; i < held_.size(); ++i)
      lowest = i == 0 ? held_[i].second : std::min(lowest, held_[i].second);
    ASSERT_EQ(world_->limit_w(), lowest);
  }

  World* world_;
  GpuLeases leases_;
  std::vector<int> wishes_;
  int base_;
  std::vector<std::pair<std::string, int>> held_;
};

// (2n - 1)!! ways to release n that are taken in order.
void ExpectTheBaseAfterAllOrders(const std::vector<int>& wishes, int orders_expected) {
  World world;
  world.gpu.SetBehindOurBack(Limit(550));
  Orders orders(world, wishes);
  orders.Walk();
  if (::testing::Test::HasFatalFailure()) return;
  EXPECT_EQ(orders.count, orders_expected);
  EXPECT_EQ(world.limit_w(), 550);
}

TEST(OrdersTest, InWhateverOrderLeasesComeAndGoTheLowestStandsAndTheBaseComesBack) {
  // Two that are the same, and one above the base; sorted, so that all permutations come.
  for (std::vector<int> wishes : {std::vector{200, 300, 300}, std::vector{200, 300, 600}, std::vector{300, 300, 600}}) {
    do {
      ExpectTheBaseAfterAllOrders(wishes, 5 * 3);
      if (::testing::Test::HasFatalFailure()) return;
    } while (std::ranges::next_permutation(wishes).found);
  }
  // All of them, the lowest taken first, in between and last.
  for (const auto& wishes :
       {std::vector{200, 300, 300, 600}, std::vector{300, 200, 600, 300}, std::vector{600, 300, 300, 200}}) {
    ExpectTheBaseAfterAllOrders(wishes, 7 * 5 * 3);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// A model of the expected outcome that does not share the implementation.
struct Model {
  struct Wish {
    Setting wanted;
    pid_t pid = 0;
    std::chrono::seconds expires{0};
    bool is_overridden = false;
  };

  int Lowest(Knob knob) const {
    int lowest = 0;
    for (const auto& [id, wish] : wishes) {
      if (wish.wanted.knob != knob || wish.is_overridden) continue;
      const auto level = static_cast<int>(knob == Knob::kPowerLimit ? wish.wanted.high / 1000 : wish.wanted.high);
      lowest = lowest == 0 ? level : std::min(lowest, level);
    }
    return lowest;
  }
  int watts() const {
    const int lowest = Lowest(Knob::kPowerLimit);
    return lowest == 0 ? outside : lowest;
  }

  std::map<std::string, Wish> wishes;
  int outside = 700;      // where the limit stands without leases
  bool is_owing = false;  // the card refused what it should have done
};

// One random sequence. Each step acts on the leases or the world, and on the model as the rules say.
class Walk {
 public:
  Walk() { Open(); }

  void Step(int what, int a, int b) {
    world_.gpu.Advance(Seconds(10));
    switch (what) {
      case 0:
        return Take(10 + a % 3, Limit(200 + (b % 10) * 50), 50 + a * 7);
      case 1:
        return Take(10 + a % 3, Lock(900 + (b % 10) * 15), 50 + a * 7);
      case 2:
        return Release(a);
      case 3:
        return Renew(a, 10 + b);
      case 4:
        return Kill(10 + a % 3);
      case 5:
        world_.machine.Pass(std::chrono::seconds(a));
        return;
      case 6:
        return TurnByAnother(200 + (a % 10) * 50);
      case 7:
        return Reload();
      case 8:
        return Reboot();
      case 9:
        return Reopen(a % 2 == 0);
      default:
        is_failing_ = !is_failing_;
        world_.gpu.FailWrites(is_failing_ ? std::optional(a % 2 == 0 ? kLost : kDenied) : std::nullopt);
    }
  }
  void Check() {
    if (is_failing_) return;
    world_.machine.Pass(61s);  // longer than any wait before the next try
    leases_->Tick();
    EndWhatIsOver();
    model_.is_owing = false;
    RC_ASSERT(world_.limit_w() == model_.watts());
    const int lock = model_.Lowest(Knob::kCoreClock);
    RC_ASSERT(gpu_.core_clock().high == lock);
    RC_ASSERT(leases_->owed().empty());
    const auto leases = leases_->leases();
    RC_ASSERT(leases.size() == model_.wishes.size());
    for (const Lease& lease : leases) {
      const auto& wish = model_.wishes.at(lease.id);
      RC_ASSERT(lease.wanted == wish.wanted);
      RC_ASSERT((lease.state == LeaseState::kOverridden) == wish.is_overridden);
      RC_ASSERT(lease.state != LeaseState::kWaiting);
      const bool is_lowest =
          wish.wanted.knob == Knob::kPowerLimit ? wish.wanted == Limit(model_.watts()) : wish.wanted.high == lock;
      RC_ASSERT(wish.is_overridden || (lease.state == LeaseState::kInForce) == is_lowest);
    }
  }
  void Finish() {
    is_failing_ = false;
    world_.gpu.FailWrites(std::nullopt);
    for (const pid_t pid : {10, 11, 12}) world_.machine.Kill(pid);
    Check();
    RC_ASSERT(leases_->leases().empty());
    const int writes = world_.gpu.writes();
    Open();
    leases_->Tick();
    RC_ASSERT(world_.gpu.writes() == writes);
    RC_ASSERT(world_.limit_w() == model_.outside);
    RC_ASSERT(gpu_.core_clock().is_default);
  }

 private:
  void Open() { leases_.emplace(world_.Open(gpu_)); }
  void Take(pid_t pid, const Setting& wanted, int ttl) {
    Settle();
    const auto grant = leases_->Take(world_.By(pid, wanted, ttl));
    if (grant) model_.wishes[grant->lease.id] = {wanted, pid, grant->lease.expires, false};
    RC_ASSERT(grant || is_failing_);
  }
  void Release(int which) {
    Settle();
    if (model_.wishes.empty()) return;
    const auto it = std::next(model_.wishes.begin(), which % static_cast<int>(model_.wishes.size()));
    RC_ASSERT(leases_->Release(it->first, LeaseEnd::kReleased).has_value());
    model_.wishes.erase(it);
    Owing();
  }
  void Renew(int which, int ttl) {
    Settle();
    if (model_.wishes.empty()) return;
    const auto it = std::next(model_.wishes.begin(), which % static_cast<int>(model_.wishes.size()));
    const auto lease = leases_->Renew(it->first, std::chrono::seconds(ttl));
    RC_ASSERT(lease.has_value());
    it->second.expires = world_.machine.SinceBoot() + std::chrono::seconds(ttl);
    RC_ASSERT(lease->expires == it->second.expires);
  }
  void Kill(pid_t pid) { world_.machine.Kill(pid); }
  void TurnByAnother(int watts) {
    Settle();
    // While the card fails, the author of a change cannot be determined.
    if (is_failing_) return;
    const bool is_ours = watts == model_.watts();
    world_.gpu.SetBehindOurBack(Limit(watts));
    leases_->Tick();
    if (model_.Lowest(Knob::kPowerLimit) == 0) {
      model_.outside = watts;
    } else if (!is_ours) {
      model_.outside = watts;
      for (auto& [id, wish] : model_.wishes) wish.is_overridden |= wish.wanted.knob == Knob::kPowerLimit;
    }
  }
  void Reload() {
    // A counter that was not seen above zero cannot be seen to fall.
    world_.machine.Pass(31s);
    Settle();
    gpu_.Reload();
    if (model_.Lowest(Knob::kPowerLimit) == 0 && !model_.is_owing) model_.outside = 700;
    world_.machine.Pass(31s);
    leases_->Tick();
    EndWhatIsOver();
    Owing();
  }
  void Reboot() {
    Settle();
    leases_.reset();
    world_.machine.Boot();
    gpu_.Reload();
    if (model_.Lowest(Knob::kPowerLimit) == 0 && !model_.is_owing) model_.outside = 700;
    model_.wishes.clear();
    Open();
    Owing();
  }
  void Reopen(bool is_put_back) {
    Settle();
    if (is_put_back) (void)leases_->PutBack();
    Open();
    EndWhatIsOver();
    Owing();
  }
  // The leases process deaths before the next step, so that the model need not guess an order.
  void Settle() {
    leases_->Tick();
    EndWhatIsOver();
    Owing();
  }
  void EndWhatIsOver() {
    std::erase_if(model_.wishes, [this](const auto& item) {
      const auto process = world_.machine.Find(item.second.pid);
      return !process || item.second.expires <= world_.machine.SinceBoot();
    });
  }
  void Owing() {
    model_.is_owing = is_failing_ && world_.limit_w() != model_.outside && model_.Lowest(Knob::kPowerLimit) == 0;
  }

  World world_;
  WatchedGpu gpu_{world_.gpu};
  std::optional<GpuLeases> leases_;
  Model model_;
  bool is_failing_ = false;
};

RC_GTEST_PROP(GpuLeasesLaw, TheCardStandsWhereTheRulesSayWhateverHappens, ()) {
  const auto steps = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
      rc::gen::tuple(rc::gen::weightedElement<int>(
                         {{5, 0}, {3, 1}, {4, 2}, {1, 3}, {2, 4}, {1, 5}, {2, 6}, {1, 7}, {1, 8}, {2, 9}, {2, 10}}),
                     rc::gen::inRange(0, 60), rc::gen::inRange(0, 60)));
  Walk walk;
  for (const auto& [what, a, b] : steps) {
    walk.Step(what, a, b);
    walk.Check();
  }
  walk.Finish();
}

// What may be broken while a lease ends.
enum class Broken {
  kNothing,
  kFullDisk,
  kReadOnlyDisk,
  kReadOnlyAndTorn,
  kDamagedLine,
  kDamagedAndFull,
  kNoJournalFile
};
// How a lease, its owner or the agent may end.
enum class Ending { kRelease, kOwnerDies, kExpiry, kStop, kCrashAndStart, kCrashAndRestore, kCrashAndLook };

bool IsCrash(Ending ending) { return ending >= Ending::kCrashAndStart; }

// Ends leases on a limit and a clock while something is broken. Both knobs must be back then.
void ExpectBack(Broken broken, Ending ending) {
  World world;
  WatchedGpu card(world.gpu);
  world.gpu.SetBehindOurBack(Limit(550));
  std::optional<GpuLeases> leases(world.Open(card));
  const auto limit = leases->Take(world.By(10, Limit(300), 100));
  const auto clock = leases->Take(world.By(10, Lock(900), 100));
  ASSERT_TRUE(limit && clock);
  if (IsCrash(ending)) {
    leases.reset();
    std::string bytes = world.scratch.Bytes();
    if (broken == Broken::kReadOnlyAndTorn) bytes += "torn";
    if (broken == Broken::kDamagedLine || broken == Broken::kDamagedAndFull) bytes = "rubbish\n" + bytes;
    world.scratch.Write(bytes);
  }
  if (broken == Broken::kNoJournalFile) std::filesystem::remove(world.scratch.journal());
  std::optional<io::FullDisk> full;
  std::optional<io::ReadOnlyDisk> read_only;
  if (broken == Broken::kFullDisk || broken == Broken::kDamagedAndFull) full.emplace();
  if (broken == Broken::kReadOnlyDisk || broken == Broken::kReadOnlyAndTorn) read_only.emplace(world.scratch.folder());
  if (ending == Ending::kOwnerDies || ending == Ending::kCrashAndStart || ending == Ending::kCrashAndLook) {
    world.machine.Kill(10);
  }
  if (ending == Ending::kExpiry) world.machine.Pass(101s);
  if (ending == Ending::kCrashAndStart) leases.emplace(world.Open(card));
  if (ending == Ending::kCrashAndRestore) leases.emplace(world.Open(card, {OpenPurpose::kRestore, {}}));
  if (ending == Ending::kCrashAndLook) leases.emplace(world.Open(card, {OpenPurpose::kLook, {}}));
  if (ending == Ending::kRelease) {
    EXPECT_TRUE(leases->Release(limit->lease.id, LeaseEnd::kReleased));
    EXPECT_TRUE(leases->Release(clock->lease.id, LeaseEnd::kReleased));
  } else if (ending == Ending::kStop) {
    EXPECT_TRUE(leases->PutBack());
  } else {
    leases->Tick();
  }
  const Setting stands = card.core_clock();
  full.reset();
  read_only.reset();
  EXPECT_EQ(world.limit_w(), 550);
  EXPECT_TRUE(stands.is_default);
  EXPECT_TRUE(leases->owed().empty());
}

TEST(RestoreLaw, ACardGoesBackWhateverElseIsBroken) {
  for (const Broken broken : {Broken::kNothing, Broken::kFullDisk, Broken::kReadOnlyDisk, Broken::kReadOnlyAndTorn,
                              Broken::kDamagedLine, Broken::kDamagedAndFull, Broken::kNoJournalFile}) {
    for (const Ending ending : {Ending::kRelease, Ending::kOwnerDies, Ending::kExpiry, Ending::kStop,
                                Ending::kCrashAndStart, Ending::kCrashAndRestore, Ending::kCrashAndLook}) {
      // After a crash only the file knows where the card stood.
      if (broken == Broken::kNoJournalFile && IsCrash(ending)) continue;
      ExpectBack(broken, ending);
      if (::testing::Test::HasFailure()) {
        FAIL() << "broken: " << static_cast<int>(broken) << ", ending: " << static_cast<int>(ending);
      }
    }
  }
}

}  // namespace
}  // namespace heliostat::lease
