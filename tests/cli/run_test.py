#!/usr/bin/env python3
"""`heliostat run` end to end on doubled GPUs: settings follow the signal, everything is as it was whatever dies, the
program notices nothing.

usage: run_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import fcntl
import json
import os
import pathlib
import pty
import signal
import struct
import subprocess
import sys
import termios
import time

import fake_providers
from live_run import BUILD, PYTHON, Live, day, main
from program import HELIOSTAT, run


class Transparent(Live):
    def test_output_and_exit_status_are_the_programs_own(self):
        result = self.run_it("sh", "-c", "printf 'a\\rb\\033[1m\\n'; echo err >&2; exit 7")
        self.assertEqual(result.returncode, 7)
        self.assertEqual(result.stdout.replace("\r", "\n"), "a\nb\033[1m\n")  # as Python reads text
        self.assertIn("err\n", result.stderr)

    def test_a_death_by_signal_is_passed_on(self):
        self.assertEqual(self.run_it("sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM)

    def test_a_program_that_cannot_be_started_is_one_line_and_the_status_of_a_shell(self):
        for program, status in (("/nowhere/program", 127), ("no-such-program", 127), ("/etc/passwd", 126), ("/etc", 126)):
            with self.subTest(program):
                result = self.run_it(program)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertEqual(len([line for line in result.stderr.splitlines() if "error" in line]), 1, result.stderr)

    def test_keys_of_providers_are_not_inherited(self):
        keys = {"HELIOSTAT_ELECTRICITYMAPS_TOKEN": "secret-1", "HELIOSTAT_ENTSOE_TOKEN_FILE": "/home/secret-2"}
        known = run("signal", "fetch", "--list").stdout
        for name in keys:
            self.assertIn(name.removesuffix("_FILE"), known)
        result = self.run_it("env", env={**keys, "MY_OWN_TOKEN": "mine"})
        self.assertIn("MY_OWN_TOKEN=mine", result.stdout)
        self.assertNotIn("secret", result.stdout)

    def test_bad_usage_starts_nothing(self):
        mark = self.folder / "started"
        for options in (["--knob", "volume"], ["--period", "0s"], ["--max-slowdown", "fast"], ["--deadline", "2001-01-01"],
                        ["--zone", "GB"], ["--forecast", "tea-leaves"], ["--eta", "2"], ["--steps", "-5"]):
            with self.subTest(options):
                result = self.run_it("touch", mark, options=options)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertFalse(mark.exists())
        missing = run("run", env=self.environment)
        self.assertEqual(missing.returncode, 2)
        self.assertFalse(mark.exists())


class OnATerminal(Live):
    def setUp(self):
        super().setUp()
        self.program = self.write("program.py", """
import os, signal, sys, time
def interrupted(*_):
    print("interrupted", flush=True)
    sys.exit(5)
