#!/usr/bin/env python3
"""Writes the output of `sacct -a -D -P` of a made-up site, with what real dumps have: steps, arrays, heterogeneous jobs,
requeues, jobs that never ran, CPU jobs, local time. A small scheduler places jobs on nodes, so that no GPU is used twice.

usage: make_dump.py OUT [--jobs 20000] [--nodes 200] [--days 30] [--start 2024-03-01] [--zone Europe/Berlin] [--seed 1]

`make_dump()` also returns what a reader should find: every run on GPUs with its node, start and end in seconds since 1970.
"""
import argparse
import datetime
import heapq
import random
import zoneinfo
from dataclasses import dataclass, field

COLUMNS = ("JobID|JobIDRaw|User|Account|JobName|Partition|Submit|Eligible|Start|End|Elapsed|Timelimit|State|ExitCode|NNodes|"
           "AllocTRES|ReqTRES|NodeList|Reservation|Reason|Comment").split("|")
COMMENTS = ("", "", "", "", "run 12", "heliostat:slack=50%", "sweep heliostat:slack=100%;may=suspend,requeue (ask Ann)",
            "heliostat:deadline={deadline}", "heliostat:slack=lots")
ENDS = (("COMPLETED", 70), ("FAILED", 12), ("TIMEOUT", 5), ("CANCELLED by {uid}", 9), ("OUT_OF_MEMORY", 3), ("NODE_FAIL", 1))


@dataclass
class Job:
    """What a user submits."""
    id: str
    raw: int
    user: int
    name: str
    submit: int
    length: int
    gpus: int
    partition: str
    limit: int  # 0: unlimited
    comment: str = ""
    reservation: str = ""
    requeues: int = 0
    begun: bool = False


@dataclass
class Run:
    """A stretch of a job on GPUs, as the reader should find it."""
    id: str
    start: int
    end: int
    gpus: int
    nodes: dict = field(default_factory=dict)  # name: GPUs


@dataclass
class Site:
    """The nodes of one partition."""
    gpu: str
    per_node: int
    free: dict


def clock(seconds):
    """[D-]HH:MM:SS."""
    days, rest = divmod(seconds, 86400)
    text = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days}-{text}" if days else text


def hostlist(names):
    """gpu[001-003,007]."""
    stem = names[0].rstrip("0123456789")
    width = len(names[0]) - len(stem)
    numbers = sorted(int(name[len(stem):]) for name in names)
    if len(numbers) == 1:
        return names[0]
    spans = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return f"{stem}[{','.join(f'{a:0{width}}-{b:0{width}}' if a < b else f'{a:0{width}}' for a, b in spans)}]"


