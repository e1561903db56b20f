"use strict";
// The page works without this script; with it, a step that is chosen shows the system as it was after it.
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const { looks, at, signals } = JSON.parse(byId("data").textContent);
  const steps = all(".step");
  const numbers = steps.map((step) => Number(step.dataset.step));
  const marks = all(".at");
  const last = Math.max(0, ...numbers);
  const slider = byId("moment"), play = byId("play"), caption = byId("caption");
  const nodes = all(".node"), edges = all(".edge"), operations = all(".operation");
  const states = all(".state"), values = all(".value");
  const bars = all(".bars .cursor"), curves = all(".curve .cursor");
  let now = 0, timer = 0;

  function look(number) {
    const seen = looks[at[number]];
    if (!seen) return;
    seen.nodes.forEach(([level, words], i) => {
      nodes[i].setAttribute("class", `node ${level}`);
      nodes[i].querySelector(".words").textContent = words;
    });
    seen.edges.forEach((level, i) => edges[i].setAttribute("class", `edge ${level}`));
    seen.operations.forEach(([level, share], i) => {
      operations[i].className = `operation ${level}`;
      operations[i].querySelector("b").textContent = share;
    });
    const step = steps[numbers.indexOf(number)];
    const head = step && number ? step.querySelector(".head").textContent : "";
    caption.textContent = number ? `After step ${number}: ${head}` : "At the start";
    slider.value = String(number);
  }

  function state(spans, time) {
    for (const [since, fired, ended] of spans) {
      if (since <= time && (ended === null || time < ended)) return fired !== null && fired <= time ? "firing" : "pending";
    }
    return "-";
  }

  // Alerts and golden signals as they were when a step was over.
  function tell(number) {
    if (!signals) return;
    const time = signals.ends[number], place = signals.places[number], point = signals.points[number];
    for (const [lines, unit] of [[bars, "%"], [curves, ""]]) {
      for (const line of lines) for (const end of ["x1", "x2"]) line.setAttribute(end, `${place}${unit}`);
    }
    states.forEach((shown, i) => {
      shown.textContent = state(signals.alerts[i], time);
      shown.className = `state ${shown.textContent}`;
    });
    values.forEach((shown, i) => { shown.textContent = signals.values[i][point]; });
  }

  function choose(number, scroll) {
    now = Math.min(last, Math.max(0, number));
    for (const old of all(".now")) old.classList.remove("now");
    const step = steps[numbers.indexOf(now)];
    if (step) {
      step.classList.add("now");
      if (scroll) step.scrollIntoView({ block: "nearest" });
    }
    for (const mark of marks) if (Number(mark.dataset.step) === now) mark.classList.add("now");
    look(now);
    tell(now);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    if (play) play.textContent = "▶";
  }

  function toggle() {
    if (timer) return stop();
    if (now >= last) choose(0, true);
    play.textContent = "⏸";
    timer = setInterval(() => {
      choose(now + 1, true);
      if (now >= last) stop();
    }, 700);
  }

  steps.forEach((step, i) => step.addEventListener("click", () => now === numbers[i] || choose(numbers[i], false)));
  marks.forEach((mark) => mark.addEventListener("click", (event) => {
    const number = Number(mark.dataset.step);
    event.preventDefault();
    choose(number, false);
    steps[numbers.indexOf(number)].open = true;
    steps[numbers.indexOf(number)].scrollIntoView({ block: "start" });
  }));
  if (slider) slider.addEventListener("input", () => { stop(); choose(Number(slider.value), true); });
  if (play) play.addEventListener("click", toggle);

  const wider = byId("wider");
  if (wider) wider.addEventListener("click", () => {
    wider.textContent = document.body.classList.toggle("wide") ? "Beside" : "Wider";
  });

  const opener = byId("all");
  const turns = steps.filter((step) => step.dataset.step !== "0");
  const name = () => { opener.textContent = turns.every((step) => step.open) ? "Close all" : "Open all"; };
  opener.addEventListener("click", () => {
    const open = !turns.every((step) => step.open);
    for (const step of turns) step.open = open;
    name();
  });
  name();

  // Search: all steps that hold the text, and the places in them.
  const LIMIT = 2000;
  const search = byId("search"), found = byId("found");
  const marker = typeof Highlight === "function" && CSS.highlights;
  let texts = null, places = [], place = -1, pause = 0;

  function ranges(step, wanted) {
    const walker = document.createTreeWalker(step, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.toLowerCase();
      for (let i = text.indexOf(wanted); i >= 0 && places.length < LIMIT; i = text.indexOf(wanted, i + wanted.length)) {
        if (i + wanted.length > node.length) break; // a character whose small letter is longer
        const range = new Range();
        range.setStart(node, i);
        range.setEnd(node, i + wanted.length);
        places.push({ step, range });
      }
    }
  }

  function seek() {
    const wanted = search.value.toLowerCase();
    texts ??= steps.map((step) => step.textContent.toLowerCase());
    places = [];
    place = -1;
    let hits = 0;
    steps.forEach((step, i) => {
      const hit = !wanted || texts[i].includes(wanted);
      step.hidden = !hit;
      if (hit && wanted) {
        hits += 1;
        ranges(step, wanted);
      }
    });
    const more = places.length >= LIMIT ? "more than " : "";
    found.textContent = wanted ? `${more}${places.length} in ${hits} step${hits === 1 ? "" : "s"}` : "";
    if (!marker) return;
    CSS.highlights.delete("here");
    CSS.highlights.set("found", new Highlight(...places.map((each) => each.range)));
  }

  function go(by) {
    if (!places.length) return;
    place = (place + by + places.length) % places.length;
    const { step, range } = places[place];
    step.open = true;
    choose(Number(step.dataset.step), false);
    range.startContainer.parentElement.scrollIntoView({ block: "center" });
    const box = range.startContainer.parentElement;
    if (box.scrollHeight > box.clientHeight) {
      box.scrollTop += range.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
    }
    if (marker) CSS.highlights.set("here", new Highlight(range));
    found.textContent = `${place + 1} of ${places.length}`;
  }

  search.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(seek, 150); });

  const shown = (from, by) => {
    let i = numbers.indexOf(from) + by;
    while (steps[i] && steps[i].hidden) i += by;
    return steps[i] ? numbers[i] : from;
  };
  const keys = {
    j: () => choose(shown(now, 1), true),
    k: () => choose(shown(now, -1), true),
    o: () => { const step = steps[numbers.indexOf(now)]; if (step) step.open = !step.open; },
    n: () => go(1),
    p: () => go(-1),
    "/": () => search.focus(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search) {
      if (event.key === "Enter") { clearTimeout(pause); if (place < 0) seek(); go(event.shiftKey ? -1 : 1); }
      if (event.key === "Escape") { search.value = ""; seek(); search.blur(); }
      return;
    }
    const action = keys[event.key];
    if (action) { event.preventDefault(); action(); name(); }
  });

  // Copying: a page that was opened from a file has no clipboard in some browsers, but a selection can be copied there.
  async function copy(button) {
    const text = button.parentElement.nextElementSibling;
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      getSelection().selectAllChildren(text);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1200);
  }
  for (const button of all(".copy")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = steps.filter((step) => !step.open);
    for (const step of closed) step.open = true;
  });
  addEventListener("afterprint", () => { for (const step of closed) step.open = false; });

  const linked = /^#step-(\d+)$/.exec(location.hash);
  choose(linked ? Number(linked[1]) : 0, Boolean(linked));
  document.documentElement.dataset.ready = "yes";
})();
