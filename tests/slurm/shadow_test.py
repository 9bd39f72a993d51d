#!/usr/bin/env python3
"""heliostatctld in shadow changes nothing in a real Slurm, asks it little, and accounts what a meter counts.

Two labs run the same two hours side by side, two minutes of real time, one of them with the controller. With
`--yardstick` a third runs without it, and what differs between the two without is printed.
Arguments: the build folder, then options.
"""
import collections
import datetime
import re
import sys
import threading
import unittest

import fast_lab
import lab_meter
from fast_lab import Controller, Lab, SPEED, USER

# Nodes gpu1-gpu3 have four GPUs each, gpu4 eight, gpu5 two; gpu6 has none.
CLASSES = ("3:a40:4", "1:h100:8", "1:v100:2", "1:none:0")
GROUPS = {"gpu[1-3]": ("A40", 4), "gpu4": ("H100", 8), "gpu5": ("V100", 2)}
HOURS = 2 * 3600
# What Slurm itself varies between two runs: times, and what follows from them. Found with --yardstick.
VARIES = {
    "job": {"JobId", "ArrayJobId", "StartTime", "EndTime", "AccrueTime", "LastSchedEval", "SchedNodeList",
             "HetJobId", "HetJobIdSet", "Dependency", "RunTime", "NodeList", "BatchHost", "SecsPreSuspend",
            "Scheduler", "AllocNode:Sid"},
    "node": {"FreeMem", "CPULoad"},
    "config": {"NEXT_JOB_ID"},
}


def add_comments(now):
    """Options that say what Heliostat may do, rightly and wrongly, by name of a job."""
    deadline = datetime.datetime.fromtimestamp(now + 4 * 3600, datetime.timezone.utc)
    return {"slack": "heliostat:slack=50%", "deadline": f"heliostat:deadline={deadline:%Y-%m-%dT%H:%M:%SZ}",
            "may": "heliostat:slack=100%;may=suspend,requeue", "wrong": "heliostat:slack=lots;may=fly",
            "odd": "run 7 of heliostat: see heliostat:"}