signal.signal(signal.SIGINT, interrupted)
signal.signal(signal.SIGWINCH, lambda *_: print("size", *os.get_terminal_size(), flush=True))
print("terminal" if sys.stdout.isatty() else "none", *os.get_terminal_size(), flush=True)
time.sleep(60)
""")

    def test_ctrl_c_and_the_windows_size_reach_the_program(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(self.environment)
            os.execv(HELIOSTAT, [HELIOSTAT, "run", "--carbon", str(self.carbon), "--", sys.executable, str(self.program)])
        self.addCleanup(os.close, terminal)
        seen = b""

        def read_until(text):
            nonlocal seen
            while text not in seen:
                seen += os.read(terminal, 4096)

        try:
            read_until(b"terminal ")
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))
            read_until(b"size 101 33")
            os.write(terminal, b"\x03")
            read_until(b"interrupted")
            while True:
                seen += os.read(terminal, 4096)
        except OSError:  # the terminal's other end is closed
            pass
        self.assertIn(b"interrupted", seen)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 5)
        self.assertEqual(self.limit(), 650)


class Shares(Live):
    def setUp(self):
        super().setUp()
        self.double("create", self.state, "--gpu", "H200", "--gpu", "H200")
        self.double("set", self.state, "0", "power-limit", "650")
        self.double("set", self.state, "1", "power-limit", "600")

    def limits(self):
        return [self.card(gpu)["power_limit_w"] for gpu in (0, 1)]

    def test_all_gpus_of_a_job_move_together_and_go_back_each_to_its_own(self):
        running = self.start(*self.train(100000000), options=["--gpu", "0", "--gpu", "1"])
        self.addCleanup(self.end_trainers)
        self.wait_until(lambda: max(self.limits()) <= 500, "limits are turned")
        self.wait_until(lambda: len(set(self.limits())) == 1, "limits are the same")
        self.end_trainers()
        running.wait(60)
        self.assertEqual(self.limits(), [650, 600])
        self.assertEqual(len(self.last_bill()["begin"]["gpus"]), 2)

    def test_jobs_share_a_machine_without_an_agent(self):
        running = [self.start(*self.train(100000000, "--gpu", gpu), options=["--gpu", gpu]) for gpu in ("0", "1")]
        self.addCleanup(self.end_trainers)
        self.wait_until(lambda: max(self.limits()) <= 500, "both are turned")
        leases = run("device", "leases", "--json", env=self.environment)
        self.assertEqual(len(json.loads(leases.stdout)["leases"]), 2, leases.stdout)
        self.end_trainers()
        for one in running:
            one.wait(60)
        self.assertEqual(self.limits(), [650, 600])
        runs = json.loads(run("runs", "--json", env=self.environment).stdout)["runs"]
        self.assertEqual(len(runs), 2)

    def test_the_lower_wish_wins_on_a_gpu_that_two_jobs_share(self):
        self.assertEqual(run("device", "set", "0", "--power-limit", "250", "--for", "10m", env=self.environment).returncode, 0)
        result = self.run_it(*self.train(12000), options=["--gpu", "0"], timeout=100)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertEqual(self.limits()[0], 250)
        self.assertEqual(run("device", "reset", "0", env=self.environment).returncode, 0)
        self.assertEqual(self.limits()[0], 650)


class MayNot(Live):
    def test_a_right_that_is_lost_is_told_and_training_goes_on(self):
        running = self.start(*self.train_until_told())
        self.addCleanup(self.end_trainers)
        self.wait_until(self.lowered, "the limit is turned")
        self.double("fault", self.state, "0", "no-permission")
        self.wait_until(lambda: "not turned" in self.log(), "it is told")
        self.assertIsNone(running.poll())
        self.end_it()
        self.assertEqual(running.wait(120), 0)
        notes = " ".join(note["text"] for note in self.last_bill()["notes"])
        self.assertIn("not turned", notes)
        self.double("clear", self.state, "0")
        self.assertEqual(run("device", "leases", env=self.environment).returncode, 0)
        self.assertEqual(self.limit(), 650)


class OtherHands(Live):
    def test_what_somebody_else_sets_is_told_and_stays(self):
        running = self.start(*self.train(100000000), period="600s")
        self.addCleanup(self.end_trainers)
        self.wait_until(self.lowered, "the limit is turned")
        self.double("set", self.state, "0", "power-limit", "333")
        self.wait_until(lambda: "another program" in self.log(), "it is told")
        self.assertEqual(self.limit(), 333)
        self.end_trainers()
        running.wait(60)
        self.assertEqual(self.limit(), 333)


class Learns(Live):
    def program(self, batch):
        return self.write("train.sh", f"exec {BUILD}/bin/stand-in-train --steps $STEPS --batch {batch} --every 50\n")

    def train_for(self, steps, batch, options=()):
        result = self.run_it("sh", self.program(batch), options=options, timeout=200, env={"STEPS": str(steps)})
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        return result, self.last_bill()

    def profile(self):
        path, = (self.folder / "profiles").glob("*.json")
        return json.loads(path.read_text())

    @staticmethod
    def tried(decisions):
        """Levels at which the program was run to learn its speed."""
        return {decision["level"] for decision in decisions if "to learn its speed" in decision["why"]}

    def test_limits_follow_the_signal_and_what_is_learned_is_kept_for_the_next_run(self):
        first, bill = self.train_for(40000, 1)
        self.assertNotIn("profile of an earlier run", first.stderr)
        self.assertIn(" Wh", first.stderr)
        self.assertGreater(json.dumps(bill).count("carbon"), 0)
        self.assertGreater(bill["bill"]["probing_s"], 5)
        self.assertEqual(self.limit(), 650)
        writes = self.card()["writes"]["power-limit"]
        self.assertGreater(writes, 1)
        learned = self.tried(bill["decisions"][:-1])  # it ends amid the last
        self.assertGreater(len(learned), 1)
        # What an earlier run has learned is what a shadow decides by.
        cells = {cell["level"] for cell in self.profile()["levels"]}
        shadow, bill = self.train_for(25000, 1, options=["--shadow", "--eta", "1"])
        self.assertRegex(shadow.stderr, r"Shadow: nothing was changed. It would have saved [\d.]+ ± [\d.]+ % carbon for [\d.]+ ± ")
        self.assertTrue(bill["begin"]["shadow"])
        self.assertGreater(bill["bill"]["would_have_saved"]["carbon_saved_percent"], 1)
        self.assertGreater(bill["bill"]["would_have_saved"]["carbon_saved_percent_error"], 0)
        self.assertEqual(bill["bill"]["steps_done"], 25000)
        self.assertIn("finished, shadow", run("runs", env=self.environment).stdout)
        self.assertEqual(self.card()["writes"]["power-limit"], writes)
        self.assertEqual({decision["level"] for decision in bill["decisions"]}, {650})
        self.assertTrue(any("not turned to" in decision["why"] and "to 650 W" not in decision["why"]
                            for decision in bill["decisions"]), bill["decisions"])
        self.assertEqual({cell["level"] for cell in self.profile()["levels"]}, cells)
        # The next run looks at the top, where it sees that the program is the same, and at nothing that is known.
        second, bill = self.train_for(20000, 1)
        self.assertIn("profile of an earlier run", second.stderr)
        self.assertEqual(self.tried(bill["decisions"]) & learned, {650})

    def test_a_profile_is_begun_anew_when_the_program_is_another(self):
        self.train_for(18000, 1)
        before = self.profile()
        # The same command, and half the speed: what was learned does not hold any more.
        third, _ = self.train_for(25000, 2)
        self.assertIn("learned again", third.stderr)
        top = [cells["levels"][-1]["steps"] / cells["levels"][-1]["seconds"] for cells in (before, self.profile())]
        self.assertLess(top[1], 0.6 * top[0])

    def test_commands_that_differ_may_share_a_profile_by_name_and_a_damaged_one_is_told_and_not_used(self):
        one = ["--profile", "one"]
        self.assertNotIn("profile of an earlier run", self.run_it(*self.train(18000), options=one, timeout=100).stderr)
        self.assertIn("profile of an earlier run", self.run_it(*self.train(3000), options=one, timeout=100).stderr)
        path, = (self.folder / "profiles").glob("*.json")
        path.write_text(path.read_text()[:40])
        result = self.run_it(*self.train(18000), options=one, timeout=100)
        self.assertIn("profiled again", result.stderr)
        self.assertNotIn("profile of an earlier run", result.stderr)
        json.loads(path.read_text())
        self.assertNotIn("profile of an earlier run", self.run_it(*self.train(3001), timeout=100).stderr)


class KnownBefore(Live):
    HEADER = "model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w,batch\n"

    def table(self, gpu):
        return self.write("table.csv", self.HEADER + "".join(f"net,{gpu},1,,{limit},{speed},{limit - 20},2\n" for limit, speed in
                                                             ((300, 1500), (450, 2000), (550, 2200), (650, 2300))))

    def test_a_table_of_this_gpu_is_the_profile_until_one_is_learned(self):
        result = self.run_it(BUILD / "bin/stand-in-train", "--steps", "6000", "--batch", "2", "--every", "50",
                             options=["--shadow", "--eta", "1", "--profile", f"{self.table('H200')}:NET"], timeout=100)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the profile begins with 4 measured levels", result.stderr)
        self.assertTrue(any("not turned to" in decision["why"] for decision in self.last_bill()["decisions"]))

    def test_a_table_of_another_gpu_is_told_and_not_used(self):
        result = self.run_it("sleep", "1", options=["--profile", self.table("H100")], timeout=100)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("table.csv: is a profile of H100, but the GPU of this machine is NVIDIA H200; it is not used, and the "
                      "run learns its own", result.stderr)

    def test_a_table_that_does_not_fit_the_run_starts_nothing(self):
        table = self.table("H200")
        for said, *options in (("has no model 'vit'; FILE:MODEL with one of net", "--profile", f"{table}:vit"),
                               ("has no training row for the knob", "--profile", table, "--knob", "core-clock"),
                               ("no paces", "--profile", table, "--knob", "pace")):
            self.assert_refused(self.run_it("touch", self.folder / "started", options=options, timeout=100), said)
        self.assertFalse((self.folder / "started").exists())


class Provider(Live):
    def setUp(self):
        super().setUp()
        self.environment |= {**fake_providers.serve(self), "HELIOSTAT_STORE": str(self.folder / "signals.db")}

    def run_gb(self, *options):
        return run("run", "--provider", "neso", "--zone", "GB", *options, "--", *self.train(5000), env=self.environment,
                   timeout=100)

    def test_a_provider_that_is_silent_leaves_the_last_values_and_training_goes_on(self):
        self.assertEqual(self.run_gb().returncode, 0)
        self.assertEqual(self.last_bill()["decisions"][0]["freshness"], "forecast")
        fake_providers.FakeNeso.status = 404
        result = self.run_gb()
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertEqual(self.limit(), 650)

    def test_with_nothing_known_at_all_the_program_runs_at_its_default(self):
        fake_providers.FakeNeso.status = 404
        result = self.run_gb()
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertIn("step", result.stdout)
        self.assertIn("no value is known yet", result.stderr)
        self.assertEqual(self.limit(), 650)
        bill = self.last_bill()["bill"]
        self.assertEqual(bill["uncharged_kwh"], bill["energy_kwh"])

    def test_a_provider_that_comes_back_is_followed(self):
        fake_providers.FakeNeso.status = 503
        running = subprocess.Popen([HELIOSTAT, "run", "--provider", "neso", "--zone", "GB", "--", *self.train_until_told()],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **self.environment})
        while "no value is known yet" not in running.stderr.readline():
            self.assertIsNone(running.poll())
        fake_providers.FakeNeso.status = 200
        while "is known now" not in running.stderr.readline():
            self.assertIsNone(running.poll())
        self.end_it()
        running.communicate(timeout=60)
        self.assertAlmostEqual(self.last_bill()["decisions"][-1]["carbon_g_per_kwh"], 150)


class Follows(Live):
    def test_prices_are_followed_and_billed_whatever_unit_they_come_in(self):
        prices = self.write("price.csv", "Datetime,Price (EUR/MWh)\n" + "\n".join(
            f"2023-06-{1 + hour // 24:02d} {hour % 24:02d}:00:00,{400 if hour % 2 else 50}" for hour in range(72)) + "\n")
        result = self.run_it(*self.train(30000, "--style", "tqdm"), options=["--price", prices, "--price-weight", "1", "--eta", "0.6"],
                             timeout=200)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        report = self.last_bill()
        self.assertEqual(report["bill"]["currency"], "EUR")
        self.assertEqual({decision["price_per_kwh"] for decision in report["decisions"]}, {0.05, 0.4})
        paid = sum(decision["energy_kwh"] * decision["price_per_kwh"] for decision in report["decisions"])
        self.assertAlmostEqual(report["bill"]["cost"], paid, 9)
        self.assertIn("EUR", result.stderr)
        self.assertEqual(self.limit(), 650)
        self.assertGreater(self.card()["writes"]["power-limit"], 1)

    def test_prices_without_a_currency_start_nothing(self):
        prices = self.write("price.csv", "time,price_per_kwh\n2023-06-01T00:00:00Z,0.1\n2023-06-01T01:00:00Z,0.2\n")
        result = self.run_it("true", options=["--price", prices])
        self.assertEqual(result.returncode, 2, result.stderr)

    def test_pace_holds_the_program_and_touches_no_card(self):
        result = self.run_it(*self.train(10000), options=["--knob", "pace"], timeout=200)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertEqual(self.card()["writes"]["power-limit"], 0)


class Dies(Live):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.end_trainers)

    def test_a_crash_of_the_program_leaves_nothing(self):
        running = self.start(*self.train_until_told(status=3))
        self.wait_until(self.lowered, "the limit is turned")
        self.end_it()
        self.assertEqual(running.wait(120), 3)
        self.assertEqual(self.limit(), 650)

    def test_kill_9_without_an_agent_is_put_right_by_a_guard(self):
        running = self.start(*self.train(100000000))
        self.wait_until(self.lowered, "the limit is turned")
        running.kill()
        running.wait(30)
        self.wait_until(lambda: self.limit() == 650, "a guard puts the card back")

    def test_with_an_agent_kill_9_and_a_restart_of_the_agent(self):
        config = self.write("agent.toml", f'socket = "{self.folder}/agent.sock"\nstate = "{self.folder}/leases"\n'
                                          f'audit = "{self.folder}/audit.log"\n')
        config.chmod(0o600)

        def agent():
            started = subprocess.Popen([BUILD / "bin/heliostatd", "--config", config],
                                       env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            self.addCleanup(started.kill)
            while "serving" not in started.stderr.readline():
                self.assertIsNone(started.poll())
            return started

        first = agent()
        running = self.start(*self.train(100000000))
        self.wait_until(self.lowered, "the limit is turned")
        first.kill()
        first.communicate()
        second = agent()
        time.sleep(6)
        self.assertIsNone(running.poll())
        running.kill()
        running.wait(30)
        self.wait_until(lambda: self.limit() == 650, "the agent puts the card back")
        second.terminate()
        second.communicate(timeout=30)

    def test_a_signal_that_ends_is_told_and_training_goes_on(self):
        self.carbon = self.write("short.csv", day([100, 700], days=1))
        running = self.start(*self.train_until_told(), options=["--carbon-start", "2023-06-01T23:00:00Z"])
        self.wait_until(lambda: "stale" in self.log(), "it is told")
        self.assertIsNone(running.poll())
        self.end_it()
        self.assertEqual(running.wait(120), 0)
        self.assertEqual(self.limit(), 650)


class Torch(Live):
    def test_a_real_loop_on_the_cpu_reports_its_steps(self):
        # Debian's own Python has python3-torch, whichever Python runs these tests.
        python = next((name for name in (sys.executable, "/usr/bin/python3") if pathlib.Path(name).exists() and
                       subprocess.run([name, "-c", "import torch"], capture_output=True, check=False).returncode == 0), None)
        if python is None:
            self.skipTest("python3-torch is not installed")
        program = self.write("train.py", """
import time, torch, heliostat
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
end = time.time() + 15
while time.time() < end:
    x, y = torch.randn(256, 64), torch.randint(0, 10, (256,))
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    heliostat.step(samples=256)
""")
        self.double("load", self.state, "0", "resnet50")
        result = self.run_it(python, program, timeout=200, env={"PYTHONPATH": str(PYTHON)})
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertIn("steps that it reports", result.stderr)
        self.assertEqual(self.limit(), 650)


if __name__ == "__main__":
    main()
