#!/bin/sh
# make fuzz [FUZZ_TIME=seconds] [FUZZ_TARGET=name]: searches for inputs that crash a target. New inputs that reach new
# code are kept in tests/fuzz/found/TARGET of the build directory for later runs. Inputs that crash are written to
# tests/fuzz/crashes, to be added to the corpus.
src=$1
shift
top=$(pwd)
seconds=${FUZZ_TIME:-60}
unset DEBUGINFOD_URLS
export ASAN_OPTIONS="allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
failed=
found=
known=
for program; do
    target=${program##*/fuzz_}
    known="$known $target"
    [ -z "${FUZZ_TARGET-}" ] || [ "$FUZZ_TARGET" = "$target" ] || continue
    found=1
    mkdir -p tests/fuzz/found/"$target" tests/fuzz/crashes
    log=tests/fuzz/found/$target.log
    nice -n 10 "$top/$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 \
        -max_len=65536 -print_final_stats=1 -artifact_prefix="$top/tests/fuzz/crashes/$target-" \
        "$top/tests/fuzz/found/$target" "$src/tests/fuzz/corpus/$target" >"$log" 2>&1
    status=$?
    echo "$target: $(sed -n 's/^Done \([0-9]*\) runs.*/\1 inputs in '"$seconds"' s/p' "$log")"
    [ $status -eq 0 ] || {
        failed="$failed $target"
        grep -E 'ERROR|runtime error|not fit|written to|input is in|^    #[0-9] ' "$log" | head -n 20
        echo "$target FAILED: see $log"
    }
done
[ -n "$found" ] || echo "there is no target $FUZZ_TARGET, but$known" >&2
[ -n "$found" ] && [ -z "$failed" ]
# SPDX-License-Identifier: MIT
