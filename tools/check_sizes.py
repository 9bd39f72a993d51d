#!/usr/bin/env python3
"""Checks the sizes of files and folders: fails on a source file over 600 lines, warns over 400, and warns on a folder with
more than 25 source files (tests not counted)."""
import collections
import sys

from source_files import ROOT, source_files

WARN_LINES, MOST_LINES, MOST_FILES = 400, 600, 25


def main():
    failed = False
    folders = collections.Counter()
    for path in source_files("cpp"):
        name = path.relative_to(ROOT)
        if not path.stem.endswith("_test"):
            folders[name.parent] += 1
        lines = len(path.read_bytes().splitlines())
        if lines > MOST_LINES:
            failed = True
            print(f"{name}: error: {lines} lines; at most {MOST_LINES}", file=sys.stderr)
        elif lines > WARN_LINES:
            print(f"{name}: warning: {lines} lines; aim for {WARN_LINES} or fewer")
    for folder, count in sorted(folders.items()):
        if count > MOST_FILES:
            print(f"{folder}: warning: {count} source files; aim for {MOST_FILES} or fewer")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
