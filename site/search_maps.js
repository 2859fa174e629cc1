// The search looks up a reader's words in plain objects, where "constructor" and "__proto__" are found though no page has
// them: every object has them from its prototype. So the two maps from words to pages get none before the first search;
// what the search asks such a map, hasOwnProperty, they have themselves. Written into the search page by search_page.py.
document.addEventListener("DOMContentLoaded", () => {
  for (const name of ["terms", "titleterms"]) {
    const map = Object.assign(Object.create(null), Search._index[name]);
    Object.defineProperty(map, "hasOwnProperty", { value: (word) => Object.hasOwn(map, word) });
    Search._index[name] = map;
  }
});