class Dump:
    """Simulates the site, and writes its rows."""

    def __init__(self, jobs, nodes, days, start, zone, seed):
        self.random = random.Random(seed)
        self.zone = zoneinfo.ZoneInfo(zone)
        self.begin = int(datetime.datetime.fromisoformat(start).replace(tzinfo=self.zone).timestamp())
        last = datetime.datetime.fromisoformat(start) + datetime.timedelta(days=days)
        self.end = int(last.replace(tzinfo=self.zone).timestamp())
        big = max(1, nodes * 7 // 10)
        self.sites = {"a100": Site("a100", 8, {f"gpu{n:03}": 8 for n in range(1, big + 1)}),
                      "v100": Site("tesla_v100-sxm2-32gb", 4, {f"old{n:02}": 4 for n in range(1, max(1, nodes - big) + 1)})}
        self.count = jobs
        self.rows = []
        self.runs = []

    def local(self, seconds):
        return datetime.datetime.fromtimestamp(seconds, self.zone).strftime("%Y-%m-%dT%H:%M:%S")

    def draw_jobs(self):
        """Jobs of two weeks before the dump on, so that it begins with a full site."""
        pick = self.random
        jobs = []
        number = 1_000_000
        while len(jobs) < self.count:
            number += pick.randint(1, 5)
            at = int(pick.uniform(self.begin - 3 * 86400, self.end))
            user = pick.randint(1, 40)
            partition = pick.choices(("a100", "v100"), (7, 3))[0]
            length = max(5, int(pick.lognormvariate(9.3, 1.7)))
            limit = pick.choice((3600, 4 * 3600, 86400, 2 * 86400, 0))
            length = min(length, limit or 5 * 86400)
            gpus = pick.choices((1, 2, 3, 4, 8, 16, 32), (50, 14, 3, 14, 14, 4, 1))[0]
            if partition == "v100":
                gpus = min(gpus, 8)
            comment = pick.choice(COMMENTS).format(
                deadline=datetime.datetime.fromtimestamp(at + 4 * length + 86400, datetime.timezone.utc).strftime("%FT%TZ"))
            job = Job(str(number), number, user, pick.choice(("train", "eval", "sweep \"b\"", "résumé", "a,b")), at, length, gpus,
                      partition, limit, comment, "course" if pick.random() < 0.01 else "",
                      pick.choice((1, 2)) if pick.random() < 0.02 else 0)
            kind = pick.random()
            if kind < 0.05:  # an array of tasks, and the rest of it that waits
                tasks = pick.randint(2, 6)
                for task in range(tasks):
                    jobs.append(Job(**{**vars(job), "id": f"{number}_{task}", "raw": number + task, "requeues": 0}))
                number += tasks
                if pick.random() < 0.5:
                    self.never_ran(job, f"{number}_[{tasks}-{tasks + 7}%4]", "PENDING", "Unknown", "Unknown")
            elif kind < 0.06:
                jobs.append(Job(**{**vars(job), "id": f"{number}+0", "requeues": 0}))
                jobs.append(Job(**{**vars(job), "id": f"{number}+1", "raw": number + 1, "requeues": 0, "gpus": 1}))
                number += 1
            elif kind < 0.12:
                self.never_ran(job, job.id, f"CANCELLED by {1000 + user}", "None", self.local(at + 60))
            elif kind < 0.20:
                self.cpu_job(job)
            else:
                jobs.append(job)
        return jobs

    def row(self, **cells):
        self.rows.append((cells.pop("at"), [str(cells.get(name, "")) for name in COLUMNS]))

    def of_job(self, job):
        limit = "UNLIMITED" if job.limit == 0 else clock(job.limit)
        if self.random.random() < 0.01:
            limit = "Partition_Limit"
        return {"JobID": job.id, "JobIDRaw": job.raw, "User": f"user{job.user}", "Account": "lab", "JobName": job.name,
                "Partition": job.partition, "Submit": self.local(job.submit), "Eligible": self.local(job.submit),
                "Timelimit": limit, "Comment": job.comment, "Reservation": job.reservation,
                "ReqTRES": f"billing=8,cpu=8,gres/gpu={job.gpus},mem=64G,node=1"}

    def never_ran(self, job, name, state, start, end):
        if self.begin <= job.submit < self.end:
            self.row(at=job.submit, **{**self.of_job(job), "JobID": name, "Start": start, "End": end, "State": state,
                                       "Elapsed": "00:00:00", "NNodes": 1, "NodeList": "None assigned", "Reason": "Priority"})

    def cpu_job(self, job):
        if self.begin <= job.submit and job.submit + job.length < self.end:
            self.row(at=job.submit, **{**self.of_job(job), "Start": self.local(job.submit), "State": "COMPLETED", "NNodes": 1,
                                       "End": self.local(job.submit + job.length), "Elapsed": clock(job.length),
                                       "AllocTRES": "billing=4,cpu=4,mem=8G,node=1", "ReqTRES": "cpu=4", "NodeList": "cpu01"})

    def place(self, site, gpus):
        """The fullest node that has room, or whole nodes."""
        if gpus <= site.per_node:
            fitting = [name for name, free in site.free.items() if free >= gpus]
            return {min(fitting, key=lambda name: site.free[name]): gpus} if fitting else None
        names = [name for name, free in site.free.items() if free == site.per_node][:-(-gpus // site.per_node)]
        if len(names) * site.per_node < gpus:
            return None
        return {name: site.per_node for name in names}

    def simulate(self, jobs):
        """First come, first served, with small jobs past large ones."""
        events = [(job.submit, 0, index, job, None) for index, job in enumerate(jobs)]
        heapq.heapify(events)
        order = len(jobs)
        waiting = {name: [] for name in self.sites}
        while events:
            now, _, _, job, nodes = heapq.heappop(events)
            site = self.sites[job.partition]
            if nodes is None:
                waiting[job.partition].append(job)
            else:
                for name, gpus in nodes.items():
                    site.free[name] += gpus
            if events and events[0][0] == now and events[0][3].partition == job.partition:
                continue
            left = []
            for next_job in waiting[job.partition]:
                taken = self.place(site, next_job.gpus) if len(left) < 30 else None
                if taken is None:
                    left.append(next_job)
                    continue
                for name, gpus in taken.items():
                    site.free[name] -= gpus
                order += 1
                end, again = self.run(next_job, now, taken)
                heapq.heappush(events, (end, -1, order, next_job, taken))
                if again:
                    heapq.heappush(events, (end + 120, 0, order, again, None))
            waiting[job.partition] = left
        return waiting

    def run(self, job, start, nodes):
        """One run. Returns its end, and the job as it waits again."""
        pick = self.random
        again = None
        state = pick.choices([name for name, _ in ENDS], [weight for _, weight in ENDS])[0].format(uid=1000 + job.user)
        end = start + job.length
        if job.requeues > 0:
            end = start + max(1, job.length // 3)
            state = pick.choice(("PREEMPTED", "NODE_FAIL", "REQUEUED"))
            again = Job(**{**vars(job), "submit": end, "length": max(1, job.length - job.length // 3),
                           "requeues": job.requeues - 1})
        if start >= self.end:
            self.never_ran(job, job.id, "PENDING", "Unknown", "Unknown")
        if end <= self.begin or start >= self.end:
            return end, again
        gpus = sum(nodes.values())
        kind = self.sites[job.partition].gpu
        tres = f"billing=8,cpu=8,gres/gpu:{kind}={gpus},gres/gpu={gpus},mem=64G,node={len(nodes)}"
        if pick.random() < 0.1:
            tres = f"billing=8,cpu=8,gres/gpu={gpus},mem=64G,node={len(nodes)}"
        is_running = end > self.end and pick.random() < 0.7
        cells = {**self.of_job(job), "Start": self.local(start), "NNodes": len(nodes), "AllocTRES": tres,
                 "NodeList": hostlist(list(nodes)), "ExitCode": "0:0",
                 "End": "Unknown" if is_running else self.local(end), "State": "RUNNING" if is_running else state,
                 "Elapsed": clock((self.end if is_running else end) - start)}
        self.row(at=start, **cells)
        for step in ("batch", "extern", "0"):
            self.row(at=start, **{**cells, "JobID": f"{job.id}.{step}", "User": "", "Partition": "", "Timelimit": "",
                                  "JobName": step, "Comment": "", "ReqTRES": "", "State": state.split()[0]})
        self.runs.append(Run(job.id, start, self.end if is_running else end, gpus, dict(nodes)))
        return end, again

    def text(self):
        self.simulate(self.draw_jobs())
        self.rows.sort(key=lambda row: row[0])
        lines = ["|".join(COLUMNS)] + ["|".join(cells) for _, cells in self.rows]
        return "\n".join(lines) + "\n"


def make_dump(jobs=20000, nodes=200, days=30, start="2024-03-01", zone="Europe/Berlin", seed=1):
    """Returns the text, the runs, and the begin and end of the dump in seconds since 1970."""
    dump = Dump(jobs, nodes, days, start, zone, seed)
    text = dump.text()
    return text, dump.runs, dump.begin, dump.end


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--jobs", type=int, default=20000)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--start", default="2024-03-01")
    parser.add_argument("--zone", default="Europe/Berlin")
    parser.add_argument("--seed", type=int, default=1)
    arguments = vars(parser.parse_args())
    out = arguments.pop("out")
    text, runs, begin, end = make_dump(**arguments)
    with open(out, "w", encoding="utf-8") as file:
        file.write(text)
    hours = sum(run.gpus * (min(run.end, end) - max(run.start, begin)) for run in runs) / 3600
    print(f"{len(runs)} runs, {hours:.1f} GPU-hours from {begin} to {end}")


if __name__ == "__main__":
    main()
