/*
 * Starts threads and times each: from right before the call that makes it to its first instruction.
 *
 *   thread-start <threads> <sequential|parallel> [own|shared]
 *   thread-start wait <microseconds>
 *   thread-start --version
 *
 * sequential: each thread is joined before the next is made. parallel: all are made, then all are
 * joined. `own`, the default: every thread has a start time of its own. `shared`: one variable holds
 * the start of whichever thread was made last, as in the program by which such figures were
 * published; a thread that is late is then measured from the start of another.
 *
 * wait: a wait of a known length, which reads no clock, is recorded by the clock that times threads.
 *
 * All samples stay in memory and are printed once, when no other thread is left: nothing but
 * starting and joining runs while threads are timed, and standard output is not locked between the
 * threads of WASI. Times are whole nanoseconds.
 *
 * The same source is a program of this system (cc), a module for wasi-threads (clang and
 * wasi-pthread.h) and an Emscripten program (emcc).
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__EMSCRIPTEN__)
#include <emscripten.h>
#include <emscripten/threading.h>
#include <pthread.h>
#define THREADS "Emscripten pthreads"
#elif defined(__wasi__)
#include "wasi-pthread.h"
#define THREADS "wasi-threads"
#else
#include <pthread.h>
#include <unistd.h>
#define THREADS "pthreads"
#endif

#define MOST_THREADS 1000

/* A wait of this length is recorded at the end, to see that the clock tells what it should. */
#define KNOWN_WAIT_NS 1000000
#define KNOWN_WAITS 5

/* How the loop's speed is found: `../../calibrate/benchmark.js` says why, and does the same. */
#define SETTLING_NS 200000000
#define SHORT_ROUNDS 2000
#define STRETCH_NS 4000000
#define STRETCHES 60
#define QUANTILE 53

/* A reading lasts at least so long: waits that are shorter than the clock's step are repeated in it. */
#define READING_NS 2000000
#define LONGEST_WAIT_US 1000000
#define READINGS 10

#if defined(__EMSCRIPTEN__)
/*
 * The clock that all workers share. Emscripten's own (3.1.6) sets a worker's clock by a message, and
 * so loses the time that the message took: a thread would look younger than it is. The origin is the
 * smallest of several readings, taken once in each worker: ../clocks.js says why.
 */
EM_JS(double, shared_now_ms, (void), {
  var now = performance.now();
  var origin = globalThis.threadStartOrigin;
  if (origin === undefined) {
    origin = performance.timeOrigin;
    for (var i = 1; i < 9; i++) origin = Math.min(origin, performance.timeOrigin);
    globalThis.threadStartOrigin = origin;
  }
  return origin + now;
});

static int64_t now_ns(void) { return (int64_t)(shared_now_ms() * 1e6); }
#else
static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
#endif

/* Another clock than the one that records, where there is one: else a wait would prove nothing. */
static int64_t other_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct slot {
  int64_t start_ns;
  int64_t elapsed_ns;
  pthread_t thread;
};

static struct slot slots[MOST_THREADS];
static _Atomic int64_t shared_start_ns;
static atomic_int started;
static int is_shared;

static void *run(void *argument) {
  int64_t first = now_ns(); /* Nothing of ours runs before it. */
  struct slot *slot = argument;
  slot->elapsed_ns = first - (is_shared ? atomic_load(&shared_start_ns) : slot->start_ns);
  atomic_fetch_add(&started, 1);
  return NULL;
}

static int start(struct slot *slot) {
  slot->start_ns = now_ns();
  if (is_shared) atomic_store(&shared_start_ns, slot->start_ns);
  return pthread_create(&slot->thread, NULL, run, slot);
}

/* Gives how many were made; `error` says why it were not all. Whatever was made is joined. */
static int start_sequentially(int threads, int *error) {
  for (int made = 0; made < threads; made++) {
    *error = start(&slots[made]);
    if (*error != 0) return made;
    pthread_join(slots[made].thread, NULL);
  }
  return threads;
}

static int start_in_parallel(int threads, int *error) {
  int made = 0;
  while (made < threads) {
    *error = start(&slots[made]);
    if (*error != 0) break;
    made++;
  }
  for (int i = 0; i < made; i++) pthread_join(slots[i].thread, NULL);
  return made;
}

/* The shortest of some waits of known length, as the recording clock sees them. */
static int64_t record_known_wait(void) {
  int64_t shortest = INT64_MAX;
  for (int i = 0; i < KNOWN_WAITS; i++) {
    int64_t before = now_ns();
    int64_t end = other_now_ns() + KNOWN_WAIT_NS;
    while (other_now_ns() < end) continue;
    int64_t recorded = now_ns() - before;
    if (recorded < shortest) shortest = recorded;
  }
  return shortest;
}

/* One line of the result: a name and a number. */
static size_t write_line(char *text, size_t size, const char *name, int64_t value) {
  return (size_t)snprintf(text, size, "%s %" PRId64 "\n", name, value);
}

