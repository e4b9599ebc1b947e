"use strict";
// The address says what is shown: #show/PAGE/fact=value&fact=value/ITEM. Everything else follows from it.
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const { strings, grids, groups } = data;
  // A shape is [role, label, place, facts]; facts are places among the strings, one for each key of the group.
  const items = groups.flatMap((group) => group.items.map(([width, height, facts, shapes]) => ({ group, width, height, facts, shapes: shapes.map(([role, label, at, own]) => ({
    role: data.looks[role], label, facts: own, box: typeof at[0] === "number" ? at : null, rings: Array.isArray(at[0]) ? at : null, runs: at.counts ? at : null })) })));
  const figures = [...document.querySelectorAll(".item")];
  const MOST = 200;
  let state = null, before = null, list = figures.map((_, at) => at);
  document.documentElement.classList.add("runs");

  const make = (name, text, parent, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    if (parent) parent.append(made);
    return made;
  };
  const number = (value) => value.toLocaleString("en");
  const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

  // ---- the address
  const wrote = (page, facts, item) => {
    const pairs = facts.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    return `#show/${page}/${pairs}${item === undefined ? "" : `/${item}`}`;
  };
  const read = () => {
    const found = /^#show\/([\w-]*)\/([^/]*)(?:\/(\d+))?$/.exec(location.hash);
    if (!found) return null;
    try {
      const facts = found[2].split("&").filter(Boolean).map((pair) => pair.split("=", 2).map((one) => decodeURIComponent(one || "")));
      return { page: found[1], facts, item: found[3] === undefined ? undefined : +found[3] };
    } catch { return null; }
  };

  // ---- facts: of each key of a group, the place of the value that is asked for
  const place = new Map(strings.map((one, at) => [one, at]));
  const coded = (facts, group) => facts.map(([name, value]) => [group.keys.indexOf(place.get(name) ?? -2), place.get(value) ?? -2]);
  const is = (fact, value) => fact === value || (Array.isArray(fact) && fact.includes(value));
  const fits = (facts, more, wanted) => wanted.every(([key, value]) => key >= 0 && (is(facts[key], value) || (more && is(more[key], value))));
  const worded = (fact) => [fact].flat().map((one) => (one < 0 ? "" : strings[one])).join(", ");
  const asked = (item) => (state && (!state.page || state.page === item.group.page) ? coded(state.facts, item.group) : []);
  const found = (item) => { const wanted = asked(item); return item.shapes.map((shape) => wanted.length > 0 && fits(shape.facts, item.facts, wanted)); };

  // ---- shapes over a picture
  const outline = (canvas, shape, item) => {
    const path = new Path2D();
    if (shape.box) {
      const [x1, y1, x2, y2] = shape.box;
      path.rect(x1, y1, x2 - x1, y2 - y1);
    }
    for (const ring of shape.rings || []) {
      for (let at = 0; at < ring.length; at += 2) path[at ? "lineTo" : "moveTo"](ring[at], ring[at + 1]);
      path.closePath();
    }
    if (shape.runs) {
      const { size: [height, width], counts } = shape.runs, sx = item.width / width, sy = item.height / height;
      let at = 0;
      counts.forEach((count, turn) => {
        for (let end = at + count; turn % 2 && at < end;) {
          const column = Math.floor(at / height), row = at % height, length = Math.min(end - at, height - row);
          path.rect(column * sx, row * sy, sx, length * sy);
          at += length;
        }
        if (!(turn % 2)) at += count;
      });
    }
    return path;
  };
  const DASH = { truth: [], right: [7, 4], wrong: [2, 2.5], missed: [], crowd: [1.5, 4], kind1: [7, 4], kind2: [2, 2.5], kind3: [10, 3, 2, 3], kind4: [4, 2], kind5: [1.5, 4] };
  const paint = (canvas, item, marked, large) => {
    const box = canvas.getBoundingClientRect();
    if (!box.width) return;
    const dots = window.devicePixelRatio || 1, colours = getComputedStyle(document.documentElement);
    const colour = (name) => colours.getPropertyValue(`--${name}`).trim();
    canvas.width = Math.round(box.width * dots);
    canvas.height = Math.round(box.height * dots);
    const pen = canvas.getContext("2d"), scale = Math.min(box.width / item.width, box.height / item.height);
    const left = (box.width - item.width * scale) / 2, top = (box.height - item.height * scale) / 2;
    const some = marked.some(Boolean), order = item.shapes.map((_, at) => at).sort((a, b) => marked[a] - marked[b]);
    const look = { truth: "ink", right: "right", wrong: "wrong", missed: "missed", crowd: "soft" };
    const labels = [];
    for (const at of order) {
      const shape = item.shapes[at], path = outline(canvas, shape, item), tint = colour(look[shape.role] || shape.role) || colour("ink");
      pen.setTransform(dots * scale, 0, 0, dots * scale, left * dots, top * dots);
      pen.globalAlpha = some && !marked[at] ? 0.3 : 1;
      const filled = shape.runs || shape.role === "missed";
      if (filled) {
        const alpha = pen.globalAlpha;
        pen.globalAlpha = alpha * (shape.runs ? (some && marked[at] ? 0.85 : 0.42) : 0.2);
        pen.fillStyle = tint;
        pen.fill(path);
        pen.globalAlpha = alpha;
      }
      if (!shape.runs) {
        const width = (some && marked[at] ? 3 : shape.role === "truth" ? 1.6 : 2.2) * (large ? 1.15 : 1);
        pen.setLineDash([]);
        pen.lineWidth = (width + 2) / scale;
        pen.strokeStyle = colour("page");
        pen.globalAlpha *= 0.55;
        pen.stroke(path);
        pen.globalAlpha /= 0.55;
        pen.setLineDash((DASH[shape.role] || []).map((one) => one / scale));
        pen.lineWidth = width / scale;
        pen.strokeStyle = tint;
        pen.stroke(path);
      }
      if (shape.label && (large ? !some || marked[at] : marked[at])) labels.push([shape, tint]);
    }
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    pen.globalAlpha = 1;
    pen.setLineDash([]);
    pen.font = `600 ${large ? 13 : 11}px system-ui, sans-serif`;
    pen.textBaseline = "bottom";
    pen.lineJoin = "round";
    for (const [shape, tint] of labels.slice(0, 60)) {
      const [x, y] = corner(shape), width = pen.measureText(shape.label).width;
      const at = Math.max(2, Math.min(left + x * scale + 1, box.width - width - 3)), up = Math.max(top + y * scale - 2, 14);
      pen.strokeStyle = colour("page");
      pen.lineWidth = 4;
      pen.strokeText(shape.label, at, up);
      pen.fillStyle = tint;
      pen.fillText(shape.label, at, up);
    }
  };
  const corner = (shape) => {
    if (shape.box) return shape.box;
    const points = (shape.rings || []).flat();
    if (!points.length) return [2, 14];
    let x = Infinity, y = Infinity;
    for (let at = 0; at < points.length; at += 2) [x, y] = points[at + 1] < y ? [points[at], points[at + 1]] : [x, y];
    return [x, y];
  };

  // ---- the gallery
  const drawn = new Map();
  const canvasOf = (at) => {
    if (!drawn.has(at)) {
      const canvas = make("canvas", undefined, figures[at].querySelector(".picture"));
      canvas.setAttribute("aria-hidden", "true");
      drawn.set(at, canvas);
    }
    return drawn.get(at);
  };
  const near = new Set();
  const repaint = (at) => paint(canvasOf(at), items[at], found(items[at]), false);
  const watcher = new IntersectionObserver((changes) => changes.forEach(({ target, isIntersecting }) => {
    const at = +target.dataset.at;
    near[isIntersecting ? "add" : "delete"](at);
    if (isIntersecting) repaint(at);
  }), { rootMargin: "300px" });
  figures.forEach((figure) => watcher.observe(figure));
  const repaintAll = () => requestAnimationFrame(() => { near.forEach(repaint); if ($("viewer").open) show(state.item); });
  addEventListener("resize", repaintAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaintAll);
  const opened = [];
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details:not([open])").forEach((one) => { one.open = true; opened.push(one); });
    list.forEach(repaint);
  });
  addEventListener("afterprint", () => opened.splice(0).forEach((one) => { one.open = false; }));

  const filter = () => {
    const page = state && state.page, isAsked = state && state.facts.length > 0;
    list = [];
    let objects = 0;
    items.forEach((item, at) => {
      const isPage = !page || item.group.page === page;
      const own = isPage && isAsked ? found(item).filter((one, k) => one && item.shapes[k].role !== "truth").length : 0;
      const isShown = isPage && (!isAsked || own > 0 || fits(item.facts, null, asked(item)));
      figures[at].hidden = !isShown;
      if (isShown) list.push(at);
      objects += own;
    });
    const more = page ? listed(groups.find((group) => group.page === page)) : { count: 0 };
    $("rows").hidden = !more.count;
    $("filter").hidden = !page;
    $("asked").textContent = page ? [data.pages[page], ...state.facts.map((pair) => pair.join(": "))].join(" · ") : "";
    const there = list.length ? `${objects ? `${counted(objects, "object")} in ` : ""}${counted(list.length, "picture")}` : more.count ? "Not embedded" : "No picture of these is embedded";
    $("status").textContent = page ? `${there}${more.count ? `; ${counted(more.count, "object")} of ${counted(more.images, "image")} not embedded` : ""}.` : data.shown;
    near.forEach(repaint);
  };
  const listed = (group) => {
    const out = $("rows-table"), told = { count: 0, images: 0 };
    out.textContent = "";
    if (!group) return told;
    const wanted = coded(state.facts, group), seen = new Set(), kept = [];
    for (const row of group.rows) {
      if (!wanted.every(([key, value]) => key >= 0 && is(row[key + 1], value))) continue;
      told.count++;
      seen.add(row[0]);
      if (kept.length < MOST) kept.push(row);
    }
    told.images = seen.size;
    if (!told.count) return told;
    const keys = group.keys.map((_, key) => key).filter((key) => strings[group.keys[key]] !== "image" && kept.some((row) => row[key + 1] !== -1));
    const head = make("tr", undefined, make("thead", undefined, out));
    make("th", "image", head).scope = "col";
    keys.forEach((key) => { make("th", strings[group.keys[key]], head, "text").scope = "col"; });
    const body = make("tbody", undefined, out);
    for (const row of kept) {
      const line = make("tr", undefined, body);
      make("th", strings[row[0]], line).scope = "row";
      keys.forEach((key) => make("td", worded(row[key + 1]), line, "text"));
    }
    $("rows-told").textContent = `${counted(told.count, "object")} of ${counted(told.images, "image")}${told.count > MOST ? `; the first ${MOST} are listed` : ""}. Their pictures are left out to keep this file small.`;
    return told;
  };

  // ---- one picture, large
  const show = (at) => {
    const item = items[at], marked = found(item), frame = $("viewer-frame"), viewer = $("viewer");
    const mine = figures[at].querySelector("img");
    $("viewer-title").textContent = figures[at].querySelector("figcaption").textContent;
    frame.textContent = "";
    if (!viewer.open) viewer.showModal();
    const picture = make("div", undefined, frame, "picture");
    picture.style.aspectRatio = `${item.width} / ${item.height}`;
    picture.style.width = `min(100%, ${(66 * item.width) / item.height}vh)`;
    if (mine) { const image = make("img", undefined, picture); image.alt = mine.alt; image.src = mine.src; }
    const canvas = make("canvas", undefined, picture);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", $("viewer-title").textContent);
    paint(canvas, item, marked, true);
    const keys = item.group.keys.map((_, key) => key).filter((key) => item.shapes.some((shape) => shape.facts[key] !== -1));
    const table = $("viewer-table");
    table.textContent = "";
    const head = make("tr", undefined, make("thead", undefined, table));
    ["object", ...keys.map((key) => strings[item.group.keys[key]])].forEach((name, k) => { make("th", name, head, k ? "text" : "").scope = "col"; });
    const body = make("tbody", undefined, table);
    item.shapes.map((_, k) => k).sort((a, b) => marked[b] - marked[a] || a - b).slice(0, MOST).forEach((k) => {
      const shape = item.shapes[k], row = make("tr", undefined, body, marked[k] ? "found" : "");
      const role = (data.roles[item.group.page] || {})[shape.role] || shape.role;
      make("th", shape.label ? `${shape.label} (${role})` : role, row).scope = "row";
      keys.forEach((key) => make("td", worded(shape.facts[key]), row, "text"));
    });
    $("before").disabled = list.indexOf(at) <= 0;
    $("next").disabled = list.indexOf(at) >= list.length - 1;
  };
  const go = (hash, replaces) => {
    if (replaces) { history.replaceState(history.state, "", hash); follow(); } else if (hash !== location.hash) location.hash = hash; else follow();
  };
  const walk = (step) => {
    if (!state) return;
    const at = list[list.indexOf(state.item) + step];
    if (at !== undefined) go(wrote(state.page, state.facts, at), true);
  };
  let isPushed = false;  // opened from here: Back closes it
  const shut = () => { if (isPushed) history.back(); else go(state && state.page ? wrote(state.page, state.facts) : "#gallery", true); isPushed = false; };
  $("close").onclick = shut;
  $("before").onclick = () => walk(-1);
  $("next").onclick = () => walk(1);
  $("clear").onclick = () => go("#gallery");
  $("ask-keys").onclick = () => $("keys").showModal();
  $("viewer").addEventListener("cancel", (event) => { event.preventDefault(); shut(); });
  figures.forEach((figure, at) => {
    figure.querySelector("button").onclick = () => { isPushed = true; go(state ? wrote(state.page, state.facts, at) : wrote("", [], at)); };
  });

  // ---- what leads to objects
  const marks = new Map();
  document.querySelectorAll("svg .mark").forEach((mark) => {
    const svg = mark.ownerSVGElement;
    if (!marks.has(svg)) marks.set(svg, []);
    marks.get(svg).push(mark);
    mark.setAttribute("role", "link");
    mark.setAttribute("tabindex", marks.get(svg).length === 1 ? "0" : "-1");
    const cell = /^(.*)-cell-(\d+)-(\d+)$/.exec(mark.id), grid = cell && grids[cell[1]];
    if (grid) {
      const [row, column] = [+cell[2], +cell[3]];
      mark.dataset.show = wrote(grid.page, [[grid.facts[0], grid.rows[row]], [grid.facts[1], grid.columns[column]]]);
      mark.setAttribute("aria-label", `${grid.facts[0]} ${grid.rows[row]}, ${grid.facts[1]} ${grid.columns[column]}: ${number((grid.counts[row] || {})[column] || 0)}`);
      mark.parentNode.dataset.grid = "";
    } else if (data.marks[mark.id]) mark.dataset.show = data.marks[mark.id];
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = mark.getAttribute("aria-label");
    mark.append(title);
  });
  const open = (mark) => { before = mark; go(mark.dataset.show); };
  const onMark = (target) => (target.closest ? target.closest("svg .mark") : null);
  document.addEventListener("click", (event) => {
    const mark = onMark(event.target);
    if (mark) return open(mark);
    const link = event.target.closest("a[href^='#show/']") || (event.target.closest("tr.leads") && event.target.closest("tr.leads").querySelector("a"));
    if (link) { before = link; event.preventDefault(); go(link.getAttribute("href")); }
  });
  const step = (mark, key) => {
    const all = marks.get(mark.ownerSVGElement), at = all.indexOf(mark), cell = /^(.*)-cell-(\d+)-(\d+)$/.exec(mark.id);
    if (key === "Home" || key === "End") return all[key === "Home" ? 0 : all.length - 1];
    if (!cell) return all[at + (key === "ArrowRight" || key === "ArrowDown" ? 1 : -1)];
    const here = mark.getBoundingClientRect(), across = key === "ArrowLeft" || key === "ArrowRight", sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    const far = (other) => {
      const box = other.getBoundingClientRect(), dx = box.x - here.x, dy = box.y - here.y;
      const [along, aside] = across ? [dx * sign, Math.abs(dy)] : [dy * sign, Math.abs(dx)];
      return along < 0.5 ? Infinity : along + 3 * aside;
    };
    return all.reduce((best, other) => (far(other) < far(best) ? other : best), mark);
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if ($("viewer").open) {
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") { walk(event.key === "ArrowLeft" ? -1 : 1); event.preventDefault(); }
      return;
    }
    if (event.key === "?" && !$("keys").open) { $("keys").showModal(); return; }
    const mark = event.target instanceof Element ? onMark(event.target) : null;
    if (mark && (event.key === "Enter" || event.key === " ")) { open(mark); event.preventDefault(); }
    else if (mark && /^(Arrow|Home|End)/.test(event.key)) {
      const next = step(mark, event.key);
      if (next) { mark.setAttribute("tabindex", "-1"); next.setAttribute("tabindex", "0"); next.focus(); }
      event.preventDefault();
    } else if (event.target instanceof Element && event.target.closest(".item > button") && /^Arrow(Left|Right)$/.test(event.key)) {
      const at = list.indexOf(+event.target.closest(".item").dataset.at) + (event.key === "ArrowLeft" ? -1 : 1);
      if (list[at] !== undefined) figures[list[at]].querySelector("button").focus();
      event.preventDefault();
    } else if (event.key === "Escape" && state) go("#gallery");
  });

  // ---- from the address to what is seen
  const follow = () => {
    const last = state;
    state = read();
    if (state && (state.item >= items.length || (state.page && !(state.page in data.pages)))) state = null;
    const isSame = last && state && last.page === state.page && JSON.stringify(last.facts) === JSON.stringify(state.facts);
    if (!isSame) filter();
    if (state && state.item !== undefined) { show(state.item); return; }
    if ($("viewer").open) {
      $("viewer").close();
      if (last && last.item !== undefined) figures[last.item].querySelector("button").focus();
    } else if (state && !isSame) {
      $("gallery-title").focus({ preventScroll: true });
      $("gallery").scrollIntoView();
    } else if (last && !state && before && location.hash !== "#gallery") before.focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);
  follow();
})();
