#include "heliostat/base/io/sqlite.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>

#include "heliostat/base/io/file.h"

namespace heliostat::io {
namespace {

constexpr std::array<const char*, 2> kMigrations{"CREATE TABLE word (text TEXT NOT NULL) STRICT",
                                                 "ALTER TABLE word ADD COLUMN length INTEGER"};
constexpr DatabaseSchema kNew{0x7e57, "word list", kMigrations};
const DatabaseSchema kOld{0x7e57, "word list", std::span(kMigrations).first(1)};

class SqliteTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(MakeDirectories(folder_)); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The file must be refused with this text and keep its bytes.
  void ExpectRefused(const DatabaseSchema& schema, std::string_view why) {
    const std::string before = *ReadFile(path_);
    const auto opened = Database::Open(path_, schema);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().Line().find(path_), 0U) << opened.error().Line();
    EXPECT_NE(opened.error().Line().find(why), std::string::npos) << opened.error().Line();
    EXPECT_EQ(*ReadFile(path_), before);
    EXPECT_EQ(FilesInFolder(), 1);
  }
  std::int64_t FilesInFolder() const {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  }
  std::int64_t CountWords(Database& database) {
    auto count = *database.Prepare("SELECT count(*) FROM word");
    EXPECT_TRUE(*count.Step());
    return count.Integer(0);
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("heliostat_sqlite_test_" + std::to_string(::getpid()));
  std::string path_ = folder_ / "words.db";
};

// Runs `body` in a child process and returns its exit status.
int InChild(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(SqliteTest, MakesAFileForItsOwnerOnlyThatKeepsWhatIsCommitted) {
  {
    auto database = Database::Open(path_, kNew);
    ASSERT_TRUE(database) << database.error().Line();
    auto insert = *database->Prepare("INSERT INTO word VALUES (?, ?)");
    ASSERT_TRUE(insert.Bind(std::string_view("a\0b", 3), std::int64_t{3}).Run());
    ASSERT_TRUE(insert.Bind(std::string_view(), std::optional<std::int64_t>()).Run());
    struct stat facts {};
    for (const char* suffix : {"", "-wal", "-shm"}) {
      ASSERT_EQ(::stat((path_ + suffix).c_str(), &facts), 0) << suffix;
      EXPECT_EQ(facts.st_mode & 0777, 0600U) << suffix;
    }
  }
  EXPECT_EQ(FilesInFolder(), 1);
  auto database = *Database::Open(path_, kNew);
  auto select = *database.Prepare("SELECT text, length FROM word ORDER BY rowid");
  ASSERT_TRUE(*select.Step());
  EXPECT_EQ(select.Text(0), std::string("a\0b", 3));
  EXPECT_EQ(select.Integer(1), 3);
  ASSERT_TRUE(*select.Step());
  EXPECT_FALSE(select.IsNull(0));
  EXPECT_TRUE(select.IsNull(1));
  EXPECT_FALSE(*select.Step());
}

TEST_F(SqliteTest, IsDurableAndStrict) {
  auto database = *Database::Open(path_, kNew);
  const auto pragma = [&](const char* name) {
    auto statement = *database.Prepare(std::string("PRAGMA ") + name);
    EXPECT_TRUE(*statement.Step());
    return statement.Text(0);
  };
  EXPECT_EQ(pragma("journal_mode"), "wal");
  EXPECT_EQ(pragma("synchronous"), "2");  // FULL
  EXPECT_EQ(pragma("foreign_keys"), "1");
  EXPECT_EQ(pragma("user_version"), "2");
  EXPECT_FALSE(database.Execute("INSERT INTO word VALUES ('a', 'not a number')"));
}

TEST_F(SqliteTest, BringsAnOldFileToTheNewestVersionAndKeepsItsRows) {
  ASSERT_TRUE(Database::Open(path_, kOld)->Execute("INSERT INTO word VALUES ('kept')"));
  auto database = *Database::Open(path_, kNew);
  auto select = *database.Prepare("SELECT text FROM word WHERE length IS NULL");
  ASSERT_TRUE(*select.Step());
  EXPECT_EQ(select.Text(0), "kept");
}

TEST_F(SqliteTest, AMigrationThatFailsChangesNothing) {
  ASSERT_TRUE(Database::Open(path_, kOld));
  constexpr std::array<const char*, 3> broken{kMigrations[0], kMigrations[1], "CREATE TABLE word (again TEXT)"};
  ASSERT_FALSE(Database::Open(path_, {0x7e57, "word list", broken}));
  auto database = *Database::Open(path_, kOld);
  EXPECT_TRUE(database.Execute("INSERT INTO word VALUES ('one column')"));
}

TEST_F(SqliteTest, RefusesANewerVersion) {
  ASSERT_TRUE(Database::Open(path_, kNew));
  ExpectRefused(kOld, "is a word list of version 2, made by a newer program; this program reads up to version 1");
}

TEST_F(SqliteTest, RefusesWhatIsNotOurs) {
  ASSERT_TRUE(WriteFileAtomically(path_, "time,value\n2023-01-01,1\n"));
  ExpectRefused(kNew, "is not a word list; move it away, or name another path");
  ASSERT_TRUE(WriteFileAtomically(path_, ""));
  ExpectRefused(kNew, "is not a word list");
  ASSERT_TRUE(WriteFileAtomically(path_, std::string("SQLite format 3\0", 16)));
  ExpectRefused(kNew, "is not a word list");
  std::filesystem::remove(path_);
  ASSERT_TRUE(Database::Open(path_, {0x0b5e, "diary", kMigrations}));
  ExpectRefused(kNew, "is not a word list");
  EXPECT_FALSE(Database::Open(folder_, kNew));
  EXPECT_FALSE(Database::Open("", kNew));
}

TEST_F(SqliteTest, RefusesAFileWithABrokenFirstPage) {
  ASSERT_TRUE(Database::Open(path_, kNew)->Execute("INSERT INTO word VALUES ('x', 1)"));
  std::string bytes = *ReadFile(path_);
  std::fill(bytes.begin() + 100, bytes.begin() + 4096, '\xA5');
  ASSERT_TRUE(WriteFileAtomically(path_, bytes));
  ExpectRefused(kNew, "malformed");
}

TEST_F(SqliteTest, SaysThatAFolderMayNotBeWritten) {
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  // Root may write everywhere, so the child first changes to another user.
  EXPECT_EQ(InChild([&] {
              if (::geteuid() == 0 && ::setuid(65534) != 0) return 2;
              const auto opened = Database::Open(path_, kNew);
              return !opened && opened.error().code == ErrorCode::kPermissionDenied &&
                             opened.error().Line() == path_ + ": cannot make: Permission denied"
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_EQ(FilesInFolder(), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
}

TEST_F(SqliteTest, ATransactionThatIsNotCommittedNeverWas) {
  auto database = *Database::Open(path_, kNew);
  {
    auto transaction = *Transaction::BeginWrite(database);
    ASSERT_TRUE(database.Execute("INSERT INTO word VALUES ('gone', 4)"));
    EXPECT_EQ(CountWords(database), 1);
  }
  EXPECT_EQ(CountWords(database), 0);
  auto transaction = *Transaction::BeginWrite(database);
  ASSERT_TRUE(database.Execute("INSERT INTO word VALUES ('kept', 4)"));
  ASSERT_TRUE(transaction.Commit());
  EXPECT_EQ(CountWords(database), 1);
}

TEST_F(SqliteTest, AReaderSeesOneStateThroughout) {
  auto writer = *Database::Open(path_, kNew);
  auto reader = *Database::Open(path_, kNew);
  const auto transaction = *Transaction::BeginRead(reader);
  EXPECT_EQ(CountWords(reader), 0);
  ASSERT_TRUE(writer.Execute("INSERT INTO word VALUES ('later', 5)"));
  EXPECT_EQ(CountWords(reader), 0);
}

// All processes find the file absent or just made; all must end up with the same file.
TEST_F(SqliteTest, ProcessesThatMakeTheFileAtOnceShareIt) {
  constexpr int kProcesses = 8;
  std::array<pid_t, kProcesses> children{};
  for (pid_t& child : children) {
    child = ::fork();
    if (child != 0) continue;
    auto database = Database::Open(path_, kNew);
    ::_exit(database && database->Execute("INSERT INTO word VALUES ('one', 1)") ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  auto database = *Database::Open(path_, kNew);
  EXPECT_EQ(CountWords(database), kProcesses);
  EXPECT_TRUE(database.CheckIntegrity());
}

}  // namespace
}  // namespace heliostat::io
