/* The Transformer of `packing`, in float32, as loops: the encoder, a step of the decoder, and the choice of tokens.

   Whoever changes this file: no result may depend on the rows that are computed beside it. So each sum runs over its
   terms in one order, whatever the number of rows, and a sentence is translated the same in every batch, bit for bit. */

#ifdef __FAST_MATH__
#error "the order of a sum and NaN matter here: compile without -ffast-math"
#endif

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* LANES numbers fill a register. A product keeps STRIP registers of columns for each of at most ROWS rows. */
enum { ROWS = 6 };
#if defined(__AVX512F__)
enum { LANES = 16, STRIP = 4 };
#elif defined(__AVX__)
enum { LANES = 8, STRIP = 2 };
#elif defined(__aarch64__)
enum { LANES = 4, STRIP = 4 };
#else
enum { LANES = 4, STRIP = 2 };
#endif
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#define BY_FOUR _Pragma("clang loop unroll_count(4)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#define BY_FOUR _Pragma("GCC unroll 4")
#endif
enum { PANEL = 64 };           /* columns of a matrix that lie together */
enum { CHOSEN_TOGETHER = 32 }; /* rows whose logits stay in a processor's cache */

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef vec loose __attribute__((aligned(4))); /* one that may begin anywhere */

/* x -> x W + b. In panels: columns 0 to 63 of all inputs, then 64 to 127, and so on, zeros behind the last column.
   In rows: a row for each input. */
typedef struct {
  int64_t inputs, outputs;
  const float *weight, *bias;
} product;

typedef struct {
  const float *weight, *bias; /* no weight: no norm */
  float eps;
} norm;

typedef struct {
  product inward, outward, query, key_value, cross_outward, inner, outer; /* outer in rows, the others in panels */
  norm before_attention, before_cross, before_forward; /* behind these parts, if the model is not `pre` */
} layer;

typedef struct {
  int64_t d_model, heads, d_k, d_v, d_ff, encoder_layers, decoder_layers, vocab, forbidden[2], pre;
  float scale;
  const float *src_embedding, *tgt_embedding, *positions; /* no positions: none are added */
  const float *cosines, *sines;                           /* of rotary positions, d_k / 2 of each; or none */
  const layer *encoder, *decoder;
  norm encoder_norm, decoder_norm;
  product output;
} model;

/* What a search holds. A row is a prefix; slots are where the keys and values of its tokens lie in the cache. */
typedef struct {
  int64_t rows, position, first_slot, slots_apart;
  const int32_t *tokens, *slots, *source, *starts; /* the memory of source s begins at starts[s] */
  float *cache;                                    /* slots x layers x (queries, keys, values) */
  const float *cross;                              /* positions of the memory x layers x (keys, values) */
  float *states;                                   /* rows x d_model: what a step gives */
} search;

/* ---- numbers side by side ------------------------------------------------------------------------------------- */

static vec all(float x) { return x - (vec){0}; }

static vec larger(vec a, vec b) { /* b if one is NaN */
  ints which = a > b;
  return (vec)(((ints)a & which) | ((ints)b & ~which));
}

static float sum(vec x) {
  float part[LANES];
  memcpy(part, &x, sizeof x);
  for (int half = LANES / 2; half; half /= 2)
    for (int i = 0; i < half; i++) part[i] += part[i + half];
  return part[0];
}

static float largest_of(vec x) {
  float part[LANES], most;
  memcpy(part, &x, sizeof x);
  most = part[0];
  for (int i = 1; i < LANES; i++) most = part[i] > most ? part[i] : most;
  return most;
}

static float dot(const float *x, const float *y, int64_t n) {
  vec total = {0};
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) total += *(const loose *)(x + i) * *(const loose *)(y + i);
  float rest = sum(total);
  for (; i < n; i++) rest += x[i] * y[i];
  return rest;
}

static void add_times(float *y, float factor, const float *x, int64_t n) {
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) *(loose *)(y + i) += factor * *(const loose *)(x + i);
  for (; i < n; i++) y[i] += factor * x[i];
}

/* exp for -87 <= x <= 0, with a relative error below 1e-7, and below that exp(-87): 2^k times a polynomial, where
   k = round(x / ln 2). NaN stays NaN. */
