// Shows one policy at a time, the same in every section, and starts the script.
function choose(policy) {
  gantt.policy = policy;
  all(".by-policy").forEach((part) => part.classList.toggle("shown", Number(part.dataset.policy) === policy));
  all(".chips button").forEach((button) => button.setAttribute("aria-pressed", String(Number(button.value) === policy)));
  drawGantt();
}
// One row of buttons for the whole page. It stays at the top of the window from the first section that it changes.
function addChips(before) {
  if (data.policies.length < 2) return;
  const chips = element("div", { class: "chips", role: "group", "aria-label": "Policy shown" });
  data.policies.forEach((name, index) => {
    const button = element("button", { type: "button", value: index }, name);
    button.addEventListener("click", () => choose(index));
    chips.append(button);
  });
  before.before(chips);
}

document.documentElement.classList.add("js");
all(".by-policy").forEach((part) => { part.open = true; });
addChips(document.querySelector(".switched"));
all(".readable").forEach(makeReadable);
startGantt();
choose(data.best);
