#!/usr/bin/env bash
# test.sh: all tests, folder by folder, in three streams. Two of them take folders whose tests mostly
# wait for clocks, links and programs; the third, and one of the two when none are left, those that
# compute. Which are which, and how long they take, is in tools/test_seconds.tsv: the longest come
# first, and the very long ones in parts (tools/order_tests.py, which also renews the file).
#
#   tools/test.sh [OPTION...]     options of pytest
#
# Tests that are marked as nightly are left to tools/nightly.py. Of those that are marked to be run in
# turn, it runs one seventh, by date; TEST_TURN names another day (0 to 6), or all of them if it is "".
#
# Failed tests are tried again with nothing else running: three streams on a small machine starve
# programs that are compared with clocks. A wrong one fails again; one that passes is named, and
# counted over runs of all tests (tools/again.py).
#
# Logs: build/tests/FOLDER.log, and FOLDER.again.log; the record of second tries: build/tests/again.tsv
set -uo pipefail
cd "$(dirname "$0")/.."
export logs=build/tests
mkdir -p "$logs"
rm -rf "$logs"/*.failed "$logs"/*.log "$logs"/*.seconds "$logs/cache"
export TEST_TURN=${TEST_TURN-$((10#$(date -u +%j) % 7))}
# One thread each: on two cores the threads of numpy only spin for each other.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
.venv/bin/python tools/order_tests.py "$logs" || exit 1

# Each folder has a place of its own for files of its tests, kept where one failed: a pytest that
# begins closes the common one to other users, as which some tests of others may run just then. The
# name is short: there are sockets in it.
#
# one LOG PART OPTION...
one() {
    local log=$logs/$1.log name=$2 begin=$SECONDS state=ok code=0 place paths TIMEFORMAT='%R %U %S'
    read -ra paths < <(sed -n "s/^$name //p" "$logs/parts")
    shift 2
    place=$(mktemp -d /tmp/jXXXXXX) && chmod 0755 "$place"
    { time PYTEST_DEBUG_TEMPROOT=$place .venv/bin/python -m pytest -q -m 'not nightly' \
        -o "cache_dir=$logs/cache/$name" "$@" "${paths[@]}" >"$log" 2>&1; } \
        2>"${log%.log}.seconds" || code=$?
    case $code in 0 | 5) ;; *) state=FAILED && echo "$code" >"$logs/$name.failed" ;; esac # 5: no test
    if [ "$state" = ok ]; then rm -rf --one-file-system "$place"; else cat "$log"; fi
    printf '%-12s %-7s %4d s  %s\n' "$name" "$state" $((SECONDS - begin)) "$(tail -n 1 "$log")"
}

# Takes the first line out of the first list that has one.
take() {
    local list
    for list in "$@"; do
        head -n 1 "$list" | grep . && sed -i 1d "$list" && return
    done
    return 1
}

# stream LISTS -- OPTION...: folders of some lists, one after the other.
stream() {
    local lists=() name
    while [ "$1" != -- ]; do lists+=("$logs/$1.left") && shift; done
    shift
    while name=$(exec 9>"$logs/lists.lock" && flock 9 && take "${lists[@]}"); do
        one "$name" "$name" "$@"
    done
}

set -m # each stream is a group of its own: the keyboard reaches it through the trap
streams=()
for lists in "waiting computing" waiting "computing waiting"; do
    # shellcheck disable=SC2086  # word list
    stream $lists -- "$@" &
    streams+=($!)
done
trap 'kill "${streams[@]}"; kill -INT -- "${streams[@]/#/-}"; wait; exit 130' INT
wait
for failed in "$logs"/*.failed; do
    # 1: tests failed. Anything else (a crash, a file that cannot be read) names no tests to try.
    [ -e "$failed" ] && [ "$(cat "$failed")" = 1 ] || continue
    name=$(basename "$failed" .failed)
    rm "$failed"
    echo "$name: what failed is tried again, alone"
    one "$name.again" "$name" --last-failed -rfEp "$@"
    sed -n 's/^PASSED \(.*\)/AGAIN \1 (alone)/p' "$logs/$name.again.log" >>"$logs/$name.log"
done
grep -hE '^(SKIPPED|AGAIN)' "$logs"/*.log | sort -u || true
[ $# -gt 0 ] || .venv/bin/python tools/again.py "$logs"
awk '{ cpu += $2 + $3 } END { printf "CPU time of all: %d s; ", cpu }' "$logs"/*.seconds
printf 'make test: %d min %d s\n' $((SECONDS / 60)) $((SECONDS % 60))
if [ -n "$(find "$logs" -maxdepth 1 -name '*.failed')" ]; then
    echo "Tests failed. One folder again: .venv/bin/python -m pytest tests/FOLDER"
    exit 1
fi
