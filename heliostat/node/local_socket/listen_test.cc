#include "heliostat/node/local_socket/listen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>

#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/local_socket/systemd.h"
#include "heliostat/node/local_socket/testing/raw_connection.h"

namespace heliostat::local_socket {
namespace {

using ::testing::HasSubstr;

Environment Of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(ListenTest, EverybodyMayConnect) {
  const io::Scratch scratch;
  const auto listener = Listener::Open(scratch.folder() / "run/a.sock", Of({}));
  ASSERT_TRUE(listener) << listener.error().Line();
  struct stat facts {};
  ASSERT_EQ(::stat((scratch.folder() / "run/a.sock").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0666U);
  EXPECT_EQ(RawConnection(scratch.folder() / "run/a.sock").error(), 0);
}

TEST(ListenTest, ASocketAtWhichSomebodyAnswersIsLeftAlone) {
  const io::Scratch scratch;
  {
    const auto first = Listener::Open(scratch.folder() / "a.sock", Of({}));
    ASSERT_TRUE(first);
    const auto second = Listener::Open(scratch.folder() / "a.sock", Of({}));
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().Line(), HasSubstr("another program answers"));
    EXPECT_EQ(RawConnection(scratch.folder() / "a.sock").error(), 0);
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.folder() / "a.sock"));
}

TEST(ListenTest, WhatADeadProgramLeftIsReplaced) {
  const io::Scratch scratch;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = scratch.folder() / "a.sock";
  std::copy(path.begin(), path.end(), address.sun_path);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ::close(fd);
  ASSERT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(RawConnection(path).error(), ECONNREFUSED);
  const auto listener = Listener::Open(path, Of({}));
  ASSERT_TRUE(listener);
  EXPECT_EQ(RawConnection(path).error(), 0);
}

TEST(ListenTest, AFileThatIsNoSocketIsLeftAlone) {
  const io::Scratch scratch;
  const std::string path = scratch.folder() / "a.sock";
  std::ofstream(path) << "precious";
  EXPECT_FALSE(Listener::Open(path, Of({})));
  std::string kept;
  std::ifstream(path) >> kept;
  EXPECT_EQ(kept, "precious");
  EXPECT_FALSE(Listener::Open(scratch.folder() / std::string(200, 'x'), Of({})));
}

TEST(ListenTest, AnotherKindOfSocketIsLeftAlone) {
  const io::Scratch scratch;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = scratch.folder() / "log";
  std::copy(path.begin(), path.end(), address.sun_path);
  // As that of the system's log: a stream cannot be connected to it although it is in use.
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  const auto listener = Listener::Open(path, Of({}));
  ASSERT_FALSE(listener);
  EXPECT_EQ(listener.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(std::filesystem::exists(path));
  ::close(fd);
}

TEST(SystemdTest, TellsEverySortOfSocket) {
  const io::Scratch scratch;
  for (const std::string& name :
       {(scratch.folder() / "notify").string(), "@heliostat-test-" + std::to_string(::getpid())}) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), address.sun_path);
    if (name[0] == '@') address.sun_path[0] = '\0';
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), length), 0);
    const Notifier notifier(Of({{"NOTIFY_SOCKET", name}, {"WATCHDOG_USEC", "1"}}));
    EXPECT_TRUE(notifier.is_watched());
    notifier.Send("READY=1");
    std::array<char, 64> room{};
    EXPECT_EQ(::recv(fd, room.data(), room.size(), MSG_DONTWAIT), 7) << name;
    EXPECT_STREQ(room.data(), "READY=1");
    ::close(fd);
  }
}

TEST(SystemdTest, WithoutSystemdNothingHappens) {
  const Notifier notifier(Of({}));
  notifier.Send("READY=1");
  EXPECT_FALSE(notifier.is_watched());
  EXPECT_EQ(ActivatedSocket(Of({})), std::nullopt);
  EXPECT_EQ(ActivatedSocket(Of({{"LISTEN_PID", "1"}, {"LISTEN_FDS", "1"}})), std::nullopt) << "another process's";
}

TEST(SystemdTest, TakesAUnixSocketThatListensAndNoOther) {
  // In processes of their own, whose descriptor 3 is the socket; they exit with status 0 when it is taken.
  const auto is_taken = [](int domain, bool listens) {
    const pid_t child = ::fork();
    if (child == 0) {
      const int fd = ::socket(domain, SOCK_STREAM, 0);
      sockaddr_storage any{};
      any.ss_family = static_cast<sa_family_t>(domain);
      const socklen_t length = domain == AF_UNIX ? sizeof(sa_family_t) : sizeof(sockaddr_in);
      if (::bind(fd, reinterpret_cast<const sockaddr*>(&any), length) != 0) ::_exit(2);
      if (listens && ::listen(fd, 1) != 0) ::_exit(2);
      if (fd != 3 && ::dup2(fd, 3) != 3) ::_exit(2);
      const auto taken = ActivatedSocket(Of({{"LISTEN_PID", std::to_string(::getpid())}, {"LISTEN_FDS", "1"}}));
      ::_exit(taken == 3 ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_LT(WEXITSTATUS(status), 2);
    return status == 0;
  };
  EXPECT_TRUE(is_taken(AF_UNIX, true));
  EXPECT_FALSE(is_taken(AF_UNIX, false));
  EXPECT_FALSE(is_taken(AF_INET, true)) << "whoever connected there would have no user";
}

}  // namespace
}  // namespace heliostat::local_socket
