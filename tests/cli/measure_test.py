#!/usr/bin/env python3
"""Made-up GPUs (--fake-gpu) and `heliostat profile measure` on them, end to end.

usage: measure_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import concurrent.futures
import csv
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import unittest

from program import HELIOSTAT, Case, run

BUILD = pathlib.Path(HELIOSTAT).parent.parent
# A visit of a level lasts 7 s at least.
TWO_LEVELS = ("--levels", "150,300", "--minutes", "0.25")


class MadeUp(Case):
    def setUp(self):
        super().setUp()
        self.environment = self.home(self.folder)

    @staticmethod
    def home(folder):
        """Each folder is a user of its own, with GPUs of their own. What the user's variables name must not be used."""
        return {"HOME": str(folder), "XDG_STATE_HOME": "", "XDG_DATA_HOME": "", "XDG_CACHE_HOME": "",
                "HELIOSTAT_STATE": str(folder / "real"), "HELIOSTAT_NVML": "/nowhere/libnvml.so",
                "HELIOSTAT_DOUBLE": "/nowhere/state"}

    def heliostat(self, *arguments, status=0, **more):
        result = run(*arguments, env={**self.environment, **more.pop("env", {})}, **more)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def card(self, gpus="A40", index=0, environment=None):
        result = run("device", "--fake-gpu", gpus, "list", "--json", env=environment or self.environment)
        return json.loads(result.stdout)["gpus"][index]

    def state(self, gpus="A40", folder=None):
        return next(((folder or self.folder) / ".local/state/heliostat/fake-gpus").glob(f"*/{gpus}/gpus.state"))


class Devices(MadeUp):
    def test_they_are_listed_set_and_put_back_and_said_to_be_made_up(self):
        listed = self.heliostat("device", "--fake-gpu", "2xA40", "list").stdout
        self.assertEqual(listed.count("NVIDIA A40 (made up)"), 2)
        self.assertIn("These GPUs are made up", listed)
        self.heliostat("device", "set", "1", "--power-limit", "150", "--fake-gpu", "2xA40")
        self.assertEqual(self.card("2xA40", 1)["power_limit_w"], 150)
        self.assertTrue(self.card("2xA40", 1)["made_up"])
        self.assertEqual(self.card("A40")["power_limit_w"], 300, "another set of GPUs is another machine")
        self.heliostat("device", "reset", "--fake-gpu", "2xA40")
        self.assertEqual(self.card("2xA40", 1)["power_limit_w"], 300)
        self.assertFalse((self.folder / "real").exists())

    def test_no_agent_is_asked_and_the_doctor_is_content(self):
        with socket.socket(socket.AF_UNIX) as agent:
            agent.bind(str(self.folder / "agent"))
            agent.listen()
            self.environment["HELIOSTAT_AGENT"] = str(self.folder / "agent")
            told = self.heliostat("doctor", "--fake-gpu", "H200").stdout
            agent.setblocking(False)
            with self.assertRaises(BlockingIOError):
                agent.accept()
        self.assertIn("the GPUs are made up", told)

    def test_names_that_are_no_gpu_are_refused(self):
        for wrong in ("T4", "0xH200", "17xH200", "9xH200,9xA40", "H200,", "2x", "-1xA40"):
            with self.subTest(wrong):
                self.assert_refused(run("device", f"--fake-gpu={wrong}", "list", env=self.environment), "--fake-gpu")

    def test_a_state_of_another_version_is_made_again(self):
        self.assertEqual(self.card()["power_limit_w"], 300)
        self.state().write_bytes(b"of another version")
        self.assertEqual(self.card()["power_limit_w"], 300)


class Runs(MadeUp):
    def test_a_run_says_everywhere_that_its_gpu_is_made_up(self):
        result = self.heliostat("run", "--fake-gpu", "H200", "--zone", "solar-heavy", "--knob", "pace", "--",
                                "stand-in-train", "--steps", "3")
        self.assertIn("1 x NVIDIA H200 (made up)", result.stderr)
        self.assertIn("The GPU is made up", result.stderr)
        self.assertIn("made-up GPU", self.heliostat("runs").stdout)
        run_id = json.loads(self.heliostat("runs", "--json").stdout)["runs"][0]["id"]
        self.heliostat("runs", "export", run_id, "--html", self.folder / "run.html")
        self.assertIn("The GPU is made up", (self.folder / "run.html").read_text())
        self.assertTrue(json.loads(self.heliostat("report", "--json").stdout)["bill"]["made_up_gpu"])


