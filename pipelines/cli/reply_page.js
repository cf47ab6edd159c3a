"use strict";
const articles = [...document.querySelectorAll("article")];
const key = "parallax-replies-" + document.body.dataset.page;

function replyOf(article) {
  const area = article.querySelector("textarea");
  return area ? area.value.trim() : article.querySelector("input:checked").value;
}

function stored() {
  // A browser may keep nothing for files: the page works without, until it is closed.
  try { return JSON.parse(localStorage.getItem(key)) || {}; } catch { return {}; }
}

function restore() {
  const replies = stored();
  for (const article of articles) {
    const reply = replies[article.dataset.question];
    if (!reply) continue;
    const area = article.querySelector("textarea");
    if (area) { area.value = reply; continue; }
    for (const input of article.querySelectorAll("input")) input.checked = input.value === reply;
  }
}

function update() {
  const replies = {};
  for (const article of articles) {
    const reply = replyOf(article);
    article.classList.toggle("replied", reply !== "");
    if (reply) replies[article.dataset.question] = reply;
  }
  const count = Object.keys(replies).length;
  document.getElementById("count").textContent = `${count} of ${articles.length} replied`;
  try { localStorage.setItem(key, JSON.stringify(replies)); } catch { /* kept by the page alone */ }
}

function save() {
  const lines = [];
  for (const article of articles) {
    const reply = replyOf(article);
    if (!reply) continue;
    const { question, prompt, benchmark, subtask } = article.dataset;
    lines.push(JSON.stringify({ question_id: question, prompt_hash: prompt, benchmark, subtask, reply }) + "\n");
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  link.download = document.body.dataset.file;
  link.click();
  URL.revokeObjectURL(link.href);
}

restore();
update();
document.addEventListener("input", update);
document.getElementById("save").addEventListener("click", save);
document.getElementById("next").addEventListener("click", () => {
  const open = articles.find((article) => replyOf(article) === "");
  if (open) open.scrollIntoView();
});
