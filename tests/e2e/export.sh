#!/bin/sh
# mprof export: the command itself, and the formats for which the test needs no other program.
. "${srcdir:-.}/tests/e2e/lib.sh"

MPROF_LIFETIMES=1 profile data "$programs/costs"
is "runs" "$status" 0

# ------------------------------------------------------------------ the command
run "$mprof" export --formats
is "formats are listed" "$status $(cut -d' ' -f1 out | grep -cx collapsed)" "0 1"
formats=$(cut -d' ' -f1 out)
for format in $formats; do
    grep -q "^\.It Cm $format\$" "$src/man/mprof-export.1" || echo "$format"
done >unexplained
empty "the manual explains each" unexplained
run "$mprof" export data
is "no format" "$status $(cat err)" \
    "2 mprof: no format is given by -F; mprof export --formats lists all; see mprof export --help"
run "$mprof" export -F none data
is "an unknown format" "$status $(cat err)" \
    "2 mprof: --format=none: unknown format; mprof export --formats lists all; see mprof export --help"
for format in $formats; do
    [ "$format" != sqlite ] || continue         # see export_sqlite.sh
    says "$format: into a file" "0 " "$mprof" export -F "$format" -o whole data
    run "$mprof" export -F "$format" data
    ok "$format: the same to standard output" cmp whole out
    cp whole before
    run "$mprof" export -F "$format" -o whole --function=nobody data
    is "$format: nothing of it: one line, and the file as it was" \
        "$status $(cat err) $(cmp whole before && echo same)" \
        "1 mprof: --function=nobody: nothing of it was allocated same"
done
run "$mprof" export -F collapsed -o "$tmp/none/new" data
is "no such directory: one line" "$status $(cat err)" "1 mprof: $tmp/none/new: No such file or directory"

# ------------------------------------------------------------------ collapsed
# sum FILE: prints the sum of the last fields.
sum()
{
    awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$1"
}
for cost in bytes:bytes allocs:allocs kept:kept peak:peak temporary:temporary; do
    "$mprof" export -F collapsed --cost="${cost%:*}" data >collapsed
    is "collapsed: ${cost%:*}" "$(sum collapsed)" "$(total "${cost#*:}" data)"
done
"$mprof" export -F collapsed data >collapsed
has "collapsed: a chain" collapsed '^main;churn 80000$'
"$mprof" export -F collapsed --no-skip data >collapsed
has "collapsed: a chain with the wrapper" collapsed '^main;churn;get 80000$'
"$mprof" export -F collapsed --function=churn data >collapsed
is "collapsed: a part" "$(sum collapsed)" 80000
# ----------------------------------------------------------------- speedscope
# json FILE: prints "NAME UNIT TOTAL" of each profile, after checking that everything is as the format requires.
cat >scope.py <<'END'
import json, sys
file = json.load(open(sys.argv[1]))
assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
frames = file["shared"]["frames"]
assert all(isinstance(frame["name"], str) for frame in frames)
for profile in file["profiles"]:
    assert profile["type"] == "sampled" and profile["unit"] in ("bytes", "none")
    assert len(profile["samples"]) == len(profile["weights"]) and profile["startValue"] == 0
    assert all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample)
    assert sum(profile["weights"]) == profile["endValue"]
    print(profile["name"], profile["unit"], profile["endValue"])
    for sample, weight in zip(profile["samples"], profile["weights"]):
        print(" ", ";".join(frames[frame]["name"] for frame in sample), weight)
END
if need python3; then
    "$mprof" export -F speedscope -o data.json data
    "$python" scope.py data.json >said
    for key in bytes:bytes allocations:allocs "bytes kept":kept "bytes alive at the peak":peak "temporary allocations":temporary; do
        unit=bytes
        [ "${key%:*}" != allocations ] && [ "${key%:*}" != "temporary allocations" ] || unit=none
        [ "$key" != bytes:bytes ] || key="bytes allocated:bytes"
        has "speedscope: ${key%:*}" said "^${key%:*} $unit $(total "${key##*:}" data)\$"
    done
    sed -n '/^bytes allocated/,/^[a-z]/s/^  //p' said >chains
    "$mprof" export -F collapsed data >collapsed
    ok "speedscope: chains" cmp chains collapsed
    "$mprof" export -F speedscope -o peak.json --at=peak data
    "$python" scope.py peak.json >said
    is "speedscope: of a moment only what was alive" "$(sed 's/ [0-9]*$//' said | grep -v '^ ')" "bytes kept bytes"
    "$mprof" export -F speedscope "$src/tests/data/sealed-lisp.data" >lisp.json
    ok "speedscope: Lisp" "$python" scope.py lisp.json
else
    skip "speedscope" "$missing"
fi

# --------------------------------------------------------------- pprof-legacy
profile marks.data "$programs/checkpoints" phases
"$mprof" export -F pprof-legacy --from=one --to=two marks.data >legacy 2>err
is "legacy: what shrank has no place" "$? $(cat legacy err)" \
    "1 mprof: pprof-legacy: less was alive at the end: the format has no place for it"
"$mprof" export -F pprof-legacy --to=one marks.data >legacy
has "legacy: of a part of the time" legacy '^# Only what happened between the start and checkpoint one'
plan
# SPDX-License-Identifier: MIT
