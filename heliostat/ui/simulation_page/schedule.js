// Jobs and nodes over time, zoomable.
const plan = data.schedule;
const total = plan.end - plan.start;
const LEAST = Math.min(total, 900);  // shortest time, in seconds, that may fill the width
const TEXTURES = { 1: "t5", 2: "t4", 3: "t1" };
const STATES = { 1: "waking", 2: "asleep", 3: "broken" };
const workers = Array.from(new Set(plan.settings.map((setting) => setting[1]))).sort((a, b) => a - b);
// The palest shades are too close to the paper of a dark page.
const shadeOf = (count) => workers.length < 2 ? 5 : 3 + Math.floor(workers.indexOf(count) * 5 / (workers.length - 1));
// Converts the flat lists to pieces, once.
const runs = plan.runs.map((run) => {
  const pieces = plan.jobs.map(() => []);
  for (let i = 0; i !== run.pieces.length; i += 4) {
    pieces[run.pieces[i]].push({ from: run.pieces[i + 1], to: run.pieces[i + 1] + run.pieces[i + 2],
      setting: plan.settings[run.pieces[i + 3]] });
  }
  const down = plan.nodes.map(() => []);
  for (let i = 0; i !== run.down.length; i += 4) {
    down[run.down[i]].push({ from: run.down[i + 1], to: run.down[i + 1] + run.down[i + 2], state: run.down[i + 3] });
  }
  return { done: run.done, pieces, down, anyDown: run.down.length > 0 };
});
const gantt = { from: 0, to: total, policy: data.best, rows: [] };

function ticksOf(from, to, most) {
  const steps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2419200];
  const step = steps.find((one) => (to - from) / one <= most) || steps[steps.length - 1];
  const ticks = [];
  const midnight = plan.start - plan.start % 86400;
  for (let t = midnight + Math.ceil((plan.start + from - midnight) / step) * step; t <= plan.start + to; t += step) {
    ticks.push({ at: t - plan.start, text: t % 86400 === 0 ? day(t) : clock(t) });
  }
  return ticks;
}

function layOut(width) {
  const isWide = width > 560;
  const jobs = plan.jobs.length;
  const left = isWide ? 104 : 4;
  const jobHeight = jobs === 0 ? 0 : clamp(jobs * 16, 48, 560);
  const nodeHeight = plan.nodes.length === 0 ? 0 : clamp(plan.nodes.length * 14, 20, 260);
  const jobTop = 42;
  const nodeTop = jobTop + jobHeight + 24;
  return { isWide, left, right: width - 6, width, jobTop, jobHeight, nodeTop, nodeHeight,
    height: nodeTop + nodeHeight + 24 };
}

const ends = (run, job) => (run.done[job] < 0 ? total : run.done[job]);

// Draws all rectangles of one style as one path, so that a thousand bars need only a few elements.
function rectangles(list) {
  return list.map(([x, y, w, h]) => `M${x.toFixed(1)} ${y.toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}z`)
    .join("");
}

