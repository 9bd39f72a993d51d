#!/usr/bin/env python3
"""Runs the controller's unit under a real systemd, in a container, with scripts in the place of Slurm's commands.

The container sees this machine's files; what it writes goes to memory. Skipped (exit status 77) where it cannot be made.

usage: unit_test.py BUILD-FOLDER
"""
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parent / "agent"))
import units_test  # noqa: E402

SECONDS = 120
ROOT = TESTS.parents[1]
# Folders of the container.
TOOLS = pathlib.Path("/opt/heliostat-build")
SCRIPTS = pathlib.Path("/opt/heliostat-tests")
LAB = pathlib.Path("/srv/heliostat-lab")
SERVICE = "heliostatctld.service"
TEST_UNIT = units_test.TEST_UNIT.replace("units_test.py", "slurm/unit_test.py").replace("agent's units", "controller's unit")
SCONTROL = """#!/bin/sh
case "$*" in
*config) printf 'SLURM_VERSION = 22.05.8\\nClusterName = stand-in\\nAccountingStorageType = (null)\\n' ;;
*node) echo 'NodeName=gpu1 State=IDLE Gres=gpu:a40:4 GresUsed=gpu:a40:0 CPUTot=16 CPUAlloc=0 Partitions=main' ;;
esac
"""


def install(build, root):
    """Installs the unit, the user and the config where CMake and the guide would."""
    service = (build / SERVICE).read_text()
    program = pathlib.Path(re.search(r"^ExecStart=(\S+)", service, re.M)[1])
    target = root / program.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(build / "bin/heliostatctld", target)
    units = root / units_test.UNITS
    units.mkdir(parents=True, exist_ok=True)
    (units / SERVICE).write_text(service)
    (units / f"{SERVICE}.d").mkdir()
    # Leaks cannot be searched for under the unit's system call filter.
    (units / f"{SERVICE}.d/lab.conf").write_text("[Service]\nEnvironment=ASAN_OPTIONS=detect_leaks=0\n")
    (units / "units-test.service").write_text(TEST_UNIT)
    for path in ("var/lib/heliostatctld", "var/cache/heliostatctld", "etc/heliostat"):
        shutil.rmtree(root / path, ignore_errors=True)
    (root / "etc/heliostat").mkdir()
    shutil.copy(ROOT / "packaging/heliostat/controller.toml", root / "etc/heliostat")
    (root / "etc/default").mkdir(exist_ok=True)
    (root / "etc/default/heliostatctld").write_text("PATH=/opt/stand-in:/usr/bin:/bin\n")
    (root / "opt/stand-in").mkdir(parents=True)
    for name, script in (("scontrol", SCONTROL), ("squeue", "#!/bin/sh\n")):
        (root / "opt/stand-in" / name).write_text(script)
        (root / "opt/stand-in" / name).chmod(0o755)
    subprocess.run(["systemd-sysusers", f"--root={root}", ROOT / "packaging/sysusers.d/heliostatctld.conf"], check=True,
                   capture_output=True)


def boot():
    if os.geteuid() != 0:
        units_test.skip("needs root")
    if shutil.which("systemd-nspawn") is None:
        units_test.skip("needs systemd-nspawn (package systemd-container)")
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="heliostat-unit-") as name, units_test.overlay(pathlib.Path(name)) as root:
        lab = pathlib.Path(name) / "lab"
        lab.mkdir()
        install(build, root)
        done = subprocess.run(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "-D", root, f"--bind-ro={build}:{TOOLS}",
             f"--bind-ro={TESTS.parent}:{SCRIPTS}", f"--bind={lab}:{LAB}", "--boot", "--", "--unit=units-test.service"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=SECONDS)
        output = lab / "output"
        if not output.exists():
            units_test.skip(f"systemd does not boot in a container here: {(done.stdout + done.stderr)[-2000:]}")
        print(output.read_text(), end="")
        sys.exit(0 if (lab / "passed").exists() else 1)


# From here on: inside the container.


def prop(name):
    return units_test.prop(name, SERVICE)


def until(holds, what):
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def status(user="nobody"):
    done = subprocess.run(["setpriv", f"--reuid={user}", "--clear-groups", TOOLS / "bin/heliostat", "cluster", "status", "--json"],
                          capture_output=True, text=True, check=False, env={"ASAN_OPTIONS": "detect_leaks=0", "PATH": "/bin:/usr/bin"})
    return json.loads(done.stdout) if done.returncode == 0 else {}


def test_the_unit_is_valid():
    done = subprocess.run(["systemd-analyze", "verify", SERVICE], capture_output=True, text=True, check=False)
    said = [line for line in (done.stdout + done.stderr).splitlines() if "heliostatctld" in line]
    assert done.returncode == 0 and not said, said


def test_it_runs_as_its_user_and_answers_every_user():
    units_test.systemctl("start", SERVICE)
    until(lambda: status().get("looked"), "it looks at the cluster")
    answer = status()
    assert (answer["cluster"], answer["mode"], answer["healthy"]) == ("stand-in", "observe", True), answer
    assert answer["nodes"]["up"] == 1, answer
    heliostat = pwd.getpwnam("heliostat").pw_uid
    assert os.stat(f"/proc/{prop('MainPID')}").st_uid == heliostat
    for path in ("/var/lib/heliostatctld/state.db", "/run/heliostatctld/controller.sock"):
        assert os.stat(path).st_uid == heliostat, path
    assert "CapEff:\t0000000000000000" in pathlib.Path(f"/proc/{prop('MainPID')}/status").read_text()


def test_a_stop_is_clean_and_a_killed_one_comes_back():
    units_test.systemctl("kill", "--kill-who=main", "-s", "KILL", SERVICE)
    until(lambda: prop("NRestarts") == "1" and prop("ActiveState") == "active", "it is started again")
    until(lambda: status().get("looked"), "it looks again")
    units_test.systemctl("stop", SERVICE)
    assert prop("Result") == "success", prop("Result")
    assert not pathlib.Path("/run/heliostatctld").exists()
    assert pathlib.Path("/var/lib/heliostatctld/state.db").exists()


def test_a_wrong_config_is_not_tried_again():
    config = pathlib.Path("/etc/heliostat/controller.toml")
    text = config.read_text()
    config.write_text("mode = \"watch\"\n")
    started = subprocess.run(["systemctl", "start", SERVICE], capture_output=True, check=False)
    assert started.returncode != 0
    assert prop("ExecMainStatus") == "2" and prop("ActiveState") == "failed", (prop("ExecMainStatus"), prop("ActiveState"))
    config.write_text(text)


def run_inside():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
    (LAB / "passed").touch()


if __name__ == "__main__":
    if "--inside" in sys.argv:
        run_inside()
    else:
        boot()
