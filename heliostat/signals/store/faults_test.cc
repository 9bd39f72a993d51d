// Faults that a store must survive: other processes, a killed process, and files that are damaged, foreign or not
// accessible.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <functional>

#include "heliostat/base/core/random.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/sqlite.h"
#include "heliostat/signals/store/schema.h"
#include "heliostat/signals/store/testing/store_folder.h"

namespace heliostat::store {
namespace {

using namespace std::chrono_literals;
using signal::Missing;

const SignalKey kKey = KeyOf("test", Measured(Steps(kMidnight, 1h, {0})).signal);

// Limits the wait for another process.
class Patience {
 public:
  bool IsOver() const { return std::chrono::steady_clock::now() > end_; }

 private:
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + 30s;
};

pid_t Spawn(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  return child;
}

bool Succeeded(pid_t child) {
  int status = -1;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class FaultsTest : public StoreTest {
 protected:
  // Opening or, for deeper damage, the first read must fail with `code`; the bytes do not change.
  void ExpectRefused(ErrorCode code, std::string_view why) {
    const std::string before = *io::ReadFile(path_);
    auto store = SignalStore::Open(path_);
    const auto read = store ? store->ReadMeasured(kKey, {kMidnight, kMidnight + 100'000h})
                            : Result<std::optional<signal::Signal>>(Propagate(store));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, code) << read.error().Line();
    EXPECT_NE(read.error().Line().find(why), std::string::npos) << read.error().Line();
    EXPECT_NE(read.error().Line().find(path_), std::string::npos) << read.error().Line();
    EXPECT_EQ(*io::ReadFile(path_), before);
  }
};

// Two writers take turns on one series, each at different times, while two readers read.
TEST_F(FaultsTest, ProcessesThatWriteAndReadAtOnceLoseNothing) {
  constexpr int kEach = 40;
  const auto write = [&](int parity) {
    auto store = SignalStore::Open(path_);
    if (!store) return false;
    for (int i = 0; i < kEach; ++i) {
      const Instant t = kMidnight + (2 * i + parity) * 1h;
      if (!store->PutMeasured("test", Measured(Steps(t, 1h, {2.0 * i + parity})))) return false;
    }
    return true;
  };
  const auto look = [&] {
    auto store = SignalStore::Open(path_);
    if (!store) return false;
    std::size_t seen = 0;
    const Patience patience;
    while (seen < 2 * kEach) {
      if (patience.IsOver()) return false;
      const auto read = store->ReadMeasured(kKey, {kMidnight, kMidnight + 2 * kEach * 1h});
      if (!read) return false;
      const std::size_t now = *read ? (*read)->series.size() - (*read)->series.missing() : 0;
      if (now < seen) return false;
      seen = now;
    }
    return true;
  };
  const std::array children{Spawn([&] { return write(0); }), Spawn([&] { return write(1); }), Spawn(look), Spawn(look)};
  for (const pid_t child : children) EXPECT_TRUE(Succeeded(child));
  auto store = OpenStore();
  const auto read = *store.ReadMeasured(kKey, {kMidnight, kMidnight + 2 * kEach * 1h});
  ASSERT_TRUE(read);
  for (int i = 0; i < 2 * kEach; ++i) EXPECT_EQ(read->series.values()[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(store.Fetches(kKey)->size(), 2U * kEach);
}

// The n-th fetch has the value n at every time, so that a mixture is detected.
TEST_F(FaultsTest, AReaderSeesWholeFetchesOnly) {
  constexpr int kFetches = 40;
  constexpr std::size_t kValues = 500;
  const pid_t writer = Spawn([&] {
    auto store = SignalStore::Open(path_);
    for (int n = 1; store && n <= kFetches; ++n) {
      // A different step each time, so that a fetch deletes, trims and inserts.
      const Duration step = n % 2 == 0 ? 1h : 30min;
      const auto count = n % 2 == 0 ? kValues : 2 * kValues;
      const auto answer = Measured(Steps(kMidnight, step, std::vector<double>(count, n)));
      if (!store->PutMeasured("test", answer)) return false;
    }
    return store.has_value();
  });
  auto store = OpenStore();
  double seen = 0;
  const Patience patience;
  while (seen < kFetches) {
    ASSERT_FALSE(patience.IsOver());
    const auto read = store.ReadMeasured(kKey, {kMidnight, kMidnight + kValues * 1h});
    ASSERT_TRUE(read) << read.error().Line();
    if (!*read) continue;
    const auto& values = (*read)->series.values();
    ASSERT_GE(values.front(), seen);
    seen = values.front();
    ASSERT_EQ(std::count(values.begin(), values.end(), seen), static_cast<std::ptrdiff_t>(values.size()));
  }
  EXPECT_TRUE(Succeeded(writer));
}

// Writes fetches in an endless loop and reports each acknowledged one.
[[noreturn]] void WriteUntilKilled(const std::string& path, int first, int pipe) {
  auto store = SignalStore::Open(path);
  for (int n = first; store; ++n) {
    const std::vector<double> values(200, n);
    if (!store->PutMeasured("test", Measured(Steps(kMidnight + n * 200h, 1h, values)))) break;
    if (::write(pipe, &n, sizeof n) != sizeof n) break;
  }
  ::_exit(1);
}

// Starts a child that writes, kills it a little after some acknowledgements, and returns the last one acknowledged.
int KillAWriter(const std::string& path, int first, RandomStream& random) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) WriteUntilKilled(path, first, ends[1]);
  ::close(ends[1]);
  int last = first - 1;
  for (std::uint64_t left = random.Below(6); left > 0; --left) {
    if (::read(ends[0], &last, sizeof last) != sizeof last) ADD_FAILURE() << "the writer gave up";
  }
  ::usleep(static_cast<useconds_t>(random.Below(8000)));
  EXPECT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  for (int n = 0; ::read(ends[0], &n, sizeof n) == sizeof n;) last = n;
  ::close(ends[0]);
  return last;
}

TEST_F(FaultsTest, WhatWasAcknowledgedOutlivesAKilledWriter) {
  RandomStream random(20230601);
  int next = 0;
  for (int round = 0; round < 12; ++round) {
    const int last = KillAWriter(path_, next, random);
    auto store = OpenStore();
    ASSERT_TRUE(store.CheckIntegrity());
    // All acknowledged fetches, then at most one that was committed but not acknowledged, complete.
    const auto fetches = static_cast<int>(store.Fetches(kKey)->size());
    ASSERT_TRUE(fetches == last + 1 || fetches == last + 2) << fetches << " stored, " << last + 1 << " acknowledged";
    if (fetches > 0) {
      const auto read = *store.ReadMeasured(kKey, {kMidnight, kMidnight + fetches * 200h});
      ASSERT_TRUE(read);
      ASSERT_EQ(read->series.missing(), 0U);
      for (int n = 0; n < fetches; ++n) ASSERT_EQ(*read->series.At(kMidnight + n * 200h), n);
    }
    next = fetches;
  }
  EXPECT_GT(next, 12);
}

TEST_F(FaultsTest, RefusesATextFileAndAnEmptyOne) {
  ASSERT_TRUE(io::WriteFileAtomically(path_, std::string(5000, 'x')));
  ExpectRefused(ErrorCode::kCorrupt, "is not a Heliostat signal store; move it away, or name another path");
  ASSERT_TRUE(io::WriteFileAtomically(path_, ""));
  ExpectRefused(ErrorCode::kCorrupt, "is not a Heliostat signal store; move it away, or name another path");
}

TEST_F(FaultsTest, RefusesANewerVersion) {
  {
    auto newer = *io::Database::Open(path_, StoreSchema());
    ASSERT_TRUE(newer.Execute("PRAGMA user_version=99"));
  }
  ExpectRefused(ErrorCode::kUnsupported, "is a Heliostat signal store of version 99, made by a newer program");
}

// Random bytes and cuts at every page: no crash, no wrong value, no changed file.
TEST_F(FaultsTest, ADamagedFileIsAnErrorOrStillRight) {
  const auto answer = Measured(Steps(kMidnight, 1h, std::vector<double>(2000, 42.5)));
  ASSERT_TRUE(OpenStore().PutMeasured("test", answer));
  const std::string sound = *io::ReadFile(path_);
  constexpr std::size_t kPage = 4096;
  int refused = 0;
  for (std::size_t at = 0; at < sound.size(); at += kPage) {
    for (const bool cut : {false, true}) {
      std::string bytes = cut ? sound.substr(0, at + kPage / 2) : sound;
      const std::size_t header = at == 0 ? 100 : 0;  // without it the file is foreign, not damaged
      if (!cut) bytes.replace(at + header, kPage - header, kPage - header, '\xA5');
      ASSERT_TRUE(io::WriteFileAtomically(path_, bytes));
      auto store = SignalStore::Open(path_);
      const auto read = store ? store->ReadMeasured(kKey, answer.signal.series.span())
                              : Result<std::optional<signal::Signal>>(Propagate(store));
      if (!read) {
        ++refused;
        EXPECT_EQ(read.error().code, ErrorCode::kCorrupt) << read.error().Line();
      } else {
        ASSERT_TRUE(*read);
        for (const double value : (*read)->series.values()) ASSERT_TRUE(value == 42.5 || signal::IsMissing(value));
        EXPECT_FALSE(store->CheckIntegrity());
      }
      EXPECT_EQ(*io::ReadFile(path_), bytes);
    }
  }
  EXPECT_GT(refused, 4);
  ASSERT_TRUE(io::WriteFileAtomically(path_, sound.substr(0, 4096)));
  ExpectRefused(ErrorCode::kCorrupt, "malformed");
}

TEST_F(FaultsTest, SaysThatItsFolderOrFileMayNotBeWritten) {
  ASSERT_TRUE(OpenStore().PutMeasured("test", Measured(Steps(kMidnight, 1h, {1}))));
  const std::string before = *io::ReadFile(path_);
  ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  // Root may write everywhere, so the child first changes to another user.
  const auto refused = [&](const std::string& path) {
    return Succeeded(Spawn([&] {
      if (::geteuid() == 0 && ::setuid(65534) != 0) return false;
      const auto store = SignalStore::Open(path);
      return !store && store.error().code == ErrorCode::kPermissionDenied && store.error().Line().find(path) == 0;
    }));
  };
  EXPECT_TRUE(refused(path_));
  EXPECT_TRUE(refused(folder_ / "absent.db"));
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  EXPECT_EQ(*io::ReadFile(path_), before);
}

}  // namespace
}  // namespace heliostat::store