function drawJobs(svg, run, frame, x) {
  gantt.rows = [];
  for (let job = 0; job !== plan.jobs.length; ++job) {
    if (plan.jobs[job][2] < gantt.to && ends(run, job) > gantt.from) gantt.rows.push(job);
  }
  gantt.row = gantt.rows.length === 0 ? 16 : Math.min(18, frame.jobHeight / gantt.rows.length);
  const thick = Math.max(1, gantt.row * 0.72);
  const shades = {};
  let windows = "";
  let late = "";
  gantt.rows.forEach((job, index) => {
    const [id, , submit, deadline] = plan.jobs[job];
    const middle = frame.jobTop + (index + 0.5) * gantt.row;
    const due = deadline < 0 ? total : deadline;
    windows += `M${x(submit).toFixed(1)} ${middle.toFixed(1)}H${x(due).toFixed(1)}`;
    if (deadline >= 0 && deadline <= gantt.to && gantt.row > 3) {
      windows += `M${x(deadline).toFixed(1)} ${(middle - thick / 2).toFixed(1)}v${thick.toFixed(1)}`;
    }
    for (const piece of run.pieces[job]) {
      if (piece.to <= gantt.from || piece.from >= gantt.to) continue;
      const begin = x(piece.from);
      (shades[shadeOf(piece.setting[1])] ||= []).push(
        [begin, middle - thick / 2, Math.max(0.6, x(piece.to) - begin), thick]);
    }
    const isLate = deadline >= 0 && deadline <= total && (run.done[job] < 0 || run.done[job] > deadline);
    const where = run.done[job] < 0 ? deadline : run.done[job];
    if (isLate && where >= gantt.from && where <= gantt.to) {
      const size = Math.max(3, thick / 2);
      const cx = clamp(x(where), frame.left + size, frame.right - size);
      late += `M${cx - size} ${middle - size}l${2 * size} ${2 * size}M${cx - size} ${middle + size}l${2 * size} ${-2 * size}`;
    }
    if (frame.isWide && gantt.row >= 10) {
      const label = id.length > 15 ? id.slice(0, 14) + "…" : id;
      svg.append(mark("text", { x: frame.left - 6, y: middle + 4, "text-anchor": "end" }, label));
    }
  });
  // With many rows the lines would hide the bars, so they are thinner.
  const weight = gantt.row >= 6 ? 1 : Math.max(0.3, gantt.row / 6);
  svg.append(mark("path", { class: "window", d: windows || "M0 0", style: `stroke-width: ${weight}; opacity: ${weight}` }));
  for (const [shade, list] of Object.entries(shades)) {
    svg.append(mark("path", { class: `mark job g${shade}`, d: rectangles(list) }));
  }
  if (late) svg.append(mark("path", { class: "late", d: late }));
}

function drawNodes(svg, run, frame, x) {
  if (plan.nodes.length === 0) return;
  const height = frame.nodeHeight / plan.nodes.length;
  svg.append(mark("text", { class: "title", x: 0, y: frame.nodeTop - 7 },
    run.anyDown ? "Nodes that were not on" : "Nodes: all were on all the time"));
  svg.append(mark("rect", { class: "band", x: frame.left, y: frame.nodeTop, width: frame.right - frame.left,
    height: frame.nodeHeight }));
  const looks = {};
  run.down.forEach((spans, node) => {
    for (const span of spans) {
      if (span.to <= gantt.from || span.from >= gantt.to) continue;
      const begin = x(span.from);
      (looks[span.state] ||= []).push(
        [begin, frame.nodeTop + node * height, Math.max(0.6, x(span.to) - begin), height * 0.85]);
    }
    if (frame.isWide && height >= 10) {
      svg.append(mark("text", { x: frame.left - 6, y: frame.nodeTop + (node + 0.5) * height + 4, "text-anchor": "end" },
        plan.nodes[node]));
    }
  });
  for (const [state, list] of Object.entries(looks)) {
    svg.append(mark("path", { class: "mark edge", d: rectangles(list), fill: `url(#${TEXTURES[state]})` }));
  }
}

// The carbon intensity of the grid above the jobs, to show why they run when they do.
function drawCarbon(svg, frame, x) {
  const numbers = data.figures.work;
  if (!numbers) return;
  const values = numbers.panels[0].series[0].values;
  const known = values.filter((value) => value !== null);
  const low = Math.min(...known);
  const range = Math.max(...known) - low || 1;
  const shades = {};
  values.forEach((value, i) => {
    const from = Math.max(gantt.from, i * numbers.step);
    const to = Math.min(gantt.to, (i + 1) * numbers.step, total);
    if (value === null || to <= from) return;
    const shade = clamp(Math.floor((value - low) / range * 9), 0, 8);
    (shades[shade] ||= []).push([x(from), 22, x(to) - x(from) + 0.3, 12]);
  });
  for (const [shade, list] of Object.entries(shades)) {
    svg.append(mark("path", { class: `k${shade}`, d: rectangles(list) }));
  }
  const label = { y: 32, "text-anchor": "end", x: frame.left - 6 };
  if (frame.isWide) svg.append(mark("text", label, "grid carbon"));
}

