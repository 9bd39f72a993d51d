"""Values, times and expectations that the makers of files share. No number is copied from anywhere: all values come from
the formula in number()."""
import math
import os
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

UTC = timezone.utc
BERLIN = ZoneInfo("Europe/Berlin")
LONDON = ZoneInfo("Europe/London")
LB_IN_G = 453.59237


def number(i, low, high, digits=2, seed=0, period=24):
    """A made-up value between low and high: a triangle wave plus jitter."""
    wave = abs((2 * i) % (2 * period) - period) / period
    jitter = ((i * 37 + seed * 11) % 101) / 100
    unit = 10 ** digits
    return round((low + (high - low) * (0.7 * wave + 0.3 * jitter)) * unit) / unit


def numbers(count, low, high, digits=2, seed=0, period=24):
    return [number(i, low, high, digits, seed, period) for i in range(count)]


def grid(start, step_s, count):
    """count UTC times, step_s apart, from start (any aware datetime)."""
    first = start.astimezone(UTC)
    return [first + timedelta(seconds=step_s * i) for i in range(count)]


def at(zone, *fields):
    return datetime(*fields, tzinfo=zone)


def comma(value, digits):
    """12.5 -> '12,50'"""
    return f"{value:.{digits}f}".replace(".", ",")


def german(value, digits):
    """1234.5 -> '1.234,5'"""
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def month_first(t):
    """1/31/2023 7:00, without leading zeros, as Excel writes it."""
    return f"{t.month}/{t.day}/{t.year} {t.hour}:{t.minute:02d}"


def am_pm(t, seconds=False):
    """1/31/2023 1:00 PM"""
    hour = (t.hour - 1) % 12 + 1
    clock = f"{hour}:{t.minute:02d}" + (f":{t.second:02d}" if seconds else "")
    return f"{t.month}/{t.day}/{t.year} {clock} {'AM' if t.hour < 12 else 'PM'}"


def iso_z(t):
    return t.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def colon_offset(t):
    """+0200 -> +02:00"""
    text = t.strftime("%z")
    return text[:3] + ":" + text[3:]


def write(folder, name, lines, encoding="utf-8", end="\n"):
    data = "".join(line + end for line in lines).encode(encoding)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data)


def expected(file, source, layout, quantity, unit, factor, step_s, times, values,
             currency=None, options=None, bad_rows=0, missing_marks=(), **more):
    """The entry for one file.

    times/values: the whole regular grid in time order, None where the file
    has no number.  options: {name: (value, why the file does not say it)}.
    """
    options = options or {}
    assert len(times) == len(values) > 0
    for earlier, later in zip(times, times[1:]):
        assert (later - earlier).total_seconds() == step_s, file
    present = [v for v in values if v is not None]
    entry = {
        "file": file,
        "source": source,
        "layout_known_from": layout,
        "expect": "read",
        "quantity": quantity,
        "unit": unit,
        "canonical_factor": factor,
        "currency": currency,
        "step_s": step_s,
        "count": len(times),
        "first_time_utc": iso_z(times[0]),
        "last_time_utc": iso_z(times[-1]),
        "first_value": None if values[0] is None else values[0] * factor,
        "mean": math.fsum(present) * factor / len(present),
        "missing": len(values) - len(present),
        "missing_marks": list(missing_marks),
        "bad_rows": bad_rows,
        "stamps_end": False,
        "user_options": {k: v for k, (v, _) in options.items()},
        "user_options_why": {k: why for k, (_, why) in options.items()},
    }
    entry.update(more)
    return entry
