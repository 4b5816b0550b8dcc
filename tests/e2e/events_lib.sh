# shellcheck shell=sh disable=SC2154,SC2034
# (the variables come from lib.sh, or scripts use them)
#
# events_lib.sh -- tests for the scripts about events (process_*.sh, code_*.sh, allocator_*.sh). A script sources this
# file instead of lib.sh.
#
#   exact NAME FUNCTION FILE...   the figures of FUNCTION, summed over the files, equal those that the program printed
#   between NAME FUNCTION FILE...   these figures lie between the calls that the program finished and those that it began,
#                          which the program notes in $BOOKS (tests/programs/books.h)
#   whole NAME FILE...     each file can be read and reported, and its figures agree with each other. If a thread was
#                          killed in the monitor, its last call may be counted in a cell but not yet in a bin, so $torn
#                          blocks of up to $torn_size bytes may differ
. "${srcdir:-.}/tests/e2e/lib.sh"

torn=0
torn_size=2000
BOOKS=$tmp/books
export BOOKS

# sum FUNCTION FILE...: prints "allocs bytes frees freed" of FUNCTION, summed over the files.
sum()
{
    function=$1
    shift
    for file; do
        books self "$function" "$file"
    done | awk 'NF != 7 { wrong = $0 } { for (i = 1; i <= 4; i++) n[i] += $i }
        END { if (wrong) print wrong; else printf "%.0f %.0f %.0f %.0f\n", n[1], n[2], n[3], n[4] }'
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
    wrong=$(awk 'FILENAME == "begun" { n[$1] = $2; next }
        { compared++
          if ($1 < n["allocs-done"] || $1 > n["allocs-begun"] ||
              $3 < n["frees-done"] || $3 > n["frees-begun"] || n["allocs-begun"] == 0)
              print "recorded", $1, $3, "begun", n["allocs-begun"], n["frees-begun"],
                  "done", n["allocs-done"], n["frees-done"] }
        END { if (!compared) print "nothing is recorded" }' begun sums)
    is "$name: all that was done is in the file, and no more" "$wrong" ""
}

# amiss FILE: prints a line for each figure of FILE that contradicts another one.
amiss()
{
    "$mprof" totals "$1" >amiss.totals 2>amiss.err || echo "no totals: $(cat amiss.err)"
    "$mprof" export -F chains --all-frames "$1" >amiss.dump 2>amiss.err || echo "no dump: $(cat amiss.err)"
    "$mprof" report --no-pager "$1" >amiss.report 2>amiss.err || echo "no report: $(cat amiss.err)"
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
            # If a thread was killed while it counted a block, the chain may have the block, but the peak not yet.
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
    [ $# -gt 0 ] || fail "$name: which files?"
    for file; do
        amiss "$file"
    done >amiss.all
    empty "$name: whole" amiss.all
}
# SPDX-License-Identifier: MIT
