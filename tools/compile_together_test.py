#!/usr/bin/env python3
"""Checks which sources compile_together.py puts into one group."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import compile_together
from compile_together import groups

TOOL = pathlib.Path(__file__).with_name("compile_together.py")
LOCAL = "namespace {{\n{}\n}}  // namespace\n"


def together(*texts, most=6):
    """Whether two texts or more get into one group."""
    return len(groups({f"{number}.cc": text for number, text in enumerate(texts)}, most)) == 1


class CompileTogetherTest(unittest.TestCase):
    def test_every_source_is_in_one_group_and_none_is_too_large(self):
        texts = {f"{number}.cc": LOCAL.format(f"int Count{number % 5}() {{ return 1; }}") for number in range(23)}
        found = groups(texts, 4)
        self.assertEqual(sorted(path for group in found for path in group), sorted(texts))
        self.assertLessEqual(max(map(len, found)), 4)

    def test_a_local_name_occurs_in_no_other_source_of_a_group(self):
        local = LOCAL.format("constexpr int kDay = 24;")
        self.assertFalse(together(local, local))
        for other in ("int Of() {\n  const int kDay = 1;\n}\n", "int Of() { return kDay; }\n"):
            self.assertFalse(together(local, other))
            self.assertFalse(together(other, local))
        for other in ("int Of() { return a.kDay + b->kDay + other::kDay; }  // kDay\n", 'auto a = "kDay";\n'):
            self.assertTrue(together(local, other))

    def test_every_constant_of_a_line_is_local(self):
        text = LOCAL.format("constexpr int kHours = 24, kSteps = 60;")
        self.assertFalse(together(text, LOCAL.format("constexpr int kSteps = 60;")))
        self.assertFalse(together(text, LOCAL.format("constexpr int kDays = 2, kSteps = 60;")))

    def test_a_function_of_the_layer_may_be_called_from_a_group(self):
        self.assertTrue(together("Status Read(int a) {\n}\n", "int Two() { return Read(2); }\n"))

    def test_what_is_static_or_a_type_of_one_source_is_local(self):
        for line in ("static int Sum() {", "constexpr int Sum = 3;", "struct Sum {"):
            self.assertFalse(together(line + "\n", "int Two() { return Sum(2); }\n"))

    def test_names_of_other_layers_agree_when_their_declarations_do(self):
        using = LOCAL.format("using scenario::Job;")
        self.assertTrue(together(using, using))
        self.assertFalse(together(using, LOCAL.format("using cluster::Job;")))
        self.assertFalse(together(using, "void Take(Job job) {\n}\n"))
        self.assertFalse(together("namespace fs = std::filesystem;\n", "fs::path Of() {\n}\n"))

    def test_a_local_name_occurs_in_no_header_that_comes_after_it(self):
        below = compile_together.ROOT / "build"  # which other linters ignore
        below.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=below) as name:
            folder = pathlib.Path(name)
            (folder / "outer.h").write_text(f"#include \"build/{folder.name}/inner.h\"\n")
            (folder / "inner.h").write_text("Status Open();\n")
            local, include = LOCAL.format("struct Status {"), f"#include \"build/{folder.name}/outer.h\"\n"
            for texts, count in (((local, include), 2), ((include, local), 1), ((include + local, include), 1)):
                named = {f"{folder}/{number}.cc": text for number, text in enumerate(texts)}
                self.assertEqual(len(groups(named, 6)), count, texts)

    def test_the_tool_writes_a_group_for_each_list_of_two_or_more(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for source in "abc":
                (folder / f"{source}.cc").write_text(LOCAL.format("int One();") if source == "c" else "int One();\n")
            (folder / "targets").write_text("sum\t" + "\t".join(f"{folder}/{source}.cc" for source in "abc") + "\n")
            subprocess.run([sys.executable, TOOL, "6", folder / "targets", folder / "out"], check=True)
            self.assertEqual((folder / "out").read_text(), f'set_source_files_properties("{folder}/a.cc" "{folder}/b.cc" '
                             "TARGET_DIRECTORY sum PROPERTIES UNITY_GROUP 0)\n")


if __name__ == "__main__":
    unittest.main()
