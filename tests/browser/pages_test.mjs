// Tests in a real browser what all pages have in common: an answer on top, a footer, charts that fit the screen.
//
// usage: node pages_test.mjs PATH-OF-HELIOSTAT WORK-FOLDER
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { withController } from "./controller.mjs";
import { launch, loadPlaywright, makeScenario } from "./driver.mjs";

const [heliostat, folder] = process.argv.slice(2).map((path) => resolve(path));
if (!folder) throw new Error("usage: node pages_test.mjs PATH-OF-HELIOSTAT WORK-FOLDER");
const RUNS = join(dirname(fileURLToPath(import.meta.url)), "../upgrade/state-0.1.0/runs");
mkdirSync(folder, { recursive: true });
const playwright = loadPlaywright(folder);
const work = join(folder, "a-folder-with-a-long-name-that-has-no-place-to-break-and-must-not-widen-the-page", "pages");
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

function run(...options) {
  const made = spawnSync(heliostat, options, { encoding: "utf8", cwd: work });
  if (made.status !== 0) throw new Error(`heliostat ${options.join(" ")}: ${made.stderr}`);
}

// Forty days of hours with a clean noon.
function writeSignal(path) {
  const value = (hour) => 300 - 120 * Math.sin(Math.max(0, (hour % 24 - 6) / 12) * Math.PI) + 20 * Math.sin(hour / 50);
  const time = (hour) => new Date(Date.UTC(2023, 0, 1) + hour * 3600e3).toISOString().replace(".000", "");
  const rows = Array.from({ length: 40 * 24 }, (_, hour) => `${time(hour)},${value(hour).toFixed(2)}\n`);
  writeFileSync(path, `time,carbon_g_per_kwh\n${rows.join("")}`);
}

const scenario = makeScenario(work);
const signal = join(work, "carbon.csv");
writeSignal(signal);
cpSync(RUNS, join(work, "runs"), { recursive: true });
const page = (name) => join(work, name);
run("plan", scenario, "--objective", "min-carbon", "--time-limit", "2", "--html", page("plan.html"));
run("forecast", "show", signal, "--model", "yesterday", "--html", page("forecast.html"));
run("forecast", "backtest", signal, "--models", "yesterday,persistence", "--start", "2023-02-01", "--no-leak-check",
  "--html", page("backtest.html"));
run("reproduce", "chase", "--quick", "--html", page("chase.html"));
run("signal", "zones", "--report", page("zones"));
cpSync(join(page("zones"), "index.html"), page("zones.html"));
await withController((socket) => run("cluster", "report", "-o", page("cluster.html"), "--socket", socket));
run("runs", "export", "058c", "--folder", page("runs"), "--html", page("run.html"));
const PAGES = { plan: /^The plan emits .* than running every job at once/, forecast: /^Cleanest 4 h: .* below the mean/,
  backtest: /is the best of 2 models/, run: /^Against the default setting/, chase: /^Nothing is judged: /,
  zones: /^Of 9 zones .* is the cleanest/, cluster: /^In 1 d on cluster lab, wait-awhile would have saved 9\.2 to 19 % of the carbon/ };
const QUICK = ["chase"];  // whose figures mean nothing

let browser;
before(async () => { browser = await launch(playwright); });
after(async () => { await browser?.close(); });

async function shoot(tab, name) {
  if (process.env.SCREENSHOTS) await tab.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true });
}

async function open(name, options) {
  const context = await browser.newContext(options);
  const tab = await context.newPage();
  const errors = [];
  tab.on("console", (message) => { if (["error", "warning"].includes(message.type())) errors.push(message.text()); });
  await tab.goto(pathToFileURL(page(`${name}.html`)).href);
  await shoot(tab, `${name}-desktop`);
  return { tab, errors, close: () => context.close() };
}

// The parts of charts that are shown but outside of their chart, where they cannot be seen.
const cutTexts = (tab) => tab.evaluate(() => Array.from(document.querySelectorAll("figure svg text"))
  .filter((text) => text.getClientRects().length > 0)
  .filter((text) => {
    const mark = text.getBoundingClientRect();
    const chart = text.closest("svg.chart").getBoundingClientRect();
    return mark.left < chart.left - 2 || mark.right > chart.right + 2;
  }).map((text) => text.textContent));

// Pairs of texts of one chart of which one covers more than a fifth of the other.
const overlaps = (tab) => tab.evaluate(() => Array.from(document.querySelectorAll("figure svg")).flatMap((chart) => {
  const texts = Array.from(chart.querySelectorAll("text")).filter((text) => text.getClientRects().length > 0)
    .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
  const share = (a, b) => {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    return wide > 0 && high > 0 ? wide * high / Math.min(a.width * a.height, b.width * b.height) : 0;
  };
  return texts.flatMap((a, i) => texts.slice(i + 1).filter((b) => share(a.box, b.box) > 0.2)
    .map((b) => `${a.text} / ${b.text}`));
}));

