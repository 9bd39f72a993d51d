"""Draws values over time as an SVG picture: one panel per value, all with the same time axis."""
import html
import math

WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM = 900, 170, 70, 20, 34, 40
STYLE = "font-family:sans-serif;font-size:13px"


def round_up(value):
    """The next of 1, 2, 5, 10, 20, ... that is not below the value."""
    if value <= 0:
        return 1
    power = 10 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9))


def text(x, y, words, anchor="end"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'


def panel(name, minutes, values, top, last):
    """A line from 0 to just above the largest value."""
    highest = round_up(max(values))
    height = PANEL - TOP

    def place(minute, value):
        return LEFT + minute / last * (WIDTH - LEFT - RIGHT), top + TOP + height * (1 - value / highest)
    parts = [text(LEFT, top + TOP - 10, name, "start")]
    for part in (0.0, 0.5, 1.0):
        _, y = place(0, part * highest)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, y + 4, f"{part * highest:g}"))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, minutes, values))
    parts.append(f'<polyline points="{points}" fill="none" stroke="#1f6f8b" stroke-width="1.5"/>')
    return parts


def draw(path, title, minutes, series):
    """`series`: a list of (name, values), with one value per entry of `minutes`."""
    last = max(minutes[-1], 1e-9)
    height = 30 + PANEL * len(series) + BOTTOM
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" style="{STYLE}">',
             '<rect width="100%" height="100%" fill="white"/>', text(LEFT, 22, title, "start")]
    for number, (name, values) in enumerate(series):
        parts += panel(name, minutes, values, 30 + PANEL * number, last)
    for part in range(7):
        minute = last * part / 6
        parts.append(text(LEFT + part / 6 * (WIDTH - LEFT - RIGHT), height - BOTTOM + 22, f"{minute:.3g}", "middle"))
    parts.append(text(WIDTH - RIGHT, height - 4, "minutes"))
    path.write_text("\n".join([*parts, "</svg>", ""]))
