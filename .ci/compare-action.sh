#!/usr/bin/env bash
# The step of action.yml that compares: inputs are variables. Run by harness/core/cli/action.e2e.ts as well.
set -uo pipefail
farm="${GITHUB_ACTION_PATH:?}/dist/harness/main.js"
folder="${RUNNER_TEMP:?}"
# A branch may have any name: none may be taken for an option, nor for more than one ref.
for name in "$BASE" "$HEAD"; do
  case "$name" in
    -* | +* | *:*)
      echo "crossfarm: $name is no name of a version: it begins with - or +, or holds a colon." >&2
      exit 2
      ;;
  esac
done
arguments=("--page=$PAGE" "--budget=$BUDGET")
[ -n "${BUILD:-}" ] && arguments+=("--build=$BUILD")
[ -n "${BROWSERS:-}" ] && arguments+=("--browsers=$BROWSERS")
[ -n "${FAIL_ON:-}" ] && arguments+=("--fail-on=$FAIL_ON")
while IFS= read -r measure; do
  [ -n "$measure" ] && arguments+=("--measure=$measure")
done <<< "${MEASURE:-}"
while IFS= read -r option; do
  [ -n "$option" ] && arguments+=("$option")
done <<< "${OPTIONS:-}"
# A shallow checkout lacks the base.
git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --depth=1 -- origin "$BASE"
node "$farm" compare "${arguments[@]}" --markdown -- "$BASE" "$HEAD" | tee "$folder/crossfarm.md"
code=${PIPESTATUS[0]}
# Other codes say that nothing was measured.
case "$code" in 0 | 1 | 4) node "$farm" report || echo "The report was not written." ;; esac
# Undecided is no failure of a pull request.
[ "$code" = 4 ] && code=0
exit "$code"
