"use strict";
addEventListener("load", () => {
  const rows = () => [...document.querySelectorAll("#rows > tr:not(.details)")];
  const names = () => rows().map((row) => row.querySelector(".name").textContent);
  const registers = () => rows().map((row) => parseInt(row.querySelector(".c-registers").textContent, 10));
  const set = (id, value, event) => {
    document.getElementById(id).value = value;
    document.getElementById(id).dispatchEvent(new Event(event, { bubbles: true }));
  };
  const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const head = document.querySelector("#head .c-registers");
  const ground = () => getComputedStyle(document.body).backgroundColor;
  const seen = {};
  (async () => {
    seen.all = rows().length;
    seen.unsorted = head.getAttribute("aria-sort");
    head.querySelector("button").click();
    seen.descending = [head.getAttribute("aria-sort"), registers()];
    head.querySelector("button").click();
    seen.ascending = [head.getAttribute("aria-sort"), registers()];
    set("search", "SCALE", "input");
    await wait(200);
    seen.found = names();
    seen.count = document.getElementById("count").textContent;
    const name = document.querySelector(".name");
    seen.closed = name.getAttribute("aria-expanded");
    name.click();
    const details = document.getElementById(name.getAttribute("aria-controls"));
    seen.open = [name.getAttribute("aria-expanded"), details.previousElementSibling === name.closest("tr")];
    seen.parts = [...details.querySelectorAll("h3")].map((title) => title.textContent);
    const slider = details.querySelector("input[type=range]");
    slider.value = "1024";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    seen.slider = slider.getAttribute("aria-valuetext");
    seen.curves = details.querySelectorAll("polyline").length;
    name.click();
    seen.again = [name.getAttribute("aria-expanded"), document.querySelectorAll(".details").length];
    document.querySelector("#filters [type=reset]").click();
    await wait(50);
    seen.reset = rows().length;
    set("show", "over", "change");
    seen.over = rows().length;
    set("theme", "dark", "change");
    seen.dark = ground();
    set("theme", "light", "change");
    seen.light = ground();
    seen.wide = document.documentElement.scrollWidth <= innerWidth;
  })()
    .catch((error) => { seen.error = String(error); })
    .finally(() => {
      const out = document.createElement("pre");
      out.id = "seen";
      out.textContent = JSON.stringify(seen);
      document.body.append(out);
    });
});
