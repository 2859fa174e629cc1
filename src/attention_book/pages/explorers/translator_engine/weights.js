// The file of a translator (`translation/page_weights.py` writes it), read and checked before anything is computed.

const MAGIC = "ATTNBK01";
const BEGIN = 16; // eight letters, the checksum, the header's length
const LARGEST_SIZES = { vocab_size: 2 ** 20, d_model: 2 ** 16, n_heads: 2 ** 10, n_layers: 100, d_ff: 2 ** 16, max_len: 2 ** 16 };
const DAMAGED = "The file of the translator is damaged";

/** Its { config, pieces, merges, tensors }. A matrix is { rows, columns, values, scales }, a vector a Float32Array. */
export function readWeights(buffer) {
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  if (bytes.length < BEGIN || String.fromCharCode(...bytes.subarray(0, 8)) !== MAGIC) {
    throw new Error("This is no file of a translator, or one of another version of the book.");
  }
  if (checksum(bytes.subarray(12)) !== view.getUint32(8, true)) {
    throw new Error(`${DAMAGED}: its checksum is another. Reloading the page may help.`);
  }
  const start = BEGIN + view.getUint32(12, true);
  const header = headerOf(bytes, start);
  const numbers = (Kind, offset, count) => {
    const [from, size] = [start + offset, count * Kind.BYTES_PER_ELEMENT];
    const fits = Number.isSafeInteger(offset) && offset >= 0 && from % Kind.BYTES_PER_ELEMENT === 0 && from + size <= bytes.length;
    if (!fits) throw new Error(`${DAMAGED}: a tensor lies outside of it.`);
    const found = new Kind(buffer, from, count);
    if (Kind === Float32Array && !found.every(Number.isFinite)) throw new Error(`${DAMAGED}: a number in it is not finite.`);
    return found;
  };
  const tensors = {};
  for (const [name, shape] of Object.entries(shapesOf(header))) {
    const entry = header.tensors[name];
    if (String(entry?.shape) !== String(shape)) throw new Error(`${DAMAGED}: ${name} is missing or has another shape.`);
    const [rows, columns] = shape;
    tensors[name] =
      columns === undefined
        ? numbers(Float32Array, entry.offset, rows)
        : { rows, columns, values: numbers(Int8Array, entry.offset, rows * columns), scales: numbers(Float32Array, entry.scales, rows) };
  }
  return { ...header, tensors };
}

function headerOf(bytes, end) {
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(BEGIN, end)));
  } catch {
    throw new Error(`${DAMAGED}: its header cannot be read.`);
  }
  const { config, pieces, merges, tensors } = header ?? {};
  const isId = (id) => Number.isInteger(id) && id >= 0 && id < pieces.length;
  const known = new Set(Array.isArray(pieces) ? pieces : []);
  const whole =
    end <= bytes.length &&
    Object.entries(LARGEST_SIZES).every(([name, most]) => Number.isInteger(config?.[name]) && config[name] > 0 && config[name] <= most) &&
    ["pre", "post"].includes(config.norm) &&
    ["sinusoidal", "learned", "none"].includes(config.positions) &&
    known.size === config.vocab_size &&
    pieces.length === config.vocab_size &&
    [config.pad_id, config.bos_id, config.eos_id].every((id) => Number.isInteger(id) && id >= 0 && id < pieces.length) &&
    pieces.every((piece) => typeof piece === "string" && piece !== "") &&
    Array.isArray(merges) &&
    merges.length % 2 === 0 &&
    merges.every(isId) &&
    merges.every((id, n) => n % 2 === 1 || known.has(pieces[id] + pieces[merges[n + 1]])) &&
    typeof tensors === "object" &&
    tensors !== null;
  if (!whole) throw new Error(`${DAMAGED}: its header does not describe a translator that this page can run.`);
  return header;
}

/** The shape of each tensor that a model of this configuration has; names are those of the Python package. */
function shapesOf({ config }) {
  const { d_model: d, d_ff: inner, n_heads: heads, vocab_size: vocabulary } = config;
  const [d_k, d_v] = [config.d_k ?? d / heads, config.d_v ?? config.d_k ?? d / heads];
  const shapes = {};
  const linear = (name, out, into, bias = true) => {
    shapes[`${name}.weight`] = [out, into];
    if (bias) shapes[`${name}.bias`] = [out];
  };
  const norm = (name) => Object.assign(shapes, { [`${name}.weight`]: [d], [`${name}.bias`]: [d] });
  const attention = (name) => {
    linear(`${name}.w_q`, heads * d_k, d, config.bias);
    linear(`${name}.w_k`, heads * d_k, d, config.bias);
    linear(`${name}.w_v`, heads * d_v, d, config.bias);
    linear(`${name}.w_o`, d, heads * d_v, config.bias);
  };
  shapes["src_embedding.weight"] = [vocabulary, d];
  if (!config.tie_embeddings) shapes["tgt_embedding.weight"] = shapes["output.weight"] = [vocabulary, d];
  if (config.positions === "learned") shapes.positions = [config.max_len, d];
  for (let n = 0; n < config.n_layers; n += 1) {
    const [encoder, decoder] = [`encoder.layers.${n}`, `decoder.layers.${n}`];
    for (const layer of [encoder, decoder]) {
      attention(`${layer}.self_attention`);
      linear(`${layer}.feed_forward.w_1`, inner, d);
      linear(`${layer}.feed_forward.w_2`, d, inner);
      norm(`${layer}.add_feed_forward.norm`);
    }
    attention(`${decoder}.cross_attention`);
    norm(`${encoder}.add_attention.norm`);
    norm(`${decoder}.add_self.norm`);
    norm(`${decoder}.add_cross.norm`);
  }
  if (config.norm === "pre") {
    norm("encoder.norm");
    norm("decoder.norm");
  }
  return shapes;
}

/** CRC-32, as zlib counts it. */
function checksum(bytes) {
  const table = Int32Array.from({ length: 256 }, (_, n) => {
    for (let bit = 0; bit < 8; bit += 1) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
  });
  let sum = -1;
  for (let n = 0; n < bytes.length; n += 1) sum = (sum >>> 8) ^ table[(sum ^ bytes[n]) & 255];
  return ~sum >>> 0;
}