static vec exponential(vec x) {
  const vec magic = all(12582912.0f); /* 1.5 * 2^23: adding it rounds to a whole number */
  x = larger(all(-87.0f), x);
  vec shifted = x * all(1.44269504f) + magic, k = shifted - magic;
  vec r = x - k * all(0.693359375f) + k * all(2.12194440e-4f);
  vec p = all(1.9875691500e-4f);
  p = p * r + all(1.3981999507e-3f);
  p = p * r + all(8.3334519073e-3f);
  p = p * r + all(4.1665795894e-2f);
  p = p * r + all(1.6666665459e-1f);
  p = p * r + all(5.0000001201e-1f);
  p = p * r * r + r + all(1.0f);
  return p * (vec)(((ints)shifted - (ints)magic + 127) << 23);
}

/* x becomes exp(x - largest); the sum is returned. Room for whole registers is behind x. */
static float exponentials(float *x, int64_t n, float most) {
  for (int64_t i = n; i % LANES; i++) x[i] = -INFINITY;
  vec total = {0};
  for (int64_t i = 0; i < n; i += LANES) {
    vec e = exponential(*(loose *)(x + i) - all(most));
    *(loose *)(x + i) = e;
    if (i + LANES > n)
      for (int j = n - i; j < LANES; j++) e[j] = 0;
    total += e;
  }
  return sum(total);
}

/* ---- layers --------------------------------------------------------------------------------------------------- */

/* y = x W + b, or y += x W + b, or y = max(0, x W + b): one panel and `rows` rows, which the compiler knows. */
typedef enum { SET, ADD, RELU } how;

static inline __attribute__((always_inline)) void multiplied(
    const int rows, const float *x, int64_t x_apart, const float *weight, int64_t inputs, const float *bias, int columns,
    float *y, int64_t y_apart, how what) {
  for (int strip = 0; strip < columns; strip += STRIP * LANES) {
    vec total[ROWS][STRIP];
    const float *w = weight + strip;
    UNROLLED for (int r = 0; r < rows; r++)
      for (int s = 0; s < STRIP; s++) total[r][s] = all(0);
    BY_FOUR for (int64_t i = 0; i < inputs; i++, w += PANEL) {
      vec part[STRIP];
      for (int s = 0; s < STRIP; s++) part[s] = ((const vec *)w)[s];
      UNROLLED for (int r = 0; r < rows; r++)
        for (int s = 0; s < STRIP; s++) total[r][s] += x[r * x_apart + i] * part[s];
    }
    int here = columns - strip < STRIP * LANES ? columns - strip : STRIP * LANES;
    UNROLLED for (int r = 0; r < rows; r++) {
      float *to = y + r * y_apart + strip;
      if (here == STRIP * LANES) {
        for (int s = 0; s < STRIP; s++, to += LANES) {
          vec one = total[r][s];
          if (bias) one += *(const loose *)(bias + strip + s * LANES);
          *(loose *)to = what == ADD ? one + *(loose *)to : what == RELU ? larger(all(0), one) : one;
        }
        continue;
      }
      float part[STRIP * LANES];
      memcpy(part, total[r], sizeof part);
      for (int c = 0; c < here; c++) {
        float one = part[c] + (bias ? bias[strip + c] : 0);
        to[c] = what == ADD ? to[c] + one : what == RELU && one < 0 ? 0 : one;
      }
    }
  }
}

static void multiply(const product *p, int64_t rows, const float *x, int64_t x_apart, float *y, int64_t y_apart,
                     how what) {
  int64_t blocks = (rows + ROWS - 1) / ROWS;
  for (int64_t first = 0; first < p->outputs; first += PANEL) {
    const float *weight = p->weight + first * p->inputs, *bias = p->bias ? p->bias + first : 0;
    int columns = p->outputs - first < PANEL ? p->outputs - first : PANEL;
    for (int64_t block = 0; block < blocks; block++) { /* of nearly equal size */
      int64_t row = block * rows / blocks, here = (block + 1) * rows / blocks - row;
      const float *from = x + row * x_apart;
      float *to = y + row * y_apart + first;
#define ROWS_ARE(n) \
  case n: multiplied(n, from, x_apart, weight, p->inputs, bias, columns, to, y_apart, what); break;
      switch (here) {
        ROWS_ARE(1) ROWS_ARE(2) ROWS_ARE(3) ROWS_ARE(4) ROWS_ARE(5) ROWS_ARE(6)
      }
    }
  }
}

