// The arithmetic of a Transformer. Vectors of a sequence stand one after the other in one array: `count` of them.

/** Multiply `count` vectors by a matrix in eight bits, and add a bias. Each row's scale is multiplied after the sum. */
export function linear(matrix, bias, x, count) {
  const y = new Float64Array(count * matrix.rows);
  let n = 0;
  for (; n + 4 <= count; n += 4) fourProducts(matrix, x, y, n);
  for (; n < count; n += 1) product(matrix, x, y, n);
  if (bias) for (let i = 0; i < y.length; i += 1) y[i] += bias[i % bias.length];
  return y;
}

/** The matrix times vector n. Four sums at a time do not wait for one another. */
function product({ rows, columns, values, scales }, x, y, n) {
  const from = n * columns;
  const to = n * rows;
  const even = columns - (columns % 4);
  let w = 0;
  for (let i = 0; i < rows; i += 1) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let j = 0;
    for (; j < even; j += 4, w += 4) {
      a += values[w] * x[from + j];
      b += values[w + 1] * x[from + j + 1];
      c += values[w + 2] * x[from + j + 2];
      d += values[w + 3] * x[from + j + 3];
    }
    for (; j < columns; j += 1, w += 1) a += values[w] * x[from + j];
    y[to + i] = (a + b + c + d) * scales[i];
  }
}

/** The matrix times vectors n to n + 3: each weight is read once for all four. */
function fourProducts({ rows, columns, values, scales }, x, y, n) {
  const first = n * columns;
  const second = first + columns;
  const third = second + columns;
  const fourth = third + columns;
  let w = 0;
  for (let i = 0; i < rows; i += 1) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let j = 0; j < columns; j += 1, w += 1) {
      const weight = values[w];
      a += weight * x[first + j];
      b += weight * x[second + j];
      c += weight * x[third + j];
      d += weight * x[fourth + j];
    }
    const to = n * rows + i;
    y[to] = a * scales[i];
    y[to + rows] = b * scales[i];
    y[to + 2 * rows] = c * scales[i];
    y[to + 3 * rows] = d * scales[i];
  }
}

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
