# shellcheck shell=sh disable=SC2154,SC2034
# (the variables come from tap.sh, or scripts use them)
#
# lib.sh -- functions for tests that profile real programs. A script sources this file instead of tap.sh.
#
#   $mprof, $library       the command and libmprof.so of the build tree, which are tested
#   $programs              the directory of the compiled programs of tests/programs
#   profile FILE COMMAND   records COMMAND to FILE, with the library preloaded, and the library $also if that is set;
#                          sets $status, $tmp/out and $tmp/err as `run` does
#   own_frames FILE        prints the functions of the monitor that are in chains, of which there must be none
#   total NAME FILE        prints one number of `mprof totals`, no-NAME if there is none, or "no totals"
#   books HOW FUNCTION FILE   prints "allocs bytes frees freed peak-bytes peak-blocks temporary", summed over the
#                          contexts in which FUNCTION allocates (HOW is self) or is on the chain (inclusive)
#   expected NAME FILE     prints the number that a test program printed to FILE after NAME
#   program_of PID         prints the process id of the program that `mprof run`, process PID, has started
#   rules FILE OPTION...   prints `RULE FUNCTION` for each finding of mprof findings in FILE
#   need COMMAND...        returns false if a COMMAND is not installed, with the reason in $missing
#   needs TEXT COMMAND...  skips the test TEXT and ends the script if a COMMAND is not installed
#   listed HEADING         prints the names under HEADING (Commands or Topics) in `mprof --help`, one a line
#   go_build ARGUMENT...   runs go build
#   observed ARGUMENT...   runs `mprof run ARGUMENT...` with a program that prints "ready" and then reads until the end of
#                          its input, which comes when mprof has observed it several times; sets $status, writes `err`
#   small_disk TEXT SCRIPT "$@"   mounts a file system of 1 MB on $small. If that is possible only in a mount namespace,
#                          SCRIPT is started again in one. If it is impossible, TEXT is skipped and the script ends
#
# Tests:
#
#   at_least TEXT GOT LEAST   the number GOT is at least LEAST; at_most TEXT GOT MOST: at most MOST
#   within TEXT GOT LEAST MOST   both
#   same NAME COMMAND...   output, errors and status of COMMAND are the same when it is recorded. The data are in
#                          event.data, those of forked children in event.data.PID
#
# The script runs in the empty directory $tmp. All scripts and builds share the directory $kept, which need not exist
# yet, for what takes long to compile and does not depend on mprof, such as other projects' libraries.
# A test of something that was not built fails instead of being skipped.
. "${srcdir:-.}/tests/e2e/tap.sh"

# If gcc is ccache, it would not start the compiler for an object in its cache, and would write no file but the object.
export CCACHE_DISABLE=1

mprof=${MPROF:-$top/mprof}
library=${LIBMPROF:-$top/.libs/libmprof.so}
programs=$top/tests/programs
kept=${XDG_CACHE_HOME:-${HOME:-$tmp}/.cache}/mprof
python=/usr/bin/python3         # not a wrapper script of the same name

also=
cd "$tmp" || exit 99

for file in "$mprof" "$library"; do
    if [ ! -f "$file" ]; then
        echo "Bail out! $file was not built"
        exit 99
    fi
done