/* y += x W + b for a matrix in rows. Most of x is 0, since it comes from a ReLU, and needs no row of the matrix. There
   is room for a number per input at `places`. */
static void multiply_few(const product *p, int64_t rows, const float *x, float *y, int32_t *places) {
  for (int64_t r = 0; r < rows; r++, x += p->inputs, y += p->outputs) {
    int64_t n = 0;
    for (int64_t i = 0; i < p->inputs; i++) places[n] = i, n += x[i] != 0; /* NaN is not 0 */
    for (int64_t j = 0; j < n; j++) add_times(y, x[places[j]], p->weight + places[j] * p->outputs, p->outputs);
    if (p->bias) add_times(y, 1, p->bias, p->outputs);
  }
}

/* The sum of x - mean, or of its squares. */
static float deviations(const float *x, int64_t n, float mean, int squared) {
  vec total = {0};
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    vec from = *(const loose *)(x + i) - all(mean);
    total += squared ? from * from : from;
  }
  float rest = sum(total);
  for (; i < n; i++) rest += squared ? (x[i] - mean) * (x[i] - mean) : x[i] - mean;
  return rest;
}

static void normalise(const norm *p, int64_t rows, int64_t n, const float *x, float *y) {
  if (!p->weight) {
    if (x != y) memcpy(y, x, rows * n * sizeof *x);
    return;
  }
  for (int64_t r = 0; r < rows; r++, x += n, y += n) {
    float mean = deviations(x, n, 0, 0) / n, over = 1 / sqrtf(deviations(x, n, mean, 1) / n + p->eps);
    for (int64_t i = 0; i < n; i++) y[i] = (x[i] - mean) * over * p->weight[i] + p->bias[i];
  }
}

static void rotate(const model *m, float *x, int64_t heads, int64_t position) {
  const float *cosine = m->cosines + position * (m->d_k / 2), *sine = m->sines + position * (m->d_k / 2);
  for (int64_t h = 0; h < heads; h++, x += m->d_k)
    for (int64_t i = 0; i < m->d_k / 2; i++) {
      float first = x[2 * i], second = x[2 * i + 1];
      x[2 * i] = cosine[i] * first - sine[i] * second;
      x[2 * i + 1] = sine[i] * first + cosine[i] * second;
    }
}

/* One query of each head attends to n keys: those in `slots`, or the n from `first` on. */
static void attend(const model *m, const float *query, const float *keys, const float *values, int64_t apart,
                   const int32_t *slots, int64_t first, int64_t n, float *scores, float *mixed) {
  memset(mixed, 0, m->heads * m->d_v * sizeof *mixed);
  for (int64_t h = 0; h < m->heads; h++) {
    float most = -INFINITY;
    for (int64_t j = 0; j < n; j++) {
      scores[j] = dot(query + h * m->d_k, keys + (slots ? slots[j] : first + j) * apart + h * m->d_k, m->d_k);
      most = scores[j] > most ? scores[j] : most;
    }
    float total = exponentials(scores, n, most);
    for (int64_t j = 0; j < n; j++)
      add_times(mixed + h * m->d_v, scores[j] / total, values + (slots ? slots[j] : first + j) * apart + h * m->d_v,
                m->d_v);
  }
}

static void feed_forward(const model *m, const layer *l, int64_t rows, float *x, float *normed, float *hidden,
                         int32_t *places) {
  if (m->pre) normalise(&l->before_forward, rows, m->d_model, x, normed);
  multiply(&l->inner, rows, m->pre ? normed : x, m->d_model, hidden, m->d_ff, RELU);
  multiply_few(&l->outer, rows, hidden, x, places);
  if (!m->pre) normalise(&l->before_forward, rows, m->d_model, x, x);
}

