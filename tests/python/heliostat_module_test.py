#!/usr/bin/env python3
"""Tests the module with which training programs report steps: what it writes, and that it does nothing without Heliostat."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import textwrap
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "python"
RANKS = ("RANK", "LOCAL_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK")
FIELDS = ("magic", "version", "steps", "samples", "phase", "last_ns", "pid", "spare")

# Fake frameworks that have only the base class of a callback, at the place of the real one.
FAKES = """
import sys, types
def fake(path, **names):
    parts = path.split('.')
    for i in range(len(parts)):
        sys.modules.setdefault('.'.join(parts[:i + 1]), types.ModuleType('.'.join(parts[:i + 1])))
    vars(sys.modules[path]).update(names)
class Base:
    pass
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "steps"
        self.path.write_bytes(b"HLIOSTEP" + struct.pack("=7Q", 1, 0, 0, 0, 0, 0, 0))

    def run_program(self, script, path=None, **more):
        environment = {name: value for name, value in os.environ.items() if name not in RANKS}
        environment.pop("HELIOSTAT_STEPS", None)
        environment.update({"PYTHONPATH": str(FOLDER), "PYTHONDONTWRITEBYTECODE": "1", **more})
        if path != "":
            environment["HELIOSTAT_STEPS"] = str(path or self.path)
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env=environment, capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def told(self):
        return dict(zip(FIELDS, struct.unpack("=8Q", self.path.read_bytes())))


class Steps(Case):
    def test_steps_and_samples_add_up(self):
        out = self.run_program("""
            import heliostat, os, time
            before = time.monotonic_ns()
            from heliostat import step
            for i in range(7): heliostat.step(samples=4)
            step()
            print(os.getpid(), before, time.monotonic_ns(), heliostat.is_reporting())
        """)
        pid, before, after, reporting = out.split()
        told = self.told()
        self.assertEqual((told["steps"], told["samples"], told["pid"], told["phase"]), (8, 28, int(pid), 0))
        self.assertTrue(int(before) <= told["last_ns"] <= int(after))
        self.assertEqual(reporting, "True")

    def test_a_restarted_program_counts_on(self):
        for _ in range(2):
            self.run_program("import heliostat; heliostat.step()")
        self.assertEqual(self.told()["steps"], 2)

    def test_only_importing_claims_nothing(self):
        self.run_program("import heliostat")
        self.assertEqual(self.told()["pid"], 0)

    def test_rank_0_alone_reports(self):
        for name in RANKS:
            self.run_program("import heliostat; heliostat.step()", **{name: "1"})
            self.assertEqual(self.told()["steps"], 0)
        self.run_program("import heliostat; heliostat.step()", RANK="0", LOCAL_RANK="0")
        self.assertEqual(self.told()["steps"], 1)

    def test_without_ranks_the_one_that_began_reports(self):
        self.run_program("""
            import heliostat, subprocess, sys
            heliostat.step()
            subprocess.run([sys.executable, '-c', 'import heliostat; heliostat.step()'], check=True)
        """)
        self.assertEqual(self.told()["steps"], 1)

    def test_a_forked_worker_says_nothing(self):
        self.run_program("""
            import heliostat, os
            heliostat.step()
            if os.fork() == 0:
                heliostat.step()
                with heliostat.evaluating(): os._exit(0)
            os.wait()
        """)
        self.assertEqual((self.told()["steps"], self.told()["phase"]), (1, 0))

    def test_phases_nest_and_end_with_exceptions(self):
        out = self.run_program("""
            import heliostat, struct, os
            phase = lambda: struct.unpack('=8Q', open(os.environ['HELIOSTAT_STEPS'], 'rb').read())[4]
            with heliostat.evaluating():
                a = phase()
                with heliostat.idle(): b = phase()
                c = phase()
            try:
                with heliostat.evaluating(): raise KeyError
            except KeyError: pass
            print(a, b, c, phase())
        """)
        self.assertEqual(out.split(), ["1", "2", "1", "0"])


class Nothing(Case):
    SCRIPT = """
        import heliostat
        heliostat.step(); heliostat.step(3)
        with heliostat.evaluating(), heliostat.idle(): pass
        print(heliostat.is_reporting())
    """

    def test_without_heliostat_nothing_happens(self):
        self.assertEqual(self.run_program(self.SCRIPT, path=""), "False\n")

    def test_a_file_that_has_gone_or_is_not_ours_stops_nobody(self):
        self.assertEqual(self.run_program(self.SCRIPT, path="/nowhere/at-all"), "False\n")
        for content in (b"", b"short", b"x" * 64, b"HLIOSTEP" + struct.pack("=7Q", 9, 0, 0, 0, 0, 0, 0)):
            self.path.write_bytes(content)
            self.assertEqual(self.run_program(self.SCRIPT), "False\n")
            self.assertEqual(self.path.read_bytes(), content)

    def test_frameworks_are_not_imported_unasked(self):
        out = self.run_program("import heliostat, sys; print([m for m in sys.modules if 'torch' in m or 'keras' in m])")
        self.assertEqual(out, "[]\n")


class Callbacks(Case):
    def test_hugging_face(self):
        out = self.run_program(FAKES + textwrap.dedent("""
            fake('transformers', TrainerCallback=Base)
            import heliostat
            class Args: train_batch_size = 8; gradient_accumulation_steps = 2; world_size = 1
            c = heliostat.hf_callback()
            assert isinstance(c, Base)
            for i in range(3):
                c.on_step_begin(Args, None, None); c.on_step_end(Args, None, None)
            c.on_prediction_step(Args, None, None); c.on_prediction_step(Args, None, None)
            print(heliostat._words[4]); c.on_evaluate(Args, None, None); print(heliostat._words[4])
        """))
        self.assertEqual(out.split(), ["1", "0"])
        self.assertEqual((self.told()["steps"], self.told()["samples"]), (3, 48))

    def test_lightning_by_either_name(self):
        for module in ("lightning.pytorch", "pytorch_lightning"):
            out = self.run_program(FAKES + f"fake('{module}', Callback=Base)\n" + textwrap.dedent("""
                import heliostat
                c = heliostat.lightning_callback()
                c.on_train_batch_end(None, None, None, None, 0)
                c.on_validation_start(None, None); a = heliostat._words[4]; c.on_validation_end(None, None)
                print(a, heliostat._words[4])
            """))
            self.assertEqual(out.split(), ["1", "0"])
        self.assertEqual(self.told()["steps"], 2)

    def test_keras_by_either_name(self):
        for module in ("keras.callbacks", "tensorflow.keras.callbacks"):
            out = self.run_program(FAKES + f"fake('{module}', Callback=Base)\n" + textwrap.dedent("""
                import heliostat
                c = heliostat.keras_callback()
                c.on_train_batch_end(0, logs={})
                c.on_test_begin(); a = heliostat._words[4]; c.on_test_end()
                print(a, heliostat._words[4])
            """))
            self.assertEqual(out.split(), ["1", "0"])
        self.assertEqual(self.told()["steps"], 2)

    def test_without_the_framework_it_says_which(self):
        self.run_program("""
            import sys, heliostat
            sys.modules['transformers'] = None
            try: heliostat.hf_callback()
            except ImportError as error: assert 'transformers' in str(error)
            else: raise SystemExit(1)
        """)


if __name__ == "__main__":
    unittest.main()
