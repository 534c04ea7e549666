/*
 * A shell of ChakraCore, the engine of the Edge of 2018, with what the shells of other engines have:
 * print, readline and performance.now.
 *
 *   chakracore < script
 *   chakracore --version
 *
 * The script ends with standard input or with a NUL byte; what follows that is for readline.
 *
 * The package that brings the library has no headers, so the part of the engine's interface that is
 * used is declared here (ChakraCommon.h and ChakraCore.h of 1.11).
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef CHAKRACORE_VERSION
#define CHAKRACORE_VERSION "unknown"
#endif

typedef void *JsRef;
typedef unsigned int JsErrorCode;
typedef JsRef (*JsNativeFunction)(JsRef callee, bool isConstruction, JsRef *arguments,
                                  unsigned short count, void *state);
typedef void (*JsPromiseContinuation)(JsRef task, void *state);

JsErrorCode JsCreateRuntime(int attributes, void *threadService, JsRef *runtime);
JsErrorCode JsCreateContext(JsRef runtime, JsRef *context);
JsErrorCode JsSetCurrentContext(JsRef context);
JsErrorCode JsSetPromiseContinuationCallback(JsPromiseContinuation callback, void *state);
JsErrorCode JsAddRef(JsRef value, unsigned int *count);
JsErrorCode JsRelease(JsRef value, unsigned int *count);
JsErrorCode JsGetGlobalObject(JsRef *object);
JsErrorCode JsGetUndefinedValue(JsRef *value);
JsErrorCode JsCreateObject(JsRef *object);
JsErrorCode JsCreateString(const char *text, size_t length, JsRef *value);
JsErrorCode JsCopyString(JsRef value, char *buffer, size_t size, size_t *length);
JsErrorCode JsConvertValueToString(JsRef value, JsRef *string);
JsErrorCode JsDoubleToNumber(double number, JsRef *value);
JsErrorCode JsCreateFunction(JsNativeFunction function, void *state, JsRef *value);
JsErrorCode JsCreatePropertyId(const char *name, size_t length, JsRef *id);
JsErrorCode JsSetProperty(JsRef object, JsRef id, JsRef value, bool isStrict);
JsErrorCode JsRun(JsRef script, uintptr_t cookie, JsRef url, int attributes, JsRef *result);
JsErrorCode JsCallFunction(JsRef function, JsRef *arguments, unsigned short count, JsRef *result);
JsErrorCode JsGetAndClearException(JsRef *exception);

/*
 * The engine compiles and collects on the thread of the script: with threads of their own this library
 * aborted on Debian 12 ("The futex facility returned an unexpected error code").
 */
enum { disableBackgroundWork = 1 };

enum { noAttributes = 0, noError = 0 };

static JsRef undefinedValue;

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void must(JsErrorCode code, const char *what) {
  if (code == noError) return;
  fprintf(stderr, "ChakraCore: %s: error 0x%x\n", what, code);
  exit(1);
}

/* The text of a value, to be freed. */
static char *textOf(JsRef value) {
  JsRef string;
  size_t length = 0;
  must(JsConvertValueToString(value, &string), "a value has no text");
  must(JsCopyString(string, NULL, 0, &length), "the length of a text");
  char *text = malloc(length + 1);
  if (text == NULL) fail("out of memory");
  must(JsCopyString(string, text, length, NULL), "a text");
  text[length] = '\0';
  return text;
}

/* Ends the program with the script's own error, if there is one. */
static void mustRun(JsErrorCode code) {
  if (code == noError) return;
  JsRef exception;
  must(JsGetAndClearException(&exception), "an error without a text");
  fail(textOf(exception));
}

static void runValue(JsRef script, JsRef *result) {
  JsRef url;
  must(JsCreateString("script", strlen("script"), &url), "no name");
  mustRun(JsRun(script, 1, url, noAttributes, result));
}

static void run(const char *text, JsRef *result) {
  JsRef script;
  must(JsCreateString(text, strlen(text), &script), "no script");
  runValue(script, result);
}

/* print(text) */
static JsRef printLine(JsRef callee, bool isConstruction, JsRef *arguments, unsigned short count,
                       void *state) {
  (void)callee, (void)isConstruction, (void)state;
  char *text = textOf(count > 1 ? arguments[1] : undefinedValue);
  puts(text);
  fflush(stdout);
  free(text);
  return undefinedValue;
}

