#!/usr/bin/env python3
"""`heliostat run` on machines that lack something, share something, or hang: the program runs all the same.

usage: run_trouble_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import json
import os
import pathlib
import signal
import subprocess
import time

from live_run import DOUBLE, Live, main
from program import HELIOSTAT, run


class Missing(Live):
    """The program starts at once whatever the machine or the network lacks."""

    def check_it_ran(self, result, *told):
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertEqual(result.stdout, "ran\n")
        for text in told:
            self.assertIn(text, result.stderr)

    def run_five(self, **more):
        return self.run_it("sh", "-c", "echo ran; sleep 0.5; exit 5", **more)

    def test_no_driver(self):
        self.check_it_ran(self.run_five(env={"HELIOSTAT_NVML": "/nowhere/libnvml.so"}), "no NVIDIA GPU here (/nowhere/libnvml.so: is not installed)", "the program runs at its default")

    def test_no_such_gpu(self):
        self.check_it_ran(self.run_five(options=["--gpu", "7"]), "GPU '7': is not on this machine")

    def test_no_right_to_set_it(self):
        self.double("fault", self.state, "0", "no-permission")
        result = self.run_five()
        self.check_it_ran(result, "cannot be set", "pace needs no privilege")
        self.assertEqual(self.limit(), 650)
        self.assertEqual(self.last_bill()["end"]["exit_status"], 5)

    def test_no_agent_behind_its_socket(self):
        self.check_it_ran(self.run_five(env={"HELIOSTAT_AGENT": "x" * 300}), "cannot be set")

    def test_no_place_for_the_ledger(self):
        place = self.write("not-a-folder", "")
        result = self.run_five(env={"HELIOSTAT_RUNS": str(place)})
        self.check_it_ran(result, "stay in memory", "mWh")

    def test_no_home_at_all(self):
        without = {name: "" for name in ("HELIOSTAT_RUNS", "HELIOSTAT_PROFILES", "HELIOSTAT_STATE", "HOME", "XDG_CACHE_HOME",
                                         "XDG_DATA_HOME", "XDG_STATE_HOME")}
        self.check_it_ran(self.run_five(env=without, options=["--knob", "pace"]), "stay in memory")


class WithoutOptions(Live):
    """`heliostat run -- CMD` works on any machine."""

    def run_plainly(self, *command, **environment):
        return run("run", "--", *command, env={**self.environment, **environment}, timeout=100)

    def test_without_a_zone_it_only_measures(self):
        result = self.run_plainly(*self.train(2000))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("measuring only: no zone known; set one with: heliostat config set zone", result.stderr)
        self.assertIn("Measured only", result.stderr)
        report = self.last_bill()
        self.assertTrue(report["bill"]["only_measures"])
        self.assertGreater(report["bill"]["energy_kwh"], 0)
        self.assertEqual(self.card()["writes"]["power-limit"], 0)

    def test_messages_begin_on_lines_of_their_own_beside_a_progress_bar(self):
        result = self.run_plainly(*self.train(4000, "--style", "tqdm"), HELIOSTAT_ZONE="solar-heavy")
        self.assertIn("progress is known from its output (tqdm bar)", result.stderr)
        for part in result.stderr.split("heliostat: ")[1:-1]:
            self.assertTrue(part.endswith("\n"), result.stderr)

    def test_the_time_zone_names_the_zone_and_a_key_is_asked_for(self):
        result = self.run_plainly("true", TZ="Europe/Berlin")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("measuring only: no provider for zone DE: set HELIOSTAT_ELECTRICITYMAPS_TOKEN", result.stderr)

    def test_the_configured_zone_is_followed_and_told_in_one_line(self):
        config = self.write("config.toml", 'zone = "solar-heavy"\neta = 0.7\n')
        result = self.run_plainly(*self.train(2000), HELIOSTAT_CONFIG=str(config))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"zone solar-heavy ({config}:1)", result.stderr)
        self.assertIn("eta 0.7, signal: built-in zone solar-heavy", result.stderr)
        self.assertIn("Too short to learn; nothing was changed.", result.stderr)
        self.assertNotIn("same moment", result.stderr)

    def test_options_are_checked_before_gpus_are_looked_for(self):
        result = run("run", "--progress-regex", "((", "--", "true", env={"HELIOSTAT_NVML": "/nowhere/libnvml.so"})
        self.assert_refused(result, "--progress-regex")


class WithoutAGpu(Live):
    """Processors and memory are measured by counters of energy (RAPL), here made ones."""

    def setUp(self):
        super().setUp()
        self.environment |= {"HELIOSTAT_NVML": "/nowhere/libnvml.so", "HELIOSTAT_POWERCAP": str(self.folder / "powercap")}

    def counter(self, place, name, energy_uj, range_uj=9_000_000_000):
        """The file of a new counter."""
        folder = self.folder / "powercap" / place
        folder.mkdir(parents=True)
        for file, value in (("name", name), ("energy_uj", energy_uj), ("max_energy_range_uj", range_uj)):
            (folder / file).write_text(f"{value}\n")
        return folder / "energy_uj"

    def run_plainly(self, script, *options):
        return run("run", *options, "--", "sh", "-c", script, env=self.environment, timeout=100)

    def test_without_a_gpu_the_machine_is_measured(self):
        counter = self.counter("intel-rapl:0", "package-0", 1_000_000)
        result = self.run_plainly(f"sleep 0.6; echo 5000000 > '{counter}'")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no NVIDIA GPU here (/nowhere/libnvml.so: is not installed)", result.stderr)
        self.assertIn("measuring the processors and memory of the whole machine (package-0)", result.stderr)
        bill = self.last_bill()["bill"]
        self.assertEqual(bill["energy_of"], "machine")
        self.assertAlmostEqual(bill["energy_kwh"] * 3.6e6, 4.0)
        self.assertIn("1.111 mWh", run("report", env=self.environment).stdout)

    def test_packages_and_memory_count_once_and_counters_start_again_at_zero(self):
        first = self.counter("intel-rapl:0", "package-0", 1_000_000)
        cores = self.counter("intel-rapl:0:0", "core", 0)  # a part of the package
        memory = self.counter("intel-rapl:0:1", "dram", 500_000)
        second = self.counter("intel-rapl:1", "package-1", 8_000_000, range_uj=10_000_000)
        again = self.counter("intel-rapl-mmio:0", "package-0", 0)  # the first once more
        changes = ((first, 3_000_000), (cores, 7_000_000), (memory, 1_500_000), (second, 1_000_000), (again, 9_000_000))
        result = self.run_plainly("sleep 0.6; " + "; ".join(f"echo {value} > '{path}'" for path, value in changes),
                                  "--carbon", self.carbon)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("(package-0, dram, package-1)", result.stderr)
        bill = self.last_bill()["bill"]
        self.assertAlmostEqual(bill["energy_kwh"] * 3.6e6, 2.0 + 1.0 + 3.0)
        self.assertIn(round(bill["carbon_g"] / bill["energy_kwh"]), (100, 700))

    def test_counters_that_may_not_be_read_are_told_with_the_remedy(self):
        counter = self.counter("intel-rapl:0", "package-0", 0)
        counter.unlink()
        counter.mkdir()  # cannot be read, not even by root
        result = self.run_plainly("exit 4")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn(f"no energy is measured: {counter}: may not be read; permit it with: sudo chmod a+r", result.stderr)
        self.assertEqual(self.last_bill()["end"]["exit_status"], 4)
        self.assertRegex(run("runs", env=self.environment).stdout, r"sh +failed 4 +0 s +– +– +– +–")

    def test_a_gpu_that_appears_later_is_set_from_then_on(self):
        library = self.folder / "libnvidia-ml.so"
        self.environment["HELIOSTAT_NVML"] = str(library)
        self.counter("intel-rapl:0", "package-0", 0)
        running = self.start(*self.train_until_told(3))
        self.addCleanup(self.end_trainers)
        self.wait_until(lambda: "GPUs are looked for again every 10 s" in self.log(), "the GPU is missed")
        library.symlink_to(DOUBLE)
        self.wait_until(self.lowered, "the GPU is found and set")
        self.end_it()
        self.assertEqual(running.wait(60), 3)
        self.assertEqual(self.limit(), 650)
        before, after = (json.loads(run("report", one["id"], "--json", env=self.environment).stdout) for one in
                         sorted(json.loads(run("runs", "--json", env=self.environment).stdout)["runs"],
                                key=lambda one: one["start"]))
        self.assertIn(f"found 1 x NVIDIA H200, used from now on; run {before['id']} has the time before", self.log())
        self.assertEqual(before["end"]["reason"], "a GPU was found; the next run has the rest")
        self.assertEqual((before["bill"]["energy_of"], after["bill"]["energy_of"]), ("machine", "gpus"))
        self.assertGreater(after["bill"]["energy_kwh"], 0)


class SharedCard(Live):
    """What several programs use of one GPU is split, and the parts are the whole."""

    def energy(self):
        return self.card()["energy_j"]

    def test_the_bills_of_two_runs_on_one_gpu_are_the_cards_energy(self):
        begun = self.energy()
        running = [subprocess.Popen([HELIOSTAT, "run", "--", *map(str, self.train(steps, "--duty", duty))],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                    env={**os.environ, "LC_ALL": "C.UTF-8", **self.environment})
                   for steps, duty in ((10000, "1"), (5000, "0.5"))]
        told = [one.communicate(timeout=100)[1] for one in running]
        used = self.energy() - begun
        bills = [self.bill_of(one["id"]) for one in json.loads(run("runs", "--json", env=self.environment).stdout)["runs"]]
        self.assertEqual(len(bills), 2)
        for text, bill in zip(told, bills):
            self.assertIn("is shared", text)
            self.assertIn("Shared: ", text)
            self.assertGreater(bill["shared_s"], 0)
            self.assertGreater(bill["others_kwh"], 0)
        billed = sum(bill["energy_kwh"] for bill in bills) * 3.6e6
        self.assertAlmostEqual(billed / used, 1.0, delta=0.05)

    def bill_of(self, name):
        return json.loads(run("report", name, "--json", env=self.environment).stdout)["bill"]

    def test_a_gpu_split_into_instances_is_told_and_billed(self):
        self.double("fault", self.state, "0", "mig")
        result = run("run", "--", *self.train(3000), env=self.environment, timeout=100)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("GPU 0 is split into instances (MIG), which share one energy counter", result.stderr)
        self.assertGreater(self.last_bill()["bill"]["energy_kwh"], 0)
        told = run("doctor", env=self.environment).stdout
        self.assertIn("split into instances (MIG): settings and readings are for the whole GPU", told)

    def test_a_gpu_without_others_is_not_shared(self):
        self.assertEqual(run("run", "--", *self.train(3000), env=self.environment, timeout=100).returncode, 0)
        bill = self.last_bill()["bill"]
        self.assertEqual((bill["shared_s"], bill["others_kwh"]), (0, 0))


class Hangs(Live):
    """A driver that hangs stops nothing."""

    def test_output_signals_and_the_end_do_not_wait_for_the_driver(self):
        running = subprocess.Popen([HELIOSTAT, "run", "--carbon", self.carbon, "--knob", "power-limit", "--", "sh", "-c",
                                    "trap 'echo told; exit 3' TERM; echo begun; while :; do echo line; sleep 0.05; done"],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   env={**os.environ, **self.environment})
        self.assertEqual(running.stdout.readline(), "begun\n")
        self.wait_until(lambda: list((self.folder / "runs").glob("*/ledger.journal")), "the run is on record")
        self.double("fault", self.state, "0", "hang")
        self.addCleanup(self.double, "clear", self.state, "0")
        for _ in range(100):
            self.assertEqual(running.stdout.readline(), "line\n")
        running.send_signal(signal.SIGTERM)
        self.assertIn("told\n", running.stdout.read())
        self.assertEqual(running.wait(60), 3)

    def test_a_paced_program_is_let_go_while_the_driver_hangs(self):
        running = self.start(*self.train(100000000), options=["--knob", "pace", "--eta", "1"])
        self.addCleanup(self.end_trainers)
        trainer = self.trainer()
        self.wait_until(lambda: self.stopped(trainer), "it is held")
        self.double("fault", self.state, "0", "hang")
        self.addCleanup(self.double, "clear", self.state, "0")
        time.sleep(1)
        for _ in range(3):  # held and let go in turn, as before
            self.wait_until(lambda: not self.stopped(trainer), "it is let go", pause=0.01)
            self.wait_until(lambda: self.stopped(trainer), "it is held", pause=0.01)
        running.send_signal(signal.SIGTERM)
        self.assertEqual(running.wait(60), 128 + signal.SIGTERM)  # as the stand-in ends

    def trainer(self):
        found = []

        def looked():
            for entry in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    program = (entry / "cmdline").read_bytes().split(b"\0")[0]
                    if program.endswith(b"stand-in-train") and str(self.state).encode() in (entry / "environ").read_bytes():
                        found.append(int(entry.name))
                except OSError:
                    pass
            return found

        self.wait_until(looked, "the program runs")
        return found[0]

    @staticmethod
    def stopped(pid):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"

if __name__ == "__main__":
    main()
