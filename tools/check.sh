#!/usr/bin/env bash
# check.sh: everything that must hold before a change goes in. Runs after tools/setup.sh.
#
#   tools/check.sh           all steps; exit status 1 and a list when some failed
#   tools/check.sh STEP...   these steps only (names as printed)
#
# A step that cannot be done here is reported as NOT DONE and is no failure.
#
# FUZZ_SECONDS (5) is the time for each fuzzer after its corpus. Logs: build/check/STEP.log;
# CHECK_LOGS names another folder.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
export logs=${CHECK_LOGS:-build/check}
mkdir -p "$logs"
rm -f "$logs"/*.failed "$logs"/*.not-done "$logs"/*.seconds
wanted=("$@")
. tools/ccache.sh

# step NAME COMMAND...: runs it with its output in a log, shows the log's end when it fails.
step() {
    local name=$1 begin=$SECONDS status=0
    shift
    if is_named && [[ ! " ${wanted[*]} " == *" $name "* ]]; then
        return
    fi
    # Its output is one write: steps may run concurrently.
    "$@" >"$logs/$name.log" 2>&1 || status=$?
    echo "$((SECONDS - begin)) $name" >"$logs/$name.seconds"
    if [ "$status" = 0 ]; then
        printf '%-12s ok      %4d s  %s\n' "$name" $((SECONDS - begin)) \
            "$(tail -n 1 "$logs/$name.log" | cut -c1-60)"
    elif [ "$status" = 77 ]; then # it could not be done here, and says why
        printf '%-12s NOT DONE%4d s  %s\n' "$name" $((SECONDS - begin)) \
            "$(tail -n 1 "$logs/$name.log")"
        touch "$logs/$name.not-done"
    else
        printf '%-12s FAILED  %4d s\n%s\n' "$name" $((SECONDS - begin)) \
            "$(tail -n 40 "$logs/$name.log" | sed 's/^/    /')"
        touch "$logs/$name.failed"
    fi
}

# Which seventh is done today where a step does one seventh each day; one that is named does all.
turn=$((10#$(date -u +%j) % 7))
is_named() { [ "${#wanted[@]}" -gt 0 ]; }

c_files() { find runtime agent lab integrations tests -name '*.[ch]' ! -path '*/mpi/generated/*'; }

generated() {
    tools/generate.py --check && python tools/generate_readmes.py --check && python tools/generate_mpi.py --check &&
        python tools/generate_api.py --check && python tools/supply/sbom.py --check
}

style_c() { c_files | xargs clang-format --dry-run -Werror; }

style_python() {
    ruff check src lab tests tools && ruff format --check src lab tests tools
}

tidy() {
    # clang's own compile commands: it does not know all flags of gcc.
    cmake -G Ninja -B build/clang -DCMAKE_C_COMPILER=clang -DJOSTLE_WERROR=ON -DJOSTLE_TESTS=ON \
        >/dev/null || return 1
    if is_named; then python tools/tidy.py --all; else python tools/tidy.py; fi
}

# Prefix of commands that run concurrently with tests: a second try of a test waits for them.
alongside=(flock -o -s "$logs/alongside")

# unit_tests FOLDER OPTION...: those in C. Failed ones are tried again with nothing else running.
unit_tests() {
    "${alongside[@]}" ctest --test-dir "$1" -j 2 --output-on-failure "${@:2}" ||
        flock -o "$logs/alongside" ctest --test-dir "$1" --output-on-failure --rerun-failed
}

# Compiles with warnings as errors: all of it by gcc and by clang, and the library with every module left
# out in turn, one each day, where there is no MPI. (A portable build is a test in tests/house.)
builds() {
    local compiler module modules=(POSIX STDIO OS AIO PERF PAPI MPI)
    for compiler in gcc clang; do
        cmake -G Ninja -B "build/$compiler" -DCMAKE_C_COMPILER="$compiler" -DJOSTLE_WERROR=ON \
            -DJOSTLE_TESTS=ON >/dev/null && cmake --build "build/$compiler" -j 2 &&
            unit_tests "build/$compiler" || return 1
    done
    local left_out=("${modules[@]}")
    is_named || left_out=("${modules[turn]}")
    for module in "${left_out[@]}"; do
        cmake -G Ninja -B build/without -DJOSTLE_WERROR=ON -DJOSTLE_MPICC= \
            $(printf -- '-DJOSTLE_WITH_%s=ON ' "${modules[@]}") \
            "-DJOSTLE_WITH_$module=OFF" >/dev/null &&
            cmake --build build/without -j 2 --target jostle || return 1
        LD_PRELOAD="$PWD/build/without/native/libjostle.so" JOSTLE_SPOOL=/nowhere /bin/true ||
            return 1
        if ninja -C build/without -t query libjostle-openmpi.so >/dev/null 2>&1; then
            echo "an adapter would be built though no mpicc was given"
            return 1
        fi
    done
}

# The export list of the library is calls.def, the list of MPI names and that for GPUs, no more and no
# less; the injector and the recorders have their own.
exports() {
    python tools/exports.py build/native/libjostle_inject.so build/native/libjostle_cuda.so \
        build/native/libjostle_rocm.so build/native/libjostle.so
}

# The web front end: its style, its types, its logic. Its pages are tests in tests/web.
ui() {
    tools/ui.sh npm run --silent lint && tools/ui.sh npm run --silent check &&
        tools/ui.sh npm run --silent test
}

# Tests that are valid in a build whose heartbeat is a pthread and whose run-time library comes first: no
# forks from threads, no raw threads, no shells and virtual machines, no PyTorch.
under_sanitizer='(test_config or test_counts or ends_after or storm or modes or variadic or vfork or
    first_calls or test_gpu) and not forks and not java and not shell and not raw and not thread-exit and
    not more_mounts and not gloo'

# sanitized NAME RUN-TIME-LIBRARY TESTS [FILE...]: the runtime's tests, or those in the files, on a
# build with that sanitizer. Of the unit tests, those with several threads are for the thread
# sanitizer. Tests that failed while other steps ran are tried again with nothing else running.
sanitized() {
    local preload= still=() threads=() code=0 place run
    local files=("${@:4}")
    [ $# -gt 3 ] || files=(tests/runtime tests/mpi/test_mpi_sanitizer.py)
    # Without random addresses: TSan executes a program again when it cannot use its layout, and
    # that first image is a process more than the tests expect.
    setarch -R true 2>/dev/null && still=(setarch -R)
    cmake --preset "$1" >/dev/null && cmake --build "build/$1" -j 2 || return 1
    [ "$1" != tsan ] || threads=(-R 'decode|nccl|peers|ship|agent_(beat|ceph|process)')
    unit_tests "build/$1" "${threads[@]}" || return 1
    [ -z "$2" ] || preload=$(gcc -print-file-name="$2")
    # Leaks: programs under test end as they please. Interceptor order: ours comes second.
    place=$(mktemp -d /tmp/jXXXXXX) && chmod 0755 "$place" # as tools/test.sh has it
    run=(env PYTEST_DEBUG_TEMPROOT="$place" ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:handle_segv=0
        TSAN_OPTIONS=handle_segv=0 JOSTLE_NATIVE="$PWD/build/$1/native" JOSTLE_TEST_PRELOAD="$preload"
        timeout 900 "${still[@]}" python -m pytest -q -o "cache_dir=$logs/cache-$1"
        "${files[@]}" -k "$(echo $3)")
    "${alongside[@]}" "${run[@]}" || code=$?
    [ "$code" != 1 ] || { code=0 && flock -o "$logs/alongside" "${run[@]}" --last-failed -rfEp || code=$?; }
    [ "$code" != 0 ] || rm -rf --one-file-system "$place"
    return "$code"
}

# ubsan_piece NUMBER: every fourth file of the runtime's tests under UBSan, without the MPI adapters.
ubsan_piece() {
    local files
    mapfile -t files < <(printf '%s\n' tests/runtime/test_*.py | awk -v piece="$1" 'NR % 4 == piece')
    sanitized ubsan-plain '' '' "${files[@]}"
}

# One fuzzer, on one core.
fuzz_one() {
    local name
    name=$(basename "$1")
    mkdir -p "build/fuzz/corpus/$name"
    "$1" -max_total_time="${FUZZ_SECONDS:-5}" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
        -artifact_prefix="$logs/$name-" "build/fuzz/corpus/$name" tests/data \
        agent/test/fixtures
}
export -f fuzz_one

fuzz() {
    cmake --preset fuzz >/dev/null && cmake --build build/fuzz -j 2 || return 1
    printf '%s\n' build/fuzz/fuzz/fuzz_* |
        "${alongside[@]}" xargs -I '{}' bash -c 'fuzz_one "{}"'
}

# Whether rows of the bench can measure: one seventh of them, by date; all where the step is named.
bench() {
    if is_named; then python lab/bench/run.py --smoke; else python lab/bench/run.py --smoke --turn "$turn"; fi
}

# These take one core each.
{
    step ui ui
    step c-style style_c
} &
step generated generated
step python-style style_python
step mypy mypy
step licences python tools/supply/licences.py
step audit python tools/supply/audit.py
wait
step tidy tidy
step builds builds
step exports exports
step tests make --no-print-directory test
step bench bench
step budget python lab/bench/budget.py
# The tests of sanitizers mostly wait.
{
    step asan sanitized asan libasan.so "$under_sanitizer"
    step tsan sanitized tsan libtsan.so "$under_sanitizer or under_thread_sanitizer"
} &
step fuzz fuzz
wait
# One seventh of the checks that take too long for every change, alone: they are compared with clocks.
step nightly python tools/nightly.py --today
# Only when they are named: all tests of the runtime, with the heartbeat as it is outside of sanitizers.
if is_named; then
    step ubsan sanitized ubsan '' ''
    step ubsan-mpi sanitized ubsan '' '' tests/mpi/test_mpi_sanitizer.py
    for piece in 0 1 2 3; do step "ubsan-$piece" ubsan_piece "$piece"; done
fi

printf 'make check: %d min %d s; the slowest steps (s): %s\n' $((SECONDS / 60)) $((SECONDS % 60)) \
    "$(cat "$logs"/*.seconds | sort -rn | head -n 6 | awk '{ print $2, $1 }' | paste -sd, | sed 's/,/, /g')"
failed=$(cd "$logs" && find . -name '*.failed' | sed 's|^./||; s|\.failed$||' | sort | xargs)
if [ -n "$failed" ]; then
    # A test that is counted twice failed again when it ran alone.
    [ ! -e "$logs/tests.failed" ] || grep -hE '^(FAILED|ERROR) ' "$logs/tests.log" | sort | uniq -c
    echo "Failed: $failed. Logs are in $logs; one step again: tools/check.sh ${failed%% *}"
    exit 1
fi
sed -n "s/^PASSED /AGAIN /p" "$logs"/{asan,tsan,ubsan}.log 2>/dev/null
sed -n '/^LATE /p' "$logs/nightly.log" 2>/dev/null
undone=$(cd "$logs" && find . -name '*.not-done' | sed 's|^./||; s|\.not-done$||' | sort | xargs)
echo "All checks passed${undone:+, but these were not done: $undone}."
