"use strict";
// The page's moving parts: the icicle picture, the metric switch, groups, and the table. No framework, no network. All texts
// go in by textContent.
(() => {
  const data = JSON.parse(document.getElementById("profile").textContent);
  const { nodes, strings, owners } = data;
  const count = nodes.parent.length;
  const text = (index) => (index < 0 ? "" : strings[index]);
  const byId = (id) => document.getElementById(id);

  // ---- numbers ----

  const groupDigits = (number) => Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const time = (us) => {
    const ms = us / 1000;
    if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
    return ms >= 100 ? `${ms.toFixed(0)} ms` : ms >= 1 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(2)} ms`;
  };
  const bytes = (number) => {
    for (const [unit, size] of [["GB", 2 ** 30], ["MB", 2 ** 20], ["KB", 2 ** 10]]) if (Math.abs(number) >= size) return `${(number / size).toFixed(1)} ${unit}`;
    return `${number} B`;
  };
  const show = (metric, value) => (data.times.includes(metric) ? time(value) : metric === "bytes" ? bytes(value) : groupDigits(value));
  const percent = (share) => (share >= 0.1 || share === 0 ? `${(share * 100).toFixed(0)} %` : `${(share * 100).toFixed(1)} %`);

  // ---- the tree ----

  const children = Array.from({ length: count }, () => []);
  const roots = [];
  for (let id = 0; id < count; id++) (nodes.parent[id] < 0 ? roots : children[nodes.parent[id]]).push(id);
  const label = (id) => text(nodes.label[id]);
  const ownerName = (id) => owners[nodes.owner[id]][0];
  const lineage = (id) => {
    const list = [];
    for (let node = id; node >= 0; node = nodes.parent[node]) list.unshift(node);
    return list;
  };

  const state = { metric: "wall", root: roots[0], zoom: roots[0], cursor: roots[0], hover: -1, search: "", sort: "total", descending: true };
  const total = (id, metric = state.metric) => nodes.total[metric][id];
  const own = (id, metric = state.metric) => nodes.self[metric][id];

  const haystack = [];
  const matches = (id) => {
    if (!state.search) return true;
    haystack[id] = haystack[id] || `${label(id)}\n${text(nodes.path[id])}\n${ownerName(id)}`.toLowerCase();
    return haystack[id].includes(state.search);
  };

  const element = (name, content, attributes = {}) => {
    const made = document.createElement(name);
    if (content !== undefined) made.textContent = content;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  // ---- colours ----

  const COLOUR_OF_KIND = { yaml: "document", json: "document", initializer: "initializer", eval: "eval" };
  const COLOUR_OF_OWNER = { gem: "gem", application: "application", standard: "standard", bundler: "bundler", rubygems: "bundler", ruby: "ruby", outside: "ruby" };
  const colourName = (id) => COLOUR_OF_KIND[text(nodes.kind[id])] || COLOUR_OF_OWNER[owners[nodes.owner[id]][1]] || "ruby";
  // Gems are told apart by a shade of theirs.
  const shade = (name) => {
    let hash = 0;
    for (const char of name) hash = (hash * 31 + char.codePointAt(0)) % 997;
    return ((hash % 9) - 4) * 2.2;
  };
  let palette = {};
  const parseColour = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const readPalette = () => {
    const styles = getComputedStyle(document.documentElement);
    const value = (name) => styles.getPropertyValue(`--${name}`).trim();
    palette = { text: value("text"), card: value("card"), accent: value("accent"), focus: value("focus") };
    for (const name of new Set([...Object.values(COLOUR_OF_KIND), ...Object.values(COLOUR_OF_OWNER)])) palette[name] = parseColour(value(name));
  };
  const colour = (id) => {
    const name = colourName(id);
    const shift = name === "gem" ? shade(ownerName(id)) * 2.4 : ((id * 7) % 5 - 2) * 2;
    return `rgb(${palette[name].map((part, at) => Math.max(0, Math.min(255, Math.round(part + shift * (at === 2 ? 0.5 : 1))))).join(" ")})`;
  };

  // ---- the icicle ----

  const canvas = byId("icicle");
  const context = canvas.getContext("2d");
  const ROW = 21;
  const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  let rectangles = [];   // { id, x, width, depth }, in CSS pixels

  // Children stand below their parent, as wide as their share of it; what is left to the right is the parent's own.
  const layout = (width) => {
    rectangles = [];
    const whole = total(state.zoom);
    if (!whole) return 1;
    let deepest = 0;
    const place = (id, x, room, depth) => {
      rectangles.push({ id, x, width: room, depth });
      deepest = Math.max(deepest, depth);
      let at = x;
      for (const child of children[id]) {
        const share = (total(child) / whole) * width;
        if (share >= 0.6) place(child, at, share, depth + 1);
        at += share;
      }
    };
    place(state.zoom, 0, width, 0);
    return deepest + 1;
  };

  const fit = (string, room) => {
    if (context.measureText(string).width <= room) return string;
    let size = Math.floor((room / context.measureText(string).width) * string.length);
    const cut = () => `${string.slice(0, Math.ceil(size / 2))}…${string.slice(string.length - Math.floor(size / 2))}`;
    while (size > 1 && context.measureText(cut()).width > room) size -= 1;
    return size < 2 ? "" : cut();
  };

  const draw = () => {
    const width = Math.max(canvas.parentElement.clientWidth - 12, 50);
    const rows = layout(width);
    const ratio = window.devicePixelRatio || 1;
    const height = Math.max(rows * ROW, ROW * 4);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    context.textBaseline = "middle";
    if (!rectangles.length) {
      context.fillStyle = palette.text;
      context.fillText(`nothing was counted: no ${data.metrics[state.metric]} here`, 8, ROW);
    }
    for (const box of rectangles) {
      const y = box.depth * ROW;
      context.globalAlpha = state.search && !matches(box.id) ? 0.25 : 1;
      context.fillStyle = colour(box.id);
      const gap = box.width > 3 ? 1 : 0;
      context.fillRect(box.x, y, box.width - gap, ROW - 1);
      if (box.width > 44) {
        context.fillStyle = palette.text;
        const amount = box.width > 190 ? `  ${show(state.metric, total(box.id))}` : "";
        const room = box.width - 10 - (amount ? context.measureText(amount).width : 0);
        const name = fit(label(box.id), room);
        if (name) context.fillText(name + amount, box.x + 5, y + ROW / 2);
      }
      context.globalAlpha = 1;
      if (box.id === state.hover || box.id === state.cursor) {
        context.strokeStyle = box.id === state.cursor ? palette.focus : palette.text;
        context.lineWidth = 2;
        context.strokeRect(box.x + 1, y + 1, Math.max(box.width - 2 - gap, 1), ROW - 3);
      }
    }
    canvas.dataset.boxes = rectangles.length;
    canvas.dataset.zoom = label(state.zoom);
    canvas.dataset.cursor = label(state.cursor);
  };

  const boxAt = (event) => {
    const area = canvas.getBoundingClientRect();
    const x = event.clientX - area.left;
    const depth = Math.floor((event.clientY - area.top) / ROW);
    return rectangles.find((box) => box.depth === depth && x >= box.x && x < box.x + box.width);
  };

  const crumbs = () => {
    const list = lineage(state.zoom);
    const shown = list.length > 7 ? [...list.slice(0, 2), -1, ...list.slice(-4)] : list;
    byId("crumbs").replaceChildren(...shown.flatMap((id, index) => {
      const separator = index ? [element("span", "›", { "aria-hidden": "true" })] : [];
      if (id < 0) return [...separator, element("span", "…")];
      const button = element("button", label(id), { type: "button", title: label(id) });
      if (id === state.zoom) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => zoom(id));
      return [...separator, button];
    }));
  };

  const zoom = (id) => {
    state.zoom = id;
    state.cursor = id;
    state.hover = -1;
    hideTip();
    crumbs();
    draw();
    details(id);
  };

  const facts = (id) => {
    const all = total(state.root);
    const list = [[data.metrics[state.metric], `${show(state.metric, total(id))}, ${percent(all ? total(id) / all : 0)}`], ["of it by itself", show(state.metric, own(id))]];
    for (const metric of Object.keys(data.metrics)) if (metric !== state.metric) list.push([data.metrics[metric], show(metric, total(id, metric))]);
    list.push(["group", ownerName(id)]);
    if (nodes.path[id] >= 0) list.push(["file", text(nodes.path[id])]);
    if (nodes.from[id] >= 0) list.push(["asked for by", text(nodes.from[id])]);
    if (nodes.error[id] >= 0) list.push(["failed", text(nodes.error[id])]);
    return list;
  };

  const details = (id) => {
    const list = element("dl");
    for (const [name, value] of facts(id)) {
      const pair = element("div");
      pair.append(element("dt", name), element("dd", value));
      list.append(pair);
    }
    byId("details").replaceChildren(element("h3", label(id)), list);
  };

  // ---- the tooltip ----

  const tip = byId("tip");
  const hideTip = () => { tip.hidden = true; };
  const showTip = (id, event) => {
    tip.replaceChildren(element("strong", label(id)), ...facts(id).slice(0, 2).map(([name, value]) => element("span", `${name}: ${value}`)),
      element("span", [ownerName(id), text(nodes.path[id])].filter(Boolean).join(" · ")));
    tip.hidden = false;
    const area = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - area.width - 8))}px`;
    tip.style.top = `${event.clientY + 20 + area.height > window.innerHeight ? Math.max(4, event.clientY - area.height - 12) : event.clientY + 20}px`;
  };

  canvas.addEventListener("mousemove", (event) => {
    const box = boxAt(event);
    const id = box ? box.id : -1;
    if (id !== state.hover) {
      state.hover = id;
      draw();
    }
    if (id < 0) hideTip(); else showTip(id, event);
  });
  canvas.addEventListener("mouseleave", () => {
    state.hover = -1;
    hideTip();
    draw();
  });
  canvas.addEventListener("click", (event) => {
    const box = boxAt(event);
    if (!box) return;
    // The outermost box again: one step out.
    zoom(box.id === state.zoom && nodes.parent[box.id] >= 0 ? nodes.parent[box.id] : box.id);
  });

  // ---- keys ----

  const move = (id) => {
    if (id === undefined || id < 0) return;
    state.cursor = id;
    draw();
    details(id);
    const box = rectangles.find((one) => one.id === id);
    if (box) {
      const frame = canvas.parentElement;
      const y = box.depth * ROW;
      if (y < frame.scrollTop) frame.scrollTop = y;
      if (y + ROW > frame.scrollTop + frame.clientHeight - 12) frame.scrollTop = y + ROW - frame.clientHeight + 12;
    }
  };
  const drawn = (list) => list.filter((id) => rectangles.some((box) => box.id === id));
  const beside = (step) => {
    if (state.cursor === state.zoom) return undefined;
    const siblings = drawn(children[nodes.parent[state.cursor]]);
    return siblings[siblings.indexOf(state.cursor) + step];
  };
  const KEYS = {
    ArrowRight: () => move(beside(1)),
    ArrowLeft: () => move(beside(-1)),
    ArrowDown: () => move(drawn(children[state.cursor]).sort((one, other) => total(other) - total(one))[0]),
    ArrowUp: () => (state.cursor === state.zoom ? undefined : move(nodes.parent[state.cursor])),
    Enter: () => zoom(state.cursor),
    Escape: () => (nodes.parent[state.zoom] >= 0 ? zoom(nodes.parent[state.zoom]) : hideTip()),
    Home: () => zoom(state.root),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  // ---- the metric switch ----

  const switches = [...document.querySelectorAll("[data-metric]")];
  const setMetric = (metric) => {
    state.metric = metric;
    for (const button of switches) {
      const on = button.dataset.metric === metric;
      button.setAttribute("aria-checked", on);
      button.tabIndex = on ? 0 : -1;
    }
    draw();
    details(state.cursor);
    groups();
    state.sort = "total";
    state.descending = true;
    table();
  };
  switches.forEach((button, index) => {
    button.addEventListener("click", () => setMetric(button.dataset.metric));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = switches[(index + step + switches.length) % switches.length];
      next.focus();
      setMetric(next.dataset.metric);
    });
  });

  // ---- groups ----

  const groups = () => {
    for (const list of document.querySelectorAll(".group")) {
      const rows = [...list.tBodies[0].rows];
      const value = (row) => Number(row.dataset[state.metric]);
      const sum = rows.reduce((all, row) => all + Math.max(value(row), 0), 0);
      const whole = roots.reduce((all, id) => all + (state.metric === "wall" && id !== roots[0] ? 0 : total(id)), 0);
      const button = list.querySelector(".more");
      const open = !button || button.getAttribute("aria-expanded") === "true";
      const largest = Math.max(...rows.map(value), 1);
      rows.sort((one, other) => value(other) - value(one)).forEach((row, index) => {
        row.querySelector(".value").textContent = show(state.metric, value(row));
        row.querySelector(".share").textContent = percent(whole ? value(row) / whole : 0);
        row.querySelector(".bar").style.setProperty("--share", `${(Math.max(value(row), 0) / largest) * 100}%`);
        row.hidden = !open && index >= 12;
      });
      list.tBodies[0].append(...rows);
      list.querySelector(".unit").textContent = data.metrics[state.metric];
      list.dataset.sum = sum;
    }
  };
  for (const button of document.querySelectorAll(".more")) {
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") !== "true";
      button.setAttribute("aria-expanded", open);
      button.textContent = open ? "Show fewer" : `Show all ${button.closest("table").tBodies[0].rows.length}`;
      groups();
    });
  }

  // ---- the table ----

  const MOST = 500;
  const COLUMNS = [
    ["name", () => "name", label, (id) => label(id)],
    ["owner", () => "group", ownerName, (id) => ownerName(id)],
    ["total", () => `${data.metrics[state.metric]}`, total, (id) => show(state.metric, total(id))],
    ["self", () => "by itself", own, (id) => show(state.metric, own(id))],
    ...Object.keys(data.metrics).map((metric) => [metric, () => data.metrics[metric], (id) => total(id, metric), (id) => show(metric, total(id, metric))]),
  ];
  const columns = () => COLUMNS.filter(([name]) => name !== state.metric);

  const heading = ([name, title], index) => {
    const cell = element("th", undefined, { scope: "col", "data-column": name });
    if (index > 1) cell.className = "number";
    const sorted = state.sort === name;
    cell.setAttribute("aria-sort", sorted ? (state.descending ? "descending" : "ascending") : "none");
    const button = element("button", title(), { type: "button" });
    button.addEventListener("click", () => {
      state.descending = sorted ? !state.descending : index > 1;
      state.sort = name;
      table();
      byId("table").tHead.rows[0].cells[index].firstChild.focus();
    });
    cell.append(button);
    return cell;
  };

  const line = (id, list) => {
    const row = element("tr");
    list.forEach(([name, , value, shown], index) => {
      const cell = element(index ? "td" : "th", undefined, index ? { "data-column": name } : { scope: "row", "data-column": name });
      if (index === 0) {
        const button = element("button", label(id), { type: "button", title: "Show it in the picture" });
        button.addEventListener("click", () => {
          state.root = lineage(id)[0];
          byId("thread").value = state.root;
          zoom(id);
          canvas.scrollIntoView({ block: "center" });
          canvas.focus({ preventScroll: true });
        });
        cell.append(button);
        if (nodes.path[id] >= 0 && text(nodes.path[id]) !== label(id)) cell.append(element("span", text(nodes.path[id]), { class: "path" }));
      } else {
        if (index > 1) cell.className = value(id) ? "number" : "number none";
        cell.textContent = index > 1 && !value(id) ? "·" : shown(id);
      }
      row.append(cell);
    });
    return row;
  };

  const table = () => {
    const list = columns();
    const [, , value] = list.find(([name]) => name === state.sort) || list[2];
    const found = [];
    for (let id = 0; id < count; id++) if (matches(id)) found.push(id);
    const direction = state.descending ? -1 : 1;
    found.sort((one, other) => {
      const [a, b] = [value(one), value(other)];
      return (a < b ? -1 : a > b ? 1 : 0) * direction || one - other;
    });
    const view = byId("table");
    view.tHead.rows[0].replaceChildren(...list.map(heading));
    view.tBodies[0].replaceChildren(...found.slice(0, MOST).map((id) => line(id, list)));
    byId("found").textContent = found.length > MOST ? `the first ${MOST} of ${groupDigits(found.length)}` : `${groupDigits(found.length)} found`;
  };

  let waiting;
  byId("search").addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      state.search = event.target.value.trim().toLowerCase();
      table();
      draw();
    }, 120);
  });

  // ---- threads ----

  if (roots.length > 1) {
    const select = byId("thread");
    for (const id of roots) select.append(element("option", nodes.parent[id] < 0 && id === roots[0] ? "main" : label(id), { value: id }));
    select.closest("label").hidden = false;
    select.addEventListener("change", () => {
      state.root = Number(select.value);
      zoom(state.root);
    });
  }

  // ---- start ----

  for (const bar of document.querySelectorAll(".causes .bar")) bar.style.setProperty("--share", `${Number(bar.dataset.share) * 100}%`);
  const repaint = () => {
    readPalette();
    draw();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  window.addEventListener("beforeprint", repaint);
  window.addEventListener("afterprint", repaint);
  new ResizeObserver(draw).observe(canvas.parentElement);
  readPalette();
  zoom(state.root);
  groups();
  table();
})();
