#include "heliostat/node/process/ending.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace heliostat::process {

int StatusOfFailedStart(const Error& error) { return error.code == ErrorCode::kNotFound ? 127 : 126; }

void EndLike(const Ending& ending, bool is_for_group) {
  (void)std::fflush(nullptr);
  if (ending.signal == 0) ::_exit(ending.exit_code);
  // Ours must not overwrite the core dump of the program.
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  (void)std::signal(ending.signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, ending.signal);
  (void)::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  const bool is_key = ending.signal == SIGINT || ending.signal == SIGQUIT;
  (void)::kill(is_for_group && is_key ? 0 : ::getpid(), ending.signal);
  ::_exit(ending.Status());
}

}  // namespace heliostat::process
