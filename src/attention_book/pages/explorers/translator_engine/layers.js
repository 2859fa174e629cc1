// The arithmetic of a Transformer. Vectors of a sequence stand one after the other in one array: `count` of them.

/** Shift and stretch each vector to mean 0 and variance 1, then by a gain and a bias for each coordinate. */
export function layerNorm(gain, bias, x, count) {
  const d = gain.length;
  const y = new Float64Array(x.length);
  for (let n = 0; n < count; n += 1) {
    let mean = 0;
    let variance = 0;
    for (let j = n * d; j < (n + 1) * d; j += 1) mean += x[j] / d;
    for (let j = n * d; j < (n + 1) * d; j += 1) variance += (x[j] - mean) ** 2 / d;
    const scale = 1 / Math.sqrt(variance + 1e-5);
    for (let j = 0; j < d; j += 1) y[n * d + j] = (x[n * d + j] - mean) * scale * gain[j] + bias[j];
  }
  return y;
}

/** Exponentials that sum to 1, in place. */
export function softmax(scores) {
  let [largest, sum] = [-Infinity, 0];
  for (const score of scores) largest = Math.max(largest, score);
  for (let n = 0; n < scores.length; n += 1) sum += scores[n] = Math.exp(scores[n] - largest);
  for (let n = 0; n < scores.length; n += 1) scores[n] /= sum;
  return scores;
}

/** Logarithms of what softmax would give, in float32 as in the Python package. */
export function logSoftmax(scores) {
  let largest = -Infinity;
  let sum = 0;
  for (let n = 0; n < scores.length; n += 1) if (scores[n] > largest) largest = scores[n];
  for (let n = 0; n < scores.length; n += 1) sum += Math.exp(scores[n] - largest);
  const shift = largest + Math.log(sum);
  if (!Number.isFinite(shift)) throw new Error("The translator computed something that is no number: its file is damaged.");
  const logs = new Float32Array(scores.length);
  for (let n = 0; n < logs.length; n += 1) logs[n] = scores[n] - shift;
  return logs;
}

/**
 * Let one query look at keys, and mix their values, in several heads.
 *
 * `keys` and `values` have one vector a position. What a head in `silenced` found is replaced by zeros.
 * Returns { mixed, weights }: the heads' results side by side, and for each head one weight a position.
 */
export function attend(query, keys, values, heads, silenced) {
  const [d_k, d_v] = [query.length / heads, values[0].length / heads];
  const mixed = new Float64Array(heads * d_v);
  const weights = [];
  for (let head = 0; head < heads; head += 1) {
    const scores = new Float64Array(keys.length);
    for (let n = 0; n < keys.length; n += 1) {
      const key = keys[n];
      let score = 0;
      for (let j = head * d_k; j < (head + 1) * d_k; j += 1) score += query[j] * key[j];
      scores[n] = score / Math.sqrt(d_k);
    }
    weights.push(softmax(scores));
    if (silenced.has(head)) continue;
    for (let n = 0; n < values.length; n += 1) {
      const value = values[n];
      const weight = scores[n];
      for (let j = head * d_v; j < (head + 1) * d_v; j += 1) mixed[j] += weight * value[j];
    }
  }
  return { mixed, weights };
}
