#!/usr/bin/env python3
"""Fails when a promise of the guides has no test, or names a test that does not exist.

docs/promises.md has a section per list of promises. Its heading links to the heading of the list: every table row and every list
item there is a promise. The section names each promise by its beginning (of a table row: its first cell), and its tests:
`Suite.Name` for a C++ test, `tests/FILE.py` or `tests/FILE.py::FUNCTION` for a Python test, `fuzz/FILE.cc` for a fuzz target.

    tools/check_promises.py [ROOT]
"""
import pathlib
import re
import sys

SECTION = re.compile(r"^## \[.*\]\(([^)#]+)#([^)]+)\)$")
CPP_TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)", re.M)


def anchor_of(heading):
    """The anchor of a heading, as hosting pages make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def promises_in(lines):
    """First cells of table rows, and whole list items."""
    promises = []
    is_table = False
    for number, line in enumerate(lines):
        if line.startswith("|"):
            is_body = is_table and not set(line) <= set("|-: ")
            if is_body:
                promises.append(cells_of(line)[0])
            is_table = True
            continue
        is_table = False
        if line.startswith("- "):
            rest = [line[2:]]
            for more in lines[number + 1:]:
                if not more.startswith("  "):
                    break
                rest.append(more.strip())
            promises.append(" ".join(rest))
    return promises


def section_of(path, anchor):
    """The lines below a heading up to the next heading; None when there is no such heading."""
    lines = path.read_text().splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("#") and anchor_of(line.lstrip("# ")) == anchor]
    if not starts:
        return None
    rest = lines[starts[0] + 1:]
    end = next((number for number, line in enumerate(rest) if line.startswith("#")), len(rest))
    return rest[:end]


def read_promises(path):
    """Yields (line number, linked file, anchor, rows); a row is (line number, promise, tests)."""
    section = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        heading = SECTION.match(line)
        if heading:
            if section:
                yield section
            section = (number, path.parent / heading[1], heading[2], [])
        elif section and line.startswith("| ") and cells_of(line)[0] != "promise":
            promise, tests = cells_of(line)
            section[3].append((number, promise, re.findall(r"`([^`]+)`", tests)))
    if section:
        yield section


def tests_in(root):
    names = set()
    for path in [*(root / "heliostat").rglob("*_test.cc"), *(root / "fakes").rglob("*_test.cc")]:
        names |= {f"{suite}.{name}" for suite, name in CPP_TEST.findall(path.read_text())}
    for path in (root / "tests").rglob("*_test.py"):
        name = path.relative_to(root).as_posix()
        names.add(name)
        names |= {f"{name}::{function}" for function in re.findall(r"^\s*def (\w+)\(", path.read_text(), re.M)}
    return names | {path.relative_to(root).as_posix() for path in (root / "fuzz").glob("*.cc")}


def problems_of(root):
    page = root / "docs" / "promises.md"
    known = tests_in(root)
    for number, source, anchor, rows in read_promises(page):
        lines = section_of(source, anchor) if source.exists() else None
        if lines is None:
            yield f"{page}:{number}: {source.name} has no heading #{anchor}"
            continue
        made = promises_in(lines)
        for row, promise, tests in rows:
            if not any(one.startswith(promise) for one in made):
                yield f"{page}:{row}: {source.name} does not promise '{promise}'"
            if not tests:
                yield f"{page}:{row}: '{promise}' has no test"
            for test in tests:
                if test not in known:
                    yield f"{page}:{row}: there is no test '{test}'"
        for promise in made:
            if not any(promise.startswith(listed) for _, listed, _ in rows):
                yield f"{source}: '{promise[:80]}' is not in {page.name}"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    problems = list(problems_of(root))
    if problems:
        sys.exit("\n".join(problems))
    print("promises: every one has a test")


if __name__ == "__main__":
    main()
