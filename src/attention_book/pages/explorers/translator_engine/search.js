// From the probabilities of the next piece to a whole translation: greedy and beam search, as `translation/decoding.py`.
//
// Each search is a generator that pauses after every step, so that whoever runs it can look whether it is still wanted.

const DROPPED = 3; // how many of the best continuations outside the beam are written down at each step

/**
 * The `count` largest of several rows of numbers, each raised by the row's entry in `raised`: { row, id, total }.
 *
 * Sums are rounded to float32, as in Python. Of equal ones the earlier row comes first, then the lower id; a number of
 * minus infinity is none.
 */
export function largestFirst(rows, count, raised = rows.map(() => 0)) {
  const best = [];
  if (count < 1) return best;
  rows.forEach((numbers, row) => {
    const by = raised[row];
    let least = best.length < count ? -Infinity : best.at(-1).total;
    for (let id = 0; id < numbers.length; id += 1) {
      const total = Math.fround(by + numbers[id]);
      if (total <= least) continue;
      if (best.length === count) best.pop();
      let place = best.length;
      while (place > 0 && best[place - 1].total < total) place -= 1;
      best.splice(place, 0, { row, id, total });
      if (best.length === count) least = best.at(-1).total;
    }
  });
  return best;
}

/** How a translation's log-probability is made comparable: ((5 + length) / 6) ** alpha (Wu et al. 2016, §7). */
export const lengthPenaltyOf = (length, alpha) => ((5 + length) / 6) ** alpha;

/** What a step showed of the piece that comes next. The probabilities are those of the model, forced or not. */
export function shown({ logProbs, self, cross }, { config, candidates }) {
  const likeliest = largestFirst([logProbs], candidates).map(({ id, total }) => ({
    id, probability: Math.exp(total), logProbability: total,
  }));
  return { candidates: likeliest, end: Math.exp(logProbs[config.eos_id]), self, cross };
}

/** The log-probabilities of a step where only one piece is allowed. */
function only(id, logProbs) {
  const alone = new Float32Array(logProbs.length).fill(-Infinity);
  alone[id] = logProbs[id];
  return alone;
}

/**
 * Search for the translation of what the encoder read.
 *
 * A beam of 1 is greedy: the likeliest piece at each step, until </s>. `forced` has the ids that the translation must
 * begin with: at their steps nothing else is allowed. `limit` is the most pieces, </s> among them; `candidates` how
 * many of the likeliest pieces are told at each step.
 *
 * Returns { ids, score, steps, nodes }: of the best translation its ids, score and what each of its steps showed; and
 * every continuation that was looked at, in the order of the steps.
 */
export function* search(model, memory, { beamSize, lengthPenalty, limit, forced = [], candidates = 5 }) {
  const { config } = model;
  const nodes = [];
  // A live prefix is { ids, total, node, steps }; the first one is empty, and belongs to no node.
  let live = [{ ids: [], total: 0, node: -1, steps: [] }];
  let states = [model.start(memory)];
  let finished = null;
  while (live.length > 0) {
    const length = live[0].ids.length;
    const found = model.step(live.map(({ ids }) => ids.at(-1) ?? config.bos_id), states);
    yield;
    const rows = found.map(({ logProbs }) => (length < forced.length ? only(forced[length], logProbs) : logProbs));
    const grown = [];
    const continued = largestFirst(rows, beamSize + DROPPED, beamSize === 1 ? [0] : live.map(({ total }) => total));
    continued.forEach(({ row, id, total: sum }, rank) => {
      const parent = live[row];
      const total = beamSize === 1 ? parent.total + sum : sum; // a greedy search adds up in float64
      const ends = id === config.eos_id;
      const score = beamSize === 1 ? total : total / lengthPenaltyOf(length + 1, lengthPenalty);
      const kept = rank < beamSize;
      nodes.push({
        parent: parent.node, id, logProbability: rows[row][id], total, step: length + 1,
        kept, finished: ends, score: ends ? score : null, best: false,
      });
      if (!kept) return;
      const prefix = { ids: [...parent.ids, id], total, score, node: nodes.length - 1, row };
      prefix.steps = [...parent.steps, shown(found[row], { config, candidates })];
      if (!ends) grown.push(prefix);
      else if (finished === null || score > finished.score) finished = prefix;
    });
    if (grown.length === 0) break;
    live = grown;
    states = grown.map(({ row }) => found[row].state);
    if (length + 1 === limit || isDecided(live, finished, beamSize, limit, lengthPenalty)) break;
  }
  const best = finished ?? live[0];
  for (let node = best.node; node >= 0; node = nodes[node].parent) nodes[node].best = true;
  return { ids: best.ids, score: best.score ?? 0, steps: best.steps, nodes };
}

/** Whether no live prefix can still become better than what is finished: its total can only fall. */
function isDecided(live, finished, beamSize, limit, lengthPenalty) {
  if (finished === null || beamSize === 1) return false;
  return live[0].total / lengthPenaltyOf(limit, lengthPenalty) <= finished.score;
}
