// A stand-in for the controller of a cluster: it answers every request with a made-up day.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const BEGIN = Date.UTC(2026, 10, 18);
const time = (slot) => new Date(BEGIN + slot * 900e3).toISOString().replace(".000", "");
const used = (energy, carbon) => ({ energy_kwh: energy, facility_kwh: 1.2 * energy, carbon_kg: carbon, cost: 0.1 * energy });
const range = (value, half) => ({ value, low: value - half, high: value + half });

// Jobs move from the morning to noon.
function slots() {
  return Array.from({ length: 96 }, (_, slot) => {
    const carbon = 400 - 150 * Math.sin(Math.max(0, (slot - 24) / 48) * Math.PI);
    const was = 5 + 3 * Math.sin(slot / 9) ** 2;
    const would = was + (slot > 20 && slot < 40 ? -2 : slot >= 40 && slot < 60 ? 2 : 0);
    return { begin: time(slot), end: time(slot + 1), was: used(was, was * carbon / 1000), would_have_been: used(would, would * carbon / 1000),
      gpus_was: 4 * was, gpus_would_have_been: 4 * would, carbon_g_per_kwh: carbon, price_per_kwh: carbon / 4000 - 0.03, renewable_kw: null };
  });
}

function moved(index) {
  return { id: `${1700 + index}_3`, job: `train <${index}> with-a-long-name-of-a-job-that-says-what-it-does`, user: "ann",
    moved: { from: time(20 + index), to: index === 4 ? null : time(40 + index), saved_carbon_kg: index === 4 ? null : 3.2 - index / 3,
      saved_cost: index === 4 ? null : -0.12 } };
}

const PAST = { mode: "shadow", policy: "wait-awhile", cluster: "lab", version: "slurm 22.05.8", since: time(0), looked: time(96),
  currency: "EUR", problems: ["signal price: stale (2 h old)"], used: used(600, 210), unused: used(120, 42), slots: slots(), jobs_moved: 4,
  shadow: { saved_carbon_kg: range(30, 10.6), saved_cost: range(4, 6), was: used(600, 212), would_have_been: used(590, 180),
    outstanding: used(8, 2), jobs_waiting: 2, jobs_done: 90, jobs_late: 1 },
  moved: Array.from({ length: 5 }, (_, index) => moved(index)),
  late: [{ ...moved(1), allowed: "deadline 2026-11-18T12:00:00Z, slack 50 %", shadow: { late_s: 2400 } }],
  users: [{ user: "ann", jobs: 60, used: used(400, 140) }, { user: "", jobs: 31, used: used(80, 28) }],
  groups: [{ group: "a100", gpu: "A100", nodes: 4, gpus: 32, node_base_w: 650, gpu_idle_w: 52, gpu_busy_w: 287, gpu_busy_error: 0.21,
    is_estimated: true, energy_kwh: 600 }] };

// Calls `work` with the path of a socket at which a controller of another process listens. It may block.
export async function withController(work) {
  const folder = mkdtempSync(join(tmpdir(), "controller-"));  // paths of sockets are short
  const path = join(folder, "socket");
  const server = spawn(process.execPath, [fileURLToPath(import.meta.url), path], { stdio: "ignore" });
  try {
    while (!existsSync(path)) {
      if (server.exitCode !== null) throw new Error("the stand-in for the controller does not run");
      await setTimeout(10);
    }
    work(path);
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  createServer((client) => client.on("data", () => client.end(`${JSON.stringify({ answer: PAST })}\n`))).listen(process.argv[2]);
}
