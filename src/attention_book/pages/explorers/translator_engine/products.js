// Products of matrices in eight bits, in plain JavaScript: for browsers that cannot run `kernel.js`.

/**
 * A matrix times `count` vectors, which stand one after the other in x, as do the results: a Float64Array.
 *
 * Each row's scale is multiplied after the sum. Four rows are added up at a time, so that a number of the vector is read
 * once for all four, and no sum waits for another.
 */
export function multiply({ rows, columns, values, scales }, x, count) {
  const y = new Float64Array(count * rows);
  let i = 0;
  for (; i + 4 <= rows; i += 4) {
    const [first, second, third, fourth] = [i * columns, (i + 1) * columns, (i + 2) * columns, (i + 3) * columns];
    for (let n = 0; n < count; n += 1) {
      const from = n * columns;
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let j = 0; j < columns; j += 1) {
        const input = x[from + j];
        a += values[first + j] * input;
        b += values[second + j] * input;
        c += values[third + j] * input;
        d += values[fourth + j] * input;
      }
      const to = n * rows + i;
      y[to] = a * scales[i];
      y[to + 1] = b * scales[i + 1];
      y[to + 2] = c * scales[i + 2];
      y[to + 3] = d * scales[i + 3];
    }
  }
  for (; i < rows; i += 1) {
    for (let n = 0; n < count; n += 1) {
      let sum = 0;
      for (let j = 0; j < columns; j += 1) sum += values[i * columns + j] * x[n * columns + j];
      y[n * rows + i] = sum * scales[i];
    }
  }
  return y;
}