profile()
{
    data=$1
    shift
    LD_PRELOAD=$library${also:+ $also} MPROF_FILE=$data "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

own_frames()
{
    nm "$library" | awk '$2 == "t" && $3 !~ /^_/ { print $3 }' | LC_ALL=C sort -u >"$tmp/own.names"
    "$mprof" export -F chains --frames=all "$1" | sed 's/^[^	]*	//' | tr ';' '\n' | LC_ALL=C sort -u |
        LC_ALL=C comm -12 - "$tmp/own.names"
}

total()
{
    "$mprof" totals "$2" | awk -v name="$1" '$1 == name { print $2; found = 1 }
        END { if (!found) print (NR ? "no-" name : "no totals") }'
}

expected()
{
    awk -v name="$1" '$1 == name { print $2; found = 1 } END { if (!found) print "no-expected-" name }' "$2"
}

# model FILE: prints the model in the page FILE as JSON.
model()
{
    sed -n 's/.*<script type="application\/octet-stream" id="model">\([^<]*\)<.*/\1/p' "$1" >packed
    "$python" -c 'import base64, sys, zlib
sys.stdout.buffer.write(zlib.decompress(base64.b64decode(open("packed").read())))'
}

# Names are reduced to those in the source: without module, anonymous namespace and parameters.
books()
{
    if ! "$mprof" export -F chains "$3" >"$tmp/books.chains"; then
        echo "no chains"
        return
    fi
    awk -v how="$1" -v name="$2" '
        function plain(frame)
        {
            sub(/^[^(;]*!/, "", frame)
            gsub(/\(anonymous namespace\)::/, "", frame)
            sub(/\(.*/, "", frame)
            return frame
        }
        {
            for (i = 1; i <= 7; i++) {
                number[i] = $1
                sub(/^[^ ]+ /, "")
            }
            n = split($0, frames, ";")
            found = 0
            for (i = how == "self" ? n : 1; i <= n; i++)
                found = found || plain(frames[i]) == name
            for (i = 1; i <= 7 && found; i++)
                sum[i] += number[i]
        }
        END { printf "%.0f %.0f %.0f %.0f %.0f %.0f %.0f\n",
                  sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7] }' "$tmp/books.chains"
}

# The first child of mprof run is the program, the second one the observer.
program_of()
{
    cut -d ' ' -f 1 "/proc/$1/task/$1/children"
}

rules()
{
    file=$1
    shift
    "$mprof" findings --json "$@" "$file" >"$tmp/rules.json" || echo "no findings"
    jq -r '.tables.findings.rows[].values | .rule + " " + .function' "$tmp/rules.json"
}

same()
{
    name=$1
    shift
    run ${also:+env LD_PRELOAD="$also"} "$@"
    mv out bare.out
    mv err bare.err
    bare_status=$status
    rm -f event.data*
    profile event.data "$@"
    command -v "$1" >/dev/null || fail "$name: it cannot be run"
    is "$name: status $bare_status" "$status" "$bare_status"
    ok "$name: output" diff bare.out out
    ok "$name: errors" diff bare.err err
}

at_least()
{
    if [ "$2" -ge "$3" ] 2>/dev/null; then
        pass "$1"
    else
        fail "$1"
        echo "# got '$2', expected at least $3"
    fi
}

at_most()
{
    if [ "$2" -le "$3" ] 2>/dev/null; then
        pass "$1"
    else
        fail "$1"
        echo "# got '$2', expected at most $3"
    fi
}

within()
{
    if [ "$2" -ge "$3" ] 2>/dev/null && [ "$2" -le "$4" ] 2>/dev/null; then
        pass "$1"
    else
        fail "$1"
        echo "# got '$2', expected $3 to $4"
    fi
}

need()
{
    for command; do
        if ! command -v "$command" >/dev/null 2>&1; then
            missing="$command is not installed"
            return 1
        fi
    done
}

needs()
{
    what=$1
    shift
    need "$@" || skip_all "$what" "$missing"
}

listed()
{
    "$mprof" --help | awk -v heading="$1:" '$0 == heading { inside = 1; next } /^$/ { inside = 0 } inside { print $1 }'
}

go_build()
{
    need go && HOME=$tmp GOCACHE=$kept/go GOFLAGS=-trimpath GO111MODULE=off go build "$@"
}

# bytes_read: prints how many bytes mprof run and its children have read.
bytes_read()
{
    for process in "$running" $(pgrep -P "$running"); do
        sed -n 's/^rchar: //p' "/proc/$process/io"
    done | awk '{ n += $1 } END { print n + 0 }'
}

has_read()
{
    test "$(bytes_read)" -gt "$1"
}

observed()
{
    rm -f in ready
    mkfifo in
    "$mprof" run "$@" <in >ready 2>err &
    running=$!
    exec 3>in
    until_true 60 grep -q ready ready && until_true 60 has_read "$(($(bytes_read) + ${enough:-200000}))" ||
        fail "$*: is observed"
    exec 3>&-
    wait "$running"
    status=$?
}

small_disk()
{
    small=$tmp/small
    mkdir "$small"
    if [ "${3-}" = inside ]; then
        mount -t tmpfs -o size=1m none "$small" || exit 99
    elif ! mount -t tmpfs -o size=1m none "$small" 2>/dev/null; then
        unshare -rm true 2>/dev/null || skip_all "$1" "neither mount nor unshare is allowed here"
        rm -rf "$tmp"
        cd "$top" || exit 99
        srcdir=$src exec unshare -rm "$src/tests/e2e/$2" inside
    fi
    trap 'umount "$small"; rm -rf "$tmp"' EXIT
}
# SPDX-License-Identifier: MIT