// Texts with a contrast of less than 4.5 (WCAG AA) to the paper behind them.
const faint = (tab) => tab.evaluate(() => {
  const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const bright = ([red, green, blue]) => [red, green, blue].map((part) => part / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const paperOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  return Array.from(document.querySelectorAll("h1, h2, h3, p, th, td, dt, dd b, dd span, nav a, summary, footer, figure text"))
    .filter((element) => element.textContent.trim() && element.getClientRects().length > 0 && !element.style.fill)
    .filter((element) => {
      const style = getComputedStyle(element);
      const ink = bright(numbers(element.closest("svg") ? style.fill : style.color));
      const paper = bright(paperOf(element));
      return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) < 4.5;
    }).map((element) => element.textContent.slice(0, 40));
});

const headings = (tab) => tab.evaluate(() => Array.from(document.querySelectorAll("h1, h2, h3"), (one) => one.tagName).join(" "));

for (const [name, sentence] of Object.entries(PAGES)) {
  test(`${name}: begins with its answer, ends with what made it, and fits any screen`, async () => {
    const { tab, errors, close } = await open(name, { viewport: { width: 1400, height: 900 }, javaScriptEnabled: false });
    const card = tab.locator(".answer").first();
    assert.match(await card.locator(".headline").innerText(), sentence);
    const { y } = await card.boundingBox();
    assert.ok(y < 300, `the answer begins at ${y}`);
    const tiles = await card.locator(".tile").count();
    assert.ok(QUICK.includes(name) ? tiles === 0 : tiles >= 2 && tiles <= 5, `${tiles} tiles`);
    assert.match(await tab.locator("footer").innerText(), /^Made by heliostat \d.* with heliostat (cluster|plan|forecast|runs|reproduce|signal) /);
    assert.deepEqual(await cutTexts(tab), []);
    assert.deepEqual(await overlaps(tab), []);
    assert.deepEqual(await tab.evaluate(() => Array.from(document.querySelectorAll(".scroll"))
      .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel)), [], "every table fits a desktop");
    assert.match(await headings(tab), /^H1( H2( H3)*)*$/);
    assert.doesNotMatch(await tab.locator("body").innerText(), /`| -\d|\d \.\. -?\d|\bnan\b|\de-\d/);

    for (const colorScheme of ["light", "dark"]) {
      await tab.emulateMedia({ colorScheme });
      await tab.setViewportSize({ width: 390, height: 800 });
      const [wide, room] = await tab.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      assert.ok(wide <= room, `${wide} pixels wide in ${room}`);
      assert.equal(await tab.locator(".narrow svg").first().isVisible(), true);
      assert.equal(await tab.locator(".wide svg").first().isVisible(), false);
      assert.deepEqual(await cutTexts(tab), []);
      assert.deepEqual(await overlaps(tab), []);
      assert.deepEqual(await faint(tab), []);
      const paper = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(paper === "rgb(255, 255, 255)", colorScheme === "light");
      await shoot(tab, `${name}-phone-${colorScheme}`);
    }

    await tab.emulateMedia({ media: "print", colorScheme: "dark" });
    await tab.setViewportSize({ width: 700, height: 900 });  // A4 without its margins
    assert.equal(await tab.locator(".wide svg").first().isVisible(), true);
    assert.equal(await tab.locator(".narrow svg").first().isVisible(), false);
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth) <= 700, "fits the paper");
    const letters = await tab.evaluate(() => Math.min(...Array.from(document.querySelectorAll(".wide svg.chart"),
      (chart) => 11 * chart.getBoundingClientRect().width / chart.viewBox.baseVal.width)));
    assert.ok(letters >= 8, `letters of ${letters} pixels on paper`);
    assert.deepEqual(await faint(tab), []);
    assert.equal(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    if (process.env.SCREENSHOTS) await tab.pdf({ path: join(process.env.SCREENSHOTS, `${name}.pdf`) });
    assert.deepEqual(errors, []);
    await close();
  });
}

test("plan: a bar of the chart leads to the row of its job", async () => {
  const { tab, close } = await open("plan", { viewport: { width: 1400, height: 900 } });
  assert.equal(await tab.locator("#job-0").isVisible(), false);
  const bar = await tab.locator('.wide a[href="#job-0"] path').first().evaluate((path) => {
    path.scrollIntoView({ block: "center" });
    const { left, right, top } = path.getBoundingClientRect();
    return { x: (left + right) / 2, y: top };
  });
  await tab.mouse.click(bar.x, bar.y);
  assert.equal(await tab.locator("#job-0").isVisible(), true);
  await close();
});
