#!/usr/bin/env python3
"""Runs the agent's units under a real systemd, in a container, with doubled GPUs.

The container sees this machine's files; what it writes goes to memory. Skipped (exit status 77) where it cannot be made: that
needs root, systemd-nspawn and leave to mount an overlay.

usage: units_test.py BUILD-FOLDER
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
SECONDS = 300
INSIDE = "--inside"  # the same file is the program of the container
TESTS = pathlib.Path(__file__).resolve().parent
# Folders of the container.
TOOLS = pathlib.Path("/opt/heliostat-build")
SCRIPTS = pathlib.Path("/opt/heliostat-tests")
LAB = pathlib.Path("/srv/heliostat-lab")
UNITS = pathlib.Path("etc/systemd/system")

TEST_UNIT = f"""[Unit]
Description=Test of the agent's units
DefaultDependencies=no
[Service]
Type=oneshot
ExecStart={sys.executable} {SCRIPTS}/units_test.py {TOOLS} {INSIDE}
ExecStopPost=/bin/systemctl --no-block exit
StandardOutput=append:{LAB}/output
StandardError=append:{LAB}/output
"""
# ProtectSystem=strict makes the doubled GPUs read-only, and leaks cannot be searched for under the unit's system call filter.
DROP_IN = f"""[Service]
Environment=HELIOSTAT_NVML={TOOLS}/lib/libnvidia-ml-double.so HELIOSTAT_DOUBLE={LAB}/double.state
Environment=ASAN_OPTIONS=detect_leaks=0
ReadWritePaths={LAB}
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


@contextlib.contextmanager
def overlay(folder):
    """A writable view of this machine's root."""
    memory, root = folder / "memory", folder / "root"
    memory.mkdir()
    root.mkdir()
    mounted = []
    try:
        for what in (["-t", "tmpfs", "none", memory],
                     ["-t", "overlay", "overlay", "-o", f"lowerdir=/,upperdir={memory}/up,workdir={memory}/work", root]):
            if mounted:
                (memory / "up").mkdir()
                (memory / "work").mkdir()
            done = subprocess.run(["mount", *what], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                skip(f"mount is refused: {done.stderr.strip()}")
            mounted.append(what[-1])
        yield root
    finally:
        for path in reversed(mounted):
            subprocess.run(["umount", "-l", path], check=False)


def install(build, root):
    """Installs the units and the agent where CMake would."""
    service = (build / "heliostatd.service").read_text()
    agent = pathlib.Path(re.search(r"^ExecStart=(\S+)$", service, re.M)[1])
    target = root / agent.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(build / "bin" / "heliostatd", target)
    units = root / UNITS
    units.mkdir(parents=True, exist_ok=True)
    (units / "heliostatd.service").write_text(service)
    shutil.copy(TESTS.parents[1] / "packaging" / "systemd" / "heliostatd.socket", units)
    (units / "heliostatd.service.d").mkdir()
    (units / "heliostatd.service.d" / "lab.conf").write_text(DROP_IN)
    (units / "units-test.service").write_text(TEST_UNIT)
    for path in ("var/lib/heliostat", "var/log/heliostat", "run/heliostat", "etc/heliostat"):
        shutil.rmtree(root / path, ignore_errors=True)
    (root / "etc/heliostat").mkdir()
    (root / "etc/heliostat/agent.toml").write_text("")


def boot():
    if os.geteuid() != 0:
        skip("needs root")
    if shutil.which("systemd-nspawn") is None:
        skip("needs systemd-nspawn (package systemd-container)")
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="heliostat-units-") as name, overlay(pathlib.Path(name)) as root:
        lab = pathlib.Path(name) / "lab"
        lab.mkdir()
        install(build, root)
        done = subprocess.run(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "-D", root, f"--bind-ro={build}:{TOOLS}",
             f"--bind-ro={TESTS}:{SCRIPTS}", f"--bind={lab}:{LAB}", "--boot", "--", "--unit=units-test.service"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=SECONDS)
        output = lab / "output"
        if not output.exists():
            skip(f"systemd does not boot in a container here: {(done.stdout + done.stderr)[-2000:]}")
        print(output.read_text(), end="")
        sys.exit(0 if (lab / "passed").exists() else 1)


