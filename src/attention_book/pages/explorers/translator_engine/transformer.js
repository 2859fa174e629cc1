// The Transformer of `models/transformer.py`, for one sentence at a time: encoder, decoder, and the cache between steps.

import { attend, layerNorm, linear, logSoftmax } from "./layers.js";

const NOBODY = new Set();

/** The vectors of a sequence, each as a view of its own. */
const rowsOf = (x, count) => Array.from({ length: count }, (_, n) => x.subarray((n * x.length) / count, ((n + 1) * x.length) / count));

/** Several vectors one after the other in one array. */
function oneAfterTheOther(vectors) {
  const width = vectors[0].length;
  const x = new Float64Array(vectors.length * width);
  vectors.forEach((vector, n) => x.set(vector, n * width));
  return x;
}

const asFloat32 = (weights) => weights.map((head) => Float32Array.from(head));

export class Transformer {
  constructor({ config, tensors }) {
    this.config = config;
    this.tensors = tensors;
  }

  /**
   * Read a sentence of ids that ends in </s>. `silenced` has the numbers of the heads to be silenced, by "encoder 0",
   * "self 0", "cross 0" and so on: the attention and its layer.
   *
   * Returns what the decoder needs of the sentence: keys and values for the cross-attention of each layer. They never
   * change, so they are computed once. Beside them, the encoder's weights: for each layer and head n × n of them.
   */
  encode(ids, silenced = new Map()) {
    const [count, layers, heads] = [ids.length, this.config.n_layers, this.config.n_heads];
    let x = oneAfterTheOther(ids.map((id, position) => this.embed("src_embedding", id, position)));
    const weights = [];
    for (let n = 0; n < layers; n += 1) {
      const name = `encoder.layers.${n}`;
      x = this.sublayer(`${name}.add_attention`, x, count, (h) => {
        const [keys, values] = this.keysAndValues(`${name}.self_attention`, h, count);
        const silent = silenced.get(`encoder ${n}`) ?? NOBODY;
        const found = rowsOf(this.linear(`${name}.self_attention.w_q`, h, count), count).map((query) =>
          attend(query, keys, values, heads, silent),
        );
        weights.push(
          Array.from({ length: heads }, (_, head) => Float32Array.from(found.flatMap((row) => [...row.weights[head]]))),
        );
        return this.linear(`${name}.self_attention.w_o`, oneAfterTheOther(found.map((row) => row.mixed)), count);
      });
      x = this.sublayer(`${name}.add_feed_forward`, x, count, (h) => this.feedForward(name, h, count));
    }
    if (this.config.norm === "pre") x = this.norm("encoder", x, count);
    const cross = Array.from({ length: layers }, (_, n) =>
      this.keysAndValues(`decoder.layers.${n}.cross_attention`, x, count),
    );
    return { length: count, cross, silenced, weights };
  }

  /** The state before the first step: no position has keys and values yet. */
  start(memory) {
    return { memory, position: 0, cache: memory.cross.map(() => [[], []]) };
  }

  /**
   * Feed one id to each of several states of one sentence, the first one <s>.
   *
   * Returns for each { logProbs, state, self, cross }: log-probabilities of the next id, the state after this one (a
   * new one: several steps may start from one state), and the weights of this position, for each layer and head.
   */
  step(ids, states) {
    const [count, heads] = [ids.length, this.config.n_heads];
    const results = states.map((state) => ({
      state: { ...state, position: state.position + 1, cache: [] },
      self: [],
      cross: [],
    }));
    const embedding = this.config.tie_embeddings ? "src_embedding" : "tgt_embedding";
    let x = oneAfterTheOther(ids.map((id, row) => this.embed(embedding, id, states[row].position)));
    for (let n = 0; n < this.config.n_layers; n += 1) {
      const name = `decoder.layers.${n}`;
      x = this.sublayer(`${name}.add_self`, x, count, (h) => {
        const [newKeys, newValues] = this.keysAndValues(`${name}.self_attention`, h, count);
        return this.attention(`${name}.self_attention`, h, count, (query, row) => {
          const [oldKeys, oldValues] = states[row].cache[n];
          const [keys, values] = [[...oldKeys, newKeys[row]], [...oldValues, newValues[row]]];
          results[row].state.cache.push([keys, values]);
          const found = attend(query, keys, values, heads, states[row].memory.silenced.get(`self ${n}`) ?? NOBODY);
          results[row].self.push(asFloat32(found.weights));
          return found.mixed;
        });
      });
      x = this.sublayer(`${name}.add_cross`, x, count, (h) =>
        this.attention(`${name}.cross_attention`, h, count, (query, row) => {
          const { cross, silenced } = states[row].memory;
          const found = attend(query, ...cross[n], heads, silenced.get(`cross ${n}`) ?? NOBODY);
          results[row].cross.push(asFloat32(found.weights));
          return found.mixed;
        }),
      );
      x = this.sublayer(`${name}.add_feed_forward`, x, count, (h) => this.feedForward(name, h, count));
    }
    if (this.config.norm === "pre") x = this.norm("decoder", x, count);
    const output = this.tensors[this.config.tie_embeddings ? "src_embedding.weight" : "output.weight"];
    rowsOf(linear(output, null, x, count), count).forEach((logits, row) => {
      const logProbs = logSoftmax(logits);
      logProbs[this.config.pad_id] = logProbs[this.config.bos_id] = -Infinity; // a search never writes these
      Object.assign(results[row], { logits, logProbs });
    });
    return results;
  }

  /** The vector of an id at a position. */
  embed(name, id, position) {
    const { d_model: d, positions } = this.config;
    const { values, scales } = this.tensors[`${name}.weight`];
    const x = Float64Array.from({ length: d }, (_, j) => values[id * d + j] * scales[id] * Math.sqrt(d));
    const learned = this.tensors.positions;
    for (let j = 0; j < d; j += 1) {
      const angle = position * 10000 ** (-(j - (j % 2)) / d);
      if (positions === "sinusoidal") x[j] += j % 2 ? Math.cos(angle) : Math.sin(angle);
      if (positions === "learned") x[j] += learned.values[position * d + j] * learned.scales[position];
    }
    return x;
  }

  /** x + f(norm(x)), or norm(x + f(x)) in a post-norm model. */
  sublayer(name, x, count, f) {
    const before = this.config.norm === "pre";
    const found = f(before ? this.norm(name, x, count) : x);
    const sum = found.map((value, i) => value + x[i]);
    return before ? sum : this.norm(name, sum, count);
  }

  /** Queries from h; `one(query, row)` gives the mixed values of each. */
  attention(name, h, count, one) {
    const queries = rowsOf(this.linear(`${name}.w_q`, h, count), count);
    return this.linear(`${name}.w_o`, oneAfterTheOther(queries.map(one)), count);
  }

  keysAndValues(name, x, count) {
    return ["w_k", "w_v"].map((which) => rowsOf(this.linear(`${name}.${which}`, x, count), count));
  }

  feedForward(name, h, count) {
    const inner = this.linear(`${name}.feed_forward.w_1`, h, count);
    for (let i = 0; i < inner.length; i += 1) if (inner[i] < 0) inner[i] = 0;
    return this.linear(`${name}.feed_forward.w_2`, inner, count);
  }

  linear(name, x, count) {
    return linear(this.tensors[`${name}.weight`], this.tensors[`${name}.bias`], x, count);
  }

  norm(name, x, count) {
    return layerNorm(this.tensors[`${name}.norm.weight`], this.tensors[`${name}.norm.bias`], x, count);
  }
}
