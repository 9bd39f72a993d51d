// The set-up of the browser tests: a small scenario, its page, and a driver for Debian's Chromium.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const SKIPPED = 77;  // what ctest takes for "not run"
const SLOTS = 48;

const SCENARIO = `name = "small <days> & nights"
start = 2023-06-05T00:00:00Z
step_minutes = 60
slots = ${SLOTS}
pue = 1.2
currency = "EUR"
[signals]
carbon = { file = "carbon.csv", column = "carbon_g_per_kwh" }
renewable = { file = "solar.csv", column = "renewable_kw", carbon_g_per_kwh = 10 }
price = { file = "price.csv", column = "price_per_kwh" }
[[groups]]
name = "a40"
gpu = "A40"
nodes = 3
gpus_per_node = 4
gpu_idle_w = 30
node_base_w = 350
node_sleep_w = 15
wake_minutes = 5
wake_wh = 20
[profiles]
training = "training.csv"
inference = "inference.csv"
[workload]
jobs = "jobs.csv"
services = "services.csv"
`;
const TRAINING = `model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w
net,A40,1,,150,60,150
net,A40,1,,300,100,290
net,A40,2,,300,190,580
net,A40,4,,300,350,1160
`;
const INFERENCE = `model,gpu,core_mhz,power_limit_w,batch,latency_ms,requests_per_s,power_w
clip,A40,900,,1,12,80,90
clip,A40,1500,,1,8,120,160
`;
const SERVICES = `id,model,latency_slo_ms,percentile,rate_file,rate_column,min_replicas,max_replicas
front <b>,clip,60,0.99,rate.csv,requests_per_s,1,3
`;

const timeOf = (hour) => new Date(Date.UTC(2023, 5, 5) + hour * 3600e3).toISOString().replace(".000", "");

function hourly(name, value) {
  const rows = Array.from({ length: SLOTS }, (_, hour) => `${timeOf(hour)},${value(hour).toFixed(4)}\n`);
  return `time,${name}\n${rows.join("")}`;
}

function jobs() {
  const rows = Array.from({ length: 12 }, (_, i) =>
    `job-${i}${i === 3 ? "</script>" : ""},net,${timeOf(2 * i)},${i === 5 ? "" : timeOf(2 * i + 14)},${300000 + 40000 * i},1,4,1,60\n`);
  return `id,model,submit,deadline,samples,min_workers,max_workers,preemptible,resume_s\n${rows.join("")}`;
}

function writeScenario(folder) {
  const files = {
    "scenario.toml": SCENARIO, "training.csv": TRAINING, "inference.csv": INFERENCE, "jobs.csv": jobs(),
    "services.csv": SERVICES,
    "carbon.csv": hourly("carbon_g_per_kwh", (hour) => 400 + 150 * Math.cos(hour / 12 * Math.PI)),
    "price.csv": hourly("price_per_kwh", (hour) => 0.2 + 0.1 * Math.sin(hour / 12 * Math.PI)),
    "solar.csv": hourly("renewable_kw", (hour) => 2.5 * Math.max(0, Math.sin((hour % 24 - 5) / 14 * Math.PI))),
    "rate.csv": hourly("requests_per_s", (hour) => 60 + 40 * Math.sin(hour / 12 * Math.PI)),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

// Writes a small scenario into a folder of its own, and returns the path of its file.
export function makeScenario(work) {
  const folder = join(work, "scenario");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeScenario(folder);
  return join(folder, "scenario.toml");
}

// Makes the page of a small scenario with the program under test, and returns its path.
export function makePage(heliostat, work) {
  const scenario = makeScenario(work);
  const folder = dirname(scenario);
  const made = spawnSync(heliostat, ["simulate", scenario, "--foresight", "perfect", "--policies",
    "run-now,run-now+sleep,ca-rm-performance", "--report", join(folder, "report")], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`heliostat simulate: ${made.stderr}`);
  return join(folder, "report", "index.html");
}

// playwright-core, in the version of the lock file in this folder; installed once into the build folder.
export function loadPlaywright(work) {
  const installed = join(work, "node_modules", "playwright-core", "package.json");
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(HERE, name), join(work, name));
  if (!existsSync(installed)) {
    const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1",
      "--fetch-timeout=15000"], { cwd: work, encoding: "utf8" });
    if (npm.status !== 0) {
      const told = `${npm.stdout}${npm.stderr}${npm.error ?? ""}`;
      if (!/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ECONNRESET|ENOTCACHED/.test(told)) {
        throw new Error(`npm ci: ${told}`);
      }
      console.log("skipped: playwright-core is not installed and npm has no network to fetch it");
      process.exit(SKIPPED);
    }
  }
  return createRequire(join(work, "package.json"))("playwright-core");
}

export function launch(playwright) {
  return playwright.chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}
