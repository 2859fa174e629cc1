// MathJax without a browser, for formulas.py: its own classes, put together on its own small document.
// Expects: MathJax's components core, adaptors/liteDOM, input/tex-full, output/chtml, output/chtml/fonts/tex.
"use strict";
const Typesetter = (macros, packages) => {
  const of = MathJax._;
  const adaptor = of.adaptors.liteAdaptor.liteAdaptor();
  of.handlers.html_ts.RegisterHTMLHandler(adaptor);
  const wrong = (jax, error) => {
    throw new Error(error.message);
  };
  const tex = new of.input.tex_ts.TeX({ packages, macros, formatError: wrong });
  const font = new of.output.chtml.fonts.tex_ts.TeXFont({ fontURL: "FONTS" });
  const chtml = new of.output.chtml_ts.CHTML({ font, adaptiveCSS: true });
  let marks = new Map(); // what a symbol is written like, and its number
  const options = {
    InputJax: tex,
    OutputJax: chtml,
    renderActions: { symbols: [of.core.MathItem.STATE.COMPILED + 1, () => {}, (item) => marks.size && mark(item.root)] },
  };
  const visitor = new of.core.MmlTree.SerializedMmlVisitor.SerializedMmlVisitor();
  const { STATE } = of.core.MathItem;
  let page;

  /** What a part of a formula is, as text: equal for equal parts, whatever braces stand around them. */
  const written = (node) => {
    const parts = node.childNodes ?? [];
    const role = node.attributes?.getExplicit("class");
    if (node.isKind("text")) return node.getText();
    if (parts.length === 1 && !node.isToken && !role) return written(parts[0]);
    const face = node.attributes?.getExplicit("mathvariant");
    return `${node.kind}${role ? `.${role}` : ""}${face ? `:${face}` : ""}(${parts.map((part) => part && written(part)).join()})`;
  };
  const base = (node) => node.childNodes[0];
  const isLetter = (node) => /^(mi|mtext|msub|msup|msubsup|mover|munder)\b/.test(written(node));
  const keeps = (power) => /^(mn\(|mi:normal\(⊤\)|mrow\(mo\(−\),mn|inferredMrow\(mo\(−\),mn)/.test(written(power));
  /** Number the symbols of a formula. An index, a bar or a power in letters makes another symbol of a letter. */
  const mark = (node) => {
    if (!node || node.isKind("text")) return;
    const number = marks.get(written(node));
    if (number !== undefined) {
      while (node.childNodes.length === 1 && !node.isToken) node = base(node);
      node.attributes.set("data-symbol", String(number));
      return;
    }
    const scripts = /^(msub|msup|msubsup|mover|munder|munderover)$/.test(node.kind);
    if (!scripts || !isLetter(base(node))) {
      for (const part of node.childNodes ?? []) mark(part);
    } else if (node.isKind("msup")) {
      const letter = written(base(node));
      if (keeps(node.childNodes[1])) mark(base(node));
      else if (letter === "mi(e)" || letter.startsWith("mi:double-struck")) mark(node.childNodes[1]);
    }
  };

  return {
    /** Forgets what earlier pages defined and used. */
    begin() {
      chtml.clearCache();
      page = of.mathjax.mathjax.document("", options);
      tex.reset();
    },
    /** A formula as HTML, in which `symbols` have their number as `data-symbol`, and as MathML. */
    set(formula, display, symbols = []) {
      marks = new Map(); // none while the symbols themselves are read
      const roots = symbols.map((one) => page.convert(one, { display: false, end: STATE.CONVERT }));
      marks = new Map(roots.map((root, number) => [written(root).replace(/^math\((.*)\)$/, "$1"), number]));
      const measures = { display, em: 16, ex: 9, scale: 9 / 16 / 0.442, containerWidth: 1280 }; // of letters that MathJax lacks
      const item = page.convert(formula, { ...measures, end: STATE.CONVERT });
      const mathml = visitor.visitTree(item);
      return JSON.stringify([adaptor.outerHTML(page.convert(formula, measures)), mathml]);
    },
    /** The style rules that the formulas since `begin` use. */
    styles: () => adaptor.textContent(chtml.styleSheet(page)),
  };
};
