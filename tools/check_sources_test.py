#!/usr/bin/env python3
"""Checks that check_sources.py reports each kind of mistake."""
import pathlib
import unittest

from invented_repository import run_check

CHECK = pathlib.Path(__file__).resolve().parent / "check_sources.py"


class CheckSourcesTest(unittest.TestCase):
    GOOD = {
        "heliostat/base/core/environment.cc": "auto value = getenv(name);\n",
        "heliostat/ui/cli/app.cc": 'fmt::print("hello");\n',
        "heliostat/signals/store/feed.h": "// Answers; the rules are in docs/guide/store.md, decision 0020 and feed.h say why.\n"
                                  "// See Feed::Get, store::Feed, Get() and std::optional. \"jobs.csv\", \"x/y.h\".\n"
                                  "class Feed { void Get(); };\n",
        "heliostat/signals/store/feed_test.cc": 'std::getenv("HOME"); fprintf(stderr, "x");\n',
        "docs/guide/store.md": "[why](../decisions/0020-store.md), `heliostat/signals/store/feed.h`, `store::Feed`, `Feed::Get()`\n",
        "docs/decisions/0020-store.md": "# A store\n",
    }

    def check_fails(self, name, text, expected):
        status, output = run_check(CHECK, {**self.GOOD, name: self.GOOD.get(name, "") + text})
        self.assertNotEqual(status, 0)
        self.assertIn(expected, output)
        self.assertEqual(len(output.strip().splitlines()), 1, output)

    def test_accepts_sources_that_keep_the_rules(self):
        status, output = run_check(CHECK, self.GOOD)
        self.assertEqual(status, 0, output)

    def test_catches_a_look_at_the_environment(self):
        self.check_fails("heliostat/base/io/x.cc", 'std::getenv("X");\n', "heliostat/base/io/x.cc:1: environment: 'getenv'")
        self.check_fails("heliostat/base/io/x.cc", "extern char** environ;\n", "environment: 'environ'")

    def test_a_comment_is_no_code(self):
        files = {**self.GOOD, "heliostat/base/io/x.cc": 'Open("http://x");  // not by getenv("X"), which fmt::print( may tell\n'}
        status, output = run_check(CHECK, files)
        self.assertEqual(status, 0, output)
        self.check_fails("heliostat/base/io/x.cc", 'Open("http://x", std::getenv("X"));\n', "environment: 'getenv'")

    def test_catches_a_layer_that_prints(self):
        for line in ('std::fprintf(stderr, "x");', 'fmt::print("x");', "std::cerr << 1;"):
            self.check_fails("heliostat/base/io/x.cc", line + "\n", "heliostat/base/io/x.cc:1: printing")

    def test_catches_a_flag_that_a_library_names(self):
        for text in ('"--step"', '"convert them with --step"', '"(--step)"'):
            self.check_fails("heliostat/base/io/x.cc", f"Fail({text});\n", "heliostat/base/io/x.cc:1: flag")
        status, output = run_check(CHECK, {**self.GOOD, "heliostat/base/io/x.cc": 'Say("a -- b", "option \'step\'", i--);\n'})
        self.assertEqual(status, 0, output)

    def test_catches_what_was_left_over(self):
        # Written in two parts, so that the check does not find them in this file.
        for word in ("TO" "DO", "DUMP" "LINE", "FIX" "ME"):
            self.check_fails("heliostat/base/io/x.cc", f"int x;  // {word}\n", "heliostat/base/io/x.cc:1: leftover")

    def test_catches_a_numbered_section(self):
        self.check_fails("docs/guide/store.md", "as in section 5 of the contract\n", "numbered section")

    def test_catches_comments_that_name_what_is_not_there(self):
        for reference in ("gone.h", "docs/gone.md", "heliostat/signals/store/gone.cc", "Feed::Gone", "store::Gone", "Gone()",
                          "decision 0099"):
            self.check_fails("heliostat/base/io/x.h", f"int x;  // See {reference}.\n", "heliostat/base/io/x.h:1: '" + reference)

    def test_catches_documents_that_name_what_is_not_there(self):
        for text, reference in (("[a](gone.md)", "gone.md"), ("[a](../gone.md#part)", "../gone.md"),
                                ("`tools/gone.py`", "tools/gone.py"), ("`store::Gone`", "store::Gone"),
                                ("`Feed::Gone()`", "Feed::Gone"), ("(decision 0099)", "decision 0099")):
            self.check_fails("docs/guide/more.md", text + "\n", f"docs/guide/more.md:1: '{reference}' leads nowhere")

    def test_a_name_behind_another_scope_is_not_that_scope_s_own(self):
        files = {"heliostat/base/io/journal.h": "class Journal {};\n", "heliostat/signals/store/log.h": "#include <x>\nio::Journal log;\n"}
        for name, text in files.items():
            self.assertEqual(run_check(CHECK, {**self.GOOD, name: text})[0], 0)
        status, output = run_check(CHECK, {**self.GOOD, **files, "docs/x.md": "`store::Journal`\n"})
        self.assertNotEqual(status, 0)
        self.assertIn("'store::Journal' leads nowhere", output)


if __name__ == "__main__":
    unittest.main()
