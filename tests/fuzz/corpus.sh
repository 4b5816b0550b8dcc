#!/bin/sh
# Runs each fuzz target over its committed inputs: seeds, and all inputs that ever crashed it. The programs are
# tests/fuzz/fuzz_*, or tests/fuzz/smoke_* if smoke.sh runs this.
. "${srcdir:-.}/tests/e2e/tap.sh"

unset DEBUGINFOD_URLS
export UBSAN_OPTIONS=print_stacktrace=1
kind=${kind:-fuzz}
targets=$(cd "$src/tests/fuzz" && ls fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')
is "all inputs have a target" "$(cd "$src/tests/fuzz/corpus" && printf '%s\n' * | grep -vxF "$targets")" ""
[ $kind = smoke ] || echo "# targets are built with: $(cat "$top/tests/fuzz/how")"
for target in $targets; do
    folder=$src/tests/fuzz/corpus/$target
    if [ ! -d "$folder" ] && grep -qxF " tests/fuzz/corpus/$target" "$src/debian/copyright" 2>/dev/null; then
        skip "$target" "Debian's source package lacks its inputs, which compilers made"
        continue
    fi
    program=$top/tests/fuzz/${kind}_$target
    n=$(find "$folder" -type f | wc -l)
    at=$tmp/$target
    cp -r "$folder" "$at"
    if [ "$target" = fas ] && ! grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
        skip "$target: $n inputs" "built without ECL"
    elif [ "$target" = rule ] && ! grep -q '^#define MP_HAVE_RULES 1' "$top/config.h"; then
        skip "$target: $n inputs" "there is no rule reader for this machine"
    elif [ "$n" -eq 0 ]; then
        fail "$target: there are no inputs"
    else
        # -runs=0: only the files, without mutations
        ok "$target: $n inputs" "$program" -runs=0 -timeout=60 -artifact_prefix="$tmp/" "$at"
    fi
done
plan
# SPDX-License-Identifier: MIT
