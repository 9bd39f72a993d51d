#!/usr/bin/env python3
"""Jobs submitted through the command line, to an sbatch that only records what it gets.

usage: submit_test.py PATH-OF-HELIOSTAT [unittest options]
"""
import datetime
import json
import unittest

from program import Case, run

SBATCH = """#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word"; done > "$RECORD"
cat > "$RECORD.stdin"
echo "Submitted batch job 17"
echo "a warning" >&2
exit 7
"""


class SubmitTest(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        self.write("bin/sbatch", SBATCH).chmod(0o755)
        self.record = self.folder / "record"
        self.script = self.write("job.sh", "#!/bin/sh\n#SBATCH --time=10\nhostname\n")

    def submit(self, *arguments, **more):
        env = {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "RECORD": str(self.record)}
        return run("submit", *arguments, env=env, cwd=self.folder, **{"input": "", **more})

    def words(self):
        return self.record.read_text().splitlines()

    def assert_refused_and_not_started(self, where, *arguments):
        self.assert_refused(self.submit(*arguments), where)
        self.assertFalse(self.record.exists(), arguments)

    def test_runs_sbatch_with_the_comment_and_passes_its_output_and_status_on(self):
        result = self.submit("--slack", "50%", "--may", "suspend,requeue", "--", "sbatch", "-N", "2", "job.sh", "--slack", "x")
        self.assertEqual(result.returncode, 7)
        self.assertEqual(result.stdout, "Submitted batch job 17\n")
        self.assertEqual(result.stderr, "a warning\n")
        self.assertEqual(self.words(), ["--comment=heliostat:slack=50%;may=suspend,requeue", "-N", "2", "job.sh", "--slack", "x"])

    def test_a_relative_deadline_is_written_as_utc(self):
        before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        self.submit("--deadline", "+18h", "--", "sbatch", "job.sh")
        after = datetime.datetime.now(datetime.timezone.utc)
        text = self.words()[0].removeprefix("--comment=heliostat:deadline=")
        deadline = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
        self.assertLessEqual(before, deadline - datetime.timedelta(hours=18))
        self.assertGreaterEqual(after, deadline - datetime.timedelta(hours=18))
        self.submit("--deadline", "2999-01-01T09:00+01:00", "--", "sbatch", "job.sh")
        self.assertEqual(self.words()[0], "--comment=heliostat:deadline=2999-01-01T08:00:00Z")

    def test_a_comment_of_the_user_stays_wherever_it_stands(self):
        self.write("noted.sh", "#!/bin/sh\n#SBATCH --comment='ticket 17'\nhostname\n")
        part = "heliostat:slack=5%"
        for given, words in (
                (["--comment=mine", "job.sh"], [f"--comment=mine {part}", "job.sh"]),
                (["--comment", "my own", "job.sh"], [f"--comment=my own {part}", "job.sh"]),
                (["noted.sh"], [f"--comment=ticket 17 {part}", "noted.sh"]),
                (["--comment=mine", "noted.sh"], [f"--comment=mine {part}", "noted.sh"]),
                (["--wrap", "hostname"], [f"--comment={part}", "--wrap", "hostname"]),
                (["job.sh", "--comment=argument"], [f"--comment={part}", "job.sh", "--comment=argument"])):
            self.assertEqual(self.submit("--slack", "5%", "--", "sbatch", *given).returncode, 7, given)
            self.assertEqual(self.words(), words)

    def test_a_script_on_standard_input_is_read_and_passed_on(self):
        script = "#!/bin/sh\n#SBATCH --comment=piped\nhostname\n"
        self.submit("--slack", "5%", "--", "sbatch", "-N", "1", input=script)
        self.assertEqual(self.words(), ["--comment=piped heliostat:slack=5%", "-N", "1"])
        self.assertEqual((self.folder / "record.stdin").read_text(), script)

    def test_a_script_is_found_in_the_path_as_sbatch_finds_it(self):
        self.write("bin/shared.sh", "#!/bin/sh\n#SBATCH --comment=shared\n")
        self.submit("--slack", "5%", "--", "sbatch", "shared.sh")
        self.assertEqual(self.words(), ["--comment=shared heliostat:slack=5%", "shared.sh"])

    def test_dry_run_prints_a_line_for_a_shell_and_runs_nothing(self):
        arguments = ["--slack", "5%", "--dry-run", "--", "sbatch", "--comment", "it's", "job.sh"]
        result = self.submit(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "sbatch '--comment=it'\\''s heliostat:slack=5%' job.sh\n")
        document = json.loads(self.submit("--json", *arguments).stdout)
        self.assertEqual(document, {"command": ["sbatch", "--comment=it's heliostat:slack=5%", "job.sh"]})
        self.assertFalse(self.record.exists())

    def test_wrong_values_are_refused_before_anything_is_started(self):
        sbatch = ["--", "sbatch", "job.sh"]
        self.assert_refused_and_not_started("--deadline: 2020-01-01T00:00:00Z is in the past", "--deadline", "2020-01-01", *sbatch)
        self.assert_refused_and_not_started("--deadline", "--deadline", "soon", *sbatch)
        self.assert_refused_and_not_started("--deadline", "--deadline", "+0h", *sbatch)
        self.assert_refused_and_not_started("--deadline", "--deadline", "+", *sbatch)
        self.assert_refused_and_not_started("--slack: is '-5%'", "--slack=-5%", *sbatch)
        self.assert_refused_and_not_started("--slack: is '50'", "--slack", "50", *sbatch)
        self.assert_refused_and_not_started("--may: 'kill' is not known", "--may", "kill", *sbatch)
        self.assert_refused_and_not_started("at least one of --deadline, --slack, --may", *sbatch)
        self.assert_refused_and_not_started("has a part of Heliostat already", "--slack", "5%", "--", "sbatch",
                                            "--comment=heliostat:slack=1%", "job.sh")
        self.assert_refused_and_not_started("missing.sh", "--slack", "5%", "--", "sbatch", "missing.sh")
        self.assert_refused_and_not_started("only with --dry-run", "--json", "--slack", "5%", *sbatch)

    def test_only_sbatch_is_run(self):
        self.assert_refused_and_not_started("srun starts an interactive job", "--slack", "5%", "--", "srun", "hostname")
        self.assert_refused_and_not_started("salloc starts an interactive job", "--slack", "5%", "--", "salloc")
        self.assert_refused_and_not_started("'python' is not sbatch", "--slack", "5%", "--", "python", "job.py")
        self.assert_refused_and_not_started("heterogeneous", "--slack", "5%", "--", "sbatch", "-n1", ":", "-n2", "job.sh")
        self.assert_refused_and_not_started("no program is given", "--slack", "5%")
        self.assert_refused_and_not_started("'sbatch' stands before --", "--slack", "5%", "sbatch", "job.sh")

    def test_a_machine_without_slurm_gets_one_line_and_the_status_of_shells(self):
        (self.folder / "bin/sbatch").unlink()
        result = run("submit", "--slack", "5%", "--", "sbatch", "job.sh", env={"PATH": str(self.folder / "bin")},
                     cwd=self.folder)
        self.assert_refused(result, "sbatch: cannot be started", status=127)


if __name__ == "__main__":
    unittest.main()
