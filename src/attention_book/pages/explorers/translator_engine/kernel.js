// Products of matrices in eight bits by WebAssembly, which computes four numbers at once. The source is `kernel.wat`.

const KERNEL = ""; // in the built engine: kernel.wat as a module, in base64 (`files.py`)
const BLOCK = 8; // so many vectors are multiplied at once
const PAGE = 2 ** 16; // WebAssembly's memory comes in pages of so many bytes

const upTo = (step, number) => Math.ceil(number / step) * step;

/**
 * The tensors of a translator, moved into a memory of WebAssembly, and a `multiply` for them: the same function as that
 * of `products.js`, in float32.
 *
 * Returns { tensors, multiply }; null where the browser has no WebAssembly or no SIMD, forbids them, or lacks memory.
 */
export function inWebAssembly(tensors, letters = KERNEL) {
  const arrays = Object.values(tensors).flatMap((tensor) => (tensor.rows === undefined ? [tensor] : [tensor.values, tensor.scales]));
  const matrices = Object.values(tensors).filter((tensor) => tensor.rows !== undefined);
  const most = (name) => upTo(8, Math.max(...matrices.map((matrix) => matrix[name])));
  const inputs = BLOCK * most("columns");
  const outputs = BLOCK * most("rows");
  const bytes = arrays.reduce((sum, array) => sum + upTo(16, array.byteLength), 4 * (inputs + outputs));
  const { memory, product } = kernel(bytes, letters);
  if (product === undefined) return null;

  let free = 0;
  const place = (Kind, length) => {
    const found = new Kind(memory.buffer, free, length);
    free += upTo(16, found.byteLength);
    return found;
  };
  const moved = (array) => {
    const copy = place(array.constructor, array.length);
    copy.set(array);
    return copy;
  };
  const movedTensor = (tensor) =>
    tensor.rows === undefined ? moved(tensor) : { ...tensor, values: moved(tensor.values), scales: moved(tensor.scales) };
  const inMemory = Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, movedTensor(tensor)]));
  // These come last: the kernel reads a little past the end of a matrix.
  const input = place(Float32Array, inputs);
  const output = place(Float32Array, outputs);

  function multiply({ rows, columns, values, scales }, x, count) {
    const y = new Float64Array(count * rows);
    const width = upTo(8, columns);
    const height = upTo(4, rows);
    for (let first = 0; first < count; first += BLOCK) {
      const size = Math.min(BLOCK, count - first);
      for (let n = 0; n < size; n += 1) {
        input.set(x.subarray((first + n) * columns, (first + n + 1) * columns), n * width);
        input.fill(0, n * width + columns, (n + 1) * width);
      }
      product(values.byteOffset, scales.byteOffset, input.byteOffset, output.byteOffset, rows, columns, size);
      for (let n = 0; n < size; n += 1) y.set(output.subarray(n * height, n * height + rows), (first + n) * rows);
    }
    return y;
  }
  return { tensors: inMemory, multiply };
}

/** A memory of so many bytes and the product that computes in it: { memory, product }, or nothing. */
function kernel(bytes, letters) {
  try {
    const module = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    if (!WebAssembly.validate(module)) return {};
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), { page: { memory } });
    return { memory, product: exports.product };
  } catch {
    return {};
  }
}
