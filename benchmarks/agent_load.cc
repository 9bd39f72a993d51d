// Sends requests to a daemon over its Unix socket at a constant rate, one request per line, and prints the latencies of
// the answers as JSON.
//
//   agent_load SOCKET QUESTION RATE SECONDS
//
// RATE is in requests per second.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr long kNanoseconds = 1'000'000'000;

long Now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNanoseconds + now.tv_nsec;
}

int Connect(const char* path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    std::perror(path);
    std::exit(1);
  }
  return fd;
}

// Sends one request and reads its whole answer; returns the nanoseconds between.
long RoundTrip(int fd, const std::string& question) {
  const long start = Now();
  if (::send(fd, question.data(), question.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(question.size())) std::exit(1);
  char buffer[65536];
  while (true) {
    const ssize_t got = ::recv(fd, buffer, sizeof(buffer), 0);
    if (got <= 0) std::exit(1);
    if (buffer[got - 1] == '\n') return Now() - start;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: {} SOCKET QUESTION RATE SECONDS\n", argv[0]);
    return 2;
  }
  const int fd = Connect(argv[1]);
  const std::string question = std::string(argv[2]) + "\n";
  const double rate = std::atof(argv[3]);
  const auto count = static_cast<std::size_t>(rate * std::atof(argv[4]));
  for (int i = 0; i < 200; ++i) RoundTrip(fd, question);
  std::vector<long> took;
  took.reserve(count);
  const long start = Now();
  for (std::size_t i = 0; i < count; ++i) {
    const long due = start + static_cast<long>(static_cast<double>(i) / rate * kNanoseconds);
    const timespec when{due / kNanoseconds, due % kNanoseconds};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr);
    took.push_back(RoundTrip(fd, question));
  }
  const double seconds = static_cast<double>(Now() - start) / kNanoseconds;
  std::sort(took.begin(), took.end());
  const auto at = [&](double share) {
    return static_cast<double>(took[static_cast<std::size_t>(share * static_cast<double>(count - 1))]) / 1e3;
  };
  fmt::print("{{\"rate\": {:.1f}, \"p50_us\": {:.1f}, \"p99_us\": {:.1f}, \"p999_us\": {:.1f}, \"max_us\": {:.1f}}}\n",
             static_cast<double>(count) / seconds, at(0.5), at(0.99), at(0.999), at(1.0));
  ::close(fd);
  return 0;
}
