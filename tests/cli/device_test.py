#!/usr/bin/env python3
"""GPUs on the command line, on doubled ones: read, watched, set and put back, directly and by the agent; and the doctor.

usage: device_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import HELIOSTAT, Case, run

BUILD = pathlib.Path(HELIOSTAT).parent.parent
DOUBLE = BUILD / "lib/libnvidia-ml-double.so"


class Node(Case):
    def setUp(self):
        super().setUp()
        self.state = self.folder / "double.state"
        self.environment = {"HELIOSTAT_NVML": str(DOUBLE), "HELIOSTAT_DOUBLE": str(self.state),
                            "HELIOSTAT_AGENT": str(self.folder / "agent.sock"),
                            "HELIOSTAT_STATE": str(self.folder / "leases")}
        self.double("create", self.state, "--gpu", "H200", "--gpu", "A40")
        self.double("load", self.state, "0", "resnet50")

    def double(self, *arguments):
        done = subprocess.run([BUILD / "bin/nvml-double", *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def ask(self, *arguments, **environment):
        return run(*arguments, env={**self.environment, **environment})

    def told(self, *arguments, **environment):
        result = self.ask(*arguments, "--json", **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def limits(self):
        """Of the cards themselves, whatever the program says."""
        return [gpu["power_limit_w"] for gpu in json.loads(self.double("show", self.state))["gpus"]]


class Reading(Node):
    def test_list_tells_every_gpu(self):
        told = self.told("device", "list")
        self.assertEqual(told["driver"], "NVML")
        self.assertEqual([gpu["name"] for gpu in told["gpus"]], ["NVIDIA H200", "NVIDIA A40"])
        for key in ("index", "uuid", "pci", "power_w", "power_limit_w", "enforced_limit_w", "core_mhz", "memory_mhz",
                    "utilisation", "temperature_c", "throttle"):
            self.assertIn(key, told["gpus"][0])
        self.assertIn("NVIDIA H200", self.ask("device", "list").stdout)

    def test_show_by_index_uuid_and_beginning(self):
        uuid = self.told("device", "show", "1")["uuid"]
        for name in (uuid, uuid[:10]):
            self.assertEqual(self.told("device", "show", name)["name"], "NVIDIA A40")
        shown = self.told("device", "show", "0")
        self.assertEqual(shown["can"]["power_limit_w"], {"lowest": 200, "default": 700, "highest": 700})
        self.assertEqual(len(self.told("device", "show", "all")), 2)

    def test_a_machine_without_a_driver_is_no_error(self):
        result = self.ask("device", "list", HELIOSTAT_NVML="/nowhere/libnvidia-ml.so.1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no GPU on this machine", result.stdout)
        self.assertIn("/nowhere/libnvidia-ml.so.1", result.stdout)
        self.assert_refused(self.ask("device", "show", "0", HELIOSTAT_NVML="/nowhere/x"), "no NVIDIA GPU here (/nowhere/x: is not installed)")

    def test_a_lost_gpu_says_so_and_hides_no_other(self):
        self.double("fault", self.state, "0", "lost")
        told = self.told("device", "list")
        self.assertIn("lost", told["troubles"][0].lower())
        self.assertEqual([gpu["index"] for gpu in told["gpus"]], [1])
        self.assertIn("lost", self.ask("device", "list").stdout.lower())

    def test_wrong_gpus_are_refused_with_those_there_are(self):
        for name in ("7", "GPU-0000000", "x", ""):
            self.assert_refused(self.ask("device", "show", name), "GPU '")

    def test_watch_sums_up_energy_by_counter_and_by_power(self):
        told = self.told("device", "watch", "0", "--every", "0.05", "--for", "1s")["gpus"][0]
        self.assertGreater(told["samples"], 5)
        self.assertGreater(told["energy_by_counter_j"], 0)
        self.assertLess(abs(told["difference_percent"]), 25)

    def test_watch_draws_on_a_terminal_and_ends_well_at_ctrl_c(self):
        parent, child = pty.openpty()
        watching = subprocess.Popen([HELIOSTAT, "device", "watch", "--every", "0.1"], stdout=child, stderr=child,
                                    env={**os.environ, **self.environment, "LC_ALL": "C.UTF-8"})
        os.close(child)
        seen = b""
        while seen.count(b"\x1b[") < 3:
            seen += os.read(parent, 65536)
        watching.send_signal(signal.SIGINT)
        try:
            while chunk := os.read(parent, 65536):
                seen += chunk
        except OSError:  # the other end has gone
            pass
        self.assertEqual(watching.wait(30), 0)
        os.close(parent)
        text = seen.decode()
        self.assertIn("█", text)
        self.assertIn("by counter", text)


class Setting(Node):
    def test_without_an_agent_the_previous_value_comes_back(self):
        self.double("set", self.state, "0", "power-limit", "450")
        result = self.ask("device", "set", "0", "--power-limit", "300")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("then back to 450 W", result.stdout)
        self.assertIn("does not end on time", result.stderr)
        self.assertEqual(self.limits(), [300, 300])
        self.assertEqual([gpu["power_limit_w"] for gpu in self.told("device", "list")["gpus"]], [300, 300])
        self.assertEqual(len(self.told("device", "leases")["leases"]), 1)
        self.assertEqual(self.told("device", "reset", "0")["gpus"][0]["released"], 1)
        self.assertEqual(self.limits(), [450, 300])
        self.assertEqual(self.told("device", "leases")["leases"], [])

    def test_what_has_run_out_is_put_back_by_whoever_comes_next(self):
        self.assertEqual(self.ask("device", "set", "0", "--power-limit", "300", "--for", "1s").returncode, 0)
        time.sleep(2.1)
        self.assertEqual(self.told("device", "leases")["leases"], [])
        self.assertEqual(self.limits(), [700, 300])

    def test_all_or_nothing(self):
        self.assert_refused(self.ask("device", "set", "all", "--power-limit", "500"), "GPU 1")
        self.double("fault", self.state, "1", "no-permission")
        result = self.ask("device", "set", "all", "--power-limit", "250")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("heliostatd", result.stderr)
        self.assertNotIn("does not end on time", result.stderr)
        self.assertEqual(self.limits(), [700, 300])
        # A refusal leaves nothing that a doctor would report.
        self.double("fault", self.state, "0", "no-permission")
        shutil.rmtree(self.environment["HELIOSTAT_STATE"])
        self.assertEqual(self.ask("device", "set", "0", "--power-limit", "250").returncode, 2)
        self.assertEqual(list(pathlib.Path(self.environment["HELIOSTAT_STATE"]).glob("*.journal")), [])

    def test_bad_settings_are_one_line_and_exit_2(self):
        for arguments in (["0"], ["0", "--power-limit", "nan"], ["0", "--power-limit", "-5"],
                          ["0", "--power-limit", "99999"], ["0", "--core-clock", "1200-600"], ["0", "--core-clock", "x"],
                          ["0", "--power-limit", "300", "--for", "0s"], ["0", "--power-limit", "300", "--for", "soon"],
                          ["9", "--power-limit", "300"], ["0", "--power-limit", "300", "--pid", "4194304"]):
            with self.subTest(arguments):
                result = self.ask("device", "set", *arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertEqual(self.limits(), [700, 300])

    def test_what_the_driver_makes_of_it_is_told(self):
        self.double("fault", self.state, "0", "clamp", "400:500")
        self.assertIn("asked 300 W", self.ask("device", "set", "0", "--power-limit", "300").stdout)
        stuck = self.ask("device", "reset", "0")  # the clamp does not let it go back either
        self.assertEqual(stuck.returncode, 1)
        self.assertIn("could not be put back to 700 W", stuck.stderr)
        self.double("clear", self.state, "all")
        self.assertEqual(self.told("device", "leases")["leases"], [])
        self.assertEqual(self.limits(), [700, 300])
        self.double("fault", self.state, "0", "ignore")
        result = self.ask("device", "set", "0", "--power-limit", "300")
        self.assertEqual(result.returncode, 1)
        self.assertIn("ignores", result.stderr)


class WithAgent(Node):
    def setUp(self):
        super().setUp()
        config = self.write("agent.toml", f'socket = "{self.folder}/agent.sock"\nstate = "{self.folder}/leases"\n'
                                          f'audit = "{self.folder}/audit.log"\n')
        config.chmod(0o600)
        self.agent = subprocess.Popen([BUILD / "bin/heliostatd", "--config", config],
                                      env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.stop)
        while "serving" not in self.agent.stderr.readline():
            self.assertIsNone(self.agent.poll())

    def stop(self):
        if self.agent.poll() is None:
            self.agent.terminate()
        self.agent.communicate(timeout=30)

    def test_the_agent_keeps_leases_and_takes_them_back(self):
        result = self.ask("device", "set", "0", "--power-limit", "300", "--job", "night")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("then back to 700 W", result.stdout)
        lease = self.told("device", "leases")["leases"][0]
        self.assertEqual((lease["owner"]["job"], lease["state"]), ("night", "in-force"))
        outdone = self.ask("device", "set", "0", "--power-limit", "400").stdout
        self.assertIn("another lease is lower", outdone)
        self.assertIn("night", self.ask("device", "leases", "--all").stdout)
        self.assertIn("in-force", self.ask("device", "show", "0").stdout)
        self.assertEqual(self.told("device", "reset")["gpus"][0]["released"], 2)
        self.assertEqual(self.limits(), [700, 300])
        audit = [json.loads(line) for line in (self.folder / "audit.log").read_text().splitlines()]
        self.assertTrue(any("set" in json.dumps(line) for line in audit))

    def test_a_lease_ends_with_its_process(self):
        sleeper = subprocess.Popen(["sleep", "60"])
        self.assertEqual(self.ask("device", "set", "0", "--power-limit", "300", "--pid", sleeper.pid).returncode, 0)
        self.assertEqual(self.limits(), [300, 300])
        sleeper.kill()
        sleeper.wait()
        end = time.monotonic() + 30
        while self.limits() != [700, 300]:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def test_a_stopped_agent_leaves_cards_as_they_were(self):
        self.assertEqual(self.ask("device", "set", "0", "--core-clock", "600-900").returncode, 0)
        self.assertEqual(self.ask("device", "set", "0", "--power-limit", "300").returncode, 0)
        self.stop()
        self.assertEqual(self.agent.returncode, 0)
        card = json.loads(self.double("show", self.state))["gpus"][0]
        self.assertEqual((card["power_limit_w"], card["core_clock"]), (700, None))

    def test_the_doctor_sees_it(self):
        told = self.told("doctor")
        self.assertTrue(told["healthy"], told)
        self.assertIn("agent", [finding["subject"] for finding in told["findings"]])


class Doctor(Node):
    def test_tells_what_is_wrong_and_what_to_do(self):
        healthy = self.told("doctor")
        self.assertTrue(healthy["healthy"])
        self.double("fault", self.state, "0", "lost")
        self.double("fault", self.state, "1", "no-energy-counter")
        wrong = self.ask("doctor", "--json")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("doctor: 1 problem found", wrong.stderr)
        self.assertFalse(json.loads(wrong.stdout)["healthy"])
        text = self.ask("doctor").stdout
        self.assertRegex(text.lower(), "gpu 0.*lost")
        self.assertIn("no energy counter", text)

    def test_without_a_driver_it_says_what_works_all_the_same(self):
        result = self.ask("doctor", HELIOSTAT_NVML="/nowhere/x")
        self.assertEqual(result.returncode, 0)
        self.assertIn("simulations need none", result.stdout)

    def test_an_old_driver_is_named_by_what_it_lacks(self):
        text = self.ask("doctor", HELIOSTAT_NVML=str(BUILD / "lib/libnvidia-ml-old.so")).stdout
        self.assertIn("nvmlDeviceSetPowerManagementLimit", text)


class Agent(Node):
    def heliostatd(self, *arguments):
        return subprocess.run([BUILD / "bin/heliostatd", *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, **self.environment}, check=False, timeout=60)

    def policy(self, text, mode=0o600):
        path = self.write("agent.toml", f'socket = "{self.folder}/agent.sock"\nstate = "{self.folder}/leases"\n'
                                        f'audit = "{self.folder}/audit.log"\n{text}')
        path.chmod(mode)
        return path

    def test_its_log_is_json_on_request_errors_too(self):
        result = self.heliostatd("--log-format", "json", "--config", self.folder / "absent.toml", "--check-config")
        self.assertEqual(result.returncode, 2)
        error = json.loads(result.stderr)
        self.assertEqual((error["level"], error["where"]), ("error", str(self.folder / "absent.toml")))
        for wrong in (["--log-format", "xml"], ["--quiet", "--verbose"]):
            result = self.heliostatd(*wrong)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)

    def test_check_config_says_what_would_be_allowed(self):
        path = self.policy('[[allow]]\nusers = ["root"]\ngpus = ["*"]\nknobs = ["power-limit"]\n'
                           'power_limit_w = [200, 500]\nmax_ttl = "8h"\n')
        result = self.heliostatd("--check-config", "--config", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("200 to 500 W", result.stdout)

    def test_bad_policies_are_refused_in_one_line(self):
        for text, mode in (("nonsense", 0o600), ("sample_seconds = -1", 0o600), ("colour = 1", 0o600), ("", 0o666),
                           ('[[allow]]\nusers = ["root"]\npower_limit_w = [500, 200]', 0o600)):
            with self.subTest(text):
                result = self.heliostatd("--check-config", "--config", self.policy(text, mode))
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertEqual(len(re.findall("error", result.stderr)), 1, result.stderr)
        self.assertEqual(self.heliostatd("--check-config", "--config", "/nowhere.toml").returncode, 2)

    def leave_a_setting(self, path):
        """A setting of GPU 0 whose agent is killed."""
        agent = subprocess.Popen([BUILD / "bin/heliostatd", "--config", path], env={**os.environ, **self.environment},
                                 stderr=subprocess.PIPE, text=True)
        while "serving" not in agent.stderr.readline():
            self.assertIsNone(agent.poll())
        self.assertEqual(self.ask("device", "set", "0", "--power-limit", "300").returncode, 0)
        agent.kill()
        agent.communicate()
        self.assertEqual(self.limits(), [300, 300])

    def test_restore_puts_back_what_a_dead_agent_left(self):
        path = self.policy("")
        self.leave_a_setting(path)
        self.assertEqual(self.heliostatd("--restore", "--config", path).returncode, 0)
        self.assertEqual(self.limits(), [700, 300])

    def test_restore_reports_a_gpu_that_may_still_be_set(self):
        path = self.policy("")
        self.leave_a_setting(path)
        driver, self.environment["HELIOSTAT_NVML"] = self.environment["HELIOSTAT_NVML"], "/nowhere/x"
        self.assertEqual(self.heliostatd("--restore", "--config", path).returncode, 1, "the GPU is missing")
        self.environment["HELIOSTAT_NVML"] = driver
        self.assertEqual(self.heliostatd("--restore", "--config", path).returncode, 0)
        self.environment["HELIOSTAT_NVML"] = "/nowhere/x"
        self.assertEqual(self.heliostatd("--restore", "--config", path).returncode, 0, "a missing GPU without a setting")
        self.environment["HELIOSTAT_NVML"] = driver
        leases = self.folder / "leases"
        for journal in leases.glob("*.journal"):
            journal.write_text("garbage\n")
        for _ in range(2):
            self.assertEqual(self.heliostatd("--restore", "--config", path).returncode, 1, "its journal was damaged")
        for copy in leases.glob("*.damaged-*"):
            copy.unlink()
        self.assertEqual(self.heliostatd("--restore", "--config", path).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