static void print_result(int threads) {
  static char text[(MOST_THREADS + 8) * 32];
  size_t used = 0;
  int64_t recorded = record_known_wait();
  used += write_line(text + used, sizeof text - used, "thread-start", 1);
  used += write_line(text + used, sizeof text - used, "threads", threads);
  used += write_line(text + used, sizeof text - used, "started", atomic_load(&started));
  used += write_line(text + used, sizeof text - used, "waited", KNOWN_WAIT_NS);
  used += write_line(text + used, sizeof text - used, "recorded", recorded);
  for (int i = 0; i < threads; i++) {
    used += write_line(text + used, sizeof text - used, "elapsed", slots[i].elapsed_ns);
  }
  used += write_line(text + used, sizeof text - used, "end", threads);
  fwrite(text, 1, used, stdout);
  fflush(stdout);
}

/* Reads no clock; each round needs the one before, so that none can be left out. */
static uint64_t spin(int64_t rounds, uint64_t state) {
  for (int64_t i = 0; i < rounds; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

static volatile uint64_t kept = 1;

static int64_t time_waits(int64_t rounds, int64_t repeats) {
  int64_t before = now_ns();
  for (int64_t i = 0; i < repeats; i++) kept = spin(rounds, kept);
  return now_ns() - before;
}

static int by_size(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

/* Rounds in a nanosecond: the ninth decile of the rates of some stretches. */
static double measure_rate(void) {
  static double rates[STRETCHES];
  int64_t settled = now_ns() + SETTLING_NS;
  while (now_ns() < settled) time_waits(SHORT_ROUNDS, 1);
  int64_t rounds = SHORT_ROUNDS;
  while (time_waits(rounds, 1) < STRETCH_NS) rounds *= 2;
  for (int i = 0; i < STRETCHES; i++) rates[i] = (double)rounds / (double)time_waits(rounds, 1);
  qsort(rates, STRETCHES, sizeof rates[0], by_size);
  return rates[QUANTILE];
}

/* Each line is the mean of the waits of one reading. */
static int print_waits(long microseconds) {
  static char text[(READINGS + 4) * 32];
  int64_t length = (int64_t)microseconds * 1000;
  int64_t rounds = (int64_t)(measure_rate() * (double)length + 0.5);
  int64_t repeats = 1 + READING_NS / length;
  int readings = length >= 100000000 ? 3 : READINGS;
  size_t used = 0;
  used += write_line(text + used, sizeof text - used, "thread-start", 1);
  used += write_line(text + used, sizeof text - used, "waited", length);
  for (int i = 0; i < readings; i++) {
    int64_t recorded = time_waits(rounds, repeats) / repeats;
    used += write_line(text + used, sizeof text - used, "recorded", recorded);
  }
  used += write_line(text + used, sizeof text - used, "end", readings);
  fwrite(text, 1, used, stdout);
  fflush(stdout);
  return 0;
}

static int print_version(void) {
#if defined(__clang__)
  printf("clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  printf("gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  printf("cc");
#endif
#if defined(__GLIBC__) && defined(_CS_GNU_LIBC_VERSION)
  /* The library that is here now, not the one that was there when this was compiled. */
  char library[64];
  if (confstr(_CS_GNU_LIBC_VERSION, library, sizeof library) > 0) printf(" %s", library);
#endif
  printf("\n");
  return 0;
}

static int refuse(void) {
  fprintf(stderr,
          "usage: thread-start <threads, 1 to %d> <sequential|parallel> [own|shared]\n"
          "       thread-start wait <microseconds, 1 to %d>\n",
          MOST_THREADS, LONGEST_WAIT_US);
  return 2;
}

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], "--version") == 0) return print_version();
  if (count != 3 && count != 4) return refuse();
  char *rest;
  if (count == 3 && strcmp(words[1], "wait") == 0) {
    long microseconds = strtol(words[2], &rest, 10);
    if (*rest != '\0' || microseconds < 1 || microseconds > LONGEST_WAIT_US) return refuse();
    return print_waits(microseconds);
  }
  long threads = strtol(words[1], &rest, 10);
  if (*rest != '\0' || threads < 1 || threads > MOST_THREADS) return refuse();
  int in_parallel = strcmp(words[2], "parallel") == 0;
  if (!in_parallel && strcmp(words[2], "sequential") != 0) return refuse();
  is_shared = count == 4 && strcmp(words[3], "shared") == 0;
  if (count == 4 && !is_shared && strcmp(words[3], "own") != 0) return refuse();

  int error = 0;
  int made = in_parallel ? start_in_parallel((int)threads, &error)
                         : start_sequentially((int)threads, &error);
  if (made < threads) {
    fprintf(stderr, "only %d of %ld " THREADS " started: %s\n", made, threads, strerror(error));
    return 3;
  }
  print_result((int)threads);
  return 0;
}
