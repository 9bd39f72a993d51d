// GpuLeases when the process or the machine dies at any step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "heliostat/base/core/random.h"
#include "heliostat/node/lease/lease_table.h"
#include "heliostat/node/lease/testing/leases_fixture.h"
#include "heliostat/node/lease/testing/watched_gpu.h"

namespace heliostat::lease {
namespace {

using namespace std::chrono_literals;
using device::Knob;
using device::Setting;

constexpr int kBase = 550;

// A GpuLeases, what it granted, and what its owners did.
struct Life {
  Life() { world.gpu.SetBehindOurBack(Limit(kBase)); }

  void Open() { leases.emplace(world.Open(gpu)); }
  void Take(pid_t pid, const Setting& wanted) {
    const auto grant = leases->Take(world.By(pid, wanted));
    if (grant) granted[grant->lease.id] = pid;
  }
  void Release(bool is_oldest) {
    if (granted.empty()) return;
    const std::string id = is_oldest ? granted.begin()->first : granted.rbegin()->first;
    granted.erase(id);
    (void)leases->Release(id, LeaseEnd::kReleased);
  }
  void Kill(pid_t pid) {
    world.machine.Kill(pid);
    std::erase_if(granted, [pid](const auto& item) { return item.second == pid; });
    leases->Tick();
  }
  void Do(char what) {
    switch (what) {
      case 'a':
        return Take(10, Limit(300));
      case 'b':
        return Take(11, Limit(400));
      case 'c':
        return Take(12, Lock(900));
      case 'd':
        return Take(11, Lock(1200));
      case 'r':
        return Release(/*is_oldest=*/true);
      case 'n':
        return Release(/*is_oldest=*/false);
      case 'k':
        return Kill(10);
      case 't':
        return leases->Tick();
      default:
        (void)leases->PutBack();
        return Open();
    }
  }
  // True when it crashed on the way.
  bool DiesAfter(int calls, const std::function<void()>& what) {
    gpu.CrashAfter(calls);
    try {
      what();
    } catch (const CrashNow&) {
      gpu.CrashAfter(-1);
      leases.reset();
      return true;
    }
    gpu.CrashAfter(-1);
    return false;
  }
  std::set<std::string> Ids() const {
    std::set<std::string> ids;
    for (const Lease& lease : leases->leases()) ids.insert(lease.id);
    return ids;
  }
  // Where the card must stand, by the leases that are there.
  void ExpectLowestWishes() {
    int watts = kBase;
    Setting clock = Setting::Default(Knob::kCoreClock);
    bool has_limit = false;
    for (const Lease& lease : leases->leases()) {
      ASSERT_NE(lease.state, LeaseState::kOverridden);
      ASSERT_NE(lease.state, LeaseState::kWaiting);
      const auto wish = static_cast<int>(lease.wanted.high / 1000);
      if (lease.wanted.knob == Knob::kPowerLimit) {
        watts = has_limit ? std::min(watts, wish) : wish;
        has_limit = true;
      } else if (clock.is_default || lease.wanted.high < clock.high) {
        clock = lease.wanted;
      }
    }
    ASSERT_EQ(world.limit_w(), watts);
    ASSERT_EQ(gpu.core_clock(), clock);
  }
  void ExpectAllIsBack() {
    ASSERT_TRUE(leases->leases().empty());
    ASSERT_TRUE(leases->owed().empty());
    ASSERT_EQ(world.limit_w(), kBase);
    ASSERT_EQ(gpu.core_clock(), Setting::Default(Knob::kCoreClock));
    const int writes = world.gpu.writes();
    Open();
    ASSERT_EQ(world.gpu.writes(), writes) << "a second restore";
  }
  void KillAll() {
    for (const pid_t pid : {10, 11, 12}) world.machine.Kill(pid);
  }

