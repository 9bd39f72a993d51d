#include "heliostat/node/process/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "heliostat/node/process/testing/stage.h"

namespace heliostat::process {
namespace {

using ::testing::HasSubstr;
using testing::PlayHeliostat;
using testing::Shell;
using testing::Stage;

Stage RunOnTerminal(const ProgramCommand& command) {
  return Stage::OnTerminal([&] { PlayHeliostat(command); });
}

ProgramCommand Python(std::string script) { return {{"python3", "-c", std::move(script)}, {}}; }

termios ModesOf(int terminal) {
  termios modes{};
  EXPECT_EQ(::tcgetattr(terminal, &modes), 0);
  return modes;
}

TEST(TerminalTest, TheProgramSeesATerminalOfTheUsersSize) {
  auto stage =
      RunOnTerminal(Python("import os,sys\nprint([os.isatty(i) for i in range(3)],"
                           "[tuple(os.get_terminal_size(i)) for i in range(3)])"));
  EXPECT_EQ(stage.ReadAll().first, "[True, True, True] [(101, 33), (101, 33), (101, 33)]\r\n");
  EXPECT_EQ(stage.Status(), 0);
}

TEST(TerminalTest, WindowSizesFollow) {
  auto stage = RunOnTerminal(
      Python("import os,signal,time\n"
             "signal.signal(signal.SIGWINCH,lambda *a:print('now',tuple(os.get_terminal_size(1)),flush=True))\n"
             "print('ready',flush=True)\nwhile True: time.sleep(1)"));
  (void)stage.ReadUntil("ready\r\n");
  winsize size{50, 140, 0, 0};
  ASSERT_EQ(::ioctl(stage.terminal(), TIOCSWINSZ, &size), 0);
  EXPECT_THAT(stage.ReadUntil("now (140, 50)"), HasSubstr("now (140, 50)"));
  stage.Type("\x03");
  (void)stage.ReadAll();
  EXPECT_EQ(stage.Status(), 128 + SIGINT);
}

TEST(TerminalTest, KeysReachTheProgramOnce) {
  for (const auto& [key, name] : {std::pair{"\x03", "INT"}, std::pair{"\x1c", "QUIT"}}) {
    auto stage = RunOnTerminal(Shell(std::string("n=0; trap 'n=$((n+1)); echo got $n' ") + name +
                                     "; echo ready; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.05; done; exit 4"));
    (void)stage.ReadUntil("ready\r\n");
    stage.Type(key);
    const std::string rest = stage.ReadAll().first;
    EXPECT_THAT(rest, HasSubstr("got 1"));
    EXPECT_THAT(rest, ::testing::Not(HasSubstr("got 2")));
    EXPECT_EQ(stage.Status(), 4);
  }
}

TEST(TerminalTest, CtrlZStopsBothAndFgGoesOn) {
  auto stage =
      RunOnTerminal(Python("import time\nprint('ready',flush=True)\n"
                           "for i in range(30): time.sleep(0.02)\nprint('end')"));
  (void)stage.ReadUntil("ready\r\n");
  stage.Type("\x1a");
  const std::string rest = stage.ReadAll().first;
  EXPECT_THAT(rest, HasSubstr("[stopped " + std::to_string(SIGTSTP) + "]"));
  EXPECT_THAT(rest, HasSubstr("end"));
  EXPECT_EQ(stage.Status(), 0);
}

TEST(TerminalTest, CtrlZWorksOnAProgramThatIsHeld) {
  auto stage = Stage::OnTerminal([] {
    PlayHeliostat(Python("import time\nprint('ready',flush=True)\n"
                         "for i in range(30): time.sleep(0.02)\nprint('end')"),
                  [n = 0](Child& child) mutable {
                    ++n;
                    if (n % 4 == 1) child.Hold();
                    if (n % 4 == 3) child.Release();
                  });
  });
  (void)stage.ReadUntil("ready\r\n");
  stage.Type("\x1a");
  const std::string rest = stage.ReadAll().first;
  EXPECT_THAT(rest, HasSubstr("[stopped " + std::to_string(SIGTSTP) + "]"));
  EXPECT_THAT(rest, HasSubstr("end"));
  EXPECT_EQ(stage.Status(), 0);
}

TEST(TerminalTest, AProgramThatReadsTheKeyboardGetsIt) {
  auto stage = RunOnTerminal(Python("name=input('who? ')\nprint('hello',name)"));
  (void)stage.ReadUntil("who? ");
  stage.Type("anna\n");
  EXPECT_THAT(stage.ReadAll().first, HasSubstr("hello anna"));
  EXPECT_EQ(stage.Status(), 0);
}

TEST(TerminalTest, CtrlCEndsAProgramThatHasTheKeyboard) {
  auto stage = RunOnTerminal(Python("import signal\nsignal.signal(signal.SIGINT,signal.SIG_DFL)\ninput('who? ')"));
  (void)stage.ReadUntil("who? ");
  // The keyboard is given when the program asks for it, which it may not have done yet; then we pass the key on.
  stage.Type("\x03");
  (void)stage.ReadAll();
  EXPECT_EQ(stage.Status(), 128 + SIGINT);
}

TEST(TerminalTest, ModesSetOnTheOutputReachTheUsersTerminalAndArePutBack) {
  auto stage = RunOnTerminal(Python(
      "import termios,os,time\na=termios.tcgetattr(1)\na[3]&=~(termios.ECHO|termios.ICANON)\n"
      "termios.tcsetattr(1,termios.TCSANOW,a)\nprint('set',flush=True)\n"
      "end=time.monotonic()+10\n"
      "while termios.tcgetattr(0)[3]&termios.ECHO and time.monotonic()<end: time.sleep(0.01)\n"
      "print('lost' if termios.tcgetattr(0)[3]&termios.ECHO else 'carried',flush=True)\nos.kill(os.getpid(),9)"));
  const termios before = ModesOf(stage.terminal());
  const std::string all = stage.ReadUntil("carried");
  EXPECT_THAT(all, HasSubstr("carried"));
  EXPECT_TRUE(testing::WaitFor([&] { return ModesOf(stage.terminal()).c_lflag == before.c_lflag; }));
  (void)stage.ReadAll();
  EXPECT_EQ(stage.Status(), 128 + SIGKILL);
}

TEST(TerminalTest, KeysReachAProgramThatReadsThemFromItsOutput) {
  for (const char* const file : {"2", "os.open(os.ttyname(1),os.O_RDWR|os.O_NOCTTY)"}) {
    auto stage = RunOnTerminal(Python(std::string("import os,tty\nf=") + file +
                                      "\ntty.setcbreak(f)\nprint('ready',flush=True)\n"
                                      "print('keys',os.read(f,1),os.read(f,1))"));
    (void)stage.ReadUntil("ready\r\n");
    stage.Type("q");
    stage.Type("x");
    EXPECT_THAT(stage.ReadAll().first, HasSubstr("keys b'q' b'x'")) << file;
    EXPECT_EQ(stage.Status(), 0);
  }
}

TEST(TerminalTest, PagersWork) {
  for (const std::string pager : {"less", "more"}) {
    if (::system(("command -v " + pager + " > /dev/null").c_str()) != 0) continue;  // NOLINT: a test
    auto stage = RunOnTerminal(Shell("TERM=xterm; export TERM; seq 1 500 | " + pager));
    // Until the modes that it sets are seen, a line may end in two carriage returns, which look the same.
    EXPECT_THAT(stage.ReadUntil("31\r"), HasSubstr("31\r")) << pager;
    stage.Type(" ");
    EXPECT_THAT(stage.ReadUntil("60\r"), HasSubstr("60\r")) << pager;
    stage.Type("q");
    (void)stage.ReadAll();
    EXPECT_EQ(stage.Status(), 0) << pager;
  }
}

TEST(TerminalTest, ATerminalThatAcceptsNothingHoldsOnlyTheOutput) {
  auto stage = RunOnTerminal(Python(
      "import os,signal,termios\nsignal.signal(signal.SIGTERM,lambda *_:os._exit(6))\nprint(os.getpid(),flush=True)\n"
      "a=termios.tcgetattr(1)\na[3]&=~termios.ECHO\ntermios.tcsetattr(1,termios.TCSANOW,a)\n"
      "while True: os.write(1,b'x'*4096)"));
  const pid_t program = std::atoi(stage.ReadUntil("\r\n").c_str());
  ASSERT_GT(program, 1);
  const pid_t heliostat = testing::ParentOf(testing::ParentOf(testing::ParentOf(program)));
  ::poll(nullptr, 0, 300);  // nobody reads: the terminal is full
  ::kill(heliostat, SIGTERM);
  EXPECT_TRUE(testing::WaitFor([&] { return testing::StateOf(program) == 0; })) << "SIGTERM waits for the terminal";
  (void)stage.ReadAll();
  EXPECT_EQ(stage.Status(), 6);
}

TEST(TerminalTest, ModesAreTheSameAfterEveryWayToEnd) {
  for (const char* script : {"exit 0", "kill -9 $$", "kill -TERM $PPID; sleep 0.1", "kill -TERM $$"}) {
    auto stage = RunOnTerminal(Shell(std::string("echo ready; ") + script));
    const termios before = ModesOf(stage.terminal());
    (void)stage.ReadUntil("ready");
    (void)stage.ReadUntil("no such text, so to the end");
    const termios after = ModesOf(stage.terminal());
    EXPECT_EQ(std::memcmp(&before, &after, sizeof(before)), 0) << script;
  }
}

TEST(TerminalTest, ColoursAndCarriageReturnsComeThroughAsTheTerminalWouldShowThem) {
  auto stage = RunOnTerminal(Shell("printf '\\033[31mred\\033[0m\\r\\tx\\n'"));
  EXPECT_EQ(stage.ReadAll().first, "\033[31mred\033[0m\r\tx\r\n");
}

}  // namespace
}  // namespace heliostat::process