class Hours:
    """Two hours of a cluster on which every kind of job runs."""

    def __init__(self, lab):
        self.lab = lab
        self.person = None

    def begin(self):
        lab = self.lab
        comment = {name: f'--comment="{text}"' for name, text in add_comments(lab.now()).items()}
        lab.run("scontrol", "-Q", "create", "reservation", "reservationname=weekly", "starttime=now", "duration=240", "nodes=gpu6",
                "users=root")
        lab.submit("silent", "-t 60 --gres=gpu:a40:2", 2700)
        lab.submit("slack", f"-t 90 --gres=gpu:a40:2 {comment['slack']}", 3300)
        lab.submit("deadline", f"-t 90 --gres=gpu:h100:3 {comment['deadline']}", 3000)
        self.may = lab.submit("may", f"-t 120 --gres=gpu:h100:2 {comment['may']}", 4500)
        lab.submit("wrong", f"-t 30 --gres=gpu:h100:1 {comment['wrong']}", 1300)
        lab.submit("odd", f"-t 30 --gres=gpu:h100:1 {comment['odd']}", 1300)
        lab.submit("many", "-t 20 -a 1-4%2 --gres=gpu:a40:1", 800)
        first = lab.submit("first", "-t 20 --gres=gpu:a40:2", 700)
        second = lab.submit("second", f"-t 20 --gres=gpu:a40:2 -d afterok:{first}", 700)
        lab.submit("third", f"-t 20 --gres=gpu:a40:1 -d afterany:{second}", 500)
        lab.submit("never", f"-t 20 --gres=gpu:a40:1 -d afternotok:{second} --kill-on-invalid-dep=no", 500)
        lab.submit("pair", "-t 60 -N2 --gres=gpu:a40:2", script="srun sleep 2100")
        lab.run("sh", "-c", "sbatch -o /dev/null -J het -t 40 --gpus=a40:1 -n1 : -n1 -p other --wrap 'exec sleep 1500'")
        lab.submit("processors", "-t 90 -n4 -w gpu6 --reservation=weekly", 3000)
        lab.submit("other", "-t 30 -p other --gres=gpu:v100:1", 1000)
        lab.submit("either", "-t 30 -p other,main --gres=gpu:v100:1", 1000)
        self.held = lab.submit("held", "-H -t 30 --gres=gpu:a40:1", 700)
        self.kept = lab.submit("kept", "-H -t 30 --gres=gpu:a40:1", 700)
        lab.submit("later", "--begin=now+40minutes -t 30 --gres=gpu:a40:1", 700)
        self.gone = lab.submit("gone", "-t 60 --gres=gpu:a40:1", 3000)
        self.dropped = lab.submit("dropped", "-H -t 60 --gres=gpu:a40:1", 3000)
        lab.submit("failing", "-t 30 --gres=gpu:a40:1", script="sleep 400; exit 3")
        lab.submit("late", "-t 5 --gres=gpu:a40:1", 3600)
        # A person waits for this one.
        self.person = lab.start("srun", "-J", "person", "-t", "30", "--gres=gpu:h100:1", "sleep", "300")

    def go_on(self):
        lab = self.lab
        lab.wait_until(900)
        lab.run("scontrol", "release", self.held)
        lab.run("scancel", self.gone, self.dropped)
        lab.submit("unlimited", "-t UNLIMITED --gres=gpu:h100:1", 20000)
        again = lab.submit("again", "-t 60 --gres=gpu:h100:1 --requeue", 3000)
        lab.wait_until(1500)
        lab.run("scontrol", "suspend", self.may)
        for index in range(4):
            lab.submit(f"short{index}", "-t 5 --gres=gpu:h100:1", 20 + 10 * index)
        lab.wait_until(1800)
        lab.run("scontrol", "requeue", again)
        lab.run("scontrol", "update", "nodename=gpu5", "state=power_down")
        lab.wait_until(2400)
        lab.run("scontrol", "resume", self.may)
        # More than fits, to the end.
        for index in range(5):
            lab.submit(f"heap{index}", "-t 200 -N3 --gres=gpu:a40:4", script="srun sleep 9000")
        lab.wait_until(3600)
        # The node wakes for it.
        lab.submit("waker", "-t 30 --gres=gpu:v100:2", 1200)
        lab.wait_until(5400)
        lab.run("scontrol", "update", "nodename=gpu5", "state=power_down_asap")
        lab.wait_until(HOURS)

    def end(self):
        self.person.wait(timeout=60)


def words_of(text):
    """"A=1 B=x y C=2" as {A: 1, B: "x y", C: 2}"""
    parts = re.split(r"(?:^|\s)([A-Za-z][\w/:()-]*)=", text.strip())
    return dict(zip(parts[1::2], (value.strip() for value in parts[2::2])))


def state_of(lab):
    """{kind: {name of an object: {field: value}}} of all that Slurm tells. Elements of arrays take numbers when they start, so
    jobs are compared by their names."""
    state = {}
    for kind, command, names in [("job", "scontrol -a -o show job", ("JobName", "ArrayTaskId", "HetJobOffset")),
                                 ("node", "scontrol -a -d -o show node", ("NodeName",)),
                                 ("partition", "scontrol -a -o show partition", ("PartitionName",)),
                                 ("reservation", "scontrol -o show res", ("ReservationName",))]:
        rows = [words_of(line) for line in lab.run(*command.split()).splitlines() if line.strip()]
        state[kind] = {" ".join(row[name] for name in names if name in row): row for row in rows}
    config = dict(re.findall(r"^(\S[^=\n]*?)\s*= (.*)$", lab.run("scontrol", "show", "config"), re.M))
    state["config"] = {"config": config}
    # The queue and the accounts have the same runs.
    queue = lab.run("squeue", "-h", "-a", "-r", "-t", "all", "-O", "Name:20,State:20,Comment:60,admin_comment:30,Nice")
    fields = "JobName,State,Partition,ExitCode,Timelimit,ReqTRES,Comment,AdminComment,User"
    runs = lab.run("sacct", "-a", "-X", "-D", "-n", "-P", "-S", "now-1day", "-o", fields)
    for kind, text in (("queue", queue), ("sacct", runs)):
        state[kind] = {"all": {f"row {index}": line.strip() for index, line in enumerate(sorted(text.splitlines()))}}
    return state