  World world;
  WatchedGpu gpu{world.gpu};
  std::optional<GpuLeases> leases;
  std::map<std::string, pid_t> granted;
};

// Dies at the `calls`-th call of the script; false when the script is over before that.
bool TryCrash(const std::string& script, int calls, bool is_owner_dead) {
  Life life;
  const bool has_died = life.DiesAfter(calls, [&] {
    life.Open();
    for (const char what : script) life.Do(what);
  });
  if (!has_died) return false;
  const int writes = life.world.gpu.writes();
  if (is_owner_dead) life.KillAll();
  life.Open();
  EXPECT_LE(life.world.gpu.writes(), writes + 2) << "more than one write a knob";
  life.ExpectLowestWishes();
  if (!is_owner_dead) {
    // What was released or killed in the very moment may be gone or not; what was granted is there.
    const auto ids = life.Ids();
    for (const auto& [id, pid] : life.granted) EXPECT_EQ(ids.count(id), 1U) << id << " is lost";
    life.KillAll();
    life.leases->Tick();
  }
  life.ExpectAllIsBack();
  return true;
}

TEST(GpuLeasesCrashTest, AtEveryCallOfEveryShortLifeNothingIsLostAndAllComesBack) {
  int crashes = 0;
  for (const char first : std::string("ac")) {
    for (const char second : std::string("abdkp")) {
      for (const char third : std::string("rnkp")) {
        const std::string script{first, second, third};
        for (const bool is_owner_dead : {false, true}) {
          for (int calls = 0; TryCrash(script, calls, is_owner_dead); ++calls, ++crashes) {
            if (::testing::Test::HasFailure()) FAIL() << script << " at call " << calls << ", dead " << is_owner_dead;
          }
        }
      }
    }
  }
  EXPECT_GT(crashes, 500);
}

TEST(GpuLeasesCrashTest, LongerLivesToo) {
  for (const char* script : {"badcpnnnn", "abkcptrrn", "cdabprnr"}) {
    for (const bool is_owner_dead : {false, true}) {
      for (int calls = 0; TryCrash(script, calls, is_owner_dead); ++calls) {
        if (::testing::Test::HasFailure()) FAIL() << script << " at call " << calls << ", dead " << is_owner_dead;
      }
    }
  }
}

TEST(GpuLeasesCrashTest, ACrashInTheMidstOfRecoveryIsACrashLikeOthers) {
  for (const bool is_owner_dead : {false, true}) {
    for (int first = 0; first < 40; first += 3) {
      for (int second = 0;; ++second) {
        Life life;
        const bool has_died = life.DiesAfter(first, [&] {
          life.Open();
          for (const char what : std::string("abcdpnr")) life.Do(what);
        });
        if (!has_died) break;
        if (is_owner_dead) life.KillAll();
        if (!life.DiesAfter(second, [&] { life.Open(); })) break;
        life.Open();
        life.ExpectLowestWishes();
        life.KillAll();
        life.leases->Tick();
        life.ExpectAllIsBack();
        if (::testing::Test::HasFailure()) FAIL() << first << ", " << second << ", dead " << is_owner_dead;
      }
    }
  }
}

TEST(GpuLeasesCrashTest, WhatSomebodyElseTurnedAfterTheRestoreIsLeftAlone) {
  Life life;
  life.Open();
  life.Do('a');
  // Dies after the card was put back, before that is on record: a look, then the write and what is behind it.
  ASSERT_TRUE(life.DiesAfter(2, [&] { life.Do('r'); }));
  ASSERT_EQ(life.world.limit_w(), kBase);
  life.KillAll();
  const int writes = life.world.gpu.writes();
  life.world.gpu.SetBehindOurBack(Limit(600));
  life.Open();
  EXPECT_EQ(life.world.limit_w(), 600);
  EXPECT_EQ(life.world.gpu.writes(), writes);
}

TEST(GpuLeasesCrashTest, AWriteThatWasCutShortIsOursWhereverTheDriverPutIt) {
  Life life;
  life.world.gpu.RoundLimits(50'000);
  life.Open();
  ASSERT_TRUE(life.DiesAfter(2, [&] { life.Take(10, Limit(330)); }));
  ASSERT_EQ(life.world.limit_w(), 300) << "neither what was asked nor where it was";
  life.KillAll();
  life.Open();
  life.ExpectAllIsBack();
}

// A stretch of the journal that was written while the card stood so.
struct Stretch {
  std::size_t until = 0;  // bytes
  int watts = 0;
  Setting clock;
};

// The journal of a random life in one boot, with what the card was at while each byte was written.
struct Recording {
  std::string bytes;
  std::vector<Stretch> stretches;
};

Recording RecordLife(std::uint64_t seed) {
  Recording recording;
  Life life;
  life.world.gpu.RoundLimits(50'000);  // so that what stands is seldom what was asked
  life.Open();
  const auto mark = [&] {
    recording.stretches.push_back({static_cast<std::size_t>(std::filesystem::file_size(life.world.scratch.journal())),
                                   life.world.limit_w(), life.gpu.core_clock()});
  };
  life.gpu.before_apply = mark;
  RandomStream random(seed);
  for (int i = 0; i < 5; ++i) {
    switch (random.Below(5)) {
      case 0:
      case 1:
        life.Take(10 + static_cast<pid_t>(random.Below(3)), Limit(250 + static_cast<int>(random.Below(20)) * 15));
        break;
      case 2:
        life.Take(10 + static_cast<pid_t>(random.Below(3)), Lock(900 + static_cast<int>(random.Below(20)) * 15));
        break;
      case 3:
        life.Release(random.Below(2) == 0);
        break;
      default:
        life.Kill(10 + static_cast<pid_t>(random.Below(3)));
    }
  }
  mark();
  recording.bytes = life.world.scratch.Bytes();
  return recording;
}

// The card as it was, the journal cut, all owners dead: every knob must be at its base.
void ExpectRestored(const Recording& recording, std::size_t length, const Stretch& card, bool is_reboot) {
  Life life;
  life.world.gpu.RoundLimits(50'000);
  life.world.scratch.Write(std::string_view(recording.bytes).substr(0, length));
  life.world.gpu.SetBehindOurBack(Limit(card.watts));
  life.gpu.SetCoreClock(card.clock);
  if (is_reboot) {
    life.world.machine.Boot();
    life.gpu.Reload();
  }
  life.Open();
  const bool is_torn = length > 0 && recording.bytes[length - 1] != '\n';
  ASSERT_EQ(life.world.text().find("torn") != std::string::npos, is_torn) << life.world.text();
  ASSERT_TRUE(life.leases->leases().empty());
  ASSERT_TRUE(life.leases->owed().empty());
  ASSERT_EQ(life.gpu.core_clock(), Setting::Default(Knob::kCoreClock));
  // After a boot, a limit that the cut journal does not contain stands at the card's default, as it should.
  LeaseTable ledger(life.world.gpu.identity().uuid);
  if (is_reboot) {
    for (const io::Json& record : io::Journal::Parse(std::string_view(recording.bytes).substr(0, length)).records) {
      ASSERT_TRUE(ledger.Replay(record));
    }
  }
  const bool is_unknown = is_reboot && ledger.knobs.count(Knob::kPowerLimit) == 0;
  ASSERT_EQ(life.world.limit_w(), is_unknown ? 700 : kBase);
}

// Where a record is whole but for its last bytes, or has just begun.
bool IsNearEndOfLine(const std::string& bytes, std::size_t length) {
  const std::size_t from = length < 3 ? 0 : length - 3;
  return length <= 3 || length + 3 >= bytes.size() || bytes.substr(from, 6).find('\n') != std::string::npos;
}

TEST(PowerCutTest, AJournalThatIsCutAtAnyByteRestoresTheCardAndSaysWhatItFound) {
  const Recording recording = RecordLife(/*seed=*/1);
  ASSERT_GT(recording.bytes.size(), 2000U);
  ASSERT_GT(recording.stretches.size(), 3U);
  std::size_t length = 0;
  for (const Stretch& stretch : recording.stretches) {
    for (; length <= stretch.until; ++length) {
      // Trying each byte is slow, and the card does not change within a line. The tests of io::Journal cut at every
      // byte.
      if (length % 4 == 0 || IsNearEndOfLine(recording.bytes, length)) {
        ExpectRestored(recording, length, stretch, /*is_reboot=*/false);
      }
      if (length % 16 == 0) ExpectRestored(recording, length, stretch, /*is_reboot=*/true);
      if (::testing::Test::HasFailure()) FAIL() << "cut at byte " << length;
    }
    // Its last byte was on disk when the card was turned: it may have been set just before the cut.
    --length;
  }
  ASSERT_EQ(length, recording.bytes.size());
}

}  // namespace
}  // namespace heliostat::lease
