"use strict";
(() => {
  const by = (id) => document.getElementById(id);
  // in a frame of another page, `#f1` is an address of that page
  if (location.protocol === "about:") {
    document.addEventListener("click", (event) => {
      const link = event.target.closest('a[href^="#"]');
      if (!link) return;
      event.preventDefault();
      by(link.getAttribute("href").slice(1))?.focus();
    });
  }
  const [form, text, ns, kind, shown] = ["filter", "text", "ns", "kind", "shown"].map(by);
  if (!form) return;
  const cards = [...document.querySelectorAll("article")];
  const links = document.querySelectorAll("nav li");
  const texts = cards.map((card) => card.textContent.toLowerCase());
  const has = (list, value) => !value || list.split("\n").includes(value);
  const apply = () => {
    const wanted = text.value.toLowerCase();
    let count = 0;
    cards.forEach((card, at) => {
      const fits = has(card.dataset.ns, ns.value) && has(card.dataset.kind, kind.value) && texts[at].includes(wanted);
      card.hidden = !fits;
      if (links[at]) links[at].hidden = !fits;
      count += fits;
    });
    shown.textContent = count === cards.length ? "" : `${count} of ${cards.length} shown`;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT)$/.test(event.target.tagName);
    if (event.key === "Escape" && typing) {
      form.reset();
      apply();
      event.target.blur();
    } else if (event.key === "/" && !typing) {
      event.preventDefault();
      text.focus();
    } else if ((event.key === "j" || event.key === "k") && !typing) {
      const visible = cards.filter((card) => !card.hidden);
      const at = visible.indexOf(document.activeElement);
      const next = at < 0 ? 0 : at + (event.key === "j" ? 1 : -1);
      visible[Math.max(0, Math.min(next, visible.length - 1))]?.focus();
    }
  });
  addEventListener("beforeprint", () => document.querySelectorAll("article details").forEach((it) => { it.open = true; }));
  apply();
})();