static void embed(const model *m, const float *embedding, int32_t token, int64_t position, float *x) {
  for (int64_t i = 0; i < m->d_model; i++)
    x[i] = embedding[token * m->d_model + i] * m->scale + (m->positions ? m->positions[position * m->d_model + i] : 0);
}

static float *room(int64_t numbers) { return aligned_alloc(64, (numbers * sizeof(float) / 64 + 1) * 64); }

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- what Python calls ------------------------------------------------------------------------------------------ */

/* The keys and values of every decoder layer, for all tokens of all sources: `cross` of `search`. 0, or -1 where there
   is no memory left. A token's position is its column in the padded batch. */
int encode(const model *m, int64_t sources, const int32_t *starts, const int32_t *tokens, const int32_t *positions,
           float *cross) {
  int64_t d = m->d_model, rows = starts[sources], own = m->heads * (2 * m->d_k + m->d_v), k = m->heads * m->d_k;
  int64_t values = m->heads * m->d_v, layers = m->decoder_layers, both = k + values;
  float *x = room(rows * (2 * d + own + values + m->d_ff) + rows + m->d_ff + 64);
  if (!x) return -1;
  float *normed = x + rows * d, *inward = normed + rows * d, *mixed = inward + rows * own;
  float *hidden = mixed + rows * values, *scores = hidden + rows * m->d_ff;
  int32_t *places = (int32_t *)(scores + rows + 64);
  for (int64_t r = 0; r < rows; r++) embed(m, m->src_embedding, tokens[r], positions[r], x + r * d);
  for (const layer *l = m->encoder; l < m->encoder + m->encoder_layers; l++) {
    if (m->pre) normalise(&l->before_attention, rows, d, x, normed);
    multiply(&l->inward, rows, m->pre ? normed : x, d, inward, own, SET);
    if (m->cosines)
      for (int64_t r = 0; r < rows; r++) rotate(m, inward + r * own, 2 * m->heads, positions[r]);
    for (int64_t s = 0; s < sources; s++)
      for (int64_t r = starts[s]; r < starts[s + 1]; r++)
        attend(m, inward + r * own, inward + k, inward + 2 * k, own, 0, starts[s], starts[s + 1] - starts[s], scores,
               mixed + r * values);
    multiply(&l->outward, rows, mixed, values, x, d, ADD);
    if (!m->pre) normalise(&l->before_attention, rows, d, x, x);
    feed_forward(m, l, rows, x, normed, hidden, places);
  }
  normalise(&m->encoder_norm, rows, d, x, x);
  for (int64_t n = 0; n < layers; n++)
    multiply(&m->decoder[n].key_value, rows, x, d, cross + n * both, layers * both, SET);
  free(x);
  return 0;
}

/* Feed one token to every row; `states` of the search are what the output layer reads. 0, or -1 as above. */
int step(const model *m, const search *s) {
  int64_t d = m->d_model, rows = s->rows, own = m->heads * (2 * m->d_k + m->d_v), k = m->heads * m->d_k;
  int64_t values = m->heads * m->d_v, layers = m->decoder_layers, both = k + values, longest = s->position + 1;
  for (int64_t r = 0; r < rows; r++) {
    int64_t source = s->source[r];
    longest = most(longest, s->starts[source + 1] - s->starts[source]);
  }
  float *normed = room(rows * (d + most(m->d_ff, k + values)) + longest + m->d_ff + 64), *x = s->states;
  if (!normed) return -1;
  float *hidden = normed + rows * d, *query = hidden, *mixed = hidden + rows * k;
  float *scores = hidden + rows * most(m->d_ff, k + values);
  int32_t *places = (int32_t *)(scores + longest + 64);
  for (int64_t r = 0; r < rows; r++) embed(m, m->tgt_embedding, s->tokens[r], s->position, x + r * d);
  for (int64_t n = 0; n < layers; n++) {
    const layer *l = m->decoder + n;
    float *cache = s->cache + n * own, *new = cache + s->first_slot * layers * own;
    if (m->pre) normalise(&l->before_attention, rows, d, x, normed);
    multiply(&l->inward, rows, m->pre ? normed : x, d, new, layers * own, SET);
    for (int64_t r = 0; r < rows; r++) {
      float *mine = new + r * layers * own;
      if (m->cosines) rotate(m, mine, 2 * m->heads, s->position);
      attend(m, mine, cache + k, cache + 2 * k, layers * own, s->slots + r * s->slots_apart, 0, s->position + 1, scores,
             mixed + r * values);
    }
    multiply(&l->outward, rows, mixed, values, x, d, ADD);
    if (!m->pre) normalise(&l->before_attention, rows, d, x, x);

    if (m->pre) normalise(&l->before_cross, rows, d, x, normed);
    multiply(&l->query, rows, m->pre ? normed : x, d, query, k, SET);
    const float *cross = s->cross + n * both;
    for (int64_t r = 0; r < rows; r++) {
      int64_t first = s->starts[s->source[r]], length = s->starts[s->source[r] + 1] - first;
      attend(m, query + r * k, cross, cross + k, layers * both, 0, first, length, scores, mixed + r * values);
    }
    multiply(&l->cross_outward, rows, mixed, values, x, d, ADD);
    if (!m->pre) normalise(&l->before_cross, rows, d, x, x);
    feed_forward(m, l, rows, x, normed, hidden, places);
  }
  normalise(&m->decoder_norm, rows, d, x, x);
  free(normed);
  return 0;
}

