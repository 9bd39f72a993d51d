// Tests the page of a simulation in a real browser.
//
// usage: node simulation_page_test.mjs PATH-OF-HELIOSTAT WORK-FOLDER
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { launch, loadPlaywright, makePage } from "./driver.mjs";

const [heliostat, folder] = process.argv.slice(2).map((path) => resolve(path));
if (!folder) throw new Error("usage: node simulation_page_test.mjs PATH-OF-HELIOSTAT WORK-FOLDER");
mkdirSync(folder, { recursive: true });
const playwright = loadPlaywright(folder);
const address = pathToFileURL(makePage(heliostat, folder)).href;
let browser;

before(async () => { browser = await launch(playwright); });
after(async () => { await browser?.close(); });

// A tab that shows the page and records its errors and requests.
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const errors = [];
  const asked = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) errors.push(message.text()); });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => { if (!request.url().startsWith("data:")) asked.push(request.url()); });
  await page.goto(address);
  return { page, errors, asked, close: () => context.close() };
}

const view = (page) => page.locator("#gantt .canvas").getAttribute("data-view");

test("loads without errors and sends no requests", async () => {
  const { page, errors, asked, close } = await open();
  assert.deepEqual(errors, []);
  assert.deepEqual(asked, [address]);
  assert.match(await page.locator(".headline").innerText(), /kg CO2e/);
  assert.equal(await page.locator("#policies tbody tr").count(), 3);
  assert.ok(await page.locator("#policies strong").count() > 0);
  assert.match(await page.locator("footer").innerText(), /heliostat \d+\.\d+.* with heliostat simulate .*--report/);
  await close();
});

test("the policy of its head forbids the network", async () => {
  const { page, close } = await open();
  const outcome = await page.evaluate(() => fetch("https://example.org/").then(() => "reached", () => "refused"));
  assert.equal(outcome, "refused");
  await close();
});

test("names stay text", async () => {
  const { page, close } = await open();
  assert.equal(await page.locator("h1").innerText(), "small <days> & nights");
  assert.match(await page.locator("#latency-table tbody").innerText(), /front <b>/);
  assert.match(await page.locator("#gantt .canvas").innerHTML(), /job-3&lt;\/script/);
  await close();
});

test("every chart has marks", async () => {
  const { page, close } = await open();
  for (const key of ["power-2", "work", "latency-2"]) {
    const marks = page.locator(`[data-figure="${key}"] .wide svg :is(.mark, path[class^="s"])`);
    assert.ok(await marks.count() >= 3, key);
    const widest = await marks.evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().width)));
    assert.ok(widest > 500, `${key} is as wide as ${widest}`);
  }
  assert.equal(await page.locator("h2#trade-offs ~ figure .wide .spot").count(), 6);
  assert.ok(await page.locator("#gantt .job").count() > 0);
  const broken = await page.evaluate(() => Array.from(document.querySelectorAll("svg path"))
    .filter((path) => /NaN|undefined|Infinity/.test(path.getAttribute("d"))).length);
  assert.equal(broken, 0);
  await close();
});

test("pointing at a chart reads its numbers out", async () => {
  const { page, close } = await open();
  for (const key of ["power-2", "work", "latency-2"]) {
    const chart = page.locator(`[data-figure="${key}"] .wide svg`);
    await chart.scrollIntoViewIfNeeded();
    await chart.hover({ position: { x: 500, y: 60 } });
    const told = await page.locator(".readout").innerText();
    assert.match(told, /(Mon 5|Tue 6) Jun \d\d:00 – \d\d:00 UTC/, key);
    assert.match(told, /\d/, key);
    assert.equal(await page.locator(`[data-figure="${key}"] .cross`).count(), 1);
  }
  await page.mouse.move(5, 5);
  assert.equal(await page.locator(".readout").isVisible(), false);
  await close();
});

test("arrow keys read a chart too", async () => {
  const { page, close } = await open();
  await page.locator('[data-figure="work"]').focus();
  await page.keyboard.press("ArrowRight");
  const first = await page.locator(".readout b").innerText();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.locator(".readout b").innerText(), first);
  await close();
});

