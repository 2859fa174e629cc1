// Parts of the page that explorers are made of: elements, editable matrices, and grids of results to walk through.

/** An element with properties, attributes (names with a dash, `role`, `for`, `scope`), listeners (`on…`) and children. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.includes("-") || ["role", "for", "scope"].includes(name)) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

let made = 0;

/** An id that no other explorer on the page has. */
export const freshId = (name) => `explorer-${name}-${(made += 1)}`;

/** A button, with more properties if need be. */
export const button = (text, pressed, properties = {}) =>
  element("button", { type: "button", onclick: pressed, ...properties }, text);

/** Parts that belong together, with a name that is read aloud. */
export const group = (label, ...nodes) =>
  element("div", { className: "explorer-row", role: "group", "aria-label": label }, ...nodes);

/** A table of cells with a caption; `cell(i, j)` is what stands in one, a text or a node. */
export function table({ title, letter, role, rowNames, columns, cell, attributes = {} }) {
  const id = freshId("caption");
  const shape = element("span", { className: "explorer-shape" }, `${rowNames.length} × ${columns.length}`);
  const caption = element("caption", { id }, `${title} `, element("span", { className: `role-${role}` }, letter), " ", shape);
  const corner = element("th", { scope: "col" }, element("span", { className: "explorer-hidden" }, "row"));
  const head = element("tr", {}, corner, ...columns.map((name) => element("th", { scope: "col" }, name)));
  const rows = rowNames.map((name, i) =>
    element("tr", {}, element("th", { scope: "row" }, name), ...columns.map((_, j) => element("td", {}, cell(i, j)))),
  );
  return element(
    "table",
    { className: `explorer-matrix explorer-${role}`, "aria-labelledby": id, ...attributes },
    caption,
    element("thead", {}, head),
    element("tbody", {}, ...rows),
  );
}

/**
 * A matrix of number fields.
 *
 * `changed(i, j, value)` is called for each number typed; `settled(i, j, value)` when the reader leaves or steps a
 * field, with `null` if what stands there is not a number within ±`limit`: the field then shows the last good one.
 */
export function editor({ title, letter, role, noun, rowNames, values, limit, changed, settled }) {
  let known = values;
  const numberIn = (field) => {
    const number = field.value.trim() === "" ? NaN : Number(field.value);
    return Math.abs(number) <= limit ? number : null;
  };
  const field = (i, j) =>
    element("input", {
      type: "number",
      step: "0.5",
      value: String(values[i][j]),
      "aria-label": `${noun} of ${rowNames[i]}, component ${j + 1}`,
      oninput: ({ target }) => {
        const number = numberIn(target);
        target.setAttribute("aria-invalid", String(number === null));
        if (number !== null) changed(i, j, number);
      },
      onchange: ({ target }) => {
        const number = numberIn(target);
        if (number === null) target.value = String(known[i][j]);
        target.removeAttribute("aria-invalid");
        settled(i, j, number);
      },
    });
  const fields = values.map((row, i) => row.map((_, j) => field(i, j)));
  const columns = values[0].map((_, j) => String(j + 1));
  const node = table({ title, letter, role, rowNames, columns, cell: (i, j) => fields[i][j] });
  return {
    node,
    cell: (i, j) => fields[i][j].parentElement,
    /** Show these values; the field that is being typed in keeps its text while that text means its value. */
    show(matrix) {
      known = matrix;
      fields.forEach((row, i) =>
        row.forEach((one, j) => {
          if (numberIn(one) !== matrix[i][j]) one.value = String(matrix[i][j]);
        }),
      );
    },
  };
}

const modified = (event) => event.ctrlKey || event.metaKey || event.altKey;
const within = (n, last) => Math.min(Math.max(n, 0), last);

const SIDEWAYS = { ArrowLeft: -1, ArrowRight: 1 };

