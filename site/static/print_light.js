// Paper is light: a page in the dark is printed in the light, and is dark again afterwards.
(() => {
  "use strict";
  const root = document.documentElement;
  let before;
  addEventListener("beforeprint", () => {
    before ??= root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    root.dataset.theme = before;
    before = undefined;
  });
})();