/* readline(): waits for a line of standard input; empty at its end. */
static JsRef readLine(JsRef callee, bool isConstruction, JsRef *arguments, unsigned short count,
                      void *state) {
  (void)callee, (void)isConstruction, (void)arguments, (void)count, (void)state;
  char *line = NULL;
  size_t size = 0;
  ssize_t length = getline(&line, &size, stdin);
  if (length > 0 && line[length - 1] == '\n') length--;
  JsRef value;
  must(JsCreateString(line == NULL ? "" : line, length < 0 ? 0 : (size_t)length, &value), "a line");
  free(line);
  return value;
}

/* performance.now(): milliseconds since the program started. */
static JsRef now(JsRef callee, bool isConstruction, JsRef *arguments, unsigned short count,
                 void *state) {
  (void)callee, (void)isConstruction, (void)arguments, (void)count;
  const struct timespec *start = state;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  double ms =
      (double)(time.tv_sec - start->tv_sec) * 1e3 + (double)(time.tv_nsec - start->tv_nsec) / 1e6;
  JsRef value;
  must(JsDoubleToNumber(ms, &value), "a number");
  return value;
}

/* What promises have still to do, in the order in which it was asked for: a ring. */
static struct {
  JsRef *tasks;
  size_t size, first, count;
} queue;

static void enqueue(JsRef task, void *state) {
  (void)state;
  if (queue.count == queue.size) {
    size_t size = queue.size == 0 ? 1024 : 2 * queue.size;
    JsRef *tasks = malloc(size * sizeof *tasks);
    if (tasks == NULL) fail("out of memory");
    for (size_t i = 0; i < queue.count; i++)
      tasks[i] = queue.tasks[(queue.first + i) % queue.size];
    free(queue.tasks);
    queue.tasks = tasks, queue.size = size, queue.first = 0;
  }
  must(JsAddRef(task, NULL), "a task"); /* The collector does not look into the ring. */
  queue.tasks[(queue.first + queue.count++) % queue.size] = task;
}

/* The next task for `runTasks`; undefined when there is none. */
static JsRef nextTask(JsRef callee, bool isConstruction, JsRef *arguments, unsigned short count,
                      void *state) {
  (void)callee, (void)isConstruction, (void)arguments, (void)count, (void)state;
  if (queue.count == 0) return undefinedValue;
  JsRef task = queue.tasks[queue.first];
  queue.first = (queue.first + 1) % queue.size;
  queue.count--;
  must(JsRelease(task, NULL), "a task"); /* From here on the stack holds it. */
  return task;
}

/*
 * In one call of the engine: it looks for garbage at the end of each. With a call for each task
 * asyncFib(20) and asyncFib(22) were seen to take 4.5 times as long, and 100,000 promises at once 8 times.
 */
static void runTasks(void) {
  JsRef loop, next, result;
  run("next => { for (let task; (task = next()) !== undefined; ) task(); }", &loop);
  must(JsCreateFunction(nextTask, NULL, &next), "no function");
  JsRef words[] = {undefinedValue, next};
  mustRun(JsCallFunction(loop, words, 2, &result));
}

static void define(JsRef object, const char *name, JsRef value) {
  JsRef id;
  must(JsCreatePropertyId(name, strlen(name), &id), name);
  must(JsSetProperty(object, id, value, true), name);
}

static void defineFunction(JsRef object, const char *name, JsNativeFunction function, void *state) {
  JsRef value;
  must(JsCreateFunction(function, state, &value), name);
  define(object, name, value);
}

static JsRef readScript(void) {
  char *text = NULL;
  size_t size = 0;
  ssize_t length = getdelim(&text, &size, '\0', stdin);
  if (length < 0) fail("no script on standard input");
  if (text[length - 1] == '\0') length--;
  JsRef script;
  must(JsCreateString(text, (size_t)length, &script), "the script");
  free(text);
  return script;
}

int main(int count, char **words) {
  static struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (count == 2 && strcmp(words[1], "--version") == 0) {
    puts("ChakraCore " CHAKRACORE_VERSION);
    return 0;
  }
  if (count > 1) fail("it has no options: chakracore < script");
  JsRef runtime, context, global, performance, result;
  must(JsCreateRuntime(disableBackgroundWork, NULL, &runtime), "no runtime");
  must(JsCreateContext(runtime, &context), "no context");
  must(JsSetCurrentContext(context), "no context");
  must(JsGetUndefinedValue(&undefinedValue), "no undefined");
  must(JsSetPromiseContinuationCallback(enqueue, NULL), "no promises");
  must(JsGetGlobalObject(&global), "no global object");
  must(JsCreateObject(&performance), "no object");
  define(global, "globalThis", global);
  define(global, "performance", performance);
  defineFunction(performance, "now", now, &start);
  defineFunction(global, "print", printLine, NULL);
  defineFunction(global, "readline", readLine, NULL);
  runValue(readScript(), &result);
  runTasks();
  return 0;
}
