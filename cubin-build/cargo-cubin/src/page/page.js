"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { kernels, findings, curves, budgets, limiters, since, history } = data;
  const rowsAtOnce = 100;

  // Elements. Text is only ever text.

  const byId = (id) => document.getElementById(id);

  const put = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      element.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(Infinity)) {
      if (child !== null && child !== undefined) element.append(child);
    }
    return element;
  };
  const make = (name, attributes = {}, ...children) => put(document.createElement(name), attributes, children);
  const draw = (name, attributes = {}, ...children) =>
    put(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

  // Words.

  const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const counted = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
  const percent = (warps, most) => `${(Math.round((warps * 1000) / most) / 10).toString()} %`;
  const shape = (three) => three.join(" × ");
  const known = (value, show = number) => (value === null || value === undefined ? "?" : show(value));
  const words = { worse: "bad", signature: "bad", gone: "warn", new: "note", better: "good", renamed: "note", changed: "" };

  // Facts of a kernel.

  const share = (kernel) => (kernel.occupancy ? kernel.occupancy.warps / kernel.occupancy.max_warps : null);
  const change = (kernel) => (kernel.changed === undefined ? null : since.rows[kernel.changed]);
  // Files are looked at beside each other: a kernel is the same in the cubin for another target.
  const identity = (kernel) => [data.workspace ? kernel.group : "", kernel.name, kernel.types].join("\n");
  const errors = (kernel) => kernel.findings.filter((at) => findings[at].level === "deny").length;
  const budget = (kernel, key) => budgets[kernel.budgets].find((one) => one.key === key);
  const isOver = (kernel) => kernel.over.length > 0 || kernel.findings.length > 0;
  const stack = (kernel) =>
    kernel.stack !== null ? number(kernel.stack) : kernel.stack_status === "unbounded" ? "unbounded" : "?";
  const stackOrder = (kernel) => (kernel.stack !== null ? kernel.stack : kernel.stack_status === "unbounded" ? Infinity : null);
  const mostStack = Math.max(1, ...kernels.map((kernel) => kernel.stack || 0));
  const ranks = ["worse", "signature", "gone", "new", "better", "renamed", "changed"];

  kernels.forEach((kernel, at) => {
    kernel.at = at;
    kernel.text = [kernel.name, kernel.symbol, kernel.source || "", kernel.types || ""].join("\n").toLowerCase();
  });

  // The table's columns: how each is shown, and what it sorts by.

  const bar = (value, most, limit) => {
    if (value === null || value === undefined || !most) return null;
    const width = Math.min(100, (100 * value) / most);
    const over = limit !== undefined && value > limit;
    const filled = make("span");
    filled.style.width = `${width}%`;
    const marks = [filled];
    if (limit !== undefined && limit <= most) {
      const mark = make("i");
      mark.style.left = `calc(${(100 * limit) / most}% - 1px)`;
      marks.push(mark);
    }
    return make("span", { class: over ? "bar bad" : "bar", "aria-hidden": "true" }, marks);
  };

  const measured = (kernel, key, value, shown, scale) => {
    const own = budget(kernel, key);
    const limit = own ? own.most : undefined;
    const over = kernel.over.includes(key);
    const text = make("span", { class: over ? "over" : null }, shown);
    const of = limit === undefined ? null : make("span", { class: "by" }, `${over ? "over " : ""}budget ${number(limit)}`);
    return [text, bar(value, Math.max(scale, limit || 0), limit), of];
  };

  const columns = [
    {
      key: "name", title: "Kernel", sort: (kernel) => kernel.name,
      cell: (kernel) => [
        make("button", { class: "name mono", type: "button", "aria-expanded": "false", "aria-controls": `details-${kernel.at}` }, kernel.name),
        make("span", { class: "where" }, kernel.source || (groups.length > 1 ? kernel.group : kernel.types || "")),
      ],
    },
    { key: "target", title: "Target", sort: (kernel) => kernel.target, cell: (kernel) => kernel.target },
    {
      key: "registers", title: "Registers", number: true, sort: (kernel) => kernel.registers,
      cell: (kernel) => measured(kernel, "registers", kernel.registers, number(kernel.registers), 255),
    },
    {
      key: "stack", title: "Stack, bytes", number: true, sort: stackOrder,
      cell: (kernel) => measured(kernel, "stack", kernel.stack, stack(kernel), mostStack),
    },
    {
      key: "spills", title: "Spills, bytes", number: true, sort: (kernel) => kernel.spills,
      cell: (kernel) => make("span", { class: kernel.over.includes("spills") ? "over" : null }, known(kernel.spills)),
    },
    {
      key: "shared", title: "Shared, bytes", number: true, sort: (kernel) => kernel.shared,
      cell: (kernel) => measured(kernel, "static-shared", kernel.shared, number(kernel.shared), kernel.shared_limit || 49152),
    },
    {
      key: "occupancy", title: "Occupancy", number: true, sort: share,
      cell: (kernel) => {
        const found = kernel.occupancy;
        if (!found) return "?";
        return [
          percent(found.warps, found.max_warps),
          bar(found.warps, found.max_warps),
          make("span", { class: "by" }, `${found.limited_by.join(", ")} at ${found.block}`),
        ];
      },
    },
    { key: "fp64", title: "FP64", number: true, sort: (kernel) => (kernel.mix ? kernel.mix.fp64 : null), cell: (kernel) => known(kernel.mix && kernel.mix.fp64) },
    {
      key: "change", title: "Since baseline", sort: (kernel) => (change(kernel) ? ranks.length - ranks.indexOf(change(kernel).status) : 0),
      cell: (kernel) => {
        const row = change(kernel);
        if (!row) return null;
        const first = row.figures.find((one) => one.worse === (row.status === "worse")) || row.figures[0];
        const more = first ? make("span", { class: "by" }, `${first.name} ${first.before} → ${first.after}`) : null;
        return [make("span", { class: `tag ${words[row.status]}` }, row.status), more];
      },
    },
    {
      key: "findings", title: "Findings", sort: (kernel) => errors(kernel) * 1000 + kernel.findings.length,
      cell: (kernel) => {
        const bad = errors(kernel);
        const others = kernel.findings.length - bad;
        return [
          bad ? make("span", { class: "tag bad" }, counted(bad, "error")) : null,
          others ? make("span", { class: "tag warn" }, counted(others, "warning")) : null,
        ];
      },
    },
  ].filter((column) => {
    if (column.key === "change") return since !== null;
    if (column.key === "findings") return findings.length > 0;
    if (column.key === "fp64") return kernels.some((kernel) => kernel.mix);
    return true;
  });

  // What is chosen.

  const groups = [...new Set(kernels.map((kernel) => kernel.group))];
  const targets = [...new Set(kernels.map((kernel) => kernel.target))].sort(compare);
  const shows = [
    ["", "All kernels", () => true],
    ["over", "With findings or over budget", isOver],
    ["worse", "Worse than the baseline", (kernel) => change(kernel) && change(kernel).status === "worse"],
    ["differs", "Different from the baseline", (kernel) => change(kernel) !== null],
    ["new", "New", (kernel) => change(kernel) && change(kernel).status === "new"],
    ["better", "Better", (kernel) => change(kernel) && change(kernel).status === "better"],
    ["signature", "Other parameters", (kernel) => change(kernel) && change(kernel).signature !== undefined],
    ["fp64", "With FP64 instructions", (kernel) => kernel.mix && kernel.mix.fp64 > 0],
    ["spills", "With spills", (kernel) => kernel.spills > 0],
  ].filter(([key, , takes]) => key === "" || kernels.some(takes));
  const state = { column: null, ascending: true, shown: [], open: new Set(), rendered: 0 };
  const field = (id) => byId(id).value;

  function compare(a, b) {
    if (a === b) return 0;
    // What is not known comes last, whichever the order.
    if (a === null || a === undefined) return 2;
    if (b === null || b === undefined) return -2;
    if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true }) < 0 ? -1 : 1;
    return a < b ? -1 : 1;
  }

  const choose = () => {
    const wanted = field("search").toLowerCase().split(/\s+/).filter(Boolean);
    const [target, group] = [field("target"), field("group")];
    const takes = (shows.find(([key]) => key === field("show")) || shows[0])[2];
    state.shown = kernels.filter(
      (kernel) =>
        (!target || kernel.target === target) &&
        (!group || kernel.group === group) &&
        wanted.every((word) => kernel.text.includes(word)) &&
        takes(kernel),
    );
    if (state.column) {
      const keyed = state.shown.map((kernel) => [state.column.sort(kernel), kernel]);
      const way = state.ascending ? 1 : -1;
      keyed.sort(([a, one], [b, other]) => {
        const found = compare(a, b);
        return (Math.abs(found) === 2 ? found / 2 : found * way) || one.at - other.at;
      });
      state.shown = keyed.map(([, kernel]) => kernel);
    }
    render();
  };

  // Rows: a hundred, and the next hundred when the end comes into view.

  const rowOf = (kernel) => {
    const open = state.open.has(kernel);
    const row = make("tr", { role: "row", class: open ? "open" : null, "data-at": kernel.at });
    columns.forEach((column, at) => {
      const content = [column.cell(kernel)].flat().filter((child) => child !== null && child !== undefined);
      const cell = make(
        at === 0 ? "th" : "td",
        {
          role: at === 0 ? "rowheader" : "cell",
          scope: at === 0 ? "row" : null,
          class: `c-${column.key}${column.number ? " number" : ""}${content.length ? "" : " none"}`,
          "data-label": column.title,
        },
        content,
      );
      row.append(cell);
    });
    row.querySelector(".name").setAttribute("aria-expanded", String(open));
    return row;
  };

  const detailRow = (kernel) =>
    make(
      "tr",
      { role: "row", class: "details", id: `details-${kernel.at}` },
      make("td", { role: "cell", colspan: columns.length }, details(kernel)),
    );

  const append = (count) => {
    const part = document.createDocumentFragment();
    const end = Math.min(state.shown.length, state.rendered + count);
    for (const kernel of state.shown.slice(state.rendered, end)) {
      part.append(rowOf(kernel));
      if (state.open.has(kernel)) part.append(detailRow(kernel));
    }
    byId("rows").append(part);
    state.rendered = end;
    byId("more").hidden = end === state.shown.length;
    byId("more").textContent = `Show ${number(Math.min(rowsAtOnce, state.shown.length - end))} more`;
  };

  const render = () => {
    byId("rows").replaceChildren();
    state.rendered = 0;
    append(rowsAtOnce);
    const all = kernels.length;
    const some = state.shown.length;
    byId("count").textContent = some === all ? counted(all, "kernel image") : `${number(some)} of ${counted(all, "kernel image")}`;
    byId("table").setAttribute("aria-rowcount", String(some + 1));
  };

  const toggle = (kernel) => {
    const row = byId("rows").querySelector(`tr[data-at="${kernel.at}"]`);
    const open = !state.open.has(kernel);
    if (open) {
      state.open.add(kernel);
      row.after(detailRow(kernel));
    } else {
      state.open.delete(kernel);
      byId(`details-${kernel.at}`).remove();
    }
    row.classList.toggle("open", open);
    row.querySelector(".name").setAttribute("aria-expanded", String(open));
  };

  const sortBy = (column, ascending) => {
    state.column = column;
    state.ascending = ascending;
    for (const [at, head] of [...byId("head").children].entries()) {
      const own = columns[at] === column;
      head.setAttribute("aria-sort", own ? (ascending ? "ascending" : "descending") : "none");
    }
    byId("order").value = column ? `${column.key} ${ascending ? "up" : "down"}` : "";
    choose();
  };

  // Details.

  const part = (title, attributes, ...children) => make("section", attributes, make("h3", {}, title), ...children);

  const grid = (heads, rows) => {
    const cells = (tag, values) =>
      values.map((value, at) =>
        make(tag === "td" && at === 0 ? "th" : tag, {
          scope: tag === "th" ? "col" : at === 0 ? "row" : null,
          class: heads[at].startsWith("#") ? "number" : null,
        }, value));
    return make(
      "table",
      {},
      make("thead", {}, make("tr", {}, cells("th", heads.map((head) => head.replace("#", ""))))),
      make("tbody", {}, rows.map((row) => make("tr", {}, cells("td", row)))),
    );
  };

  const list = (pairs) =>
    make("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

  const facts = (kernel) =>
    list([
      ["Symbol", make("code", {}, kernel.symbol)],
      ["Source", kernel.source ? make("code", {}, kernel.source) : null],
      [groups.length > 1 || !kernel.source ? "From" : "Package", kernel.group],
      ["Toolkit", kernel.toolkit],
      ["Largest block", kernel.max_threads && shape(kernel.max_threads)],
      ["Required block", kernel.required_threads && shape(kernel.required_threads)],
      ["Cluster", kernel.cluster && shape(kernel.cluster)],
      ["Most blocks per cluster", kernel.max_cluster_rank],
      ["Register cap", kernel.max_registers],
      ["Dynamic shared memory", kernel.dynamic_shared === null ? null : kernel.dynamic_shared ? "used" : "not used"],
      ["Local memory", counted(kernel.local, "byte")],
      ["Constant banks", Object.entries(kernel.constant).map(([bank, bytes]) => `${bank}: ${counted(bytes, "byte")}`).join(", ")],
      ["Barriers", kernel.barriers],
      ["Code", counted(kernel.code, "byte")],
      ["Calls", kernel.externs.join(", ")],
    ]);

  const parameters = (kernel) => {
    if (kernel.params === null) return make("p", { class: "soft" }, "The file does not record them.");
    if (kernel.params.length === 0) return make("p", { class: "soft" }, "It has none.");
    const rows = kernel.params.map(([offset, size], at) => [String(at), number(offset), number(size)]);
    return [grid(["Number", "#Offset, bytes", "#Size, bytes"], rows), make("p", { class: "soft" }, `${known(kernel.param_bytes)} bytes in all`)];
  };

  const findingOf = (finding) =>
    make(
      "div",
      { class: `finding${finding.level === "deny" ? "" : " warn"}` },
      make("p", {}, make("strong", {}, `${finding.level === "deny" ? "error" : "warning"}: ${finding.code}`)),
      make("p", {}, finding.message),
      finding.labels.map(([place, text]) => make("p", { class: "soft" }, make("code", {}, place), text ? ` ${text}` : "")),
      finding.notes.map((text) => make("p", { class: "soft" }, `note: ${text}`)),
      finding.help.map((text) => make("pre", {}, `help: ${text}`)),
    );

  const stretches = (kernel) => {
    const own = history.stretches.filter((one) => one.kernel === kernel.name && one.package === kernel.group);
    const last = history.runs.length - 1;
    return own.map((one) => {
      const runs = counted(one.last - one.first + 1, "run");
      const first = history.runs[one.first];
      const text =
        one.last === last
          ? `since ${first} (${runs})`
          : `${first}${one.last > one.first ? ` to ${history.runs[one.last]}` : ""} (${runs}), gone in ${history.runs[one.last + 1]}`;
      return make("li", {}, make("code", {}, one.code), ` ${text}`);
    });
  };

  const judged = (kernel) => {
    const own = kernel.findings.map((at) => findingOf(findings[at]));
    const past = stretches(kernel);
    if (!own.length && !past.length) return null;
    const earlier = history.runs.length > 1 && past.length ? [make("h3", {}, "History"), make("ul", {}, past)] : [];
    return part("Findings", { class: "wide" }, own.length ? own : make("p", { class: "soft" }, "None in this run."), earlier);
  };

  const limits = (kernel) => {
    const own = budgets[kernel.budgets];
    if (!own.length) return null;
    const rows = own.map((one) => [make("code", {}, one.key), make("code", {}, one.limit), one.level, [make("code", {}, one.place), one.reason ? ` ${one.reason}` : ""]]);
    const table = grid(["Budget", "Limit", "Level", "Set by"], rows.map((row) => row.map((cell) => (Array.isArray(cell) ? make("span", {}, cell) : cell))));
    return part("Budgets", {}, table);
  };

  const differences = (kernel) => {
    const row = change(kernel);
    if (!row) return null;
    const way = (one) => (one.worse === null ? "neither" : one.worse ? make("span", { class: "tag bad" }, "worse") : make("span", { class: "tag good" }, "better"));
    const rows = row.figures.map((one) => [one.name, one.before, one.after, way(one)]);
    return part(
      "Since the baseline",
      {},
      make("p", {}, make("span", { class: `tag ${words[row.status]}` }, row.status)),
      row.renamed_from ? make("p", {}, "It was called ", make("code", {}, row.renamed_from), ".") : null,
      row.signature ? make("p", {}, row.signature) : null,
      rows.length ? grid(["Figure", "#Before", "#After", "Judged"], rows) : null,
    );
  };

  // Classes of instructions, in few colours.
  const families = [
    ["Double precision", "s7", ["fp64"]],
    ["Single and half precision", "s1", ["fp32", "half", "special"]],
    ["Tensor cores", "s4", ["tensor", "tensor_data"]],
    ["Integer, moves, conversion", "s3", ["integer", "conversion", "move", "uniform"]],
    ["Memory", "s2", ["load", "store", "async_copy", "atomic", "texture"]],
    ["Control and exchange", "s5", ["branch", "call", "barrier", "shuffle"]],
  ];

  const mixOf = (kernel) => {
    const mix = kernel.mix;
    if (!mix) return part("Instructions", {}, make("p", { class: "soft" }, "They are not known for this target, or the cubin was not at hand."));
    const left = ["padding", "never"];
    const executed = mix.classes.filter(([name]) => !left.includes(name));
    const inFamily = new Set(families.flatMap(([, , names]) => names));
    const sums = families.map(([title, colour, names]) => [title, colour, executed.filter(([name]) => names.includes(name)).reduce((sum, [, count]) => sum + count, 0)]);
    sums.push(["Other", "s6", executed.filter(([name]) => !inFamily.has(name)).reduce((sum, [, count]) => sum + count, 0)]);
    const present = sums.filter(([, , count]) => count > 0);
    const stacked = make("div", { class: "stacked", "aria-hidden": "true" }, present.map(([, colour, count]) => {
      const piece = make("span", { class: colour });
      piece.style.flex = `${count} 0 0`;
      return piece;
    }));
    const legend = make("ul", { class: "legend" }, present.map(([title, colour, count]) => make("li", {}, make("span", { class: `swatch ${colour}`, "aria-hidden": "true" }), `${title} ${percent(count, mix.total)}`)));
    const loops = mix.in_loops === null ? "loops are not known" : `${number(mix.in_loops)} in loops`;
    const classes = grid(["Class", "#All", "#In loops"], mix.classes.map(([name, all, inLoops]) => [name.replace("_", " "), number(all), mix.in_loops === null ? "?" : number(inLoops)]));
    const accesses = mix.accesses.length ? grid(["Access", "#Number"], mix.accesses.map(([name, count]) => [name, number(count)])) : null;
    return part(
      "Instructions",
      { class: "wide" },
      make("p", {}, `${counted(mix.total, "instruction")}, ${loops}, ${number(mix.fp64)} with double precision`),
      stacked,
      legend,
      make("div", { class: "columns" }, make("div", {}, classes), make("div", {}, accesses)),
    );
  };

  // Occupancy against block size: a curve for each architecture of the kernel.

  const chart = (kernel) => {
    const own = identity(kernel);
    const of = [kernel, ...kernels.filter((one) => one !== kernel && one.occupancy && identity(one) === own)];
    if (!kernel.occupancy) return part("Occupancy", {}, make("p", { class: "soft" }, "The limits of this target are not known."));
    const seen = new Set();
    const lines = of
      .filter((one) => !seen.has(one.target) && seen.add(one.target))
      .map((one, at) => ({ kernel: one, curve: curves[one.occupancy.curve], colour: `s${(at % 8) + 1}` }));
    const { step, warps: sizes } = lines[0].curve;
    const width = Math.max(300, Math.min(720, document.documentElement.clientWidth - 60));
    const [height, left, right, top] = [230, 50, 18, 10];
    const strip = 14;
    const steps = sizes.length;
    const x = (at) => left + ((width - left - right) * (at + 1)) / steps;
    const y = (part) => top + height * (1 - part);
    const bottom = top + height;
    const svg = draw("svg", { viewBox: `0 0 ${width} ${bottom + 34 + lines.length * (strip + 6)}`, role: "img" });
    const title = `Occupancy of ${kernel.name} against threads per block on ${lines.map((line) => line.kernel.target).join(", ")}`;
    svg.append(draw("title", {}, title));
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: y(part), y2: y(part) }));
      svg.append(draw("text", { x: left - 6, y: y(part) + 4, "text-anchor": "end" }, `${part * 100} %`));
    }
    const every = width < 500 ? 8 : 4;
    for (let at = every - 1; at < steps; at += every) {
      svg.append(draw("text", { x: x(at), y: bottom + 18, "text-anchor": "middle" }, String((at + 1) * step)));
    }
    const dashes = ["", "7 4", "2 3", "9 3 2 3"];
    lines.forEach((line, nth) => {
      const points = line.curve.warps.map((warps, at) => `${x(at).toFixed(1)},${y(warps / line.curve.max_warps).toFixed(1)}`);
      svg.append(draw("polyline", { class: `curve ${line.colour}`, points: points.join(" "), "stroke-dasharray": dashes[nth % 4] || null }));
      // What limits, as a strip of pieces below.
      const row = bottom + 30 + nth * (strip + 6);
      svg.append(draw("text", { x: left - 6, y: row + 11, "text-anchor": "end" }, line.kernel.target));
      const first = (bits) => limiters.findIndex((_, at) => bits & (1 << at));
      const gap = (width - left - right) / steps;
      for (let at = 0; at < steps; ) {
        const limit = first(line.curve.limits[at]);
        let end = at;
        while (end < steps && first(line.curve.limits[end]) === limit) end += 1;
        const piece = draw("rect", { class: `piece l${limit + 1}`, x: x(at) - gap / 2, y: row, width: Math.max(1, (end - at) * gap - 1), height: strip });
        piece.append(draw("title", {}, `${line.kernel.target}: ${limiters[limit] || "nothing"} limit from ${(at + 1) * line.curve.step} to ${end * line.curve.step} threads`));
        svg.append(piece);
        at = end;
      }
    });
    const cursor = draw("line", { class: "cursor", y1: top, y2: bottom });
    const dots = lines.map((line) => draw("circle", { class: `dot ${line.colour}`, r: 4 }));
    svg.append(cursor, ...dots);

    const id = `block-${kernel.at}`;
    const slider = make("input", { type: "range", id, min: step, max: steps * step, step: step });
    const output = make("output", { for: id, class: "mono" });
    const told = make("ul", { class: "legend" });
    const at = () => Math.round(Number(slider.value) / step) - 1;
    const tell = () => {
      const here = at();
      output.textContent = `${slider.value} threads`;
      cursor.setAttribute("x1", x(here));
      cursor.setAttribute("x2", x(here));
      const texts = lines.map((line, nth) => {
        const warps = line.curve.warps[here];
        dots[nth].setAttribute("cx", x(here));
        dots[nth].setAttribute("cy", y(warps / line.curve.max_warps));
        const by = limiters.filter((_, bit) => line.curve.limits[here] & (1 << bit)).join(", ");
        return [line, `${line.kernel.target}: ${percent(warps, line.curve.max_warps)}, ${warps} of ${line.curve.max_warps} warps, limited by ${by || "nothing"}`];
      });
      told.replaceChildren(...texts.map(([line, text]) => make("li", {}, make("span", { class: `swatch ${line.colour}`, "aria-hidden": "true" }), text)));
      slider.setAttribute("aria-valuetext", `${slider.value} threads; ${texts.map(([, text]) => text).join("; ")}`);
    };
    slider.value = String(kernel.occupancy.block);
    slider.addEventListener("input", tell);
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const place = ((event.clientX - box.left) / box.width) * width;
      const nearest = Math.round(((place - left) / (width - left - right)) * steps);
      slider.value = String(Math.min(steps, Math.max(1, nearest)) * step);
      tell();
    });
    tell();
    const used = new Set(lines.flatMap((line) => line.curve.limits.map((bits) => limiters.findIndex((_, bit) => bits & (1 << bit)))));
    const legend = make("ul", { class: "legend" }, make("li", { class: "soft" }, "Limited by"), limiters.map((name, bit) => (used.has(bit) ? make("li", {}, make("span", { class: `swatch l${bit + 1}`, "aria-hidden": "true" }), name) : null)));
    const gain = kernel.occupancy.gain;
    const block = kernel.occupancy.declared ? "the block that the source declares" : "the source declares no block";
    return part(
      "Occupancy against block size",
      { class: "wide chart" },
      make("p", { class: "soft" }, `${kernel.occupancy.block} threads: ${block}.`,
        gain ? ` With ${number(gain.less)} ${gain.of} less it would be ${percent(gain.warps, kernel.occupancy.max_warps)}.` : ""),
      svg,
      legend,
      make("p", { class: "slider" }, make("label", { for: id }, "Threads per block"), slider, output),
      told,
    );
  };

  const details = (kernel) =>
    make(
      "div",
      { class: "detail" },
      make("p", { class: "wide signature mono" }, `${kernel.name}${kernel.types || ""}`),
      judged(kernel),
      part("Facts", {}, facts(kernel)),
      part("Parameters", {}, parameters(kernel)),
      limits(kernel),
      differences(kernel),
      chart(kernel),
      mixOf(kernel),
    );

  // The page around the table.

  const tiles = () => {
    const names = new Set(kernels.map(identity));
    const over = kernels.filter(isOver).length;
    const worse = since ? since.rows.filter((row) => row.status === "worse").length : null;
    const all = [
      ["Kernels", number(names.size), ""],
      ["Targets", number(targets.length), ""],
      ["Errors", number(data.errors), data.errors ? "bad" : "good"],
      ["Warnings", number(data.warnings), data.warnings ? "warn" : ""],
      ["Over budget", number(over), over ? "bad" : "good"],
      worse === null ? null : ["Worse", number(worse), worse ? "bad" : "good"],
    ];
    for (const [name, value, kind] of all.filter(Boolean)) {
      byId("tiles").append(make("div", {}, make("dt", {}, name), make("dd", { class: kind || null }, value)));
    }
  };

  const sinceSection = () => {
    if (!since) return;
    byId("since").hidden = false;
    byId("since-title").textContent = `Since ${since.title}`;
    const shown = { worse: "worse", new: "new", better: "better" };
    const chips = ranks
      .map((status) => [status, since.rows.filter((row) => row.status === status).length])
      .filter(([status, count]) => count > 0 && status !== "gone")
      .map(([status, count]) => {
        const text = `${number(count)} ${status === "signature" ? "with other parameters" : status}`;
        const key = shown[status] || (status === "signature" ? "signature" : "differs");
        const chip = make("button", { type: "button", "data-show": key, "aria-pressed": "false" }, text);
        chip.addEventListener("click", () => {
          byId("show").value = field("show") === key ? "" : key;
          choose();
          press();
        });
        return make("li", {}, chip);
      });
    const body = byId("since-body");
    body.append(make("ul", { class: "chips" }, chips, make("li", { class: "soft" }, `${number(since.same)} the same`)));
    const gone = since.rows.filter((row) => row.status === "gone");
    if (gone.length) {
      body.append(make("details", { class: "gone" }, make("summary", {}, `${number(gone.length)} gone`), make("ul", { tabindex: "0", "aria-label": "Kernels that are gone" }, gone.map((row) => make("li", {}, make("code", {}, row.name), ` on ${row.target}`)))));
    }
  };

  const press = () => {
    for (const chip of document.querySelectorAll("[data-show]")) {
      chip.setAttribute("aria-pressed", String(chip.dataset.show === field("show")));
    }
  };

  const generalSection = () => {
    const general = findings.filter((finding) => !finding.kernel || !kernels.some((kernel) => kernel.name === finding.kernel));
    if (!general.length) return;
    byId("general").hidden = false;
    byId("general-body").className = "detail";
    byId("general-body").append(...general.map(findingOf));
  };

  const themes = () => {
    const theme = byId("theme");
    const apply = () => {
      if (theme.value) document.documentElement.dataset.theme = theme.value;
      else delete document.documentElement.dataset.theme;
    };
    theme.addEventListener("change", () => {
      apply();
      try {
        localStorage.setItem("cubin-theme", theme.value);
      } catch {
        // A page opened as a file may have no storage; then it is forgotten.
      }
    });
    try {
      theme.value = localStorage.getItem("cubin-theme") || "";
    } catch {
      theme.value = "";
    }
    apply();
  };

  const options = (id, entries) => byId(id).append(...entries.map(([value, text]) => make("option", { value }, text)));

  tiles();
  sinceSection();
  generalSection();
  themes();
  byId("about").textContent = `${counted(kernels.length, "kernel image")}, run ${data.label}`;
  options("target", targets.map((target) => [target, target]));
  options("group", groups.map((group) => [group, group]));
  byId("group-field").hidden = groups.length < 2;
  options("show", shows.map(([key, text]) => [key, text]));
  options("order", [["", "As built"], ...columns.flatMap((column) => [[`${column.key} down`, `${column.title}, most first`], [`${column.key} up`, `${column.title}, least first`]])]);
  for (const column of columns) {
    const head = make("button", { type: "button" }, column.title);
    head.addEventListener("click", () => {
      // Numbers: most first, since that is what is looked for.
      const first = !column.number && !["change", "findings"].includes(column.key);
      sortBy(column, state.column === column ? !state.ascending : first);
    });
    byId("head").append(make("th", { role: "columnheader", scope: "col", class: `c-${column.key}${column.number ? " number" : ""}`, "aria-sort": "none" }, head));
  }
  byId("order").addEventListener("change", () => {
    const [key, way] = field("order").split(" ");
    sortBy(columns.find((column) => column.key === key) || null, way === "up");
  });
  let typing;
  byId("search").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(choose, 80);
  });
  for (const id of ["target", "group", "show"]) {
    byId(id).addEventListener("change", () => {
      choose();
      press();
    });
  }
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", () => {
    setTimeout(() => {
      sortBy(null, true);
      press();
    });
  });
  byId("rows").addEventListener("click", (event) => {
    const name = event.target.closest(".name");
    if (name) toggle(kernels[Number(name.closest("tr").dataset.at)]);
  });
  byId("more").addEventListener("click", () => append(rowsAtOnce));
  if ("IntersectionObserver" in window) {
    new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) && !byId("more").hidden) append(rowsAtOnce);
    }, { rootMargin: "600px" }).observe(byId("more"));
  }
  // Paper has no end that comes into view.
  window.addEventListener("beforeprint", () => append(Infinity));
  choose();
})();
