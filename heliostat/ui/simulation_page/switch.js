// Shows one policy at a time, the same in every section, and starts the script.
function choose(policy) {
  gantt.policy = policy;
  all(".by-policy").forEach((part) => part.classList.toggle("shown", Number(part.dataset.policy) === policy));
  all(".chips button").forEach((button) => button.setAttribute("aria-pressed", String(Number(button.value) === policy)));
  drawGantt();
}
function addChips(before) {
  if (data.policies.length < 2) return;
  const chips = element("div", { class: "chips", role: "group", "aria-label": "Policy shown" });
  data.policies.forEach((name, index) => {
    const button = element("button", { type: "button", value: index }, name);
    button.addEventListener("click", () => {
      const top = chips.getBoundingClientRect().top;
      choose(index);
      window.scrollBy(0, chips.getBoundingClientRect().top - top);  // the pressed button stays under the pointer
    });
    chips.append(button);
  });
  before.before(chips);
}

document.documentElement.classList.add("js");
all(".by-policy").forEach((part) => { part.open = true; });
all(".switched").forEach(addChips);
addChips(document.getElementById("gantt"));
all(".readable").forEach(makeReadable);
startGantt();
choose(data.best);
