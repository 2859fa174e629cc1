// The arithmetic of attention on nested arrays, in double precision: what the package computes, and how its numbers are
// told (as words.py tells them). Nothing of the page.

export const dot = (a, b) => a.reduce((total, x, n) => total + x * b[n], 0);

export const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

export const column = (matrix, n) => matrix.map((row) => row[n]);

/** Probabilities of one row of scores; a row of −∞ only has nothing to choose from and gives zeros. */
export function softmax(scores) {
  const highest = Math.max(...scores);
  if (highest === -Infinity) return scores.map(() => 0);
  const exponentials = scores.map((score) => Math.exp(score - highest));
  const total = sum(exponentials);
  return exponentials.map((x) => x / total);
}

/** True where query i may attend to key j: aligned at the bottom right, as in the package. */
export function causalMask(queries, keys) {
  return Array.from({ length: queries }, (_, i) => Array.from({ length: keys }, (_, j) => j <= i + keys - queries));
}

/**
 * Scaled dot-product attention of q (m × d_k), k (n × d_k) and v (n × d_v).
 *
 * `mask` holds m × n booleans, true where a query may attend, or is null; `scaled` tells whether the scores are divided
 * by √d_k. Returns the scores (after division and mask), the weights and the output.
 */
export function attention(q, k, v, { mask = null, scaled = true } = {}) {
  const divisor = scaled ? Math.sqrt(q[0].length) : 1;
  const scores = q.map((query, i) =>
    k.map((key, j) => (mask && !mask[i][j] ? -Infinity : dot(query, key) / divisor)),
  );
  const weights = scores.map(softmax);
  const output = weights.map((row) => v[0].map((_, c) => dot(row, column(v, c))));
  return { scores, weights, output };
}

/** A number with so many decimals, a true minus sign, and no claim that something tiny is zero. */
export function rounded(x, decimals) {
  if (x === -Infinity) return "−∞";
  const last = (10 ** -decimals).toFixed(decimals);
  if (x !== 0 && Math.abs(x) < last / 2) return x > 0 ? `<${last}` : `>−${last}`;
  return (Math.abs(x) < 1e7 ? x.toFixed(decimals) : x.toExponential(decimals)).replaceAll("-", "−");
}

/** The same with three decimals. */
export const fixed = (x) => rounded(x, 3);

/** The same without trailing zeros: how a number stands in a written-out sum. */
export function short(x) {
  const text = fixed(x);
  return text.includes("e") || /[<>]/.test(text) ? text : text.replace(/\.?0+$/, "");
}

/** The same as a factor or divisor: a negative number stands in brackets. */
export const bracketed = (x, told = short) => (x < 0 ? `(${told(x)})` : told(x));

/** The end of a written-out sum: " = " or, if digits were dropped on the way, " ≈ ", and the number. */
export const outcome = (x, rounded = false) =>
  (rounded || Number(short(x).replace("−", "-")) !== x ? " ≈ " : " = ") + short(x);

/** "I, like and cats". */
export const listed = (items) =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