test("the schedule zooms and moves by wheel, drag, buttons and keys", async () => {
  const { page, close } = await open();
  const canvas = page.locator("#gantt .canvas");
  await canvas.scrollIntoViewIfNeeded();
  const whole = await view(page);
  const spanOf = async () => { const [from, to] = (await view(page)).split(" ").map(Number); return to - from; };
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 500, box.y + 80);
  await page.mouse.move(box.x + 510, box.y + 80);
  await page.mouse.wheel(0, -300);
  await page.waitForFunction((before) => document.querySelector("#gantt .canvas").dataset.view !== before, whole);
  const zoomed = await view(page);
  assert.ok(await spanOf() < 48 * 3600);
  await page.mouse.down();
  await page.mouse.move(box.x + 610, box.y + 80, { steps: 3 });
  await page.mouse.up();
  const dragged = await view(page);
  assert.notEqual(dragged, zoomed);
  await page.locator('#gantt [data-act="all"]').click();
  assert.equal(await view(page), whole);
  await page.locator('#gantt [data-act="in"]').click();
  assert.equal(await spanOf(), 24 * 3600);
  await canvas.focus();
  await page.keyboard.press("+");
  assert.equal(await spanOf(), 12 * 3600);
  const here = await view(page);
  await page.keyboard.press("ArrowLeft");
  assert.notEqual(await view(page), here);
  await page.keyboard.press("0");
  assert.equal(await view(page), whole);
  await close();
});

test("pointing at a job shows its details", async () => {
  const { page, close } = await open();
  const canvas = page.locator("#gantt .canvas");
  await canvas.scrollIntoViewIfNeeded();
  await canvas.hover({ position: { x: 300, y: 50 } });
  assert.match(await page.locator(".readout").innerText(), /job-0[\s\S]*submitted[\s\S]*due/);
  await close();
});

test("choosing a policy changes every section", async () => {
  const { page, close } = await open();
  await page.locator(".chips").first().getByRole("button", { name: "run-now", exact: true }).click();
  assert.equal(await page.locator('[data-figure="power-0"]').isVisible(), true);
  assert.equal(await page.locator('[data-figure="power-2"]').isVisible(), false);
  assert.equal(await page.locator('[data-figure="latency-0"]').isVisible(), true);
  assert.match(await page.locator("#gantt .canvas .title").first().textContent(), /run-now$/);
  assert.equal(await page.locator('.chips button[aria-pressed="true"]').count(), await page.locator(".chips").count());
  await close();
});

for (const [name, options] of [["a phone", { viewport: { width: 375, height: 800 } }],
  ["a phone in the dark", { viewport: { width: 375, height: 800 }, colorScheme: "dark" }],
  ["a dark screen", { colorScheme: "dark" }]]) {
  test(`fits ${name}`, async () => {
    const { page, errors, close } = await open(options);
    const [wide, room] = await page.evaluate(() =>
      [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= room, `${wide} pixels wide in ${room}`);
    const isNarrow = options.viewport?.width === 375;
    assert.equal(await page.locator('[data-figure="work"] .narrow svg').isVisible(), isNarrow);
    assert.ok(await page.locator("#gantt .job").count() > 0);
    assert.equal(await page.locator(".chips").count(), 1);
    const moved = await page.locator(".scroll:has(#policies)").evaluate((box) => {
      box.scrollLeft = 150;
      return [box.scrollLeft, box.querySelector("tbody th").getBoundingClientRect().left - box.getBoundingClientRect().left];
    });
    if (isNarrow) assert.deepEqual(moved, [150, 0], "the names stay while the table scrolls");
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(paper === "rgb(255, 255, 255)", options.colorScheme !== "dark");
    assert.deepEqual(errors, []);
    if (process.env.SCREENSHOTS) {
      await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name.replaceAll(" ", "-")}.png`), fullPage: true });
    }
    await close();
  });
}

test("without scripts the answer, the table and charts are there", async () => {
  const { page, close } = await open({ javaScriptEnabled: false });
  assert.match(await page.locator(".headline").innerText(), /kg CO2e/);
  assert.equal(await page.locator("#policies").isVisible(), true);
  assert.equal(await page.locator('[data-figure="power-2"] .wide svg').isVisible(), true);
  assert.equal(await page.locator("#gantt").isVisible(), false);
  assert.equal(await page.locator("noscript svg").isVisible(), true);
  await close();
});