function drawGantt() {
  const canvas = document.querySelector("#gantt .canvas");
  const width = Math.max(280, Math.floor(canvas.clientWidth));
  const frame = layOut(width);
  const run = runs[gantt.policy];
  gantt.frame = frame;
  const x = (t) => frame.left + (clamp(t, gantt.from, gantt.to) - gantt.from) / (gantt.to - gantt.from) *
    (frame.right - frame.left);
  const svg = mark("svg", { viewBox: `0 0 ${width} ${frame.height}`, height: frame.height, role: "img" });
  svg.append(mark("title", {}, `Jobs and nodes under ${data.policies[gantt.policy]}`));
  svg.append(mark("text", { class: "title", x: 0, y: 13 }, `Jobs under ${data.policies[gantt.policy]}`));
  for (const tick of ticksOf(gantt.from, gantt.to, Math.max(2, (frame.right - frame.left) / 70))) {
    const at = x(tick.at);
    svg.append(mark("line", { class: "grid", x1: at, x2: at, y1: 36, y2: frame.height - 20 }));
    const side = at < 24 ? "start" : at > width - 24 ? "end" : "middle";
    svg.append(mark("text", { x: at, y: frame.height - 6, "text-anchor": side }, tick.text));
  }
  drawCarbon(svg, frame, x);
  drawJobs(svg, run, frame, x);
  drawNodes(svg, run, frame, x);
  canvas.replaceChildren(svg);
  canvas.dataset.view = `${Math.round(gantt.from)} ${Math.round(gantt.to)}`;
  const shown = gantt.rows.length === plan.jobs.length ? "" : `, ${gantt.rows.length} of ${plan.jobs.length} jobs`;
  document.querySelector("#gantt .range").textContent =
    `${moment(plan.start + gantt.from)} to ${moment(plan.start + gantt.to)} UTC${shown}`;
}

function look(from, to) {
  const span = clamp(to - from, LEAST, total);
  const begin = clamp(from, 0, total - span);
  const moved = begin !== gantt.from || begin + span !== gantt.to;
  gantt.from = begin;
  gantt.to = begin + span;
  if (moved) drawGantt();
  return moved;
}
function zoom(factor, about) {
  const centre = about === undefined ? (gantt.from + gantt.to) / 2 : about;
  const span = clamp((gantt.to - gantt.from) * factor, LEAST, total);
  const share = (centre - gantt.from) / (gantt.to - gantt.from);
  return look(centre - share * span, centre - share * span + span);
}
const pan = (share) => look(gantt.from + share * (gantt.to - gantt.from), gantt.to + share * (gantt.to - gantt.from));

