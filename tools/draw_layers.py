#!/usr/bin/env python3
"""Draws the layers as the build declares them: one picture of the groups, and one per group.

    tools/draw_layers.py LAYERS_FILE FOLDER [--check]

The build writes LAYERS_FILE (see check_layers.py). FOLDER gets groups.svg and one GROUP.svg per group.
With --check nothing is written, and a picture that is missing or out of date is a failure.
An arrow points from the including to the included layer; arrows that follow from others are left out.
"""
import argparse
import pathlib
import sys
from graphlib import TopologicalSorter
from xml.sax.saxutils import escape

from check_layers import group_graph, read_layers

BOX_WIDTH, LINE, PAD, GAP_X, GAP_Y, MARGIN = 190, 17, 10, 26, 48, 16
STYLE = """text{font:13px sans-serif;fill:#1f2933}.name{font-weight:600}.note{font-size:11px;fill:#52606d}
rect{fill:#f5f7fa;stroke:#7b8794}path{fill:none;stroke:#7b8794;stroke-width:1.2;marker-end:url(#tip)}
@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.note{fill:#9aa5b1}rect{fill:#1f2933}}"""
TIP = ('<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
       '<path d="M0 0L8 4L0 8z" style="fill:#7b8794;stroke:none"/></marker>')


def reduced(graph):
    """The same graph without the edges that follow from others."""
    reach = {}
    for node in TopologicalSorter(graph).static_order():
        reach[node] = set(graph[node]).union(*(reach[other] for other in graph[node]))
    return {node: {other for other in others if not any(other in reach[between] for between in others - {other})}
            for node, others in graph.items()}


def ranks(graph):
    """Rows from top to bottom: each node directly below the lowest one that includes it, or above what it includes."""
    depth = {node: 0 for node in graph}
    for node in reversed(list(TopologicalSorter(graph).static_order())):
        for other in graph[node]:
            depth[other] = max(depth[other], depth[node] + 1)
    included = set().union(*graph.values())
    for node in graph.keys() - included:
        if graph[node]:
            depth[node] = min(depth[other] for other in graph[node]) - 1
    rows = [[] for _ in range(max(depth.values()) + 1)]
    for node in graph:  # in the order of the build
        rows[depth[node]].append(node)
    return rows


def wrapped(words, width=29):
    """Words with commas between them, in lines of at most `width` characters."""
    lines = [""]
    for number, word in enumerate(words):
        piece = word + ("," if number + 1 < len(words) else "")
        if lines[-1] and len(lines[-1]) + 1 + len(piece) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {piece}".strip()
    return lines if words else []


def picture(graph, notes):
    """An SVG: a box per node with its note below the name, arrows from row to row."""
    rows, edges = ranks(graph), reduced(graph)
    texts = {node: wrapped(notes[node]) for node in graph}
    widest = max(len(row) for row in rows)
    width = 2 * MARGIN + widest * BOX_WIDTH + (widest - 1) * GAP_X
    boxes, y = {}, MARGIN
    for row in rows:
        row_width = len(row) * BOX_WIDTH + (len(row) - 1) * GAP_X
        height = 2 * PAD + LINE * (1 + max(len(texts[node]) for node in row))
        for number, node in enumerate(row):
            boxes[node] = ((width - row_width) / 2 + number * (BOX_WIDTH + GAP_X), y, height)
        y += height + GAP_Y
    parts = []
    for node, others in edges.items():
        for other in sorted(others, key=list(graph).index):
            x1, y1 = boxes[node][0] + BOX_WIDTH / 2, boxes[node][1] + boxes[node][2]
            x2, y2 = boxes[other][0] + BOX_WIDTH / 2, boxes[other][1]
            bend = (y2 - y1) / 2
            parts.append(f'<path d="M{x1:g} {y1:g}C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2 - 1:g}"/>')
    for node, (x, top, height) in boxes.items():
        parts.append(f'<rect x="{x:g}" y="{top:g}" width="{BOX_WIDTH}" height="{height:g}" rx="5"/>')
        parts.append(f'<text class="name" x="{x + PAD:g}" y="{top + PAD + 12:g}">{escape(node)}</text>')
        for number, line in enumerate(texts[node], 1):
            parts.append(f'<text class="note" x="{x + PAD:g}" y="{top + PAD + 12 + LINE * number:g}">{escape(line)}</text>')
    body = "\n".join(parts)
    height = y - GAP_Y + MARGIN
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}">\n<style>{STYLE}</style>\n<defs>{TIP}</defs>\n{body}\n</svg>\n')


def pictures(layers, groups):
    """The pictures by file name."""
    order = list(dict.fromkeys(groups.values()))
    graph = {group: group_graph(layers, groups)[group] for group in order}
    members = {group: [name for name in layers if groups[name] == group] for group in order}
    yield "groups.svg", picture(graph, members)
    for group in order:
        inside = {name: layers[name] & set(members[group]) for name in members[group]}
        used = {name: {groups[other] for other in layers[name]} - {group} for name in inside}
        notes = {name: [other if number else f"uses {other}" for number, other in enumerate(
            other for other in order if other in used[name])] for name in inside}
        yield f"{group}.svg", picture(inside, notes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("layers_file", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="fail when a picture is missing or out of date")
    arguments = parser.parse_args()
    layers, _, groups = read_layers(arguments.layers_file.read_text())
    old = []
    for name, text in pictures(layers, groups):
        path = arguments.folder / name
        if arguments.check:
            if not path.is_file() or path.read_text() != text:
                old.append(str(path))
        else:
            arguments.folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if old:
        sys.exit(f"out of date: {', '.join(old)}; run tools/draw_layers.py {arguments.layers_file} {arguments.folder}")


if __name__ == "__main__":
    main()
