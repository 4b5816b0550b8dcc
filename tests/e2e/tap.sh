# tap.sh -- TAP for shell scripts: source it, call tests, end with `plan`.
#
#   ok TEXT COMMAND...      one test: COMMAND succeeds
#   skip TEXT WHY           a test that cannot be made here
#   skip_all TEXT WHY       the rest of the script cannot be made here: ends it
#   run COMMAND...          run it; $status, and its output in $tmp/out and $tmp/err
#   returns TEXT STATUS COMMAND...          run it; it must end with STATUS
#   says TEXT "STATUS ERRORS" COMMAND...    run it; the same, and all that it prints on stderr is ERRORS
#   prints TEXT PATTERN COMMAND...          run it; it prints a line that grep -E finds, complains: on stderr
#   refuses TEXT STATUS PATTERN COMMAND...  run it; it ends with STATUS, and prints nothing but one line on stderr, which
#                           begins with "mprof: " and has the PATTERN of grep -E
#   refused STATUS PATTERN ARGUMENT...      so does mprof ARGUMENT...
#   is TEXT GOT EXPECTED    strings are equal
#   has TEXT FILE PATTERN   FILE has a line that grep -E finds; hasnt: it has none
#   until_true SECONDS COMMAND...   wait until COMMAND succeeds; false if it never does
#   plan                    print the plan; the script's last command
#
# $tmp is a fresh directory, removed at the end; $top the build directory, $src the source's.  Of the
# user's environment nothing is left that changes what programs say or do.

tests=0
failures=0
LC_ALL=C
TZ=UTC
export LC_ALL TZ
unset LD_PRELOAD DEBUGINFOD_URLS PAGER LESS TERM COLUMNS LINES NO_COLOR MAKEFLAGS \
    POSIXLY_CORRECT CDPATH ENV BASH_ENV GREP_OPTIONS GREP_COLORS GLIBC_TUNABLES MALLOC_ARENA_MAX \
    MALLOC_PERTURB_ MALLOC_CHECK_ PYTHONPATH PYTHONMALLOC PYTHONHASHSEED PERL5LIB PERL5OPT \
    XML_CATALOG_FILES JQ_COLORS GIT_DIR GIT_WORK_TREE VALGRIND_OPTS
for name in ARGUMENTS HEAP_STRINGS SAMPLE SAMPLE_SEED FILE FILTERS FOLLOW DEPTH FOLD_RECURSION CALL_GRAPH UNWINDER DEEP CHECK CHECK_FILE SIGNAL STOPPED RUN PAGER; do
    unset "MPROF_$name"
done
MPROF_CACHE=off
export MPROF_CACHE
umask 022
ulimit -S -c 0

top=$(pwd)
src=$(cd "${srcdir:-.}" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mprof-test.XXXXXX") || exit 99
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

skip()
{
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
    if [ "$2" = "$3" ]; then
        pass "$1"
    else
        fail "$1"
        echo "# got '$2', expected '$3'"
    fi
}

has()
{
    if grep -qE -e "$3" "$2"; then
        pass "$1"
    else
        fail "$1"
        echo "# no line like '$3' in:"
        sed 's/^/#   /' "$2"
    fi
}

hasnt()
{
    if grep -qE -e "$3" "$2"; then
        fail "$1"
        echo "# a line like '$3' in:"
        sed 's/^/#   /' "$2"
    else
        pass "$1"
    fi
}

run()
{
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

returns()
{
    text=$1
    must_be=$2
    shift 2
    run "$@"
    is "$text" "$status" "$must_be"
}

says()
{
    text=$1
    must_be=$2
    shift 2
    run "$@"
    is "$text" "$status $(cat "$tmp/err")" "$must_be"
}

prints()
{
    text=$1
    pattern=$2
    shift 2
    run "$@"
    has "$text" "$tmp/out" "$pattern"
}

complains()
{
    text=$1
    pattern=$2
    shift 2
    run "$@"
    has "$text" "$tmp/err" "$pattern"
}

refuses()
{
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
    [ "$failures" -eq 0 ]
}
