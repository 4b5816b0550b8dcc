# shellcheck shell=sh disable=SC2154,SC2034
# (the variables come from lib.sh, or scripts use them)
#
# same_lib.sh -- tests that a program does the same under mprof as without it. A script sources this file instead of
# lib.sh.
#
#   same [OPTION...] NAME COMMAND...   runs COMMAND natively and under `mprof run`. Status, output and errors must be the
#                          same, and the data of every process complete
#     -f                   follows the programs that it starts
#     -j                   it runs code without unwind data, so chains may be cut
#     -r                   it is deterministic, so a second profiled run must have the same counts
#     -n LEAST             there must be at least LEAST recordings (default: one)
#     -o FILTER            output and errors are filtered by this shell command before they are compared
#     -s                   COMMAND is a function of the script, which puts $under before the command to be profiled, for
#                          example a server that the function starts, drives and stops
#     -u                   only the output is compared, not the status
#
#   not_started NAME COMMAND...        tests that mprof run refuses COMMAND in one line
#   optional COMMAND...                returns false, and skips a test, if a COMMAND is not installed
#   free_port                          prints a port of 127.0.0.1 on which nobody listens
#   other_user                         sets $as_user to a prefix that runs a command as another user than root, who can
#                                      reach $mprof and $library. Returns false, with the reason in $missing, if that is
#                                      impossible
#
# COMMAND runs in an empty directory below $tmp, the same one each time. $tmp/data* are the data files of the last
# profiled run, $tmp/out and $tmp/err its output. A run of more than $most seconds fails.
. "${srcdir:-.}/tests/e2e/lib.sh"

most=${MPROF_TEST_SECONDS:-300}
work=$tmp/work
under=

# in_work COMMAND...: runs COMMAND in an empty $work; sets $status, $tmp/out and $tmp/err.
in_work()
{
    rm -rf "$work"
    mkdir -m 777 "$work"
    (cd "$work" && exec "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

# once RUNNER...: runs the COMMAND of `same` with the prefix RUNNER.
once()
{
    under="timeout -k 5 $most $*"
    if [ -n "$is_function" ]; then
        rm -rf "$work"
        mkdir -m 777 "$work"
        (cd "$work" && "$function") >"$tmp/out" 2>"$tmp/err" </dev/null
        status=$?
    else
        # shellcheck disable=SC2086
        eval "in_work $under $quoted_command"
    fi
    sh -c "$filter" <"$tmp/out" >"$tmp/out.seen"
    sh -c "$filter" <"$tmp/err" >"$tmp/err.seen"
    [ "$status" -ne 124 ] || echo "# it was still running after $most seconds" >>"$tmp/err.seen"
}

# for_shell WORD...: prints the words in quotes.
for_shell()
{
    for word; do
        printf "'%s' " "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
    done
}

# incomplete FILE...: prints a line for each FILE that is damaged or incomplete
incomplete()
{
    for file; do
        if ! "$mprof" totals "$file" >"$tmp/totals" 2>"$tmp/totals.err"; then
            echo "$file: $(cat "$tmp/totals.err")"
        elif ! "$mprof" report --no-pager "$file" >"$tmp/report" 2>"$tmp/report.err" ||
            [ -s "$tmp/report.err" ]; then
            echo "$file: report: $(cat "$tmp/report.err")"
        fi
        awk -v file="$file" -v cuts="$cuts" '
            $1 == "dropped" && $2 || $1 == "cut" && $2 && !cuts { print file ": " $0 }
            $1 == "freed" { freed = $2 }
            $1 == "bytes" { bytes = $2 }
            $1 == "kept" && bytes - freed != $2 { print file ": bytes - freed is not kept" }' \
            "$tmp/totals"
    done
}

# figures FILE...: prints "ALLOCS BYTES FREES" of each FILE, sorted
figures()
{
    for file; do
        "$mprof" totals "$file" | awk '
            $1 == "allocs" || $1 == "bytes" || $1 == "frees" { printf "%s ", $2 }
            END { print "" }'
    done | sort
}

# sum NAME FILE...: prints the sum of the figures NAME in `mprof totals` of each FILE
sum()
{
    name_of_sum=$1
    shift
    for file; do
        "$mprof" totals "$file" 2>/dev/null
    done | awk -v name="$name_of_sum" '$1 == name { sum += $2 } END { print sum + 0 }'
}

same()
{
    follow=
    cuts=
    repeats=
    least=1
    filter='cat'
    is_function=
    statuses=yes
    OPTIND=1
    while getopts fjrn:o:su option; do
        case $option in
        f) follow=-f ;;
        j) cuts=yes ;;
        r) repeats=yes ;;
        n) least=$OPTARG ;;
        o) filter=$OPTARG ;;
        s) is_function=yes ;;
        u) statuses= ;;
        *) echo "Bail out! same: -$OPTARG"; exit 99 ;;
        esac
    done
    shift $((OPTIND - 1))
    name=$1
    shift
    function=$1
    quoted_command=$(for_shell "$@")
    once env
    mv "$tmp/out.seen" "$tmp/out.bare"
    mv "$tmp/err.seen" "$tmp/err.bare"
    bare_status=$status
    profiled
    [ -z "$statuses" ] || is "$name: status $bare_status" "$status" "$bare_status"
    ok "$name: output" diff "$tmp/out.bare" "$tmp/out.seen"
    ok "$name: errors" diff "$tmp/err.bare" "$tmp/err.seen"
    whole
    [ -z "$repeats" ] || repeated
}

