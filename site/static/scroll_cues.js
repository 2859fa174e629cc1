// What is wider than its place scrolls by itself: this says so at its edge, and lets the keyboard reach it. On a phone a
// table that is too wide turns into blocks, one per row, so that no column is out of sight.
(() => {
  "use strict";
  const WIDE = "pre, mjx-container[display], .output.text_html, .pst-scrollable-table-container, .figure-drawing, .explorer-matrix, .live-tree";
  const PHONE = matchMedia("(max-width: 36rem)");

  /** Says at which edges of an element there is more: data-more holds "left", "right", both, or is not there. */
  function mark(element) {
    const hidden = element.scrollWidth - element.clientWidth;
    const scrolls = hidden > 1 && ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
    const more = scrolls ? [element.scrollLeft > 1 && "left", element.scrollLeft < hidden - 1 && "right"] : [];
    const said = more.filter(Boolean).join(" ");
    if (said) element.dataset.more = said;
    else delete element.dataset.more;
    if (scrolls && element.tabIndex < 0) element.tabIndex = 0;
  }

  /** Puts the heading of its column before each cell, for `as-blocks` in book.css to show. */
  function name(table) {
    const headings = [...table.tHead.rows[0].cells];
    for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
      [...row.cells].forEach((cell, column) => {
        const [content, heading] = [document.createElement("span"), document.createElement("span")];
        content.className = "cell-content";
        content.append(...cell.childNodes);
        heading.className = "cell-heading";
        heading.setAttribute("aria-hidden", "true");
        heading.append(...[...headings[column].childNodes].map((node) => node.cloneNode(true)));
        heading.querySelectorAll("[id], [tabindex]").forEach((one) => ["id", "tabindex"].forEach((it) => one.removeAttribute(it)));
        cell.append(heading, content);
      });
    }
    const roles = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", "thead th": "columnheader", td: "cell" };
    table.setAttribute("role", roles.table); // what is shown as blocks is still a table to those who hear it
    for (const [part, role] of Object.entries(roles)) table.querySelectorAll(part).forEach((one) => one.setAttribute("role", role));
    table.querySelectorAll("tbody th").forEach((one) => one.setAttribute("role", "rowheader"));
  }

  /** Whether each row of a table has one cell for each heading of its only row of headings. */
  function plain(table) {
    const columns = table.tHead?.rows.length === 1 && table.tHead.rows[0].cells.length;
    const rows = [...table.rows];
    return columns > 1 && rows.every((row) => row.cells.length === columns && [...row.cells].every((cell) => cell.colSpan * cell.rowSpan === 1));
  }

  function fit(table) {
    table.classList.remove("as-blocks");
    if (!PHONE.matches || table.offsetWidth <= table.parentElement.clientWidth + 1) return;
    if (!table.querySelector(".cell-heading")) name(table);
    table.classList.add("as-blocks");
  }

  function look() {
    document.querySelectorAll(".bd-article table.table").forEach((table) => plain(table) && fit(table));
    const found = [...document.querySelectorAll(".bd-article")].flatMap((article) => [...article.querySelectorAll(WIDE)]);
    found.forEach((element) => {
      sizes.observe(element);
      mark(element);
    });
  }

  const sizes = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
  addEventListener("scroll", (event) => event.target.matches?.(WIDE) && mark(event.target), { capture: true, passive: true });
  addEventListener("load", () => {
    look();
    document.fonts.ready.then(look);
    PHONE.addEventListener("change", look);
    const explorers = new MutationObserver(() => requestAnimationFrame(look)); // they draw themselves, and again
    document.querySelectorAll(".explorer").forEach((one) => explorers.observe(one, { childList: true, subtree: true }));
  });
})();
