"use strict";
// Uses the page as a reader would (keys, clicks, the search field) and writes what it found into #selftest: a line each,
// "ok" or "FAILED". Put into the page by test/profiler/page_test.rb.
window.addEventListener("load", async () => {
  const lines = [];
  const check = (name, holds, seen) => lines.push(`${holds ? "ok" : "FAILED"} ${name}${holds ? "" : `: ${seen}`}`);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const canvas = document.getElementById("icicle");
  const table = document.getElementById("table");
  const press = (key, target = canvas) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const click = (x, y) => {
    const area = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent("click", { clientX: area.left + x, clientY: area.top + y, bubbles: true }));
  };
  const column = (name) => [...table.tBodies[0].rows].map((row) => row.querySelector(`[data-column="${name}"]`).textContent);
  const heading = (name) => table.tHead.querySelector(`[data-column="${name}"]`);
  const first = () => table.tBodies[0].rows[0].cells[0].querySelector("button").textContent;
  try {
    check("the picture is drawn", Number(canvas.dataset.boxes) > 10, canvas.dataset.boxes);
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    check("it has colours", new Set(Array.from({ length: 400 }, (_, n) => pixels[n * 4 * 97] * 256 + pixels[n * 4 * 97 + 1])).size > 4, "one colour");
    check("nothing is wider than the window", document.documentElement.scrollWidth <= window.innerWidth, `${document.documentElement.scrollWidth} > ${window.innerWidth}`);

    // Keys.
    const root = canvas.dataset.zoom;
    canvas.focus();
    press("ArrowDown");
    const child = canvas.dataset.cursor;
    check("arrow down goes to the costliest child", child === "config/application", child);
    check("what is chosen is told", document.querySelector("#details h3").textContent === child, document.getElementById("details").textContent);
    press("ArrowLeft");
    check("arrow left goes to the sibling before", canvas.dataset.cursor === "config/boot", canvas.dataset.cursor);
    press("ArrowRight");
    press("Enter");
    check("Enter zooms in", canvas.dataset.zoom === child, canvas.dataset.zoom);
    check("crumbs show the way", [...document.querySelectorAll("#crumbs button")].map((one) => one.textContent).join(" › ") === `${root} › ${child}`, document.getElementById("crumbs").textContent);
    press("Escape");
    check("Escape zooms out", canvas.dataset.zoom === root, canvas.dataset.zoom);
    press("ArrowUp");
    check("there is nothing above the root", canvas.dataset.cursor === root, canvas.dataset.cursor);

    // The pointer.
    click(canvas.clientWidth / 2, 30);
    check("a click zooms in", canvas.dataset.zoom === child, canvas.dataset.zoom);
    click(5, 5);
    check("a click on the outermost zooms out", canvas.dataset.zoom === root, canvas.dataset.zoom);
    const area = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent("mousemove", { clientX: area.left + 3, clientY: area.top + 3, bubbles: true }));
    check("the pointer gets a tooltip", !document.getElementById("tip").hidden && document.getElementById("tip").textContent.startsWith(root), document.getElementById("tip").textContent);

    // The metric.
    document.querySelector('[data-metric="objects"]').click();
    check("the switch says what is on", document.querySelector('[aria-checked="true"]').dataset.metric === "objects", "");
    check("groups follow the metric", document.querySelector(".group .unit").textContent === "objects", document.querySelector(".group .unit").textContent);
    check("the table follows the metric", heading("total").textContent === "objects", heading("total").textContent);
    press("ArrowLeft", document.querySelector('[data-metric="objects"]'));
    check("arrow keys move the switch", document.querySelector('[aria-checked="true"]').dataset.metric === "gc", "");
    document.querySelector('[data-metric="wall"]').click();

    // The table.
    check("the table begins with the costliest", first() === root, first());
    check("it has 500 rows at most", table.tBodies[0].rows.length === Math.min(500, Number(document.body.dataset.nodes || 500)), table.tBodies[0].rows.length);
    heading("self").firstChild.click();
    check("a heading sorts, the greatest first", heading("self").getAttribute("aria-sort") === "descending" && first() === "Bundler.setup", first());
    heading("self").firstChild.click();
    check("and again the other way round", heading("self").getAttribute("aria-sort") === "ascending", heading("self").getAttribute("aria-sort"));
    heading("name").firstChild.click();
    const names = [...table.tBodies[0].rows].map((row) => row.cells[0].querySelector("button").textContent);
    check("names are sorted", names.every((name, at) => !at || names[at - 1] <= name), names.slice(0, 5));
    const search = document.getElementById("search");
    search.value = "MIME-types.yml";
    search.dispatchEvent(new Event("input", { bubbles: true }));
    await pause(300);
    check("a search finds", first() === "mime-types.yml" && table.tBodies[0].rows.length === 1, `${table.tBodies[0].rows.length} ${first()}`);
    check("what was found is counted", document.getElementById("found").textContent === "1 found", document.getElementById("found").textContent);
    table.tBodies[0].rows[0].cells[0].querySelector("button").click();
    check("a row leads to the picture", canvas.dataset.zoom === "mime-types.yml", canvas.dataset.zoom);
    search.value = "nothing is called so";
    search.dispatchEvent(new Event("input", { bubbles: true }));
    await pause(300);
    check("nothing found is no error", table.tBodies[0].rows.length === 0, table.tBodies[0].rows.length);
    search.value = "";
    search.dispatchEvent(new Event("input", { bubbles: true }));
    await pause(300);
    press("Home");

    // Groups.
    const more = document.querySelector(".more");
    const shown = () => [...more.closest("table").tBodies[0].rows].filter((row) => !row.hidden).length;
    const before = shown();
    more.click();
    check("all groups can be shown", before === 12 && shown() > 12, `${before}, ${shown()}`);
    more.click();

    // The thread.
    const thread = document.getElementById("thread");
    check("threads can be chosen", thread.options.length === 2, thread.options.length);
    thread.value = thread.options[1].value;
    thread.dispatchEvent(new Event("change", { bubbles: true }));
    check("the other thread is shown", canvas.dataset.zoom.startsWith("thread reloader"), canvas.dataset.zoom);
    thread.value = thread.options[0].value;
    thread.dispatchEvent(new Event("change", { bubbles: true }));

    // A reader that does not see.
    check("the picture has a name and a text", canvas.getAttribute("aria-label").includes("table below"), canvas.getAttribute("aria-label"));
    check("headings go down one by one", [...document.querySelectorAll("h1,h2,h3")].every((one, at, all) => !at || Number(one.tagName[1]) - Number(all[at - 1].tagName[1]) <= 1), "");
    const unnamed = [...document.querySelectorAll("button,input,select")].filter((one) => !(one.textContent.trim() || one.closest("label")));
    check("every control has a name", unnamed.length === 0, unnamed.map((one) => one.outerHTML).join());

    // What a name brought along did not run, and is shown as it is.
    check("no name broke out", window.broken === undefined && !document.querySelector("img, #evil"), "it ran");
    check("names are shown as they are", !document.body.dataset.evil || names.concat(column("name")).some((name) => name.includes("<" + "/script>")) || document.body.textContent.includes("<" + "/script>"), "");
  } catch (error) {
    lines.push(`FAILED with ${error.stack}`);
  }
  const result = document.createElement("pre");
  result.id = "selftest";
  result.textContent = lines.join("\n");
  document.body.append(result);
  if (window.parent !== window) window.parent.postMessage(result.textContent, "*");
});
