#!/usr/bin/env python3
"""Fails when a document is not in the index, when a decision record does not have the required form, or when the architecture or the
glossary names a type that no header defines.

    tools/check_docs.py [ROOT]
"""
import pathlib
import re
import sys

SECTIONS = ["Context", "Decision", "Rejected", "Consequences"]
STATUS = re.compile(r"Date: \d{4}-\d\d-\d\d\. Status: (accepted|proposed|superseded by \d{4})\.")
DEFINITION = re.compile(r"\b(?:enum class|class|struct|enum|using|concept)\s+(\w+)|\b(\w+)\(")
NAMING = ("architecture.md", "glossary.md")


def index_problems(docs):
    index = docs / "README.md"
    linked = {(docs / target).resolve() for target in re.findall(r"\]\(([^)#]+)\)", index.read_text())}
    for path in sorted(docs.rglob("*.md")):
        if path != index and path.resolve() not in linked:
            yield f"{path}: not in {index}"


def decision_problems(docs):
    for path in sorted((docs / "decisions").glob("*.md")):
        lines = path.read_text().splitlines()
        if not re.match(rf"# {path.name[:4]} \S", lines[0]):
            yield f"{path}:1: the title must be '# {path.name[:4]} Title'"
        if len(lines) < 3 or not STATUS.fullmatch(lines[2]):
            yield f"{path}:3: must be 'Date: YYYY-MM-DD. Status: accepted.'"
        found = [line[3:] for line in lines if line.startswith("## ")]
        if found != SECTIONS:
            yield f"{path}: sections are {', '.join(found)}; must be {', '.join(SECTIONS)}"


def name_problems(root, docs):
    """Checks names such as `Watts` and `MakeBands`; check_sources.py checks `layer::Name` and paths."""
    names = set()
    for path in (root / "heliostat").rglob("*.h"):
        for pair in DEFINITION.findall(path.read_text()):
            names |= set(pair)
    for name in NAMING:
        for number, line in enumerate((docs / name).read_text().splitlines(), 1):
            for span in re.findall(r"`([A-Z][a-z]\w*)`", line):
                if span not in names:
                    yield f"{docs / name}:{number}: no header defines '{span}'"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    docs = root / "docs"
    problems = [*index_problems(docs), *decision_problems(docs), *name_problems(root, docs)]
    if problems:
        sys.exit("\n".join(problems))
    print("documents: indexed, in form, and every type they name exists")


if __name__ == "__main__":
    main()