/** Where a key leads in a row of `count` things, from place `at`; null if nowhere, and the key is left to the page. */
export function stepTo(event, at, count, steps = SIDEWAYS) {
  const to = event.key in steps ? at + steps[event.key] : { Home: 0, End: count - 1 }[event.key];
  if (to === undefined || modified(event)) return null;
  event.preventDefault();
  return within(to, count - 1);
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Focus the cell that a key leads to from row i, column j of a table of them. */
function walkTable(event, cells, i, j) {
  const last = [cells.length - 1, cells[0].length - 1];
  const [down, right] = STEPS[event.key] ?? [0, { Home: -j, End: last[1] - j }[event.key]];
  if (right === undefined || modified(event)) return;
  event.preventDefault();
  cells[within(i + down, last[0])][within(j + right, last[1])].focus();
}

/**
 * A matrix of results, one stop of the Tab key; the arrow keys, Home and End walk through it.
 *
 * `looked(i, j)` is called when a cell is focused or pointed at, `left()` when the pointer goes away. `describedBy` is
 * the id of the element that explains the cell looked at.
 */
export function grid({ title, letter, role, rowNames, columns, describedBy, looked, left }) {
  const node = table({
    title, letter, role, rowNames, columns, cell: () => "", attributes: { role: "grid", "aria-readonly": "true" },
  });
  const cells = [...node.tBodies[0].rows].map((row) => [...row.cells].slice(1));
  let stop = cells[0][0];
  const makeStop = (cell) => {
    stop.tabIndex = -1;
    stop = cell;
    stop.tabIndex = 0;
  };
  cells.forEach((row, i) =>
    row.forEach((cell, j) => {
      cell.tabIndex = -1;
      cell.setAttribute("role", "gridcell");
      cell.setAttribute("aria-describedby", describedBy);
      cell.addEventListener("focus", () => {
        makeStop(cell);
        looked(i, j, true);
      });
      cell.addEventListener("pointerenter", () => looked(i, j, false));
      cell.addEventListener("pointerleave", () => left());
      cell.addEventListener("keydown", (event) => walkTable(event, cells, i, j));
    }),
  );
  makeStop(stop);
  return {
    node,
    cell: (i, j) => cells[i][j],
    /** `text(value, i, j)` is what a cell shows; `bar(value)`, if given, the share of it that is filled. */
    show(matrix, text, bar = null) {
      cells.forEach((row, i) =>
        row.forEach((cell, j) => {
          cell.textContent = text(matrix[i][j]);
          cell.dataset.value = String(matrix[i][j]);
          if (bar) cell.style.setProperty("--share", String(bar(matrix[i][j])));
        }),
      );
    },
  };
}

/** A labelled check box. */
export function toggle(label, checked, changed) {
  const box = element("input", { type: "checkbox", checked, onchange: ({ target }) => changed(target.checked) });
  return { node: element("label", { className: "explorer-toggle" }, box, " ", label), show: (on) => (box.checked = on) };
}

/**
 * A labelled slider over `stops`, a list of values; `text(value)` is how one of them reads, on the page and aloud.
 *
 * `changed(value)` is called while the slider moves, `settled(value)` once it rests.
 */
export function slider({ label, stops, value, text = String, changed, settled = () => {} }) {
  const id = freshId("slider");
  const said = element("output", { for: id, className: "explorer-said" });
  const input = element("input", {
    type: "range", id, min: "0", max: String(stops.length - 1), step: "1",
    oninput: () => {
      say();
      changed(stops[Number(input.value)]);
    },
    onchange: () => settled(stops[Number(input.value)]),
  });
  const say = () => {
    said.textContent = text(stops[Number(input.value)]);
    input.setAttribute("aria-valuetext", said.textContent);
  };
  const show = (now) => {
    const nearest = stops.reduce((best, stop, n) => (Math.abs(stop - now) < Math.abs(stops[best] - now) ? n : best), 0);
    input.value = String(nearest);
    say();
  };
  show(value);
  return { node: element("div", { className: "explorer-slider" }, element("label", { for: id }, label), input, said), show };
}

/** A labelled choice: `options` are pairs of a value (a string) and how it reads. */
export function choice({ label, options, value, changed }) {
  const id = freshId("choice");
  const select = element("select", { id, onchange: ({ target }) => changed(target.value) });
  select.append(...options.map(([name, reads]) => element("option", { value: name }, reads)));
  const show = (now) => (select.value = now);
  show(value);
  return { node: element("div", { className: "explorer-choice" }, element("label", { for: id }, label), " ", select), show };
}

/**
 * A table of cells to switch on and off, one stop of the Tab key; the arrow keys, Home and End walk through it.
 *
 * `says(i, j)` names a cell, such as "like may attend to cats"; whether it is true tells `aria-pressed`. `toggled(i, j)`
 * is called on a click, Enter or Space.
 */
export function board({ title, letter, role, rowNames, columns, says, toggled }) {
  const made = (i, j) =>
    button("", () => toggled(i, j), {
      className: "explorer-cell", tabIndex: i + j === 0 ? 0 : -1, "aria-label": says(i, j),
      onkeydown: (event) => walkTable(event, cells, i, j),
      onfocus: ({ target }) => {
        for (const one of cells.flat()) one.tabIndex = -1;
        target.tabIndex = 0;
      },
    });
  const cells = rowNames.map((_, i) => columns.map((_, j) => made(i, j)));
  const node = table({ title, letter, role, rowNames, columns, cell: (i, j) => cells[i][j] });
  return {
    node,
    cell: (i, j) => cells[i][j],
    /** Show a matrix of booleans. */
    show(on) {
      cells.forEach((row, i) =>
        row.forEach((cell, j) => {
          cell.setAttribute("aria-pressed", String(on[i][j]));
          cell.textContent = on[i][j] ? "■" : "·";
        }),
      );
    },
  };
}
