#!/usr/bin/env python3
"""Checks that run_tidy.py finds the same in a batch as in single files, and handles sources that conflict."""
import os

# These tests need all checks, also those that `make test` leaves out.
os.environ["HELIOSTAT_TIDY_ANALYZER"] = "1"

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

from run_tidy import Tidy, find_clang_tidy, flags_by_file
from source_files import ROOT
from tidy_batches import Source, batches, declared_names

CLEAN = "namespace heliostat::probe {\nint Twice(int a);\nint Twice(int a) { return 2 * a; }\n}  // namespace\n"
NULL_DEREFERENCE = """namespace heliostat::probe {
int First(const int* p);
int First(const int* p) { return p == nullptr ? *p : 0; }
}  // namespace heliostat::probe
"""
ELSE_AFTER_RETURN = """namespace heliostat::probe {
int Sign(int a);
int Sign(int a) {
  if (a < 0) {
    return -1;
  } else {
    return 1;
  }
}
}  // namespace heliostat::probe
"""
# The regular expression that looks for names reads one line at a time.
HIDDEN_NAME = """namespace heliostat::probe {
namespace {
constexpr int
    kHidden = %d;
}  // namespace
int Hidden%d();
int Hidden%d() { return kHidden; }
}  // namespace heliostat::probe
"""


class TidyTest(unittest.TestCase):
    def setUp(self):
        # Below build/, which other linters ignore, and in a separate heliostat/ for the header filter.
        (ROOT / "build").mkdir(exist_ok=True)
        probe = tempfile.TemporaryDirectory(prefix="tidy-probe-", dir=ROOT / "build")
        self.addCleanup(probe.cleanup)
        self.folder = pathlib.Path(probe.name) / "heliostat" / "probe"
        self.folder.mkdir(parents=True)

    def source(self, name, text, flags=()):
        path = self.folder / name
        path.write_text(text)
        return Source(path, ("-std=c++20", *flags), path.with_suffix(".passed"))

    def findings(self, *batch):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            found = Tidy(find_clang_tidy(), self.folder).findings(list(batch))
        return found, said.getvalue()

    def test_what_is_clean_passes_together(self):
        batch = [self.source("a.cc", CLEAN), self.source("b.cc", CLEAN.replace("Twice", "Double"))]
        found, said = self.findings(*batch)
        self.assertEqual((found, said), ([], ""))
        self.assertTrue(all(source.mark.exists() for source in batch))

    def test_checks_and_the_analyzer_see_into_a_batch(self):
        clean = self.source("a.cc", CLEAN)
        style = self.source("b.cc", ELSE_AFTER_RETURN)
        path = self.source("c.cc", NULL_DEREFERENCE)
        found, _ = self.findings(clean, style, path)
        self.assertEqual(len(found), 2)
        self.assertIn("readability-else-after-return", found[0])
        self.assertIn("clang-analyzer-core.NullDereference", found[1])
        self.assertEqual([source.mark.exists() for source in (clean, style, path)], [True, False, False])

    def test_a_finding_in_a_header_is_reported(self):
        (self.folder / "sign.h").write_text("#pragma once\n" + ELSE_AFTER_RETURN.replace("int Sign(int a) {",
                                                                                    "inline int Sign(int a) {"))
        include = f'#include "{self.folder}/sign.h"\n'
        found, _ = self.findings(self.source("a.cc", include + CLEAN), self.source("b.cc", NULL_DEREFERENCE))
        self.assertIn("readability-else-after-return", found[0])
        self.assertIn("clang-analyzer-core.NullDereference", found[-1])

    def test_sources_that_clash_are_looked_at_apart(self):
        clashing = [self.source(f"{n}.cc", HIDDEN_NAME % (n, n, n)) for n in (1, 2)]
        found, said = self.findings(*clashing, self.source("c.cc", ELSE_AFTER_RETURN))
        self.assertIn("split a batch", said)
        self.assertEqual(len(found), 1)
        self.assertIn("readability-else-after-return", found[0])
        self.assertTrue(all(source.mark.exists() for source in clashing))

    def test_a_batch_holds_no_name_and_no_macro_twice(self):
        constant = "constexpr std::array<int, 2> kFirst{1, 2};\n"
        a, b = self.source("a.cc", constant), self.source("b.cc", constant)
        c, d = self.source("c.cc", CLEAN, ["-DX=1"]), self.source("d.cc", "", ["-DX=2"])
        for batch in batches([a, b, c, d], 1):
            self.assertFalse({a, b} <= set(batch) or {c, d} <= set(batch))

    def test_a_source_that_is_compiled_with_others_has_their_options(self):
        unity = self.folder / "Unity" / "unity_0_cxx.cxx"
        unity.parent.mkdir()
        unity.write_text("".join(f'#include "{self.folder}/{name}.cc"\n\n' for name in "ab"))
        entries = [{"directory": str(self.folder), "command": f"ccache clang++ -O1 -o x -c {file}", "file": str(file)}
                   for file in (unity, self.folder / "c.cc")]
        (self.folder / "compile_commands.json").write_text(json.dumps(entries))
        flags = flags_by_file(self.folder)
        self.assertEqual({pathlib.Path(path).name: "-O1" in words for path, words in flags.items()},
                         {"a.cc": True, "b.cc": True, "c.cc": True})

    def test_names_are_read_from_declarations_and_not_from_members(self):
        text = ("struct Hours {\n  int from;\n};\nResult<std::map<int, int>> Read(int a) {\n"
                "std::string Error::Line() const {\n")
        self.assertEqual(declared_names(text), {"Hours", "Read"})


if __name__ == "__main__":
    unittest.main()
