#!/usr/bin/env python3
"""Compares the processor time of `make test` with the budget of the project.

  tools/budget.py begin FOLDER                   delete earlier measurements
  tools/budget.py run FOLDER PART -- COMMAND...  run a command, record its time, return its exit status
  tools/budget.py check FOLDER MINUTES           print the parts and the twenty longest tests; exit status 1 above MINUTES

Processor time is nearly independent of the load of the machine. On a slower machine the limit is higher: after each part
a small source is compiled, and the time is compared with that of the machine where the budget was set.
HELIOSTAT_BUDGET_FACTOR sets the factor instead. Measurements are in FOLDER/budget.json; the times of tests come from
FOLDER/tests.xml, which ctest writes.
"""
import json
import os
import resource
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

SHOWN = 20
YARDSTICK = """#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
std::regex pattern("a.*b");
std::map<std::string, std::function<int(int)>> table;
int main() { return table.size() + std::regex_match("ab", pattern); }
"""
YARDSTICK_S = 2.5  # processor time of its compilation on the machine where the budget was set


def slowness():
    """How many times slower this machine is than the one where the budget was set; at least 1."""
    if "HELIOSTAT_BUDGET_FACTOR" in os.environ:
        return float(os.environ["HELIOSTAT_BUDGET_FACTOR"])
    command = ["clang++-14", "-std=c++20", "-O1", "-x", "c++", "-c", "-o", os.devnull, "-"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        subprocess.run(command, input=YARDSTICK, text=True, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return 1.0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return max(1.0, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / YARDSTICK_S)


def load(folder):
    try:
        with open(os.path.join(folder, "budget.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return []


def save(folder, parts):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "budget.json"), "w", encoding="utf-8") as file:
        json.dump(parts, file, indent=1)


def run(folder, name, command):
    begun = time.monotonic()
    status = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    part = {"part": name, "wall_s": time.monotonic() - begun, "cpu_s": used.ru_utime + used.ru_stime}
    part["slowness"] = slowness()
    save(folder, load(folder) + [part])
    return status


def dearest_tests(folder):
    """(elapsed seconds, name) of every test of the last run, the longest first."""
    path = os.path.join(folder, "tests.xml")
    if not os.path.exists(path):
        return []
    cases = ElementTree.parse(path).getroot().iter("testcase")
    return sorted(((float(case.get("time", 0)), case.get("name")) for case in cases), reverse=True)


def check(folder, minutes):
    parts = load(folder)
    # The speed of a shared machine varies: use its slowest measurement.
    factor = max([slowness()] + [part.get("slowness", 1.0) for part in parts])
    limit_s = 60 * minutes * factor
    tests = dearest_tests(folder)
    if tests:
        print(f"the {min(SHOWN, len(tests))} longest of {len(tests)} tests, elapsed seconds:")
        for seconds, name in tests[:SHOWN]:
            print(f"  {seconds:7.1f}  {name}")
    total = sum(part["cpu_s"] for part in parts)
    for part in parts:
        print(f"{part['part']:<12} {part['cpu_s'] / 60:5.1f} min of processor time, {part['wall_s'] / 60:5.1f} elapsed")
    print(f"{'together':<12} {total / 60:5.1f} min of processor time; the budget is {limit_s / 60:.1f}, "
          f"{minutes:g} times {factor:.2f} for this machine")
    if total <= limit_s:
        return 0
    print("budget: error: above the budget; make tests faster or move them to make chaos", file=sys.stderr)
    return 1


def main(arguments):
    if len(arguments) >= 2 and arguments[0] == "begin":
        save(arguments[1], [])
        return 0
    if len(arguments) > 4 and arguments[0] == "run" and arguments[3] == "--":
        return run(arguments[1], arguments[2], arguments[4:])
    if len(arguments) == 3 and arguments[0] == "check":
        return check(arguments[1], float(arguments[2]))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