class Measuring(MadeUp):
    TRAIN = ("stand-in-train", "--steps", "100000000", "--batch", "10", "--every", "20", "--style", "tqdm")

    def start(self, folder, *options):
        environment = self.home(folder)
        with open(folder / "log", "w", encoding="utf-8") as log:
            process = subprocess.Popen([HELIOSTAT, "profile", "measure", "--fake-gpu", "A40", *options, "-o",
                                        folder / "profile.csv", "--", *self.TRAIN],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                                       env={**os.environ, **environment})
        return process, environment

    def rows(self, folder):
        with open(folder / "profile.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def wait_until(self, holds, what):
        end = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.5)  # looking at a card starts a program

    def trainers(self, folder):
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if ((entry / "cmdline").read_bytes().startswith(b"stand-in-train")
                        and f"HOME={folder}\0".encode() in (entry / "environ").read_bytes()):
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def measure_all(self, folder):
        process, _ = self.start(folder, *TWO_LEVELS, "--batch", "10", "--model", "resnet50")
        self.assertEqual(process.wait(timeout=90), 0, (folder / "log").read_text())
        log = (folder / "log").read_text()
        self.assertIn("The GPU is made up", log)
        low, top = self.rows(folder)
        self.assertEqual([low["power_limit_w"], top["power_limit_w"]], ["150", "300"])
        self.assertEqual({low["gpu"], low["source"], low["model"]}, {"A40", "made-up", "resnet50"})
        known = next(entry for entry in json.loads(run("profile", "library", "--gpu", "A40", "--json").stdout)["profiles"]
                     if entry["model"] == "resnet50")
        error = float(top["speed_error_percent"])
        self.assertLess(error, 30)
        # Twice: a busy machine delays what the program prints, too.
        self.assertAlmostEqual(100 * float(top["samples_per_s"]) / known["speed_per_s"], 100, delta=2 * error + 1)
        self.assertAlmostEqual(float(top["power_w"]) / known["power_w"], 1, delta=0.02)
        self.assertLess(float(low["samples_per_s"]), float(top["samples_per_s"]))
        self.assertLessEqual(float(low["power_w"]), 150)
        made = run("scenario", "make", "-o", folder / "week", "--profiles", folder / "profile.csv", "--slots", "24",
                   "--count", "3")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("resnet50,A40,1,,150,", (folder / "week/training_profiles.csv").read_text())
        self.assertEqual(self.trainers(folder), [], "the program is ended")

    def be_killed(self, folder):
        process, environment = self.start(folder, *TWO_LEVELS)
        self.wait_until(lambda: (folder / "profile.csv").exists() and
                        self.card(environment=environment)["power_limit_w"] == 150, "a lower limit")
        process.kill()
        process.wait()
        self.wait_until(lambda: self.card(environment=environment)["power_limit_w"] == 300, "the limit goes back")
        for pid in self.trainers(folder):  # It lives on; nobody waits for it.
            os.kill(pid, signal.SIGKILL)
        self.assertEqual([row["power_limit_w"] for row in self.rows(folder)], ["300"])

    def be_interrupted(self, folder):
        process, environment = self.start(folder, *TWO_LEVELS)
        self.wait_until((folder / "profile.csv").exists, "the first level")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 1)
        self.assertIn("Missing: 150 W", (folder / "log").read_text())
        self.assertEqual([row["power_limit_w"] for row in self.rows(folder)], ["300"])
        self.assertEqual(self.card(environment=environment)["power_limit_w"], 300)
        result = run("run", "--fake-gpu", "A40", "--zone", "island", "--profile", folder / "profile.csv", "--",
                     "stand-in-train", "--steps", "3", env=environment)
        self.assertIn("the profile begins with 1 measured levels", result.stderr)

    def lack_the_right(self, folder):
        self.card(environment=self.home(folder))
        subprocess.run([BUILD / "bin/nvml-double", "fault", self.state(folder=folder), "0", "no-permission"], check=True)
        process, _ = self.start(folder, *TWO_LEVELS)
        self.assertEqual(process.wait(timeout=60), 0, (folder / "log").read_text())
        self.assertIn("only the default was measured", (folder / "log").read_text())
        self.assertEqual([row["power_limit_w"] for row in self.rows(folder)], ["300"])

    def pace(self, folder):
        process, _ = self.start(folder, "--knob", "pace", "--levels", "0.5", "--minutes", "0.7")
        self.assertEqual(process.wait(timeout=90), 0, (folder / "log").read_text())
        half, full = self.rows(folder)
        self.assertEqual([half["pace"], full["pace"], full["power_limit_w"]], ["0.5", "1", ""])
        self.assertAlmostEqual(float(half["samples_per_s"]) / float(full["samples_per_s"]), 0.5, delta=0.1)
        self.assertLess(float(half["power_w"]), 0.8 * float(full["power_w"]))

    def test_programs_are_measured_at_each_level_and_the_card_goes_back(self):
        tests = (self.measure_all, self.be_killed, self.be_interrupted, self.lack_the_right, self.pace)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            folders = [self.folder / test.__name__ for test in tests]
            for folder in folders:
                folder.mkdir()
            for result in [pool.submit(test, folder) for test, folder in zip(tests, folders)]:
                result.result()

    def test_bad_usage_starts_nothing(self):
        mark = self.folder / "started"
        for options, where in ((["--levels", "x"], "--levels"), (["--levels", "50,300"], "--levels"),
                               (["--minutes", "0.1"], "--minutes"), (["--knob", "volume"], "--knob"),
                               (["-o", "/nowhere/x.csv"], "-o"), (["--progress-regex", "(("], "--progress-regex"),
                               (["--gpu", "7"], "GPU '7'")):
            with self.subTest(options):
                self.assert_refused(run("profile", "measure", "--fake-gpu", "A40", *options, "--", "touch", mark,
                                        env=self.environment), where)
                self.assertFalse(mark.exists())
        self.assert_refused(run("profile", "measure", "--fake-gpu", "A40", env=self.environment), "command line")
        no_gpu = run("profile", "measure", "--", "touch", mark, env=self.environment)
        self.assert_refused(no_gpu, "GPU", status=1)
        short = run("profile", "measure", "--fake-gpu", "A40", "-o", self.folder / "p.csv", "--", "true",
                    env=self.environment)
        self.assert_refused(short, "nothing was measured", status=1)
        self.assertFalse((self.folder / "p.csv").exists())
        wrong = self.write("p.csv", "a,b\n1,2\n")
        self.assert_refused(run("run", "--fake-gpu", "A40", "--zone", "island", "--profile", wrong, "--", "touch", mark,
                                env=self.environment), "p.csv: ")


if __name__ == "__main__":
    unittest.main()