# From here on: inside the container.

SOCKET = pathlib.Path("/run/heliostat/agent.sock")
STATE = pathlib.Path("/var/lib/heliostat")
BASES = [450.0, 460.0, 470.0]
LEASED = 300.0


class Lab:
    """Three doubled GPUs, and the units."""

    def __init__(self):
        import harness  # reads the build folder from the arguments
        self.harness = harness
        self.state = LAB / "double.state"
        self.double("create", self.state, *["--gpu", "H200"] * len(BASES))
        for gpu, watts in enumerate(BASES):
            self.double("set", self.state, gpu, "power-limit", watts)
        self.seen = self.writes()

    def double(self, *arguments):
        return self.harness.Node.double(self, *arguments)

    def cards(self):
        return json.loads(self.double("show", self.state))["gpus"]

    def limits(self):
        return [card["power_limit_w"] for card in self.cards()]

    def writes(self):
        return [[write["high"] / 1000 for write in card["last_writes"]] for card in self.cards()]

    def new_writes(self):
        """The writes to each GPU since the last call."""
        now = self.writes()
        new = [after[len(before):] for before, after in zip(self.seen, now)]
        self.seen = now
        return new

    def expect_writes(self, gpu0, what):
        new = self.new_writes()
        assert new == [gpu0, [], []], f"{what}: wrote {new}, not {gpu0} to the first GPU"

    def client(self):
        return self.harness.Client(SOCKET)

    def ask(self, **question):
        with self.client() as client:
            return client.ask(**question)

    def take(self, gpu, owner):
        return self.ask(do="set", gpu=str(gpu), power_limit_w=LEASED, ttl_s=600, pid=owner.pid)["lease"]["id"]

    def leases(self):
        return [lease["id"] for lease in self.ask(do="leases", all=True)["leases"]]

    def until(self, holds, what):
        self.harness.wait_until(holds, what)

    def until_limit(self, gpu, watts):
        self.until(lambda: self.limits()[gpu] == watts, lambda: f"GPU {gpu} at {watts} W; they are at {self.limits()}")


