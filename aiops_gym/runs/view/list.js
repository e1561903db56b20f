"use strict";
// Sorting and filtering of the list; it is a plain table without this script.
(() => {
  const byId = (id) => document.getElementById(id);
  const body = byId("rows"), rows = [...body.rows], heads = [...document.querySelectorAll("#list th")];
  const search = byId("search"), found = byId("found"), choices = [...document.querySelectorAll("select")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const natural = new Intl.Collator("en", { numeric: true });

  const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;

  function sort(column) {
    const head = heads[column], down = head.getAttribute("aria-sort") === "ascending";
    for (const each of heads) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const sorted = [...rows].sort((a, b) => natural.compare(value(a, column), value(b, column)));
    body.append(...(down ? sorted.reverse() : sorted));
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/);
    let count = 0;
    rows.forEach((row, i) => {
      const fits = choices.every(({ name, value }) =>
        !value || row.dataset[name] === value || (name === "outcome" && row.dataset.kind === value));
      row.hidden = !(fits && words.every((word) => texts[i].includes(word)));
      count += row.hidden ? 0 : 1;
    });
    found.textContent = `${count} of ${rows.length}`;
  }

  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => sort(column)));
  search.addEventListener("input", filter);
  for (const choice of choices) choice.addEventListener("change", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target !== search) { event.preventDefault(); search.focus(); }
  });
  filter();
  document.documentElement.dataset.ready = "yes";
})();
