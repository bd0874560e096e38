// The page works without this file. It draws the charts in the browser, keeps small things in step, and marks errors.
"use strict";
(() => {
  const own = document.currentScript.dataset;
  const spanish = document.documentElement.lang === "es";
  const formatLocale = spanish
    ? { decimal: ",", thousands: ".", grouping: [3], currency: ["", " €"] }
    : { decimal: ".", thousands: ",", grouping: [3], currency: ["€", ""] };
  let libraries = null;

  const load = (source) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = source;
      script.async = false;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });

  const drawing = () => {
    libraries ??= Promise.all([load(own.vega), load(own.vegaLite), load(own.vegaEmbed)]);
    return libraries;
  };

  const draw = async (figure) => {
    if (figure.dataset.drawn) return;
    figure.dataset.drawn = "yes";
    const target = figure.querySelector(".draw");
    const spec = JSON.parse(target.dataset.spec);
    try {
      await drawing();
      // "ast" runs expressions in an interpreter, so that the page needs no right to make code of text.
      await window.vegaEmbed(target, spec, {
        renderer: "svg", actions: false, ast: true, defaultStyle: false, formatLocale,
        tooltip: { disableDefaultStyle: true },
      });
    } catch (problem) {
      console.error(problem);
      delete figure.dataset.drawn;
      figure.classList.add("undrawn");
    }
  };

  const watcher = new IntersectionObserver(
    (seen) => {
      for (const one of seen) {
        if (!one.isIntersecting) continue;
        watcher.unobserve(one.target);
        draw(one.target);
      }
    },
    { rootMargin: "300px" },
  );

  const look = (root) => {
    for (const figure of root.querySelectorAll("figure.chart")) watcher.observe(figure);
  };

  const mark = (root) => {
    for (const old of document.querySelectorAll("#ask [aria-invalid]")) old.removeAttribute("aria-invalid");
    const wrong = document.querySelector("[data-wrong]");
    const field = wrong && document.getElementById(`f-${wrong.dataset.wrong}`);
    if (!field) return;
    field.setAttribute("aria-invalid", "true");
    for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };

  // Which folds are open is kept when the answer below them is replaced.
  const folds = new Set();
  const nameOf = (fold) => {
    const parts = [];
    for (let one = fold; one && one.id !== "answer"; one = one.parentElement.closest("details, section")) {
      const title = one.querySelector(":scope > summary, :scope > h2");
      parts.push(title ? (title.querySelector(".what") || title).textContent : "");
    }
    return parts.join("/");
  };

  document.addEventListener("toggle", (event) => {
    const fold = event.target;
    if (!(fold instanceof HTMLDetailsElement) || !fold.closest("#answer")) return;
    if (fold.open) folds.add(nameOf(fold));
    else folds.delete(nameOf(fold));
  }, true);

  document.addEventListener("input", (event) => {
    const shown = document.getElementById(`o-${event.target.name}`);
    if (shown) shown.textContent = event.target.value;
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 422) event.detail.shouldSwap = true;
  });

  document.addEventListener("htmx:afterSettle", () => {
    const title = document.querySelector("#verdict h1");
    if (title) document.title = `${title.textContent} · Outboard`;
    for (const fold of document.querySelectorAll("#answer details")) if (folds.has(nameOf(fold))) fold.open = true;
    look(document);
    mark(document);
    const log = document.getElementById("log");
    if (log) log.scrollTop = log.scrollHeight;
  });

  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main details:not([open])")];
    for (const fold of opened) fold.open = true;
    for (const figure of document.querySelectorAll("figure.chart")) draw(figure);
  });
  window.addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });

  document.documentElement.classList.add("js");
  look(document);
})();
