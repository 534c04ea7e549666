#!/bin/sh
# Builds what is committed: ./build.sh wasi | emscripten. With a second word it builds into that
# folder and records nothing. See README.md for the toolchains.
set -eu
cd "$(dirname "$0")"
kind=$1
case $kind in
wasi)
  out=${2:-.}
  sources='build.sh thread-start.c wasi-pthread.h'
  artefacts='thread-start.wasm'
  # The library was compiled without atomics; only the main thread calls it (wasi-pthread.h).
  clang-19 --target=wasm32-wasi --sysroot=/usr -O3 -std=c11 -Wall -Wextra -Werror \
    -matomics -mbulk-memory -mthread-model posix -s \
    -Wl,--no-check-features,--shared-memory,--import-memory,--export-memory \
    -Wl,--initial-memory=1048576,--max-memory=268435456 \
    thread-start.c -o "$out/thread-start.wasm"
  ;;
emscripten)
  out=${2:-../emscripten}
  sources='build.sh thread-start.c'
  artefacts='../emscripten/thread-start.js ../emscripten/thread-start-pool.js ../emscripten/thread-start.wasm ../emscripten/thread-start.worker.js'
  # Emscripten's own handlers of Node.js' stray errors would end the process that reports the trial.
  compile() {
    NODE_PATH=/usr/share/nodejs emcc -O3 -std=gnu11 -Wall -Wextra -pthread \
      -sPROXY_TO_PTHREAD -sEXIT_RUNTIME=1 -sINITIAL_MEMORY=268435456 -sENVIRONMENT=web,worker,node \
      -sDEFAULT_PTHREAD_STACK_SIZE=65536 -sEXPORTED_RUNTIME_METHODS=PThread \
      -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0 \
      thread-start.c "$@"
  }
  compile -o "$out/thread-start.js"
  # With a pool the script differs, and neither the module nor the workers do. A pool of none would
  # wait for its last worker for ever, so that is the other build.
  compile -sPTHREAD_POOL_SIZE='Module["threadPool"]' -o "$out/thread-start-pool.js"
  cmp "$out/thread-start.wasm" "$out/thread-start-pool.wasm"
  rm "$out/thread-start-pool.wasm" "$out/thread-start-pool.worker.js"
  ;;
*)
  echo "There is no build of \"$kind\": it is wasi or emscripten." >&2
  exit 2
  ;;
esac
# What came from what: `sha256sum -c wasi.sha256` and a test hold it against the files.
if [ $# -eq 1 ]; then sha256sum $sources $artefacts >"$kind.sha256"; fi
