#pragma once

#include <sys/termios.h>
#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "heliostat/base/core/error.h"

namespace heliostat::process {

// A pseudo-terminal that replaces the user's terminal as the program's output. It has the same size and modes, but does
// not process output, because the user's terminal does. A program that reads the user's terminal itself gets the
// keyboard (Keyboard). One that reads keys from its output, as `less` does, sets a mode without lines there; keys are
// then passed on through the pseudo-terminal.
//
// Modes that a program sets on its output (as curses does) are copied to the user's terminal, and PutModesBack()
// restores them. Owns no file: the master belongs to a Relay, the slave to the program. Not thread-safe.
class OutputTerminal {
 public:
  struct Ends {
    int master = -1;
    int slave = -1;
  };
  static Result<Ends> Open(int users);

  OutputTerminal(int master, int users);

  // Both do nothing when nothing changed, and return whether something did.
  bool CarrySize();   // the user's to the program
  bool CarryModes();  // the program's to the user
  void PutModesBack();
  // True when the program has switched line input off, to read single keys.
  bool WantsKeys() const { return (seen_.c_lflag & ICANON) == 0; }
  void PassKeys(std::string_view keys) const;

 private:
  int master_;
  int users_;
  bool has_carried_ = false;
  termios seen_{};    // of the program, when last read
  termios before_{};  // the user's
};

// Controls which process group gets the keys of the user's terminal. The program has its own group, so that it can be
// held without holding Heliostat. Heliostat keeps the keys and passes their signals on until the program reads from the
// terminal. Without a terminal all calls do nothing. Not thread-safe.
class Keyboard {
 public:
  Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  ~Keyboard();

  // True when the group of this process has the keys: it is in the foreground.
  bool IsOurs() const;
  void GiveTo(pid_t group);
  // Keys that were typed and not read yet. Takes them only while IsOurs(); never waits.
  std::size_t Read(std::span<char> keys) const;
  // Does nothing unless `group` has the keys.
  void TakeBackFrom(pid_t group);

 private:
  int terminal_ = -1;
};

}  // namespace heliostat::process
