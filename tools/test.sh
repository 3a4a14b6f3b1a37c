#!/usr/bin/env bash
# test.sh: all tests, two folders at a time: those of labs, studies, signals and documents mostly
# wait for clocks and links, the others compute.
#
#   tools/test.sh [OPTION...]     options of pytest
#
# Logs: build/tests/FOLDER.log
set -uo pipefail
cd "$(dirname "$0")/.."
export logs=build/tests
mkdir -p "$logs"
# The longest first, what waits beside what computes; then what is not named here.
order="docs analysis lab cli study mpi signals runtime validation inject"

one() {
    local name=$1 begin=$SECONDS state=ok
    shift
    .venv/bin/python -m pytest -q "$@" "tests/$name" >"$logs/$name.log" 2>&1 ||
        [ $? -eq 5 ] || state=FAILED # 5: the options leave none
    [ "$state" = ok ] || cat "$logs/$name.log"
    printf '%-12s %-7s %4d s  %s\n' "$name" "$state" $((SECONDS - begin)) \
        "$(tail -n 1 "$logs/$name.log")"
    [ "$state" = ok ]
}
export -f one

others=$(find tests -mindepth 2 -maxdepth 2 -name 'test_*.py' -printf '%h\n' | sort -u | sed 's/.*\///')
if ! printf '%s\n' $order $others | awk '!seen[$0]++' |
    xargs -P 2 -I '{}' bash -c 'one "$@"' bash '{}' "$@"; then
    echo "Tests failed. One folder again: .venv/bin/python -m pytest tests/FOLDER"
    exit 1
fi
grep -hE '^(SKIPPED|AGAIN)' "$logs"/*.log | sort -u || true
