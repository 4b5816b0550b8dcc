# shellcheck shell=sh disable=SC2154,SC2034
# (variables come from lib.sh, or are for the tests)
#
# events_lib.sh -- what the tests of events share (process_*.sh, code_*.sh, allocator_*.sh).  Source
# it instead of lib.sh.
#
#   exact NAME FUNCTION FILE...   FUNCTION's books, summed over the files, are those in $tmp/out
#   between NAME FUNCTION FILE...   they lie between what was begun and done (books.h)
#   whole NAME FILE...     each can be read and reported, and its figures agree with each other; but
#                          bins and cells may differ by $torn blocks of up to $torn_size bytes: a thread that is killed in
#                          the monitor has counted its last call in the one and not in the other
. "${srcdir:-.}/tests/e2e/lib.sh"

torn=0
torn_size=2000
BOOKS=$tmp/books
export BOOKS

# sum FUNCTION FILE...: allocs bytes frees freed
sum()
{
    function=$1
    shift
    for file; do
        books self "$function" "$file"
    done | awk '{ for (i = 1; i <= 4; i++) n[i] += $i }
        END { printf "%.0f %.0f %.0f %.0f\n", n[1], n[2], n[3], n[4] }'
}

exact()
{
    name=$1
    shift
    is "$name: exact" "$(sum "$@")" \
        "$(expected allocs out) $(expected bytes out) $(expected frees out) $(expected freed out)"
}

between()
{
    name=$1
    shift
    "$programs/books_read" "$BOOKS" >begun
    sum "$@" >sums
    wrong=$(awk 'FNR == NR { n[$1] = $2; next }
        { if ($1 < n["allocs-done"] || $1 > n["allocs-begun"] ||
              $3 < n["frees-done"] || $3 > n["frees-begun"] || n["allocs-begun"] == 0)
              print "recorded", $1, $3, "begun", n["allocs-begun"], n["frees-begun"],
                  "done", n["allocs-done"], n["frees-done"] }' begun sums)
    is "$name: all that was done is in the file, and no more" "$wrong" ""
}

# amiss FILE: what of FILE's figures contradicts the rest; nothing if all is well
amiss()
{
    "$mprof" totals "$1" >amiss.totals 2>amiss.err || sed 's/^/totals: /' amiss.err
    "$mprof" export -F chains --all-frames "$1" >amiss.dump 2>amiss.err || sed 's/^/dump: /' amiss.err
    "$mprof" report --no-pager "$1" >amiss.report 2>amiss.err || sed 's/^/report: /' amiss.err
    awk -v torn="$torn" -v size="$torn_size" '
        FILENAME == "amiss.totals" { total[$1] = $2; next }
        FILENAME == "amiss.dump" {
            for (i = 1; i <= 6; i++)
                sum[i] += $i
            if ($3 > $1 || $4 > $2)
                print "more freed than allocated: " $0
            next
        }
        /^<TOTAL>/ && !bins++ { bin_allocs = $2; bin_bytes = $3; bin_frees = $4; bin_kept = $5 }
        function agree(what, a, b) { if (a + 0 != b + 0) print what ": " a + 0 " and " b + 0 }
        function near(what, a, b, most)
        {
            if (a - b > most || b - a > most)
                print what ": " a + 0 " and " b + 0
        }
        END {
            agree("allocations of chains and in all", sum[1], total["allocs"])
            agree("bytes of chains and in all", sum[2], total["bytes"])
            agree("frees of chains and in all", sum[3], total["frees"])
            agree("freed of chains and in all", sum[4], total["freed"])
            agree("kept", total["bytes"] - total["freed"], total["kept"])
            agree("kept blocks", total["allocs"] - total["frees"], total["kept-blocks"])
            near("allocations of bins and in all", bin_allocs, total["allocs"], torn)
            near("bytes of bins and in all", bin_bytes, total["bytes"], torn * size)
            near("frees of bins and in all", bin_frees, total["frees"], torn)
            near("kept of bins and in all", bin_kept, total["kept"], torn * 2 * size)
            if (total["frees"] + 0 > total["allocs"] + 0)
                print "more frees than allocations"
            # a block that was being counted when its thread was killed is in its chain before it is in the peak
            if (total["peak"] + total["peak-slack"] + torn * size < total["kept"])
                print "peak " total["peak"] " below what is kept, " total["kept"]
            if (total["peak"] + 0 > total["bytes"] + 0 ||
                total["peak-blocks"] + 0 > total["allocs"] + 0)
                print "peak above all"
        }' amiss.totals amiss.dump amiss.report
}

whole()
{
    name=$1
    shift
    for file; do
        amiss "$file"
    done >amiss.all
    is "$name: whole" "$(cat amiss.all)" ""
}
