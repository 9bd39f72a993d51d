#!/usr/bin/env python3
"""Fails on forbidden text in the sources, and on references in comments and documents to things that do not exist.

    tools/check_sources.py [ROOT]

RULES is a list: to forbid a pattern, add a line. The references are paths, links, `Type::Member`,
`Function()` and decision numbers.
"""
import dataclasses
import pathlib
import re
import sys

import source_files

PRODUCTION = r"(heliostat|apps|fakes)/(?!.*(_test\.cc|testing/)).*\.(cc|h)"
ANY_CODE = r"(?!tools/check_sources).*\.(cc|h|py|mjs|js|cmake)"
# Only programs print; layers return text or log it.
MAY_PRINT = r"heliostat/ui/cli/.*|apps/.*|fakes/nvml/(control|train)\.cc|heliostat/base/core/check\.cc"


@dataclasses.dataclass(frozen=True)
class Rule:
    name: str
    pattern: str  # what a line must not contain
    where: str  # full match of the paths that are checked
    instead: str
    but: str = ""  # full match of the paths where it is allowed
    in_comments: bool = False  # also checks comments of C++


RULES = [
    Rule("environment", r"\b(getenv|secure_getenv|environ)\b", PRODUCTION,
         "take an Environment; only core/environment.cc reads that of the process", r"heliostat/base/core/environment\.cc"),
    Rule("printing", r"\b(fprintf|printf|puts|fputs|putchar|perror)\(|\bfmt::print\(|\bstd::(cout|cerr|clog)\b", PRODUCTION,
         "return the text, or Log() it; only programs print", MAY_PRINT),
    Rule("flag", r'"(?:[^"]*[^"\w-])?--[a-z]', r"heliostat/(?!.*(_test\.cc|testing/)).*\.(cc|h)", "name the field; cli adds the flag",
         # Options of Slurm's commands that have no short form.
         r"heliostat/(ui/(cli/.*|report/svg\.cc)|control/cluster/slurm_(cluster|mechanism)\.cc)"),
    Rule("leftover", r"\b(TODO|FIXME|XXX|HACK|DUMP\w*)\b|\bDEBUG(_\w+)? *=", ANY_CODE, "finish it or remove it",
         in_comments=True),
    Rule("numbered section", r"\b[Ss]ections? \d+( and \d+)? of the contract\b|, by section \d", r"(docs/|heliostat/|fakes/|apps/).*",
         "docs/contract.md has no numbered sections: name the one that is meant", in_comments=True),
]

SOURCE_FOLDERS = "apps|benchmarks|cmake|docs|fakes|fuzz|heliostat|packaging|python|tests|tools"
# Scopes of other libraries, which no file of the project defines.
FOREIGN = {"CLI", "CbcModel", "GTest", "benchmark", "fmt", "rc", "spdlog", "std", "testing", "tl"}

TOKEN = re.compile(r"(?<![\w/.$~…-])([A-Za-z][\w./-]*)(?![\w*…<])")
PLACEHOLDER = re.compile(r"\b(NAME|NNNN|GROUP|LAYER)(?![a-z])")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MEMBER = re.compile(r"(?<![\w:])((?:\w+::)+~?\w+)")
CALL = re.compile(r"(?<![\w:.>])([A-Z]\w*)\(\)")
DECISION = re.compile(r"\bdecisions? (\d{4})\b")
QUOTED = re.compile(r'"[^"]*"')
CODE_SPAN = re.compile(r"`([^`]*)`")
# The part of a line before a comment.
CODE = re.compile(r'(?:[^"/]|"(?:[^"\\]|\\.)*"|"|/(?!/))*')
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# A name without a scope before it: `io::Journal` does not count as a Journal of the layer that mentions it.
WORD = re.compile(r"(?<![\w:])\w+")
DEFINITION = re.compile(r"\b(?:enum class|class|struct|enum|namespace|concept|using)\s+(?:[\w:]+::)?(\w+)")


