/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything of FFTW's interface but transforms: wisdom, threads, memory, plans as text, and
   misuse. A plan that cannot be made is NULL. */
#include <pthread.h>
#include <stdint.h>

#include "naive.h"

enum { n = 240, large = 4096 };
static C in[large], out[large], other[large];

static X(plan) plan_of(unsigned flags) { return X(plan_dft_1d)(n, in, out, FFTW_FORWARD, flags); }
static int has_wisdom(unsigned flags) {
  X(plan) plan = plan_of(flags | FFTW_WISDOM_ONLY);
  X(destroy_plan)(plan);
  return plan != NULL;
}

typedef struct {
  char text[100000];
  size_t length, next;
} Tape;
static void write_char(char c, void* data) {
  Tape* tape = data;
  if (tape->length < sizeof tape->text) tape->text[tape->length++] = c;
}
static int read_char(void* data) {
  Tape* tape = data;
  return tape->next < tape->length ? (unsigned char)tape->text[tape->next++] : EOF;
}

static void check_wisdom(const char* path) {
  static Tape tape;
  X(forget_wisdom)();
  CHECK(!has_wisdom(FFTW_ESTIMATE));
  X(destroy_plan)(plan_of(FFTW_ESTIMATE));
  CHECK(has_wisdom(FFTW_ESTIMATE));
  CHECK(!has_wisdom(FFTW_MEASURE)); /* wisdom by estimation is not good enough */
  X(destroy_plan)(plan_of(FFTW_MEASURE));
  CHECK(has_wisdom(FFTW_MEASURE) && has_wisdom(FFTW_ESTIMATE) && !has_wisdom(FFTW_PATIENT));

  char* text = X(export_wisdom_to_string)();
  CHECK(text != NULL);
  X(export_wisdom)(write_char, &tape);
  CHECK(tape.length == strlen(text) && memcmp(tape.text, text, tape.length) == 0);
  CHECK(X(export_wisdom_to_filename)(path) == 1);
  CHECK(X(export_wisdom_to_filename)("/no/such/folder/wisdom") == 0);

  X(forget_wisdom)();
  CHECK(X(import_wisdom_from_string)(text) == 1 && has_wisdom(FFTW_MEASURE));
  X(forget_wisdom)();
  CHECK(X(import_wisdom)(read_char, &tape) == 1 && has_wisdom(FFTW_MEASURE));
  X(forget_wisdom)();
  CHECK(X(import_wisdom_from_filename)(path) == 1 && has_wisdom(FFTW_MEASURE));
  X(forget_wisdom)();
  FILE* file = fopen(path, "w");
  X(import_wisdom_from_string)(text);
  X(export_wisdom_to_file)(file);
  fputs("something else", file);
  fclose(file);
  X(forget_wisdom)();
  file = fopen(path, "r");
  char rest[32] = "";
  CHECK(X(import_wisdom_from_file)(file) == 1 && has_wisdom(FFTW_MEASURE));
  CHECK(fscanf(file, " %31[^\n]", rest) == 1 && strcmp(rest, "something else") == 0);
  fclose(file);
  remove(path);

  /* Damaged, of another library, of another precision, not there. */
  X(forget_wisdom)();
  text[strlen(text) - 3] = '\0';
  CHECK(X(import_wisdom_from_string)(text) == 0 && !has_wisdom(FFTW_ESTIMATE));
  CHECK(X(import_wisdom_from_string)("(fftw-3.3.10 fftw_wisdom #x0 #x0 #x0 #x0)") == 0);
  CHECK(X(import_wisdom_from_string)("") == 0);
  CHECK(X(import_wisdom_from_filename)("/no/such/file") == 0);
  /* A recipe that fits nothing is as good as none. */
  strcpy(tape.text, text);
  char* recipe = strstr(tape.text, " = ");
  if (recipe != NULL) strcpy(recipe, " = nonsense\n)\n");
  CHECK(X(import_wisdom_from_string)(tape.text) == 1);
  X(plan) plan = plan_of(FFTW_ESTIMATE);
  CHECK(plan != NULL);
  X(destroy_plan)(plan);
  free(text);
}

