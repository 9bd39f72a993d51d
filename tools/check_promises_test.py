#!/usr/bin/env python3
"""Checks that check_promises.py reports each kind of mistake."""
import pathlib
import unittest

from invented_repository import run_check

CHECK = pathlib.Path(__file__).resolve().parent / "check_promises.py"
GUIDE = """# Agent

## Events, and effects

| event | effect |
|---|---|
| a lease ends | the knob goes back |
| the agent is killed | restored |

- Keys are not
  printed. Never.

## More

| other | table |
|---|---|
| not | promised |
"""
PROMISES = """# Promises

## [Events](guide/agent.md#events-and-effects)

| promise | tests |
|---|---|
| a lease ends | `LeaseTest.GoesBack` |
| the agent is killed | `LeaseTest.GoesBack`, `tests/agent/kill_test.py::at_random` |
| Keys are not printed. | `KeyLaw.IsSecret` |
"""


class CheckPromisesTest(unittest.TestCase):
    GOOD = {
        "docs/guide/agent.md": GUIDE,
        "docs/promises.md": PROMISES,
        "heliostat/node/lease/lease_test.cc": "TEST_F(LeaseTest, GoesBack) {\nRC_GTEST_PROP(KeyLaw, IsSecret, (int x)) {\n",
        "tests/agent/kill_test.py": "def at_random(kills):\n    pass\n",
    }

    def check_fails(self, name, before, after, message):
        self.assertIn(before, self.GOOD[name])
        status, output = run_check(CHECK, {**self.GOOD, name: self.GOOD[name].replace(before, after)})
        self.assertNotEqual(status, 0)
        self.assertIn(message, output)

    def test_accepts_promises_with_tests(self):
        status, output = run_check(CHECK, self.GOOD)
        self.assertEqual(status, 0, output)

    def test_catches_a_promise_without_a_row(self):
        self.check_fails("docs/guide/agent.md", "| a lease ends |", "| a disk is full | fine |\n| a lease ends |", "a disk is full")
        self.check_fails("docs/guide/agent.md", "- Keys", "- Input is not run.\n- Keys", "Input is not run")

    def test_catches_a_row_without_a_promise(self):
        self.check_fails("docs/guide/agent.md", "| the agent is killed | restored |\n", "", "does not promise 'the agent is killed'")

    def test_catches_a_test_that_is_gone(self):
        self.check_fails("docs/promises.md", "LeaseTest.GoesBack", "LeaseTest.Gone", "no test 'LeaseTest.Gone'")
        self.check_fails("tests/agent/kill_test.py", "at_random", "at_dawn", "no test 'tests/agent/kill_test.py::at_random'")
        self.check_fails("docs/promises.md", "`KeyLaw.IsSecret`", "none", "has no test")

    def test_catches_a_heading_that_is_gone(self):
        self.check_fails("docs/guide/agent.md", "## Events, and effects", "## Effects", "no heading #events-and-effects")


if __name__ == "__main__":
    unittest.main()
