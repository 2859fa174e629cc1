// A formula that is copied is copied as its TeX source: what is drawn of it is no text.
(() => {
  "use strict";
  addEventListener("copy", (event) => {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return;
    const copied = document.createElement("div");
    copied.append(selection.getRangeAt(0).cloneContents());
    const formulas = [...copied.querySelectorAll("mjx-container")];
    if (!formulas.length) return;
    for (const formula of formulas) {
      const source = formula.querySelector("annotation")?.textContent ?? "";
      const [open, close] = formula.hasAttribute("display") ? ["$$", "$$"] : ["$", "$"];
      formula.replaceWith(source && `${open}${source}${close}`);
    }
    copied.style.cssText = "position: absolute; left: -99999px; white-space: pre-wrap";
    document.body.append(copied);
    event.clipboardData.setData("text/plain", copied.innerText);
    event.clipboardData.setData("text/html", copied.innerHTML);
    copied.remove();
    event.preventDefault();
  });
})();
