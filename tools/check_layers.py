#!/usr/bin/env python3
"""Fails when a file includes a layer that its folder does not declare, when a folder
declares a layer that none of its files includes, when layers or groups of layers form a
cycle, or when a header includes a third-party library.

    tools/check_layers.py SOURCE_ROOT LAYERS_FILE [DOCUMENT]

The build writes LAYERS_FILE. It has one line "group/name: dependency dependency | dependency of its tests" per
add_layer() call. The layer is the folder SOURCE_ROOT/group/name. A folder without such a line is not built, so no file may
include it. Dependences of tests cannot form a cycle, because nothing depends on tests. DOCUMENT has a table with one row
"| `name` | contents | dependency, dependency |" per layer, which must list the same dependences.
"""
import pathlib
import re
import sys
from graphlib import CycleError, TopologicalSorter

SOURCES = {".h", ".cc"}
# The two libraries whose types our interfaces use (see CONTRIBUTING.md).
IN_HEADERS = {"fmt", "tl"}
LIBRARY_INCLUDE = re.compile(r'^\s*#\s*include\s*<(?:([^/>]+)/[^>]+|([^/>]+\.hp*))>')
SYSTEM_FOLDERS = {"sys", "net", "netinet", "arpa", "linux"}


def read_layers(text):
    """What each layer may include, what its tests may include in addition, and its group."""
    layers, tests, groups = {}, {}, {}
    for line in text.splitlines():
        name, colon, dependencies = line.partition(":")
        if colon:
            own, _, of_tests = dependencies.partition("|")
            group, _, name = name.strip().rpartition("/")
            layers[name] = set(own.split())
            tests[name] = set(of_tests.split())
            groups[name] = group
    return layers, tests, groups


def group_graph(layers, groups):
    """Which groups each group includes."""
    graph = {group: set() for group in groups.values()}
    for name, others in layers.items():
        graph[groups[name]] |= {groups[other] for other in others if other in groups} - {groups[name]}
    return graph


def graph_problems(layers, tests, groups):
    problems = [f"layer {name} depends on {other}, which is not declared"
                for name in sorted(layers) for other in sorted((layers[name] | tests[name]) - layers.keys())]
    for kind, graph in (("layers", layers), ("groups", group_graph(layers, groups))):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            problems.append(f"{kind} form a cycle: {' -> '.join(error.args[1])}")
    return problems


def third_party(line):
    match = LIBRARY_INCLUDE.match(line)
    if not match:
        return None
    folder = match.group(1)
    if folder in IN_HEADERS or folder in SYSTEM_FOLDERS:
        return None
    return folder or match.group(2)


def is_test(path):
    return path.name.endswith("_test.cc") or "testing" in path.parts


def file_problems(path, layer, allowed, groups, include):
    is_public_header = path.suffix == ".h" and "testing" not in path.parts
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for group, target in include.findall(line):
            if target != layer and target not in allowed:
                yield f"{path}:{number}: {layer} may not include {target}"
            elif groups[target] != group:
                yield f"{path}:{number}: {target} is in the group {groups[target]}"
        library = third_party(line) if is_public_header else None
        if library:
            yield f"{path}:{number}: header includes {library}; third-party headers belong in .cc files"


def include_problems(root, layers, tests, groups):
    include = re.compile(rf'#\s*include\s*[<"]{re.escape(root.name)}/([^/">]+)/([^/">]+)/')
    unused = {layer: set(allowed) for layer, allowed in layers.items()}
    for path in sorted(root.rglob("*")):
        if path.suffix not in SOURCES:
            continue
        group, layer, *inner = path.relative_to(root).parts
        if inner and groups.get(layer) == group:
            unused[layer] -= {target for _, target in include.findall(path.read_text())}
            allowed = layers[layer] | tests[layer] if is_test(path.relative_to(root)) else layers[layer]
            yield from file_problems(path, layer, allowed, groups, include)
    # A layer declares only its direct dependences.
    for layer, others in unused.items():
        for other in sorted(others & layers.keys()):
            yield f"layer {layer} declares {other}, which none of its files includes"


def document_problems(document, layers):
    """Rows of the table that differ from the build."""
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]*) \|$", document.read_text(), re.MULTILINE)
    told = [name for name, _ in rows]
    for name in sorted(layers):
        if told.count(name) != 1:
            yield f"{document}: has {told.count(name)} rows for the layer {name}; it needs one"
    for name, others in rows:
        said = set(others.replace("–", "").replace(",", " ").split())
        if name in layers and said != layers[name]:
            yield f"{document}: {name} includes {', '.join(sorted(layers[name])) or '–'}; the table says otherwise"


def main():
    root, layers_file = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    layers, tests, groups = read_layers(layers_file.read_text())
    if not layers:
        sys.exit(f"{layers_file}: declares no layer")
    problems = graph_problems(layers, tests, groups) + list(include_problems(root, layers, tests, groups))
    if len(sys.argv) > 3:
        problems += document_problems(pathlib.Path(sys.argv[3]), layers)
    if problems:
        sys.exit("\n".join(problems))
    print("groups, bottom to top:", " < ".join(TopologicalSorter(group_graph(layers, groups)).static_order()))
    print("layers, bottom to top:", " < ".join(TopologicalSorter(layers).static_order()))


if __name__ == "__main__":
    main()
