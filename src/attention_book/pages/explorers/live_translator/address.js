// What an address of the page may hold: a sentence, and how it is translated and looked at. In it, layers and heads are
// counted from 1, and 0 is their mean, as in addresses that were shared when the page counted so; elsewhere from 0.

import { USES } from "./record.js";

const MARK = "#translate=";
const LONGEST = 1000; // characters of a sentence
const MOST_FORCED = 200;
const MOST_BEAM = 5;

/** A whole number within bounds; anything else is undefined. */
function numberIn(text, least, most) {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= most ? number : undefined;
}

/** A list, each of whose parts `read` knows; undefined if there is one that it does not. */
function listIn(text, separator, most, read) {
  const found = text.split(separator, most + 1).map(read);
  return found.length > most || found.includes(undefined) ? undefined : found;
}

function headIn(text, layers, heads) {
  const [use, layer, head, ...more] = text.split(".");
  const [l, h] = [numberIn(layer ?? "", 1, layers), numberIn(head ?? "", 1, heads)];
  if (more.length || l === undefined || h === undefined || !USES.some(([name]) => name === use)) return undefined;
  return { use, layer: l - 1, head: h - 1 };
}

/**
 * What an address says, or null if it holds no sentence: {text, beam, forced, use, layer, head, silenced}.
 *
 * What is missing, malformed or not there in a model of so many layers and heads is as in `usual`. All of it is data:
 * numbers, names from a list, and a text that is only ever shown as text.
 */
export function viewIn(hash, usual, layers, heads) {
  if (!hash.startsWith(MARK)) return null;
  // In a sentence, "&" is written otherwise; in one that was typed into the address by hand, it may stand.
  const [sentence, ...settings] = hash.slice(MARK.length).split(/&(?=(?:beam|forced|use|layer|head|off)=)/);
  let text;
  try {
    text = decodeURIComponent(sentence).replace(/\p{Cc}/gu, " ").trim().slice(0, LONGEST);
  } catch {
    return null;
  }
  if (!text) return null;
  const { beam, forced, use, layer, head, off } = Object.fromEntries(settings.map((one) => one.split("=", 2)));
  return {
    text,
    beam: numberIn(beam, 1, MOST_BEAM) ?? usual.beam,
    forced: listIn(forced ?? "", ".", MOST_FORCED, (one) => numberIn(one, 1, 999_999)) ?? usual.forced,
    use: USES.find(([name]) => name === use)?.[0] ?? usual.use,
    layer: (numberIn(layer, 0, layers) ?? usual.layer + 1) - 1,
    head: (numberIn(head, 0, heads) ?? usual.head + 1) - 1,
    silenced: listIn(off ?? "", ",", 3 * layers * heads, (one) => headIn(one, layers, heads)) ?? usual.silenced,
  };
}

/** The address of a page with such a view in it; what is as usual is left out. */
export function addressOf({ text, beam, forced, use, layer, head, silenced }, usual, page) {
  const whole = text.slice(0, LONGEST).replace(/\p{Cs}/gu, ""); // half a surrogate pair has no address
  const off = silenced.map((one) => `${one.use}.${one.layer + 1}.${one.head + 1}`).join(",");
  const settings = [
    ["beam", beam, beam !== usual.beam], ["forced", forced.join("."), forced.length], ["use", use, use !== usual.use],
    ["layer", layer + 1, layer !== usual.layer], ["head", head + 1, head !== usual.head], ["off", off, off],
  ];
  const told = settings.filter(([, , needed]) => needed).map(([name, value]) => `&${name}=${value}`).join("");
  return `${page.split("#")[0]}${MARK}${encodeURIComponent(whole)}${told}`;
}