def without_folder(lab, value):
    value = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?", "TIME", value)
    value = re.sub(r"\(IDX:[^)]*\)", "", value)  # which of the GPUs that are alike
    for port in re.findall(r"Port=(\d+)", (lab.folder / "etc/slurm.conf").read_text()):
        value = re.sub(rf"\b{port}\b", "PORT", value)
    return value.replace(str(lab.folder), "LAB")


def id_of(number):
    """How the controller names a job: components of heterogeneous jobs have numbers of their own."""
    leader, _, offset = number.partition("+")
    return str(int(leader) + int(offset)) if offset else number


def differences(first, second):
    """[(kind, object, field, a value, the other)] of two labs' states."""
    (lab_a, a), (lab_b, b) = first, second
    found = []
    for kind in a:
        for name in sorted(a[kind].keys() | b[kind].keys()):
            one, other = a[kind].get(name, {}), b[kind].get(name, {})
            for field in sorted(one.keys() | other.keys()):
                values = [without_folder(lab_a, one.get(field, "absent")), without_folder(lab_b, other.get(field, "absent"))]
                if values[0] != values[1]:
                    found.append((kind, name, field, *values))
    return found


class ShadowTest(unittest.TestCase):
    build = ""
    labs = ("without", "with")

    @classmethod
    def setUpClass(cls):
        cls.scratch = fast_lab.scratch_folder()
        cls.lab, cls.state, cls.errors = {}, {}, []
        threads = [threading.Thread(target=cls.live, args=(name,)) for name in cls.labs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if cls.errors:
            raise cls.errors[0]

    @classmethod
    def tearDownClass(cls):
        for lab in cls.lab.values():
            lab.down()
        cls.scratch.cleanup()

    @classmethod
    def live(cls, name):
        try:
            options = [word for one in CLASSES for word in ("--class", one)]
            is_metered = ("--meter",) if name == "with" else ()
            lab = cls.lab[name] = Lab(cls.scratch.name, name, *options, "--database", "--power-saving", "--set",
                                       "MinJobAge=100000", *is_metered)
            hours = Hours(lab)
            if name == "with":
                cls.controller = Controller(cls.build, lab, fast_lab.groups(GROUPS), 'mode = "shadow"')
                cls.controller.start()
                cls.metered = lab.joules()
            lab.begun = fast_lab.time.monotonic()
            hours.begin()
            hours.go_on()
            if name == "with":
                cls.controller.look()
                cls.status, jobs, nodes = cls.controller.view()
                cls.metered = {node: joules - cls.metered[node] for node, joules in lab.joules().items()}
                cls.nodes = {node["name"]: node for node in nodes}
                cls.jobs = list(jobs.values())
                fields = "JobID,ElapsedRaw,AllocTRES,NodeList,State"
                cls.runs = lab.run("sacct", "-a", "-X", "-D", "-n", "-P", "-S", "now-1day", "-o", fields).splitlines()
                cls.diagnosis = lab.run("sdiag")
                cls.controller.stop()
            cls.state[name] = (lab, state_of(lab))
            hours.end()
        except BaseException as error:  # the other thread goes on, and the test fails
            cls.errors.append(error)

    def test_slurm_is_as_it_is_without_us(self):
        found = differences(self.state["without"], self.state["with"])
        unexpected = [row for row in found if row[2] not in VARIES.get(row[0], set())]
        self.assertEqual(unexpected, [])
        if "again" in self.state:
            for row in differences(self.state["without"], self.state["again"]):
                print(*row, sep=" | ")

    def test_it_only_reads(self):
        verbs = set()
        for command, *words in self.controller.calls():
            if command == "scontrol":
                plain = [word for word in words if not word.startswith("-")]
                verbs.add(" ".join([command, *plain]))
            else:
                verbs.add(command)
        self.assertEqual(verbs, {"squeue", "scontrol show config", "scontrol show node", "sacct"})

    def test_it_asks_twice_a_look(self):
        calls = self.controller.calls()
        looks = sum(1 for call in calls if call[0] == "squeue")
        self.assertGreater(looks, HOURS / SPEED * 0.8)
        nodes = sum(1 for call in calls if call[0] == "scontrol" and "node" in call)
        self.assertLessEqual(nodes, looks)
        # Accounts of the past, and again after a look that came late. They do not go to slurmctld.
        self.assertLess(len(calls) - looks - nodes, looks / 3)
        # Slurm counts the same: each listing also asks for the partitions.
        by_user = re.search(rf"\({USER:>8}\) count:(\d+)", self.diagnosis)
        self.assertIsNotNone(by_user, self.diagnosis)
        self.assertLessEqual(int(by_user[1]), 4 * looks + looks / 3)

    def test_it_accounts_what_the_meter_counts(self):
        used = self.status["used"]["energy_kwh"]
        metered = sum(joules for node, joules in self.metered.items() if node != "gpu6") / 3.6e6
        print(f"cluster: {used:.3f} kWh, the meter {metered:.3f} kWh: {100 * (used / metered - 1):+.2f} %")
        for name, joules in self.metered.items():
            of_node = self.nodes[name]["energy_kwh"]
            print(f"{name}: {of_node:.3f} kWh, the meter {joules / 3.6e6:.3f} kWh: {100 * (of_node / joules * 3.6e6 - 1):+.2f} %")
        self.assertAlmostEqual(used / metered, 1.0, delta=0.02)
        shared = self.status["unused"]["energy_kwh"] + sum(job["energy_kwh"] for job in self.jobs)
        self.assertAlmostEqual(shared / used, 1.0, delta=1e-6)
        self.assertAlmostEqual(sum(node["energy_kwh"] for node in self.nodes.values()) / used, 1.0, delta=1e-6)

    def test_a_job_uses_its_gpus_and_its_part_of_their_nodes_while_it_runs(self):
        expected, tolerance, used = collections.Counter(), collections.Counter(), collections.Counter()
        for run in self.runs:
            number, seconds, resources, nodes, state = run.split("|")
            gpus = re.search(r"gres/gpu=(\d+)", resources)
            if gpus and int(seconds):
                first = self.lab["with"].run("scontrol", "show", "hostnames", nodes).split()[0]
                watts = int(gpus[1]) * (lab_meter.GPU_BUSY_W + lab_meter.BASE_W / self.nodes[first]["gpus"])
                expected[id_of(number)] += int(seconds) * watts / 3.6e6
                # Of one that runs, the last look has not seen all; the end of one that was requeued is known to a look.
                off = {"RUNNING": 3 * SPEED, "REQUEUED": SPEED}.get(state, 2)
                tolerance[id_of(number)] += off * watts / 3.6e6
        for job in self.jobs:
            used[job["id"]] += job["energy_kwh"]
        self.assertGreater(len(expected), 25)
        wrong = {number: (used[number], kwh) for number, kwh in expected.items() if abs(used[number] - kwh) > tolerance[number]}
        self.assertEqual(wrong, {})

    def test_it_knows_every_job_once(self):
        self.assertTrue(self.status["healthy"], self.status)
        lab = self.lab["with"]
        numbers = lab.run("squeue", "-h", "-a", "-r", "-t", "all", "-O", "JobArrayID:30").split()
        known = collections.Counter(job["id"] for job in self.jobs)
        again = {job["id"] for job in self.jobs if job["job"] == "again"}
        self.assertEqual({number for number, count in known.items() if count > 1}, again)
        self.assertEqual({id_of(number) for number in numbers} - known.keys(), set())


if __name__ == "__main__":
    fast_lab.skip_unless_possible("--database")
    ShadowTest.build = sys.argv.pop(1)
    if "--yardstick" in sys.argv:
        sys.argv.remove("--yardstick")
        ShadowTest.labs += ("again",)
    unittest.main()
