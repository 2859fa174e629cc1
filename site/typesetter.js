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
  const options = { InputJax: tex, OutputJax: chtml };
  const visitor = new of.core.MmlTree.SerializedMmlVisitor.SerializedMmlVisitor();
  const { STATE } = of.core.MathItem;
  let page;
  return {
    /** Forgets what earlier pages defined and used. */
    begin() {
      chtml.clearCache();
      page = of.mathjax.mathjax.document("", options);
      tex.reset();
    },
    /** A formula as HTML, and as MathML. */
    set(formula, display) {
      const measures = { display, em: 16, ex: 9, scale: 9 / 16 / 0.442, containerWidth: 1280 }; // of letters that MathJax lacks
      const item = page.convert(formula, { ...measures, end: STATE.CONVERT });
      const mathml = visitor.visitTree(item);
      return JSON.stringify([adaptor.outerHTML(page.convert(formula, measures)), mathml]);
    },
    /** The style rules that the formulas since `begin` use. */
    styles: () => adaptor.textContent(chtml.styleSheet(page)),
  };
};
