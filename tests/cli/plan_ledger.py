"""Reads scenarios as the contract describes them and adds plans up by its section on energy, apart from the program."""
import csv
import datetime
import tomllib


def instant(text):
    return datetime.datetime.fromisoformat(str(text).replace("Z", "+00:00")).timestamp()


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def number(text):
    return float(text) if text not in (None, "") else None


class Ledger:
    """A scenario, and what a plan document for it comes to.

    Profiles may measure one setting twice, and a plan names settings, not rows. `pick` (min or max) then says whether to
    reckon with the least or the most; where every setting stands once both are the same.
    """

    def __init__(self, path):
        self.folder = path.parent
        with open(path, "rb") as file:
            self.toml = tomllib.load(file)
        self.start = instant(self.toml["start"])
        self.step = 60 * self.toml["step_minutes"]
        self.slots = self.toml["slots"]
        self.groups = {group["name"]: group for group in self.toml["groups"]}
        self.jobs = {row["id"]: row for row in rows(self.folder / self.toml["workload"]["jobs"])}
        services = self.toml["workload"].get("services")
        self.services = {row["id"]: row for row in rows(self.folder / services)} if services else {}
        profiles = self.toml["profiles"]
        self.training = rows(self.folder / profiles["training"])
        self.inference = rows(self.folder / profiles["inference"]) if "inference" in profiles else []

    def signal(self, name):
        """One value a slot; files are on the scenario's own step."""
        given = self.toml["signals"].get(name)
        if given is None:
            return [0.0] * self.slots
        return self.column(given["file"], given["column"])

    def column(self, file, column):
        values = {instant(row["time"]): float(row[column]) for row in rows(self.folder / file)}
        return [values[self.start + self.step * slot] for slot in range(self.slots)]

    @staticmethod
    def point(table, pick, columns, **wanted):
        """The numbers in `columns` of the operating point that has what is wanted."""
        found = [row for row in table if all((number(row[key]) if isinstance(value, (int, float)) or value is None
                                              else row[key]) == value for key, value in wanted.items())]
        assert found, wanted
        return [pick(float(row[column]) for row in found) for column in columns]

    def job_points(self, job, pick):
        """Each segment of a plan's job with its speed and power."""
        model = self.jobs[job["id"]]["model"]
        for segment in job["segments"]:
            gpu = self.groups[segment["group"]]["gpu"]
            speed, watts = self.point(self.training, pick, ("samples_per_s", "power_w"), model=model, gpu=gpu,
                                      workers=segment["workers"], core_mhz=segment["core_mhz"],
                                      power_limit_w=segment["power_limit_w"])
            yield segment, speed, watts

    def samples(self, job, pick):
        """Samples that the segments make, the seconds lost to resuming taken off, and when they are enough."""
        given = self.jobs[job["id"]]
        done, finish, former, owed = 0.0, None, None, 0.0
        for segment, speed, _ in self.job_points(job, pick):
            begin, end = instant(segment["start"]), instant(segment["end"])
            if former is None or former != (begin, segment["group"], segment["workers"]):
                owed = float(given["resume_s"] or 0)
            lost = min(owed, end - begin)
            owed -= lost
            made = speed * (end - begin - lost)
            if finish is None and done + made >= float(given["samples"]) * (1 - 1e-9):
                finish = begin + lost + (float(given["samples"]) - done) / speed
            done += made
            former = (end, segment["group"], segment["workers"])
        return done, finish

    def totals(self, plan, pick):
        """Energy, carbon, cost and performance of a plan document, from jobs, services and nodes alone."""
        joules = [0.0] * self.slots
        busy = {name: [0.0] * self.slots for name in self.groups}
        gpu_hours = 0.0
        for job in plan["jobs"]:
            for segment, _, watts in self.job_points(job, pick):
                for slot, seconds in self.split(segment):
                    joules[slot] += watts * seconds
                    busy[segment["group"]][slot] += segment["workers"] * seconds
            given = self.jobs[job["id"]]
            best = max(float(row["samples_per_s"]) for row in self.training
                       if row["model"] == given["model"] and int(row["workers"]) == 1)
            gpu_hours += min(self.samples(job, pick)[0], float(given["samples"])) / best / 3600
        for service in plan["services"]:
            gpu_hours += self.serve(service, pick, joules, busy)
        for name, group in self.groups.items():
            on = [slot["nodes_on"][name] for slot in plan["slots"]]
            for slot in range(self.slots):
                idle = on[slot] * group["gpus_per_node"] * self.step - busy[name][slot]
                assert idle >= -1e-6 and 0 <= on[slot] <= group["nodes"], (name, slot)
                woken = max(0, on[slot] - (on[slot - 1] if slot > 0 else group["nodes"]))
                joules[slot] += (on[slot] * group["node_base_w"] * self.step + idle * group["gpu_idle_w"]
                                 + (group["nodes"] - on[slot]) * group["node_sleep_w"] * self.step
                                 + woken * (group["wake_wh"] * 3600 + group["wake_minutes"] * 60 * group["node_base_w"]))
        return {**self.settle(joules), "performance": gpu_hours}

    def split(self, segment):
        begin, end = instant(segment["start"]) - self.start, instant(segment["end"]) - self.start
        for slot in range(int(begin // self.step), int(-(-end // self.step))):
            yield slot, min(end, (slot + 1) * self.step) - max(begin, slot * self.step)

    def serve(self, service, pick, joules, busy):
        """Adds a service's GPUs, and gives the reference GPU-hours that it serves."""
        given = self.services[service["id"]]
        rates = self.column(given["rate_file"], given["rate_column"])
        best = max(float(row["requests_per_s"]) for row in self.inference if row["model"] == given["model"])
        for slot, how in enumerate(service["slots"]):
            if how["replicas"] == 0:
                continue
            group = self.groups[how["group"]]
            speed, full = self.point(self.inference, pick, ("requests_per_s", "power_w"), model=given["model"],
                                     gpu=group["gpu"], batch=how["batch"], core_mhz=how["core_mhz"],
                                     power_limit_w=how["power_limit_w"])
            utilisation = rates[slot] / (how["replicas"] * speed)
            assert abs(utilisation - how["utilisation"]) < 1e-6 and utilisation < 1, (service["id"], slot)
            watts = group["gpu_idle_w"] + utilisation * (full - group["gpu_idle_w"])
            joules[slot] += how["replicas"] * watts * self.step
            busy[how["group"]][slot] += how["replicas"] * self.step
        return sum(rates) * self.step / best / 3600

    def settle(self, joules):
        carbon, renewable, price = (self.signal(name) for name in ("carbon", "renewable", "price"))
        clean = self.toml["signals"].get("renewable", {}).get("carbon_g_per_kwh", 0)
        total = dict.fromkeys(("carbon_kg", "cost", "energy_kwh", "grid_kwh", "renewable_used_kwh"), 0.0)
        for slot in range(self.slots):
            energy = self.toml["pue"] * joules[slot] / 3.6e6
            used = min(energy, renewable[slot] * self.step / 3600)
            grid = energy - used
            total["energy_kwh"] += energy
            total["grid_kwh"] += grid
            total["renewable_used_kwh"] += used
            total["carbon_kg"] += (grid * carbon[slot] + used * clean) / 1000
            total["cost"] += grid * price[slot]
        return total