class Sources:
    """The repository's texts and the names that they define."""

    def __init__(self, root, paths):
        self.root = root
        self.texts = {}
        for path in paths:
            try:
                self.texts[path.relative_to(root).as_posix()] = path.read_text()
            except UnicodeDecodeError:
                continue
        self.names = {path.relative_to(root).as_posix() for path in paths}
        self.folders = {parent.as_posix() for name in self.names for parent in pathlib.PurePath(name).parents}
        self.words = {}  # by file: the words of its code
        self.homes = {}  # by class, enum or layer: the files that may define its members
        for name, text in self.texts.items():
            if name.endswith((".h", ".cc")):
                self.index(name, text)

    def index(self, name, text):
        code = "\n".join(STRING.sub('""', CODE.match(line).group()) for line in text.splitlines())
        self.words[name] = set(WORD.findall(code))
        parts = name.split("/")
        for home in {*DEFINITION.findall(code), *parts[:-1]}:
            self.homes.setdefault(home, set()).add(name)

    def has_path(self, text, beside):
        here = pathlib.PurePath(beside).parent
        places = [text, f"{text}.h", f"heliostat/{text}", (here / text).as_posix(), (here.parent / text).as_posix()]
        if text.startswith("../"):
            places.append((self.root / here / text).resolve().relative_to(self.root.resolve()).as_posix())
        return any(place in self.names or place in self.folders for place in places)

    def has_member(self, scopes, member):
        return any(member in self.words[file] for file in self.homes.get(scopes[-1], ()))

    def has_function(self, function, beside):
        """Whether a header, or a file of the same folder, contains the function."""
        folder = pathlib.PurePath(beside).parent.as_posix()
        return any(function in words for file, words in self.words.items()
                   if file.endswith(".h") or file.startswith(f"{folder}/"))


def broken_rules(name, number, line):
    code = CODE.match(line).group() if name.endswith((".h", ".cc")) else line
    for rule in RULES:
        if re.fullmatch(rule.where, name) and not (rule.but and re.fullmatch(rule.but, name)):
            found = re.search(rule.pattern, line if rule.in_comments else code)
            if found:
                yield f"{name}:{number}: {rule.name}: '{found.group().strip()}'; {rule.instead}"


def broken_names(sources, text, name):
    for full in MEMBER.findall(text):
        *scopes, member = full.split("::")
        if scopes[0] not in FOREIGN and not sources.has_member(scopes, member.lstrip("~")):
            yield full
    for function in CALL.findall(text):
        if not sources.has_function(function, name):
            yield f"{function}()"


def broken_paths(sources, text, name, is_bare_name_ours):
    for token in TOKEN.findall(text):
        path = token.rstrip("./-")
        is_ours = re.match(rf"({SOURCE_FOLDERS})/", path) or (is_bare_name_ours and path.endswith((".h", ".cc")))
        if is_ours and not PLACEHOLDER.search(path) and not sources.has_path(path, name):
            yield path


def broken_references(sources, name, line):
    if name.endswith((".h", ".cc")):
        text = QUOTED.sub("", line[CODE.match(line).end():].removeprefix("//"))
        if re.match(r"\s*(namespace\b|NOLINT|clang-format)", text):
            return
        yield from broken_paths(sources, text, name, True)
        yield from broken_names(sources, text, name)
    elif name.endswith(".md"):
        text = line
        for target in LINK.findall(line):
            if not re.match(r"[a-z]+:", target) and not sources.has_path(target, name):
                yield target
        for span in CODE_SPAN.findall(line):
            yield from broken_paths(sources, span, name, False)
            if re.fullmatch(r"(\w+::)+~?\w+(\(\))?|[A-Z]\w*\(\)", span):
                yield from broken_names(sources, span, name)
    else:
        return
    for number in DECISION.findall(text):
        if not any(other.startswith(f"docs/decisions/{number}-") for other in sources.names):
            yield f"decision {number}"


def problems(sources):
    for name, text in sorted(sources.texts.items()):
        for number, line in enumerate(text.splitlines(), 1):
            yield from broken_rules(name, number, line)
            for reference in broken_references(sources, name, line):
                yield f"{name}:{number}: '{reference}' leads nowhere"


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else source_files.ROOT
    paths = [path for path in source_files.repository_files(root) if "corpus" not in path.parts]
    found = list(problems(Sources(root, paths)))
    if found:
        sys.exit("\n".join(found))
    print(f"{len(paths)} files, {len(RULES)} rules: nothing found")


if __name__ == "__main__":
    main()
