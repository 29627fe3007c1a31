/* SPDX-License-Identifier: BSD-3-Clause */
/* Random problems of every kind through the guru interfaces: any order of dimensions in memory,
   gaps, in place, real and imaginary parts apart, new arrays; compared with the definitions. */
#include "naive.h"

enum { most_dims = 4, room = 60000 };
typedef enum { c2c, r2c, c2r, r2r } Kind;

typedef struct {
  Kind kind;
  int rank, loops, sign, in_place, split;
  int n[most_dims], hn[most_dims];
  X(iodim64) dims[most_dims], hdims[most_dims];
  enum weft_fftw_kind kinds[most_dims];
} Problem;

static R memory[2][4 * room];

/* Strides for dimensions of these extents in a random order; `width` reals per element. */
static void lay_out(const int* extents, int count, ptrdiff_t* strides, int step, int gap) {
  int order[2 * most_dims];
  for (int d = 0; d < count; ++d) order[d] = d;
  for (int d = count - 1; d > 0; --d) {
    int other = random_below(d + 1), kept = order[d];
    order[d] = order[other];
    order[other] = kept;
  }
  ptrdiff_t stride = step;
  for (int d = 0; d < count; ++d) {
    strides[order[d]] = stride;
    stride *= extents[order[d]] + (gap ? random_below(2) : 0);
  }
}

static int halved(const Problem* p, int d) { return d + 1 == p->rank ? p->n[d] / 2 + 1 : p->n[d]; }

static Problem random_problem(Kind kind) {
  Problem p = {.kind = kind};
  int in_extents[2 * most_dims], out_extents[2 * most_dims];
  ptrdiff_t in[2 * most_dims], out[2 * most_dims];
  p.rank = random_below(8) == 0 ? 0 : 1 + random_below(3);
  p.loops = random_below(3);
  p.sign = kind == r2c ? -1 : kind == c2r ? 1 : random_below(2) ? 1 : -1;
  p.in_place = random_below(3) == 0;
  p.split = kind != r2r && random_below(3) == 0;
  for (int d = 0; d < p.rank; ++d) p.n[d] = 1 + random_below(p.rank == 1 ? 70 : 12);
  for (int d = 0; d < p.loops; ++d) p.hn[d] = 1 + random_below(5);
  for (int d = 0; d < p.rank; ++d) {
    p.kinds[d] = (enum weft_fftw_kind)random_below(11);
    if (kind == r2r && p.kinds[d] == FFTW_REDFT00 && p.n[d] < 2) p.n[d] = 2;
  }
  if (kind == c2c && p.split) p.sign = -1;
  int count = p.loops + p.rank;
  for (int d = 0; d < p.loops; ++d) in_extents[d] = out_extents[d] = p.hn[d];
  for (int d = 0; d < p.rank; ++d) {
    in_extents[p.loops + d] = kind == c2r ? halved(&p, d) : p.n[d];
    out_extents[p.loops + d] = kind == r2c ? halved(&p, d) : p.n[d];
  }
  int alternating = p.split && random_below(3) == 0;
  lay_out(in_extents, count, in, alternating && kind != r2c ? 2 : 1, 1);
  lay_out(out_extents, count, out, alternating && kind != c2r ? 2 : 1, 1);
  if (p.in_place && (kind == c2c || kind == r2r)) memcpy(out, in, sizeof in);
  for (int d = 0; d < count; ++d) {
    X(iodim64)* dim = d < p.loops ? p.hdims + d : p.dims + (d - p.loops);
    dim->n = d < p.loops ? p.hn[d] : p.n[d - p.loops];
    dim->is = in[d];
    dim->os = out[d];
  }
  p.split += alternating;
  return p;
}

/* Calls `visit` for each element of a side: its number in a contiguous array, and its offset. */
static void each(const Problem* p, int output, int half,
                 void (*visit)(size_t number, ptrdiff_t offset, void* data), void* data) {
  int index[2 * most_dims] = {0}, extents[2 * most_dims], count = p->loops + p->rank;
  ptrdiff_t strides[2 * most_dims];
  for (int d = 0; d < count; ++d) {
    const X(iodim64)* dim = d < p->loops ? p->hdims + d : p->dims + (d - p->loops);
    strides[d] = output ? dim->os : dim->is;
    extents[d] = d < p->loops ? p->hn[d] : half ? halved(p, d - p->loops) : p->n[d - p->loops];
  }
  for (size_t number = 0;; ++number) {
    ptrdiff_t offset = 0;
    int d = count - 1;
    for (int e = 0; e < count; ++e) offset += index[e] * strides[e];
    visit(number, offset, data);
    while (d >= 0 && ++index[d] == extents[d]) index[d--] = 0;
    if (d < 0) return;
  }
}

typedef struct {
  R *real, *imag; /* imag null: reals; `real` null is not used */
  int interleaved;
  double complex* values;
} Side;
static void put(size_t number, ptrdiff_t offset, void* data) {
  Side* s = data;
  if (s->interleaved) offset *= 2;
  s->real[offset] = (R)creal(s->values[number]);
  if (s->imag) s->imag[offset] = (R)cimag(s->values[number]);
}
static void get(size_t number, ptrdiff_t offset, void* data) {
  Side* s = data;
  if (s->interleaved) offset *= 2;
  s->values[number] = s->real[offset] + (s->imag ? I * s->imag[offset] : 0);
}

static Side side_of(const Problem* p, int output, R* base, double complex* values) {
  int is_complex = p->kind == c2c || p->kind == (output ? r2c : c2r);
  Side side = {base, NULL, 0, values};
  if (is_complex) {
    side.interleaved = p->split == 0;
    side.imag = base + (p->split == 1 ? room : 1);
  }
  return side;
}