function pieceAt(event) {
  const canvas = document.querySelector("#gantt .canvas");
  const box = canvas.getBoundingClientRect();
  const scale = gantt.frame.width / box.width;
  const frame = gantt.frame;
  const y = (event.clientY - box.top) * scale;
  const share = ((event.clientX - box.left) * scale - frame.left) / (frame.right - frame.left);
  const time = gantt.from + clamp(share, 0, 1) * (gantt.to - gantt.from);
  return { y, time, isInside: share >= 0 && share <= 1 };
}
function describe(event) {
  const { y, time, isInside } = pieceAt(event);
  const frame = gantt.frame;
  const run = runs[gantt.policy];
  const slack = (gantt.to - gantt.from) / (frame.right - frame.left) * 2;  // within two pixels counts as a hit
  const row = Math.floor((y - frame.jobTop) / gantt.row);
  const node = Math.floor((y - frame.nodeTop) / (frame.nodeHeight / plan.nodes.length));
  if (isInside && y >= frame.jobTop && row < gantt.rows.length) {
    const job = gantt.rows[row];
    const [id, model, submit, deadline] = plan.jobs[job];
    const piece = run.pieces[job].find((one) => time >= one.from - slack && time <= one.to + slack);
    const rows = [["model", model], ["submitted", moment(plan.start + submit)],
      ["due", deadline < 0 ? "no deadline" : moment(plan.start + deadline)],
      ["done", run.done[job] < 0 ? "not within this time" : moment(plan.start + run.done[job])]];
    if (piece) rows.push(["here", piece.setting[0]], ["for", length(piece.to - piece.from)]);
    else rows.push(["here", time < submit ? "not submitted" : time < ends(run, job) ? "waiting" : "done"]);
    return tell(id, rows, event.clientX, event.clientY);
  }
  if (isInside && node >= 0 && node < plan.nodes.length) {
    const span = run.down[node].find((one) => time >= one.from - slack && time <= one.to + slack);
    return tell(plan.nodes[node], span ? [[STATES[span.state], length(span.to - span.from)],
      ["from", moment(plan.start + span.from)]] : [["up", moment(plan.start + time)]], event.clientX, event.clientY);
  }
  return hush();
}

function startGantt() {
  const gate = document.getElementById("gantt");
  const canvas = gate.querySelector(".canvas");
  gate.hidden = false;
  const acts = { in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.3), right: () => pan(0.3),
    all: () => look(0, total) };
  all("button", gate).forEach((button) => button.addEventListener("click", acts[button.dataset.act]));
  const keys = { "+": acts.in, "=": acts.in, "-": acts.out, ArrowLeft: acts.left, ArrowRight: acts.right, 0: acts.all,
    Home: acts.all };
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  // Scrolling the page must not stop at the chart: the wheel zooms only after the pointer has moved over the chart, and at
  // the end of the zoom range it scrolls the page.
  let hasMoved = false;
  window.addEventListener("scroll", () => { hasMoved = false; hush(); }, { passive: true });
  canvas.addEventListener("wheel", (event) => {
    if (!hasMoved && !event.ctrlKey) return;
    const change = Math.exp(clamp(event.deltaY, -200, 200) * 0.002);
    if (zoom(change, pieceAt(event).time)) event.preventDefault();
  }, { passive: false });
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = { x: event.clientX, from: gantt.from, to: gantt.to };
    if (event.pointerType === "mouse") canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    hasMoved = true;
    if (!held || event.buttons === 0) { held = null; return describe(event); }
    const frame = gantt.frame;
    const pixels = (frame.right - frame.left) * canvas.clientWidth / frame.width;
    const moved = (held.x - event.clientX) / pixels * (held.to - held.from);
    hush();
    return look(held.from + moved, held.to + moved);
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { held = null; });
  canvas.addEventListener("pointerleave", hush);
  canvas.addEventListener("dblclick", (event) => zoom(0.4, pieceAt(event).time));
  let width = 0;
  new ResizeObserver(() => { if (canvas.clientWidth !== width) { width = canvas.clientWidth; drawGantt(); } }).observe(canvas);
  drawKey(gate.querySelector(".key"));
}
function drawKey(list) {
  const entry = (className, fill, text) => {
    const item = element("li");
    const svg = mark("svg", { width: 18, height: 12, "aria-hidden": "true" });
    svg.append(mark("rect", { class: className, width: 18, height: 12, fill }));
    item.append(svg, text);
    list.append(item);
  };
  workers.forEach((count) => entry(`g${shadeOf(count)}`, "", `${count} worker${count === 1 ? "" : "s"}`));
  for (const state of [2, 1, 3]) {
    const isUsed = runs.some((run) => run.down.some((spans) => spans.some((span) => span.state === state)));
    if (isUsed) entry("edge", `url(#${TEXTURES[state]})`, `node ${STATES[state]}`);
  }
}
