#!/usr/bin/env python3
"""Chooses the sources that the test build compiles as one, which takes less time: headers are read once.

    tools/compile_together.py MOST TARGETS OUTPUT

Each line of TARGETS is a target and its sources, separated by tabs. Writes CMake commands to OUTPUT that put at most MOST
sources into each group. A name that is local to one source of a group occurs in no other, unless both declare with the
same line that they use it, nor in a header of the layer that only a later source includes. Names are found in the text:
where that goes wrong, the compiler says so, and another name helps.
"""
import functools
import pathlib
import re
import sys

from source_files import ROOT
from tidy_batches import declared_names

UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
# Outside of unnamed namespaces, functions are declared in headers, and other sources may call them.
LOCAL_LINE = re.compile(r"^(?:constexpr|const|static|struct|class|enum) .*", re.MULTILINE)
# The second constant of a line and those after it.
NEXT_CONSTANT = re.compile(r"(?<=, )(\w+) = ")
USING = re.compile(r"^(?:using|namespace) +(?:(\w+) *=.*|[\w:]*?(\w+));$", re.MULTILINE)
COMMENT_OR_TEXT = re.compile(r'//.*|"(?:[^"\\\n]|\\.)*"')
# Not a member, nor a name with its namespace.
WORD = re.compile(r"(?<![\w.:])(?<!->)[A-Za-z_]\w*")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def words_of(text):
    return frozenset(WORD.findall(COMMENT_OR_TEXT.sub("", text)))


@functools.cache
def header(path):
    """The words of a header, and what it includes."""
    text = path.read_text() if path.is_file() else ""
    return words_of(text), INCLUDE.findall(text)


def layer_headers(folder, text):
    """The headers of the layer in `folder` that a source includes, directly or not."""
    found, waiting = set(), INCLUDE.findall(text)
    while waiting:
        path = ROOT / waiting.pop()
        if folder in path.parents and path not in found:
            found.add(path)
            waiting += header(path)[1]
    return found


def local_names(text):
    """Names that mean something in this source alone; those of using-declarations with the declaration."""
    rest = UNNAMED.sub("", text)
    lines = [*UNNAMED.findall(text), *LOCAL_LINE.findall(rest)]
    names = dict.fromkeys(name for part in lines for name in [*declared_names(part), *NEXT_CONSTANT.findall(part)])
    return names | {match.group(1) or match.group(2): match.group(0) for match in USING.finditer(text)}


def disturbs(names, others, words):
    """Whether local names occur in a source that gives them another meaning."""
    return any(meaning is None or others.get(name) != meaning
               for name, meaning in names.items() if name in words or name in others)


class Source:
    def __init__(self, path, text):
        self.path = path
        self.names = local_names(text)
        self.words = words_of(text)
        self.headers = layer_headers(pathlib.Path(path).parent, text)


class Group:
    def __init__(self):
        self.paths = []
        self.names = {}
        self.words = set()
        self.headers = set()

    def accepts(self, source):
        return (not disturbs(source.names, self.names, self.words) and not disturbs(self.names, source.names, source.words)
                and all(self.names.keys().isdisjoint(header(path)[0]) for path in source.headers - self.headers))

    def add(self, source):
        self.paths.append(source.path)
        self.names |= source.names
        self.words |= source.words
        self.headers |= source.headers


def groups(texts, most):
    """Lists of paths, from a dictionary of the text of each; neighbours come together where they can."""
    found = []
    for path, text in texts.items():
        source = Source(path, text)
        group = next((group for group in found if len(group.paths) < most and group.accepts(source)), None)
        if group is None:
            group = Group()
            found.append(group)
        group.add(source)
    return [group.paths for group in found]


def commands(target, texts, most):
    for number, paths in enumerate(groups(texts, most)):
        if len(paths) > 1:
            sources = " ".join(f'"{path}"' for path in paths)
            yield f"set_source_files_properties({sources} TARGET_DIRECTORY {target} PROPERTIES UNITY_GROUP {number})\n"


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: compile_together.py MOST TARGETS OUTPUT")
    most, targets, output = int(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    written = []
    for line in targets.read_text().splitlines():
        target, *paths = line.split("\t")
        written += commands(target, {path: pathlib.Path(path).read_text() for path in paths}, most)
    output.write_text("".join(written))


if __name__ == "__main__":
    main()