static X(plan) make(const Problem* p, const Side* in, const Side* out, unsigned flags) {
  C *cin = (C*)in->real, *cout = (C*)out->real;
  switch (p->kind) {
    case c2c:
      if (p->split)
        return X(plan_guru64_split_dft)(p->rank, p->dims, p->loops, p->hdims, in->real, in->imag,
                                        out->real, out->imag, flags);
      return X(plan_guru64_dft)(p->rank, p->dims, p->loops, p->hdims, cin, cout, p->sign, flags);
    case r2c:
      if (p->split)
        return X(plan_guru64_split_dft_r2c)(p->rank, p->dims, p->loops, p->hdims, in->real,
                                            out->real, out->imag, flags);
      return X(plan_guru64_dft_r2c)(p->rank, p->dims, p->loops, p->hdims, in->real, cout, flags);
    case c2r:
      if (p->split)
        return X(plan_guru64_split_dft_c2r)(p->rank, p->dims, p->loops, p->hdims, in->real,
                                            in->imag, out->real, flags);
      return X(plan_guru64_dft_c2r)(p->rank, p->dims, p->loops, p->hdims, cin, out->real, flags);
    case r2r:
      return X(plan_guru64_r2r)(p->rank, p->dims, p->loops, p->hdims, in->real, out->real, p->kinds,
                                flags);
  }
  return NULL;
}

static void execute_new(const Problem* p, X(plan) plan, const Side* in, const Side* out) {
  C *cin = (C*)in->real, *cout = (C*)out->real;
  switch (p->kind) {
    case c2c:
      if (p->split)
        X(execute_split_dft)(plan, in->real, in->imag, out->real, out->imag);
      else
        X(execute_dft)(plan, cin, cout);
      break;
    case r2c:
      if (p->split)
        X(execute_split_dft_r2c)(plan, in->real, out->real, out->imag);
      else
        X(execute_dft_r2c)(plan, in->real, cout);
      break;
    case c2r:
      if (p->split)
        X(execute_split_dft_c2r)(plan, in->real, in->imag, out->real);
      else
        X(execute_dft_c2r)(plan, cin, out->real);
      break;
    case r2r: X(execute_r2r)(plan, in->real, out->real); break;
  }
}

/* The input as the problem stores it and the expected output, both contiguous. */
static void fill(const Problem* p, double complex* in, double complex* out) {
  size_t batch = 1, count = 1;
  for (int d = 0; d < p->loops; ++d) batch *= (size_t)p->hn[d];
  for (int d = 0; d < p->rank; ++d) count *= (size_t)p->n[d];
  for (size_t i = 0; i < batch * count; ++i)
    in[i] = random_real() + (p->kind == c2c ? I * random_real() : 0);
  memcpy(out, in, batch * count * sizeof *in);
  naive(out, (int)batch, p->rank, p->n, p->kind == c2r ? -1 : p->sign,
        p->kind == r2r ? p->kinds : NULL);
  if (p->kind != r2c && p->kind != c2r) return;
  /* The half of the spectrum; c2r goes back from it to the reals, times their number. */
  size_t last = p->rank ? (size_t)p->n[p->rank - 1] : 1, half = last / 2 + 1, kept = 0;
  double complex* spectrum = malloc(batch * count * sizeof *spectrum);
  for (size_t i = 0; i < batch * count; ++i)
    if (i % last < half) spectrum[kept++] = out[i];
  if (p->kind == r2c) memcpy(out, spectrum, kept * sizeof *out);
  if (p->kind == c2r) {
    for (size_t i = 0; i < batch * count; ++i) out[i] = in[i] * (double)count;
    memcpy(in, spectrum, kept * sizeof *in);
  }
  free(spectrum);
}

static size_t output_count(const Problem* p) {
  size_t count = 1;
  for (int d = 0; d < p->loops; ++d) count *= (size_t)p->hn[d];
  for (int d = 0; d < p->rank; ++d) count *= (size_t)(p->kind == r2c ? halved(p, d) : p->n[d]);
  return count;
}

static void check(Kind kind) {
  static double complex input[room], expected[room], result[room];
  const Problem p = random_problem(kind);
  fill(&p, input, expected);
  unsigned flags = FFTW_ESTIMATE | (random_below(2) ? FFTW_PRESERVE_INPUT : FFTW_UNALIGNED);
  for (int again = 0; again < 2; ++again) {
    /* The second time on arrays one element further on. */
    static X(plan) plan;
    R* base = memory[0] + 2 * again;
    Side in = side_of(&p, 0, base, input);
    Side out = side_of(&p, 1, p.in_place ? base : memory[1] + 2 * again, result);
    if (!again) plan = make(&p, &in, &out, flags);
    CHECK(plan != NULL);
    if (plan == NULL) return;
    each(&p, 0, kind == c2r, put, &in);
    if (again)
      execute_new(&p, plan, &in, &out);
    else
      X(execute)(plan);
    each(&p, 1, kind == r2c, get, &out);
    double error = difference(result, expected, output_count(&p));
    if (!(error < TOLERANCE)) {
      ++failure_count;
      fprintf(stderr, "kind %d rank %d n %dx%dx%d loops %d in place %d split %d: error %g\n", kind,
              p.rank, p.n[0], p.n[1], p.n[2], p.loops, p.in_place, p.split, error);
      X(fprint_plan)(plan, stderr);
    }
    if (again) X(destroy_plan)(plan);
  }
}

int main(void) {
  for (int round = 0; round < 60; ++round)
    for (int kind = c2c; kind <= r2r; ++kind) check((Kind)kind);
  return failure_count != 0;
}