/* The `count` best continuations of each source's `width` rows, by totals[row] + log-probability (or + logit, without
   `scores`), largest first; equal ones in the order of the rows, then of the tokens. Where there are fewer, the total is
   -inf. 0, or -1 as above, or 1 where there is NaN. */
int choose(const model *m, int64_t sources, int64_t width, const float *states, const float *totals, int scores,
           int64_t count, float *best, int32_t *parents, int32_t *tokens) {
  int64_t rows = sources * width, vocab = m->vocab, apart = (vocab + LANES) / LANES * LANES, found_nan = 0;
  float *logits = room((CHOSEN_TOGETHER + 1) * apart), *copy = logits + CHOSEN_TOGETHER * apart;
  if (!logits) return -1;
  for (int64_t i = 0; i < sources * count; i++) best[i] = -INFINITY, parents[i] = 0, tokens[i] = 0;
  for (int64_t row = 0; row < rows; row++) {
    float *logit = logits + row % CHOSEN_TOGETHER * apart, added = totals[row];
    if (row % CHOSEN_TOGETHER == 0) {
      int64_t here = rows - row < CHOSEN_TOGETHER ? rows - row : CHOSEN_TOGETHER;
      multiply(&m->output, here, states + row * m->d_model, m->d_model, logits, apart, SET);
    }
    if (added == -INFINITY) continue;
    for (int64_t i = vocab; i < apart; i++) logit[i] = -INFINITY;
    if (scores) {
      vec high = all(-INFINITY);
      for (int64_t i = 0; i < apart; i += LANES) high = larger(*(loose *)(logit + i), high);
      float top = largest_of(high);
      memcpy(copy, logit, vocab * sizeof *copy);
      added -= top + logf(exponentials(copy, vocab, top));
    }
    for (int i = 0; i < 2; i++) logit[m->forbidden[i]] = -INFINITY;
    float *mine = best + row / width * count;
    int32_t *my_parents = parents + row / width * count, *my_tokens = tokens + row / width * count;
    for (int64_t i = 0; i < apart; i += LANES) {
      vec total = *(loose *)(logit + i) + all(added);
      ints which = ~(total <= all(mine[count - 1])); /* larger than the last one, or NaN */
      int64_t any[LANES / 2] = {0};
      memcpy(any, &which, sizeof which);
      int64_t one = 0;
      for (int j = 0; j < LANES / 2; j++) one |= any[j];
      if (!one) continue;
      for (int j = 0; j < LANES; j++) {
        found_nan |= total[j] != total[j];
        if (!(total[j] > mine[count - 1])) continue;
        int64_t place = count - 1;
        for (; place > 0 && total[j] > mine[place - 1]; place--) {
          mine[place] = mine[place - 1];
          my_parents[place] = my_parents[place - 1];
          my_tokens[place] = my_tokens[place - 1];
        }
        mine[place] = total[j];
        my_parents[place] = row % width;
        my_tokens[place] = i + j;
      }
    }
  }
  free(logits);
  return found_nan ? 1 : 0;
}
