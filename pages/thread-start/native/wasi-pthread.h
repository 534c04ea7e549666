/*
 * As much of pthreads as thread-start.c uses, over the import `thread-spawn` of wasi-threads:
 * https://github.com/WebAssembly/wasi-threads. Debian's wasi-libc is built without threads. Only the
 * main thread may use its heap and its output; other threads read the clock and no more.
 *
 * The host answers `thread-spawn` by making another instance of the module, with the same memory, on
 * a thread of its own, and calls the export `wasi_thread_start` there.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define STACK_BYTES 65536

struct thread {
  uint8_t *stack_top; /* Read by wasi_thread_start below, at offset 0. */
  void *(*run)(void *);
  void *argument;
  uint8_t *stack;
  int32_t is_done;
};

typedef struct thread *pthread_t;

__attribute__((import_module("wasi"), import_name("thread-spawn"))) int32_t
wasi_thread_spawn(struct thread *thread);

/* A new instance starts with the main thread's stack pointer, and must get its own before any C runs. */
__asm__(".globaltype __stack_pointer, i32\n"
        ".functype wasi_run_thread (i32) -> ()\n"
        ".globl wasi_thread_start\n"
        ".export_name wasi_thread_start, wasi_thread_start\n"
        ".type wasi_thread_start,@function\n"
        "wasi_thread_start:\n"
        "  .functype wasi_thread_start (i32, i32) -> ()\n"
        "  local.get 1\n"
        "  i32.load 0\n"
        "  global.set __stack_pointer\n"
        "  local.get 1\n"
        "  call wasi_run_thread\n"
        "  end_function\n");

__attribute__((used)) void wasi_run_thread(struct thread *thread) {
  thread->run(thread->argument);
  __atomic_store_n(&thread->is_done, 1, __ATOMIC_SEQ_CST);
  __builtin_wasm_memory_atomic_notify(&thread->is_done, 1);
}

static int pthread_create(pthread_t *made, const void *attributes, void *(*run)(void *),
                          void *argument) {
  (void)attributes;
  struct thread *thread = malloc(sizeof *thread);
  uint8_t *stack = thread == NULL ? NULL : malloc(STACK_BYTES);
  if (stack == NULL) {
    free(thread);
    return ENOMEM;
  }
  /* The stack grows down, and is kept at 16 bytes by everybody. */
  uint8_t *top = (uint8_t *)((uintptr_t)(stack + STACK_BYTES) & ~(uintptr_t)15);
  *thread = (struct thread){top, run, argument, stack, 0};
  *made = thread;
  if (wasi_thread_spawn(thread) >= 0) return 0;
  free(stack);
  free(thread);
  return EAGAIN;
}

static int pthread_join(pthread_t thread, void **value) {
  (void)value;
  while (__atomic_load_n(&thread->is_done, __ATOMIC_SEQ_CST) == 0) {
    __builtin_wasm_memory_atomic_wait32(&thread->is_done, 0, -1);
  }
  free(thread->stack);
  free(thread);
  return 0;
}
