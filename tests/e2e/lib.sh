# shellcheck shell=sh disable=SC2154,SC2034
# (variables come from tap.sh, or are for the tests)
#
# lib.sh -- what the tests that profile real programs share.  Source it instead of tap.sh.
#
#   $mprof, $library       what is tested: the command and libmprof.so of the build tree
#   $programs              where the programs of tests/programs are
#   profile FILE COMMAND   run COMMAND with the library preloaded (and $also, if it is set);
#                          $status, $tmp/out, $tmp/err
#   total NAME FILE        one number of `mprof totals`
#   books HOW FUNCTION FILE   "allocs bytes frees freed peak-bytes peak-blocks temporary", summed
#                          over the contexts where FUNCTION allocates (self) or is on the chain
#                          (inclusive)
#   expected NAME FILE     the number that a test program printed
#   at_least TEXT GOT LEAST   and at_most, within TEXT GOT LEAST MOST: numbers
#   rules FILE OPTION...   the rules of mprof findings that find something in FILE, and where: `RULE FUNCTION`, one a line
#   same NAME COMMAND...   output, errors and status of a profiled run are those of a bare one; the data in event.data,
#                          event.data.PID (of forked children)
#   need COMMAND...        false, and $missing says why, if one of them is not installed
#   needs TEXT COMMAND...  the same, but it ends the script: TEXT is skipped
#   go_build ARGUMENT...   go build
#   small_disk TEXT SCRIPT "$@"   $small is a file system of 1 MB.  Where only a namespace may mount one, SCRIPT is
#                          started again in one; where none may, TEXT is skipped, and the script ends
#
# The script is in the empty directory $tmp.  $kept is a directory, which may not be there yet, for what takes long to
# compile and does not depend on mprof, such as libraries of others: all scripts and builds share it.
# A test fails, and is not skipped, when what it tests was not built.
. "${srcdir:-.}/tests/e2e/tap.sh"

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

total()
{
    "$mprof" totals "$2" | awk -v name="$1" '$1 == name { print $2; found = 1 }
        END { if (!found) print "no-" name }'
}

expected()
{
    awk -v name="$1" '$1 == name { print $2; found = 1 } END { if (!found) print "no-" name }' "$2"
}

# Display names are reduced to what the source calls a function: no module, no namespace that has
# no name, no parameters.
books()
{
    "$mprof" export -F chains "$3" | awk -v how="$1" -v name="$2" '
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
                  sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7] }'
}

rules()
{
    file=$1
    shift
    "$mprof" findings --json "$@" "$file" | jq -r '.tables.findings.rows[].values | .rule + " " + .function'
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

go_build()
{
    need go && HOME=$tmp GOCACHE=$kept/go GOFLAGS=-trimpath GO111MODULE=off go build "$@"
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
