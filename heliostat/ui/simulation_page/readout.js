// Shows the numbers of the charts over time at the pointer. The first part of the page's script: it reads #data and makes
// no network request.
const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const pad = (number) => String(number).padStart(2, "0");

function element(name, attributes, text) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
function mark(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Times are seconds since 1970, shown as UTC.
const clock = (t) => { const d = new Date(t * 1000); return `${pad(d.getUTCHours())}:${pad(d.getUTCMinutes())}`; };
const day = (t) => { const d = new Date(t * 1000); return `${d.getUTCDate()} ${MONTHS[d.getUTCMonth()]}`; };
const moment = (t) => `${DAYS[new Date(t * 1000).getUTCDay()]} ${day(t)} ${clock(t)}`;
function number(value) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return "∞";
  if (value === 0) return "0";
  const digits = Math.floor(Math.log10(Math.abs(value))) + 1;
  return value.toFixed(clamp(3 - digits, 0, 4)).replace("-", "−");
}
function length(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes >= 2880) return `${Math.floor(minutes / 1440)} d ${Math.round(minutes % 1440 / 60)} h`;
  return minutes >= 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${minutes} min`;
}

// A box with numbers next to the pointer.
const readout = element("div", { class: "readout", role: "status", "aria-live": "polite", hidden: "" });
document.body.append(readout);
function tell(title, rows, x, y) {
  const list = element("dl");
  for (const [name, value, isHead] of rows) {
    const look = isHead ? { class: "head" } : {};
    list.append(element("dt", look, name), element("dd", look, value));
  }
  readout.replaceChildren(element("b", {}, title), list);
  readout.hidden = false;
  const box = readout.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  const left = x + 16 + box.width > room ? x - 16 - box.width : x + 16;
  readout.style.left = `${clamp(left, 4, Math.max(4, room - box.width - 4))}px`;
  readout.style.top = `${clamp(y - box.height / 2, 4, Math.max(4, window.innerHeight - box.height - 4))}px`;
}
const hush = () => { readout.hidden = true; };

// The rows of the box for one step of a panel: its name with the sum of the stack, or its only value; then each value.
function rowsOf(panel, at) {
  const name = panel.unit ? `${panel.title}, ${panel.unit}` : panel.title;
  if (panel.series.length === 1) return [[name, number(panel.series[0].values[at]), true]];
  const stacked = panel.series.slice(0, panel.stacked).map((series) => series.values[at]);
  const sum = stacked.length > 1 ? number(stacked.reduce((a, b) => a + b, 0)) : "";
  return [[name, sum, true]].concat(panel.series.map((series) => [series.label, number(series.values[at])]));
}

// Charts over time: a line at the step under the pointer, and its numbers.
function makeReadable(figure) {
  const numbers = data.figures[figure.dataset.figure];
  if (!numbers) return;
  const count = Math.ceil((numbers.end - numbers.start) / numbers.step);
  let at = -1;
  const visible = () => all("svg", figure).find((svg) => svg.getBoundingClientRect().width > 0);
  function plotOf(svg) {
    const [left, right, top, bottom] = svg.dataset.plot.split(" ").map(Number);
    const box = svg.getBoundingClientRect();
    return { left, right, top, bottom, box, scale: svg.viewBox.baseVal.width / box.width };
  }
  function clear() {
    at = -1;
    all(".cross", figure).forEach((line) => line.remove());
    hush();
  }
  function show(step, y) {
    const svg = visible();
    if (!svg) return;
    const plot = plotOf(svg);
    at = clamp(step, 0, count - 1);
    const begin = numbers.start + at * numbers.step;
    const end = Math.min(begin + numbers.step, numbers.end);
    const middle = ((begin + end) / 2 - numbers.start) / (numbers.end - numbers.start);
    const x = plot.left + middle * (plot.right - plot.left);
    all(".cross", figure).forEach((line) => line.remove());
    svg.append(mark("line", { class: "cross", x1: x, x2: x, y1: plot.top, y2: plot.bottom }));
    tell(`${moment(begin)} – ${clock(end)} UTC`, numbers.panels.flatMap((panel) => rowsOf(panel, at)),
      plot.box.left + x / plot.scale, y);
  }
  function point(event) {
    const svg = visible();
    if (!svg) return;
    const plot = plotOf(svg);
    const x = (event.clientX - plot.box.left) * plot.scale;
    const share = (x - plot.left) / (plot.right - plot.left);
    if (share < 0 || share > 1) return clear();
    const time = share * (numbers.end - numbers.start);
    show(Math.floor(time / numbers.step), event.clientY);
  }
  figure.tabIndex = 0;
  figure.addEventListener("pointermove", point);
  figure.addEventListener("pointerdown", point);
  figure.addEventListener("pointerleave", clear);
  figure.addEventListener("blur", clear);
  figure.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -24, PageDown: 24 };
    if (event.key === "Escape") return clear();
    if (!(event.key in moves)) return;
    event.preventDefault();
    const box = figure.getBoundingClientRect();
    show(at < 0 ? Math.floor(count / 2) : at + moves[event.key], clamp(box.top + 80, 60, window.innerHeight - 60));
  });
}
