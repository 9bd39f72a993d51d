"""The simulated power of a lab's nodes: it follows from the processes that run on them, not from what Slurm says."""
import pathlib
import time

# One node, by the state that a meter at its plug would see.
SLEEP_W, BASE_W, GPU_IDLE_W, GPU_BUSY_W = 15.0, 150.0, 20.0, 350.0


def busy_gpus(pids):
    """{(node, index of a GPU)} that running processes of jobs have; stopped ones draw no more than idle power."""
    busy = set()
    for pid in pids:
        try:
            is_stopped = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "TZ"
            lines = pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it ended
        variables = dict(line.split("=", 1) for line in lines if "=" in line)
        gpus = variables.get("SLURM_STEP_GPUS") or variables.get("SLURM_JOB_GPUS")
        if gpus and "SLURMD_NODENAME" in variables and not is_stopped:
            busy.update((variables["SLURMD_NODENAME"], index) for index in gpus.split(","))
    return busy


class Meter:
    def __init__(self, nodes, speed):
        self.speed = speed
        self.gpus = {name: count for name, _, count in nodes}
        self.watts = {name: SLEEP_W for name in self.gpus}
        self.joules = {name: 0.0 for name in self.gpus}
        self.read_at = time.monotonic()

    def read(self, awake, pids):
        """To be called often: the power of the last reading counts until this one."""
        now = time.monotonic()
        for name, watts in self.watts.items():
            self.joules[name] += watts * (now - self.read_at) * self.speed
        self.read_at = now
        busy = busy_gpus(pids)
        for name, count in self.gpus.items():
            used = sum(1 for node, _ in busy if node == name)
            on = BASE_W + used * GPU_BUSY_W + (count - used) * GPU_IDLE_W
            self.watts[name] = on if name in awake else SLEEP_W

    def readings(self):
        return [(name, self.watts[name], self.joules[name]) for name in self.gpus]
