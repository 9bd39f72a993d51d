#!/usr/bin/env python3
"""Fails when a document is not in the index, when a decision record does not have the required form, when the architecture or the
glossary names a type that no header defines, or when the documents and the sources name different environment variables.

    tools/check_docs.py [ROOT]
"""
import pathlib
import re
import sys

SECTIONS = ["Context", "Decision", "Rejected", "Consequences"]
STATUS = re.compile(r"Date: \d{4}-\d\d-\d\d\. Status: (accepted|proposed|superseded by \d{4})\.")
DEFINITION = re.compile(r"\b(?:enum class|class|struct|enum|using|concept)\s+(\w+)|\b(\w+)\(")
NAMING = ("architecture.md", "glossary.md")
# Where environment variables are listed, in the first column of tables or the second, beside the key of the configuration.
LISTING = ("contract.md", "guide/reference.md")
VARIABLE = re.compile(r"HELIOSTAT_[A-Z_]+")
READERS = ("heliostat", "apps", "fakes", "python", "benchmarks", "tests", "tools")
# Parts from which provider code builds a name.
BUILT = ("_URL", "_BASIS", "_FILE")


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


def variables_read(root):
    """The variables that sources name in quotes. Tests invent some: theirs count only if other files name none."""
    read, by_tests = set(), set()
    for folder in READERS:
        for path in (root / folder).rglob("*"):
            if path.suffix in (".cc", ".h", ".py"):
                is_test = re.search(r"_test\.|/testing/", path.as_posix())
                (by_tests if is_test else read).update(re.findall(r"""["'](HELIOSTAT_[A-Z_]*[A-Z])["']""", path.read_text()))
    return read, by_tests


def variable_problems(root, docs):
    listed = set()
    for name in LISTING:
        for line in (docs / name).read_text().splitlines() if (docs / name).exists() else ():
            if line.startswith("|"):
                listed.update(VARIABLE.findall("|".join(line.split("|")[:3])))
    read, by_tests = variables_read(root)
    for name in sorted(read - listed):
        if not name.endswith(BUILT):
            yield f"{docs / LISTING[0]}: the table of the environment lacks {name}"
    for name in sorted(listed - read - by_tests):
        if not name.endswith((*BUILT, "_")):
            yield f"{docs / LISTING[0]}: no source reads {name}"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    docs = root / "docs"
    problems = [*index_problems(docs), *decision_problems(docs), *name_problems(root, docs),
                *variable_problems(root, docs)]
    if problems:
        sys.exit("\n".join(problems))
    print("documents: indexed, in form, and every type and variable they name exists")


if __name__ == "__main__":
    main()
