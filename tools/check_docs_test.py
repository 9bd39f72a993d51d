#!/usr/bin/env python3
"""Checks that check_docs.py reports each kind of mistake."""
import pathlib
import unittest

from invented_repository import run_check

CHECK = pathlib.Path(__file__).resolve().parent / "check_docs.py"
DECISION = ("# 0001 Layers\n\nDate: 2026-01-01. Status: accepted.\n\n## Context\nx\n## Decision\nx\n## Rejected\nx\n"
            "## Consequences\nx\n")


class CheckDocsTest(unittest.TestCase):
    GOOD = {
        "heliostat/base/core/units.h": "struct Watts {};\nint MakeBands(int x);\n",
        "docs/README.md": "[a](architecture.md) [g](glossary.md) [d](decisions/0001-layers.md)\n",
        "docs/architecture.md": "`Watts` and `MakeBands`, `heliostat::core`, `make test`\n",
        "docs/glossary.md": "# Glossary\n",
        "docs/decisions/0001-layers.md": DECISION,
    }

    def check_fails(self, name, text, message):
        status, output = run_check(CHECK, {**self.GOOD, name: text})
        self.assertNotEqual(status, 0)
        self.assertIn(message, output)

    def test_accepts_documents_in_order(self):
        status, output = run_check(CHECK, self.GOOD)
        self.assertEqual(status, 0, output)

    def test_catches_a_document_that_the_index_lacks(self):
        self.check_fails("docs/guide/new.md", "# New\n", "not in")

    def test_catches_a_decision_out_of_form(self):
        name = "docs/decisions/0001-layers.md"
        self.check_fails(name, DECISION.replace("# 0001 Layers", "# 1. Layers"), "the title must be")
        self.check_fails(name, DECISION.replace("2026-01-01", "today"), "must be 'Date:")
        self.check_fails(name, DECISION.replace("accepted", "fine"), "must be 'Date:")
        self.check_fails(name, DECISION.replace("## Rejected\nx\n", ""), "sections are")

    def test_catches_a_type_that_is_gone(self):
        self.check_fails("docs/architecture.md", "`Watts` and `Volts`\n", "no header defines 'Volts'")
        self.check_fails("docs/glossary.md", "`Ampere`\n", "no header defines 'Ampere'")

    def test_catches_a_variable_that_only_one_side_knows(self):
        source = {"heliostat/base/io/file.cc": 'Read("HELIOSTAT_STORE");\n'}
        listed = {"docs/contract.md": "| `HELIOSTAT_STORE` | the store |\n| `HELIOSTAT_OLD` | gone |\n"}
        index = {"docs/README.md": self.GOOD["docs/README.md"] + "[c](contract.md)\n"}
        status, output = run_check(CHECK, {**self.GOOD, **source})
        self.assertIn("lacks HELIOSTAT_STORE", output)
        status, output = run_check(CHECK, {**self.GOOD, **source, **listed, **index})
        self.assertNotEqual(status, 0)
        self.assertIn("no source reads HELIOSTAT_OLD", output)
        self.assertNotIn("HELIOSTAT_STORE", output)


if __name__ == "__main__":
    unittest.main()
