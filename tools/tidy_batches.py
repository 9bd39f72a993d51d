"""Groups sources that clang-tidy may check as one, as if one file included them all.

Files of one layer share most headers, so they are grouped; names in their unnamed
namespaces must not clash. Names are found in the text, which is nearly always right;
taken_apart() handles the other cases.
"""
import re
from dataclasses import dataclass
from pathlib import Path

from source_files import ROOT

# A larger batch saves little, and a finding in it takes longer to locate.
MOST_FILES = 16
TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
# A line at the left margin that declares something: nothing inside a namespace is indented here.
DECLARATION = re.compile(r"^[A-Za-z_][\w:&*\s]*?[\s&*](\w+)\s*(?:[({=;\[]|:(?!:)|$)")
TAKES_A_WORD = {"-D", "-I", "-isystem", "-include", "-Xclang"}
FINDING = re.compile(r"^(/[^:\n]+):\d+:\d+: (?:fatal )?(?:error|warning): .*?(\[[\w.,-]+\])?$", re.MULTILINE)
# Flags that differ between sources and on which no check depends.
IGNORED = re.compile(r"-(O.|g\d?)$")


@dataclass(frozen=True)
class Source:
    path: Path
    flags: tuple
    mark: Path  # exists once the file has passed

    @property
    def layer(self):
        return self.path.relative_to(ROOT).parts[:-1]

    def joins_others(self):
        """Whether it may be part of a batch: the header filter of .clang-tidy accepts only paths below heliostat/."""
        return "heliostat" in self.layer


def option_groups(flags):
    """Flags, each with the word that belongs to it."""
    groups, words = [], iter(flags)
    for word in words:
        if word in TAKES_A_WORD:
            groups.append((word, next(words, "")))
        elif not IGNORED.match(word):
            groups.append((word,))
    return groups


def shared_flags(sources):
    groups = dict.fromkeys(group for source in sources for group in option_groups(source.flags))
    return [word for group in groups for word in group]


def declared_names(text):
    names = set()
    for line in text.splitlines():
        before = None
        while line != before:
            before, line = line, TEMPLATE_ARGUMENTS.sub("", line)
        match = DECLARATION.match(line)
        if match:
            names.add(match.group(1))
    return names


def claims(source):
    """Names of the layer, which no other source of a batch may define, and macros, whose values must be equal."""
    names = {(source.layer, name): None for name in declared_names(source.path.read_text())}
    for group in option_groups(source.flags):
        if group[0].startswith("-D"):
            macro, _, value = "".join(group)[2:].partition("=")
            names[("macro", macro)] = value or "1"
    return names


def go_together(taken, wanted):
    return all(value is not None and taken[key] == value for key, value in wanted.items() if key in taken)


def batches(sources, workers):
    """Lists of sources; neighbours in `sources` come together."""
    most = max(1, min(MOST_FILES, -(-len(sources) // workers)))
    alone, groups = [], []
    for source in sources:
        if not source.joins_others():
            alone.append([source])
            continue
        wanted = claims(source)
        for group, taken in groups:
            if len(group) < most and go_together(taken, wanted):
                group.append(source)
                taken.update(wanted)
                break
        else:
            groups.append(([source], wanted))
    return sorted(alone + [group for group, _ in groups], key=len, reverse=True)


def taken_apart(batch, said):
    """After the output `said`: the sources that have passed, and the batches to check next."""
    named = {path for path, _ in FINDING.findall(said)}
    suspects = [source for source in batch if str(source.path) in named]
    if not suspects or len(suspects) < len(named):  # a header, which any of them may have brought in
        middle = len(batch) // 2
        return [], [batch[:middle], batch[middle:]]
    rest = [source for source in batch if source not in suspects]
    alone = [[source] for source in suspects]
    if "clang-diagnostic-error" in said:  # after which the checks did not see everything
        return [], alone + ([rest] if rest else [])
    return rest, alone


def wrapper_text(batch):
    return "".join(f'#include "{source.path}"  // NOLINT(bugprone-suspicious-include)\n' for source in batch)
