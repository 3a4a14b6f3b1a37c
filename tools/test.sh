#!/usr/bin/env bash
# test.sh: all tests, in two streams side by side: those of labs, studies, signals and documents
# mostly wait for clocks and links, the others compute.
#
#   tools/test.sh [OPTION...]     options of pytest, for both streams
set -uo pipefail
cd "$(dirname "$0")/.."
log=build/tests-computing.log
waiting=() computing=()
for folder in tests/*/; do
    case $folder in
    tests/data/ | tests/__pycache__/) ;;
    tests/docs/ | tests/inject/ | tests/lab/ | tests/signals/ | tests/study/ | tests/validation/)
        waiting+=("$folder") ;;
    *) computing+=("$folder") ;;
    esac
done
mkdir -p build
.venv/bin/python -m pytest -q "$@" "${computing[@]}" >"$log" 2>&1 &
other=$!
trap 'kill "$other" 2>/dev/null' EXIT
.venv/bin/python -m pytest -q "$@" "${waiting[@]}"
status=$?
wait "$other" || status=$?
cat "$log"
exit "$status"
