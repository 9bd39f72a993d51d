#!/usr/bin/env python3
"""Measures the node agent on eight doubled GPUs: the latency of requests at 1,000 and 5,000 per second compared with a
Python daemon and with the scheduling noise of the machine in the same run, the cost of the agent without requests, and the
time of a lease with its syncs to disk.

usage: agent_compare.py [BUILD-FOLDER]
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bench").resolve()
RATES = (1000, 5000)
RATE = RATES[-1]
SECONDS = 8
QUIET_S = 30


def wait_for(path):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(str(path))
                return
            except OSError:
                time.sleep(0.02)
    sys.exit(f"agent_compare: no process listens at {path}")


def load(path, question, rate=RATE):
    done = subprocess.run([BUILD / "bin/agent_load", path, json.dumps(question), str(rate), str(SECONDS)],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


def lease_times(path, count=200):
    """The median milliseconds to take and to release a lease, each with its syncs."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as agent:
        agent.connect(str(path))
        reader = agent.makefile("r")
        took = {"set": [], "release": []}

        def ask(question):
            start = time.perf_counter()
            agent.sendall(json.dumps(question).encode() + b"\n")
            answer = json.loads(reader.readline())
            took[question["do"]].append(1e3 * (time.perf_counter() - start))
            assert answer["ok"], answer
            return answer

        for i in range(count):
            lease = ask({"do": "set", "gpu": str(i % 8), "power_limit_w": 300, "ttl_s": 60})["lease"]["id"]
            ask({"do": "release", "lease": lease})
    return {what: sorted(times)[len(times) // 2] for what, times in took.items()}


def main():
    with tempfile.TemporaryDirectory(prefix="heliostat-bench-") as folder:
        folder = pathlib.Path(folder)
        state, sock = folder / "double.state", folder / "agent.sock"
        subprocess.run([BUILD / "bin/nvml-double", "create", state, *["--gpu", "H200"] * 8], check=True)
        for gpu in range(8):
            subprocess.run([BUILD / "bin/nvml-double", "load", state, str(gpu), "resnet50"], check=True)
        config = folder / "agent.toml"
        config.write_text(f'socket = "{sock}"\nstate = "{folder}/leases"\naudit = "{folder}/audit.log"\n'
                          "requests_per_second = { writes = 10000, burst = 10000, reads = 100000 }\n")
        config.chmod(0o600)
        environment = {**os.environ, "HELIOSTAT_DOUBLE": str(state),
                       "HELIOSTAT_NVML": str(BUILD / "lib/libnvidia-ml-double.so")}
        agent = subprocess.Popen([BUILD / "bin/heliostatd", "--config", config], env=environment,
                                 stderr=open(folder / "log", "w"))
        peer_socket = folder / "peer.sock"
        peer = subprocess.Popen([sys.executable, ROOT / "benchmarks/asyncio_peer.py", peer_socket])
        try:
            wait_for(sock)
            wait_for(peer_socket)
            print("Node agent, 8 GPUs: round trip (goal: p99 under 300 us on an idle machine; the daemon of EcoFreq was "
                  "measured at 142 and 2,190 us), and how late the machine wakes a timer of the same rate meanwhile")
            print(f"{'question':<24}{'rate':>10}{'p50':>12}{'p99':>12}{'p99.9':>12}{'timer p50':>13}{'timer p99':>13}")
            asked = {f"heliostatd status {rate}": load(sock, {"do": "status"}, rate) for rate in RATES}
            asked |= {"heliostatd list": load(sock, {"do": "list"}), "Python asyncio": load(peer_socket, {"do": "list"})}
            for name, told in asked.items():
                print(f"{name:<24}{told['rate']:>8,.0f}/s{told['p50_us']:>9.0f} us{told['p99_us']:>9.0f} us"
                      f"{told['p999_us']:>9.0f} us{told['noise_p50_us']:>10.0f} us{told['noise_p99_us']:>10.0f} us")
            ours, theirs = asked["heliostatd list"], asked["Python asyncio"]
            print(f"The p50 of Python is {theirs['p50_us'] / ours['p50_us']:.1f} times that of heliostatd, its p99 "
                  f"{theirs['p99_us'] / ours['p99_us']:.1f} times")
            times = lease_times(sock)
            print(f"A lease, synced to disk: set {times['set']:.2f} ms, release {times['release']:.2f} ms (median)")
            time.sleep(1.0)
            before, start = cpu_seconds(agent.pid), time.monotonic()
            time.sleep(QUIET_S)
            share = (cpu_seconds(agent.pid) - before) / (time.monotonic() - start)
            print(f"Sampling 8 GPUs once per second: {100 * share:.2f} % of a core (goal: under 0.5), "
                  f"{resident_mb(agent.pid):.1f} MB resident (goal: under 20; Python's {resident_mb(peer.pid):.1f})")
        finally:
            peer.kill()
            agent.terminate()
            agent.wait(10)


if __name__ == "__main__":
    main()
