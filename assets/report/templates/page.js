// Filters and layers of the question browser. Without it everything is shown; nothing is fetched,
// and text from data is only ever compared.
"use strict";
(() => {
  // Tables wider than the screen say so.
  const measure = (box) => box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) measure(target);
  });
  for (const box of document.querySelectorAll(".scroll")) {
    measure(box); // at once: what is said above a table moves all that links lead to
    watch.observe(box);
  }

  const form = document.getElementById("filters");
  if (!form) return;
  const cards = [...document.querySelectorAll("details.card")];
  const groups = [...document.querySelectorAll(".group")];
  const count = document.getElementById("count");
  const absent = document.getElementById("absent");
  const PREFIX = "question-";
  const layers = ["gaze", "sent", "annotated", "large"];

  const keeps = (card, wanted) => {
    const { subtask, state, outcomes } = card.dataset;
    if (wanted.subtask && wanted.subtask !== subtask) return false;
    if (wanted.state && wanted.state !== state) return false;
    if (wanted.text && !card.textContent.toLowerCase().includes(wanted.text)) return false;
    if (!wanted.run && !wanted.outcome) return true;
    return outcomes.split("\n").some((line) => {
      const at = line.lastIndexOf("=");
      const run = line.slice(0, at), outcome = line.slice(at + 1);
      return at >= 0 && (!wanted.run || run === wanted.run)
        && (!wanted.outcome || outcome === wanted.outcome);
    });
  };

  const apply = () => {
    const wanted = Object.fromEntries(
      ["subtask", "state", "run", "outcome"].map((name) => [name, form.elements[name].value]));
    wanted.text = form.elements.text.value.trim().toLowerCase();
    let shown = 0;
    for (const card of cards) {
      card.hidden = !keeps(card, wanted);
      shown += card.hidden ? 0 : 1;
    }
    for (const group of groups) group.hidden = !group.querySelector("details.card:not([hidden])");
    count.textContent = `${shown} of ${cards.length} shown`;
    for (const name of layers) {
      document.body.classList.toggle(`show-${name}`, form.elements[name].checked);
    }
  };

  // A link to a question opens its card, whatever the filters leave out.
  const followQuestion = (id) => {
    const card = cards.find((each) => each.id === id);
    absent.hidden = card !== undefined;
    if (!card) {
      absent.querySelector("code").textContent = id.slice(PREFIX.length);
      absent.scrollIntoView();
      return;
    }
    if (card.hidden) {
      form.reset();
      apply();
    }
    card.open = true;
    // Cards keep clear of the filters, which stay on top of the page.
    const top = getComputedStyle(form).position === "sticky" ? form.offsetHeight : 0;
    card.style.scrollMarginTop = `${top + 8}px`;
    card.scrollIntoView();
  };

  const follow = () => {
    let target = location.hash.slice(1);
    try {
      target = decodeURIComponent(target);
    } catch {
      // A stray percent sign: the text is taken as it is.
    }
    absent.hidden = true;
    if (target.startsWith(PREFIX)) return followQuestion(target);
    const asked = new URLSearchParams(location.hash.slice(1)).get("subtask");
    if (asked === null) return;
    const known = [...form.elements.subtask.options].some((o) => o.value === asked);
    if (!known) return;
    form.elements.subtask.value = asked;
    apply();
    document.getElementById("questions").scrollIntoView();
  };

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  addEventListener("hashchange", follow);
  document.body.classList.add("scripted");
  apply();
  follow();
})();
