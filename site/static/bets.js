// Repeats a reader's bet where the page settles it (bets.py). What was bet stays in this tab, and goes with it.
(() => {
  "use strict";
  const KEY = "bets";

  function remembered() {
    try {
      return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
    } catch {
      return {}; // a browser that keeps nothing, or something else under this key
    }
  }

  function remember(bet, answers) {
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ ...remembered(), [bet]: answers }));
    } catch {
      // the bet is repeated on this page all the same
    }
  }

  /** What stands in each field: whether it is taken, or what is written. */
  const answersIn = (fields) => fields.map((field) => (field.type === "text" ? field.value.trim() : field.checked));

  /** A bet in words, such as "7 times as much"; empty as long as nothing is bet. */
  function said(fields) {
    const bet = fields.map((field) => {
      if (field.type !== "text") return field.checked ? field.labels[0].textContent.trim() : "";
      const written = field.value.trim();
      return written && field.dataset.told.replace("…", () => written);
    });
    return bet.filter(Boolean).join(", ");
  }

  /** The places on this page where a bet is settled. */
  const placesOf = (bet) => [...document.querySelectorAll(".settled")].filter((place) => place.dataset.bet === bet);

  function tell(bet, fields) {
    const words = said(fields);
    for (const place of placesOf(bet)) {
      const line = place.querySelector(".bet-told");
      line.textContent = words && `Your bet: ${words}.`;
      line.hidden = !words;
    }
  }

  for (const block of document.querySelectorAll(".bet")) {
    const { bet } = block.dataset;
    const fields = [...block.querySelectorAll(".bet-fields input")];
    const before = remembered()[bet];
    if (Array.isArray(before) && before.length === fields.length) {
      fields.forEach((field, place) => {
        if (field.type === "text") field.value = String(before[place]);
        else field.checked = before[place] === true;
      });
    }
    tell(bet, fields); // a browser may have kept the fields of a page that is loaded again
    block.addEventListener("input", () => {
      remember(bet, answersIn(fields));
      tell(bet, fields);
    });
  }
})();
