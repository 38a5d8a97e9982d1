"use strict";
(() => {
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  const search = document.getElementById("search");
  const count = document.getElementById("count");
  const theme = document.getElementById("theme");

  // What does not hold the words that are searched for, or is not of the kind that is looked at, is hidden.
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of all(".item")) {
      const kinds = item.closest("section").querySelector("select");
      const text = item.textContent.toLowerCase();
      const kept = words.every((word) => text.includes(word)) &&
        (!kinds || !kinds.value || kinds.value === item.dataset.kind);
      item.classList.toggle("hidden", !kept);
      shown += kept;
    }
    for (const rule of all(".rule")) {
      rule.classList.toggle("lit", words.length > 0 && words.every((word) => rule.textContent.toLowerCase().includes(word)));
    }
    count.textContent = words.length ? `${shown} found` : "";
  };
  search.addEventListener("input", filter);
  for (const kinds of all("select")) kinds.addEventListener("change", filter);

  // A play is gone through happening by happening.
  const show = (play, at) => {
    const steps = all("li.step", play);
    const now = Math.max(1, Math.min(steps.length, at));
    play.dataset.at = now;
    steps.forEach((step, number) => {
      step.classList.toggle("later", number >= now);
      step.classList.toggle("now", number === now - 1);
    });
    play.querySelector("output").textContent = `${now} / ${steps.length}`;
  };
  const go = (play, by) => show(play, Number(play.dataset.at) + by);
  for (const play of all(".play")) {
    show(play, Infinity);
    for (const button of all("button", play)) button.addEventListener("click", () => {
      const how = button.dataset.go;
      if (how === "first") show(play, 1); else if (how === "all") show(play, Infinity); else go(play, Number(how));
    });
    play.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by) { go(play, by); event.preventDefault(); }
    });
  }

  // What a link leads to is opened and shown, whatever was filtered.
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    target.classList.remove("hidden");
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  const dark = () => {
    const said = document.documentElement.dataset.theme;
    return said ? said === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const turn = () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; };
  theme.addEventListener("click", turn);
  addEventListener("keydown", (event) => {
    if (event.target.matches("input, select")) {
      if (event.key === "Escape") { search.value = ""; filter(); event.target.blur(); }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") { search.focus(); event.preventDefault(); }
    if (event.key === "d") turn();
  });
})();