profiled()
{
    rm -f "$tmp"/data*
    once "$mprof" run -q $follow -o ../data
}

whole()
{
    incomplete "$tmp"/data* >"$tmp/incomplete" 2>&1
    set -- "$tmp"/data*
    recordings=0
    for file; do
        in_it=$("$mprof" totals "$file" | sed -n 's/^processes //p')
        recordings=$((recordings + ${in_it:-1}))
    done
    echo "# $name: $recordings recordings, $(sum allocs "$@") allocations, $(sum cut "$@") chains cut"
    if [ ! -s "$tmp/incomplete" ] && [ $recordings -ge "$least" ] && [ "$(sum allocs "$@")" -gt 0 ]; then
        pass "$name: data"
    else
        fail "$name: data"
        echo "# $recordings recordings, at least $least expected"
        sed 's/^/# /' "$tmp/incomplete"
    fi
}

repeated()
{
    figures "$tmp"/data* >"$tmp/figures"
    profiled
    figures "$tmp"/data* >"$tmp/figures.again"
    ok "$name: counts" diff "$tmp/figures" "$tmp/figures.again"
}

not_started()
{
    name=$1
    shift
    refuses "$name: mprof run refuses it" 126 '' "$mprof" run -o "$tmp/data" "$@"
    echo "# $(cat "$tmp/err")"
}

# optional COMMAND...: returns whether all COMMANDs exist. If not, skips the test of the first COMMAND.
optional()
{
    need "$@" && return 0
    skip "$1" "$missing"
    return 1
}

free_port()
{
    "$python" -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

other_user()
{
    as_user=
    [ "$(id -u)" -eq 0 ] || return 0
    need setpriv || return 1
    as_user='setpriv --reuid=nobody --regid=nogroup --clear-groups'
    chmod 1777 "$tmp"
    missing="another user cannot reach $tmp"
    mkdir -p "$tmp/open" && cp "$mprof" "$library" "$tmp/open" || return 1
    mprof=$tmp/open/${mprof##*/}
    library=$tmp/open/${library##*/}
    MPROF_LIBRARY=$library
    export MPROF_LIBRARY
    $as_user test -x "$mprof" && $as_user test -r "$library"
}
# SPDX-License-Identifier: MIT