def systemctl(*words):
    done = subprocess.run(["systemctl", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"systemctl {' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


def prop(name, unit="heliostatd.service"):
    return systemctl("show", "--value", "-p", name, unit)


def journal_text():
    return subprocess.run(["journalctl", "-b", "--no-pager", "-u", "heliostatd"], capture_output=True, text=True,
                          check=True).stdout


def kill(lab, meanwhile=lambda: None):
    """Kills the agent with -9. Returns when systemd has started it again."""
    before = prop("MainPID")
    systemctl("kill", "--kill-who=main", "-s", "KILL", "heliostatd.service")
    meanwhile()
    lab.until(lambda: prop("MainPID") not in (before, "0") and prop("ActiveState") == "active", "the agent is restarted")


def drop_in(name, text):
    path = pathlib.Path("/") / UNITS / "heliostatd.service.d" / f"{name}.conf"
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    systemctl("daemon-reload")


def test_units_are_valid(_):
    done = subprocess.run(["systemd-analyze", "verify", "heliostatd.service", "heliostatd.socket"], capture_output=True,
                          text=True, check=False)
    said = [line for line in (done.stdout + done.stderr).splitlines() if "heliostatd" in line]
    assert done.returncode == 0 and not said, said


def test_a_request_starts_the_agent(lab):
    systemctl("start", "heliostatd.socket")
    assert prop("ActiveState") == "inactive"
    assert lab.ask(do="status")["pid"] == int(prop("MainPID"))
    assert prop("Type") == "notify"
    lab.until(lambda: prop("ActiveState") == "active", "the agent reports that it is ready")
    assert lab.ask(do="status")["state"] == "serving"


def test_files_are_for_those_who_need_them(lab):
    with lab.owner() as owner:
        lab.take(0, owner)
    lab.until_limit(0, BASES[0])
    lab.new_writes()
    journal = next(STATE.glob("*.journal"))
    for path, mode in (("/run/heliostat", 0o755), (SOCKET, 0o666), (STATE, 0o700), (journal, 0o600), (STATE / "lock", 0o600),
                       ("/var/log/heliostat", 0o750), ("/var/log/heliostat/audit.log", 0o640)):
        actual = os.stat(path).st_mode & 0o7777
        assert actual == mode, f"{path} has mode {actual:o}, not {mode:o}"


def test_a_killed_agent_comes_back_with_its_leases(lab):
    with lab.owner() as owner:
        lease = lab.take(0, owner)
        lab.expect_writes([LEASED], "a lease")
        kill(lab)
        lab.until_limit(0, LEASED)
        lab.expect_writes([BASES[0], LEASED], "kill -9")
        assert lab.leases() == [lease]
    lab.until_limit(0, BASES[0])
    lab.expect_writes([BASES[0]], "the owner's end")


def test_a_reload_reads_the_policy_and_keeps_leases(lab):
    with lab.owner() as owner:
        lease = lab.take(0, owner)
        pid = prop("MainPID")
        policy = pathlib.Path("/etc/heliostat/agent.toml")
        policy.write_text('[[allow]]\nusers = [65534]\ngpus = ["*"]\nknobs = ["power-limit"]\n')
        systemctl("reload", "heliostatd.service")

        # A child process, because the agent sees who connects. The status of the child is the answer.
        def has_rights():
            child = os.fork()
            if child == 0:
                os.setgroups([])
                os.setuid(65534)
                os._exit(0 if lab.ask(do="rights")["allowed"] else 1)
            return os.waitpid(child, 0)[1] == 0
        lab.until(has_rights, "the new policy holds")
        policy.write_text("nonsense")
        systemctl("reload", "heliostatd.service")
        lab.until(lambda: "old policy stays" in journal_text(), "the log has the error")
        assert has_rights(), "a wrong policy replaced the old one"
        policy.write_text("")
        assert prop("MainPID") == pid and lab.leases() == [lease]
        lab.expect_writes([LEASED], "a lease and a reload")
    lab.until_limit(0, BASES[0])
    lab.new_writes()


def test_a_restart_writes_a_card_once_each_way(lab):
    with lab.owner() as owner:
        lease = lab.take(0, owner)
        lab.new_writes()
        systemctl("restart", "heliostatd.service")
        lab.until_limit(0, LEASED)
        lab.expect_writes([BASES[0], LEASED], "a restart")
        assert lab.leases() == [lease]
    lab.until_limit(0, BASES[0])
    lab.new_writes()


def test_a_stop_writes_a_card_once_and_no_read_starts_the_agent(lab):
    with lab.owner() as owner:
        lease = lab.take(0, owner)
        lab.new_writes()
        systemctl("stop", "heliostatd.service")
        assert lab.limits() == BASES
        lab.expect_writes([BASES[0]], "a stop")
        try:
            lab.ask(do="leases")
            raise AssertionError("a read started the agent")
        except OSError:
            pass
        assert prop("ActiveState") == "inactive" and prop("ActiveState", "heliostatd.socket") == "inactive"
        lab.expect_writes([], "a read after a stop")
        systemctl("start", "heliostatd.service")
        lab.expect_writes([LEASED], "the next start")
        assert lab.leases() == [lease]
    lab.until_limit(0, BASES[0])
    lab.new_writes()


def test_on_a_read_only_disk_cards_go_back_and_nothing_is_granted(lab):
    with lab.owner() as owner, lab.owner() as other:
        lab.take(0, owner)
        lab.take(1, owner)
        owner.kill()
        lab.until_limit(1, BASES[1])
        lab.take(0, other)
        drop_in("read-only", f"[Service]\nReadOnlyPaths={STATE}\n")
        lab.new_writes()
        kill(lab)
        lab.expect_writes([BASES[0]], "the restore from a read-only folder")
        for gpu in (0, 1):
            try:
                lab.take(gpu, other)
                raise AssertionError("a lease that cannot be journalled is granted")
            except lab.harness.Refused:
                pass
        assert any("cannot be written" in trouble for trouble in lab.ask(do="status")["troubles"])
        assert lab.limits() == BASES
    drop_in("read-only", None)
    systemctl("restart", "heliostatd.service")
    lab.until(lambda: not lab.leases(), "the dead owner's lease ends")
    lab.expect_writes([], "the next start")


def test_a_card_goes_back_whatever_happens_to_the_others(lab):
    """GPU 0 goes back although the driver of GPU 1 hangs and the journal of GPU 2 is garbage."""
    with lab.owner() as owner:
        for gpu in range(3):
            lab.take(gpu, owner)
        uuid = lab.ask(do="show", gpu="2")["gpu"]["identity"]["uuid"]
        lab.double("fault", lab.state, 1, "hang", "nvmlDeviceSetPowerManagementLimit:60")
        journal = STATE / f"{uuid}.journal"
        journal.write_bytes(b"garbage\n" * 100)

        def end_of_owner():
            owner.kill()
            lab.until_limit(0, BASES[0])
            assert lab.limits()[1] == LEASED, "the driver of GPU 1 does not hang"
            lab.double("clear", lab.state, "all")
        kill(lab, end_of_owner)
        lab.until_limit(1, BASES[1])
        copy, = STATE.glob(f"{uuid}.journal.damaged-*")
        assert copy.read_bytes() == b"garbage\n" * 100
        try:
            with lab.owner() as other:
                lab.take(2, other)
            raise AssertionError("a GPU is trusted whose journal was garbage")
        except lab.harness.Refused as refusal:
            assert str(copy) in str(refusal), refusal
        copy.unlink()
        with lab.owner() as other:
            lab.take(2, other)
    lab.double("set", lab.state, 2, "power-limit", BASES[2])
    lab.new_writes()


def test_a_clock_goes_back_to_the_base_of_the_policy(lab):
    policy = pathlib.Path("/etc/heliostat/agent.toml")
    policy.write_text("[[base_clocks]]\ngpus = [0]\ncore_clock_mhz = [600, 1500]\n")
    systemctl("restart", "heliostatd.service")
    lab.double("set", lab.state, 0, "core-clock", "600:1500")
    base = lab.cards()[0]["core_clock"]
    with lab.owner() as owner:
        lab.ask(do="set", gpu="0", core_clock_mhz=900, ttl_s=600, pid=owner.pid)
        assert lab.cards()[0]["core_clock"] != base
    lab.until(lambda: lab.cards()[0]["core_clock"] == base, lambda: f"the clock is locked again: {lab.cards()[0]['core_clock']}")
    lab.double("set", lab.state, 0, "core-clock", "default")
    policy.write_text("")
    systemctl("restart", "heliostatd.service")
    lab.new_writes()


def test_a_stop_that_cannot_restore_is_a_failure_and_the_next_start_restores(lab):
    with lab.owner() as owner:
        lab.take(0, owner)
        lab.double("fault", lab.state, 0, "no-permission")
        systemctl("stop", "heliostatd.service")
        assert lab.limits()[0] == LEASED
        assert prop("ActiveState") == "failed", "heliostatd --restore did not report it"
    lab.double("clear", lab.state, "all")
    systemctl("start", "heliostatd.service")
    assert lab.limits() == BASES


def inside():
    sys.argv.remove(INSIDE)
    lab = Lab()

    @contextlib.contextmanager
    def owner():
        one = lab.harness.Owner()
        try:
            yield one
        finally:
            one.kill()
    lab.owner = owner
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            begin = time.monotonic()
            try:
                test(lab)
            except BaseException:
                print(f"FAILED {name}", flush=True)
                subprocess.run(["journalctl", "-b", "--no-pager", "-n", "60", "-u", "heliostatd*"], check=False)
                raise
            print(f"passed {name} in {time.monotonic() - begin:.1f} s", flush=True)
    (LAB / "passed").touch()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} BUILD-FOLDER")
    inside() if INSIDE in sys.argv else boot()
