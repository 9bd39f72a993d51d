#pragma once

#include <sys/termios.h>
#include <sys/types.h>

#include <optional>

#include "heliostat/base/core/error.h"

namespace heliostat::process {

// A pseudo-terminal that stands for the user's own on the program's output: of its size and modes, but passing output
// through as it is, since the user's terminal does what there is to do with it. Keys never go through it: the program
// reads the user's terminal itself.
//
// A program may set modes on its output (curses does); they are carried over to the user's terminal and, however the
// program ends, put back. Owns no file: the master belongs to a Relay, the slave to the program.
class OutputTerminal {
 public:
  struct Ends {
    int master = -1;
    int slave = -1;
  };
  static Result<Ends> Open(int users);

  OutputTerminal(int master, int users);

  // Both compare and do nothing when nothing changed. Whether there was anything.
  bool CarrySize();   // the user's to the program
  bool CarryModes();  // the program's to the user
  void PutModesBack();

 private:
  int master_;
  int users_;
  bool has_carried_ = false;
  termios seen_{};    // the program's, as last looked at
  termios before_{};  // the user's
};

// Which process group the keys of the user's terminal go to. The program has a group of its own, so that it can be held
// without holding Heliostat; Heliostat keeps the keys and passes their signals on until the program wants to read them.
// Where there is no terminal nothing is ever given away.
class Keyboard {
 public:
  Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  ~Keyboard();

  // Our own group has them: we were started in the foreground, and have not given them away.
  bool IsOurs() const;
  void GiveTo(pid_t group);
  // Only if `group` still has them.
  void TakeBackFrom(pid_t group);

 private:
  int terminal_ = -1;
};

}  // namespace heliostat::process