static void transform_both(X(plan) plan) {
  static double complex expected[large], result[large];
  const int length = n;
  for (int i = 0; i < n; ++i) {
    expected[i] = random_real() + I * random_real();
    in[i] = (C)expected[i];
  }
  naive(expected, 1, 1, &length, -1, NULL);
  X(execute)(plan);
  for (int i = 0; i < n; ++i) result[i] = out[i];
  CHECK(difference(result, expected, n) < TOLERANCE);
}

static int loop_calls = 0, loop_jobs = 0;
static void my_loop(void* (*work)(char*), char* jobs, size_t job_bytes, int count, void* data) {
  CHECK(data == &loop_calls);
  ++loop_calls;
  for (int i = count - 1; i >= 0; --i, ++loop_jobs) work(jobs + (size_t)i * job_bytes);
}

static X(plan) shared_plan;
static void* execute_often(void* data) {
  C* mine = data;
  for (int i = 0; i < 50; ++i) X(execute_dft)(shared_plan, in, mine);
  return NULL;
}

static void check_threads(void) {
  CHECK(X(init_threads)() != 0);
  CHECK(X(planner_nthreads)() == 1);
  X(plan_with_nthreads)(3);
  CHECK(X(planner_nthreads)() == 3);
  X(make_planner_thread_safe)();
  X(plan) plan = plan_of(FFTW_ESTIMATE);
  CHECK(plan != NULL);
  transform_both(plan);
  X(destroy_plan)(plan);
  /* The program's own loop runs what is shared out. */
  X(threads_set_callback)(my_loop, &loop_calls);
  plan = X(plan_dft_2d)(64, 64, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  CHECK(plan != NULL);
  for (int i = 0; i < large; ++i) in[i] = 1;
  X(execute)(plan);
  CHECK(cabs(out[0] - 4096) < 4096 * TOLERANCE && cabs(out[77]) < 4096 * TOLERANCE);
  CHECK(loop_calls > 0 && loop_jobs > 1);
  X(destroy_plan)(plan);
  X(threads_set_callback)(NULL, NULL);
  X(plan_with_nthreads)(1);

  /* One plan, two threads, arrays of their own. */
  static C second[large];
  shared_plan = X(plan_dft_1d)(4093, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  CHECK(shared_plan != NULL);
  for (int i = 0; i < large; ++i) in[i] = (R)random_real();
  X(execute)(shared_plan);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, execute_often, other) == 0);
  execute_often(second);
  pthread_join(thread, NULL);
  CHECK(memcmp(out, other, 4093 * sizeof(C)) == 0 && memcmp(out, second, 4093 * sizeof(C)) == 0);
  X(destroy_plan)(shared_plan);
  X(cleanup_threads)();
}

static void check_plans_as_text(void) {
  X(plan) plan = plan_of(FFTW_ESTIMATE);
  double add = -1, mul = -1, fma = -1;
  X(flops)(plan, &add, &mul, &fma);
  CHECK(add + mul + 2 * fma > n);
  CHECK(X(cost)(plan) > 0 && X(estimate_cost)(plan) > 0);
  char* text = X(sprint_plan)(plan);
  CHECK(text != NULL && strstr(text, "240") != NULL);
  free(text);
  X(plan) copy = X(copy_plan)(plan);
  X(destroy_plan)(plan);
  transform_both(copy);
  X(destroy_plan)(copy);
  CHECK(strstr(X(version), "-3.3") != NULL && X(cc) != NULL && X(codelet_optim) != NULL);
}

static void check_memory(void) {
  R* reals = X(alloc_real)(5);
  C* numbers = X(alloc_complex)(5);
  void* bytes = X(malloc)(0);
  CHECK(reals && numbers && bytes && X(alignment_of)(reals) == 0);
  CHECK((uintptr_t)numbers % 64 == 0 && X(alignment_of)((R*)numbers + 1) == sizeof(R));
  CHECK(X(alloc_real)(SIZE_MAX / 2) == NULL && X(malloc)(SIZE_MAX - 64) == NULL);
  X(free)(reals);
  X(free)(numbers);
  X(free)(bytes);
  X(free)(NULL);
}

