# tap.sh -- TAP (the Test Anything Protocol) for shell scripts. A script sources this file, makes tests, and ends with
# `plan`. Each of these functions makes one test, which is called TEXT, unless stated otherwise:
#
#   ok TEXT COMMAND...      COMMAND succeeds
#   is TEXT GOT EXPECTED    the two strings are equal
#   has TEXT FILE PATTERN   a line of FILE matches PATTERN (grep -E)
#   hasnt TEXT FILE PATTERN                 FILE can be read, and none of its lines matches PATTERN
#   empty TEXT FILE         FILE can be read, and is empty
#   returns TEXT STATUS COMMAND...          runs COMMAND, which must end with STATUS
#   says TEXT "STATUS ERRORS" COMMAND...    runs COMMAND, which must end with STATUS and print just ERRORS on stderr
#   prints TEXT PATTERN COMMAND...          runs COMMAND, which must print a line on stdout that matches PATTERN
#   complains TEXT PATTERN COMMAND...       runs COMMAND, which must print such a line on stderr
#   refuses TEXT STATUS PATTERN COMMAND...  runs COMMAND, which must end with STATUS, print nothing on stdout, and on
#                           stderr a single line that begins with "mprof: " and matches PATTERN
#   refused STATUS PATTERN ARGUMENT...      the same for the command `mprof ARGUMENT...`
#   skip TEXT WHY           the test cannot be made here, because of WHY
#   skip_all TEXT WHY       neither can the rest of the script, which ends
#
# Other functions:
#
#   run COMMAND...          runs COMMAND; its status is in $status, its output in $tmp/out and $tmp/err
#   until_true SECONDS COMMAND...   waits until COMMAND succeeds; returns false if it did not within SECONDS
#   plan                    prints how many tests were made; returns false if one of them failed or there is none
#
# A test without all of its arguments fails, and so does a script without a test. tap_helpers.sh tests these functions.
#
# $tmp is an empty directory, which is removed at the end. $top is the build directory, $src the source directory.
# All variables of the user's environment that could change what programs do are unset. Names that mprof reads from files
# are kept in $tmp/.symbols, so that a script reads those of each library once.

tests=0
failures=0
LC_ALL=C
TZ=UTC
export LC_ALL TZ
unset LD_PRELOAD DEBUGINFOD_URLS PAGER LESS TERM COLUMNS LINES NO_COLOR MAKEFLAGS \
    POSIXLY_CORRECT CDPATH ENV BASH_ENV GREP_OPTIONS GREP_COLORS GLIBC_TUNABLES MALLOC_ARENA_MAX \
    MALLOC_PERTURB_ MALLOC_CHECK_ PYTHONPATH PYTHONMALLOC PYTHONHASHSEED PERL5LIB PERL5OPT \
    XML_CATALOG_FILES JQ_COLORS GIT_DIR GIT_WORK_TREE VALGRIND_OPTS
for name in $(env | sed -n 's/^\(MPROF_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
umask 022
ulimit -S -c 0

top=$(pwd)
src=$(cd "${srcdir:-.}" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mprof-test.XXXXXX") || exit 99
MPROF_CACHE=$tmp/.symbols
export MPROF_CACHE
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

pass()
{
    tests=$((tests + 1))
    echo "ok $tests - $1"
}

fail()
{
    tests=$((tests + 1))
    failures=$((failures + 1))
    echo "not ok $tests - $1"
}

# given N "$@": returns whether argument N after the text of a test is there and not empty. Fails the test if not.
given()
{
    eval "[ -n \"\${$(($1 + 2))-}\" ]" && return
    fail "${2:-a test without a text}"
    echo "# an argument is missing"
    return 1
}

skip()
{
    given 1 "$@" || return
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}

skip_all()
{
    skip "$1" "$2"
    plan
    exit
}

ok()
{
    given 1 "$@" || return
    text=$1
    shift
    if "$@" >"$tmp/ok.log" 2>&1; then
        pass "$text"
    else
        fail "$text"
        echo "# failed: $*"
        sed 's/^/# /' "$tmp/ok.log"
    fi
}

is()
{
    if [ $# -eq 3 ] && [ "$2" = "$3" ]; then
        pass "$1"
    else
        fail "$1"
        echo "# got '${2-}', expected '${3-nothing that is given}'"
    fi
}

has()
{
    given 2 "$@" || return
    if grep -qE -e "$3" -- "$2"; then
        pass "$1"
    else
        fail "$1"
        echo "# no line like '$3' in:"
        sed 's/^/#   /' "$2"
    fi
}

hasnt()
{
    given 2 "$@" || return
    grep -qE -e "$3" -- "$2"
    case $? in
    1) pass "$1" ;;
    0)
        fail "$1"
        echo "# a line like '$3' in:"
        sed 's/^/#   /' "$2" ;;
    *)
        fail "$1"
        echo "# '$2' cannot be searched for '$3'" ;;
    esac
}

empty()
{
    given 1 "$@" || return
    if [ -f "$2" ] && [ ! -s "$2" ]; then
        pass "$1"
    else
        fail "$1"
        echo "# not an empty file: '$2'"
        sed 's/^/#   /' "$2"
    fi
}

run()
{
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

returns()
{
    given 2 "$@" || return
    text=$1
    must_be=$2
    shift 2
    run "$@"
    is "$text" "$status" "$must_be"
}

says()
{
    given 2 "$@" || return
    text=$1
    must_be=$2
    shift 2
    run "$@"
    is "$text" "$status $(cat "$tmp/err")" "$must_be"
}

prints()
{
    given 2 "$@" || return
    text=$1
    pattern=$2
    shift 2
    run "$@"
    has "$text" "$tmp/out" "$pattern"
}

complains()
{
    given 2 "$@" || return
    text=$1
    pattern=$2
    shift 2
    run "$@"
    has "$text" "$tmp/err" "$pattern"
}

refuses()
{
    given 3 "$@" || return
    text=$1
    must_be=$2
    pattern=$3
    shift 3
    run "$@"
    if [ "$status" = "$must_be" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q '^mprof: ' "$tmp/err" && grep -qE -e "$pattern" "$tmp/err"; then
        pass "$text"
    else
        fail "$text"
        echo "# status $status, expected $must_be, with one line like '$pattern':"
        sed 's/^/#   /' "$tmp/out" "$tmp/err"
    fi
}

refused()
{
    given 2 "$@" || return
    must_be=$1
    pattern=$2
    shift 2
    # shellcheck disable=SC2154     # the script sets it
    refuses "refused: mprof $*" "$must_be" "$pattern" "$mprof" "$@"
}

until_true()
{
    polls=$(($1 * 50))
    shift
    until "$@" >/dev/null 2>&1; do
        polls=$((polls - 1))
        [ "$polls" -gt 0 ] || return 1
        sleep 0.02
    done
}

plan()
{
    echo "1..$tests"
    [ "$tests" -gt 0 ] && [ "$failures" -eq 0 ]
}
# SPDX-License-Identifier: MIT