static void check_flags(void) {
  static R reals[n];
  static C kept[n];
  X(forget_wisdom)();
  /* Several rigors: estimation wins, else the highest. */
  X(destroy_plan)(plan_of(FFTW_PATIENT | FFTW_ESTIMATE | FFTW_EXHAUSTIVE));
  CHECK(has_wisdom(FFTW_ESTIMATE) && !has_wisdom(FFTW_MEASURE));
  X(set_timelimit)(0.1);
  X(destroy_plan)(plan_of(FFTW_PATIENT | FFTW_EXHAUSTIVE));
  CHECK(has_wisdom(FFTW_EXHAUSTIVE));
  X(set_timelimit)(FFTW_NO_TIMELIMIT);
  /* Bits that mean nothing, and those of FFTW's own planner, change nothing. */
  X(plan) plan = plan_of(FFTW_ESTIMATE | 0xff000000u | FFTW_NO_SIMD | FFTW_CONSERVE_MEMORY);
  CHECK(plan != NULL);
  transform_both(plan);
  X(destroy_plan)(plan);
  /* To preserve the input wins over to destroy it. */
  plan = X(plan_dft_c2r_1d)(n, in, reals, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT | FFTW_DESTROY_INPUT);
  memcpy(kept, in, sizeof kept);
  X(execute)(plan);
  CHECK(memcmp(kept, in, sizeof kept) == 0);
  X(destroy_plan)(plan);
}

static void check_misuse(void) {
  const int shape[2] = {4, -4}, huge[4] = {2147483647, 2147483647, 2147483647, 2147483647};
  const X(r2r_kind) no_kind = (X(r2r_kind))77;
  R *reals = (R*)in, *results = (R*)out;
  CHECK(X(plan_dft_1d)(0, in, out, -1, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_dft_1d)(-5, in, out, -1, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_dft_1d)(8, in, out, 0, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_dft)(2, shape, in, out, -1, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_dft)(-1, shape, in, out, -1, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_dft)(1, NULL, in, out, -1, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_dft)(4, huge, in, out, -1, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_dft_r2c_1d)(-1, reals, out, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_dft_c2r_2d)(3, 0, in, results, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_r2r_1d)(1, reals, results, FFTW_REDFT00, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_r2r_1d)(8, reals, results, no_kind, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_r2r)(1, shape, reals, results, NULL, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_guru64_dft)(1, NULL, 0, NULL, in, out, -1, FFTW_ESTIMATE) == NULL);
  CHECK(X(plan_many_dft)(1, shape, -1, in, NULL, 1, 4, out, NULL, 1, 4, -1, 64) == NULL);
  /* Outputs on top of each other. */
  CHECK(X(plan_many_dft)(1, shape, 3, in, NULL, 1, 4, out, NULL, 1, 2, -1, 64) == NULL);
  /* No transforms at all are done by doing nothing. */
  X(plan) none = X(plan_many_dft)(1, shape, 0, in, NULL, 1, 4, out, NULL, 1, 4, -1, 64);
  CHECK(none != NULL);
  X(execute)(none);
  X(destroy_plan)(none);
  /* NULL plans. The message on standard error is wanted. */
  X(destroy_plan)(NULL);
  X(execute)(NULL);
  X(execute_dft)(NULL, in, out);
  CHECK(X(cost)(NULL) == 0);
  char* text = X(sprint_plan)(NULL);
  CHECK(strcmp(text, "(null)") == 0);
  free(text);
  /* Planned out of place, executed in place: FFTW leaves it open, here it is right. */
  X(plan) plan = plan_of(FFTW_ESTIMATE);
  X(execute_dft)(plan, in, out);
  X(execute_dft)(plan, in, in);
  for (int i = 0; i < n; ++i) CHECK(cabs(in[i] - out[i]) <= TOLERANCE * cabs(out[0]) * n);
  X(destroy_plan)(plan);
  /* No time for planning is estimation. */
  X(set_timelimit)(0);
  plan = X(plan_dft_1d)(1009, in, out, 1, FFTW_PATIENT);
  CHECK(plan != NULL);
  X(destroy_plan)(plan);
  X(set_timelimit)(FFTW_NO_TIMELIMIT);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  check_wisdom(argv[1]);
  check_threads();
  check_plans_as_text();
  check_memory();
  check_flags();
  check_misuse();
  X(cleanup)();
  CHECK(!has_wisdom(FFTW_ESTIMATE));
  return failure_count != 0;
}
