# shellcheck shell=sh disable=SC2154
# leaks_lib.sh -- tests that compare the leaks that mprof and valgrind's memcheck find in a program. A script sources
# this file instead of lib.sh.
#
#   same COMMAND...     both find the same definitely, indirectly and possibly lost blocks
#   same_but_possible COMMAND...   both find the same definitely and indirectly lost blocks
#   near COMMAND...     mprof finds all blocks that are definitely lost according to memcheck, and few others
#
# README.md explains the differences.
. "${srcdir:-.}/tests/e2e/lib.sh"

# GLib before 2.76 behaves under valgrind as if G_SLICE were set like this. PERL_HASH_SEED makes perl's runs equal.
G_SLICE=always-malloc
PERL_HASH_SEED=0
export G_SLICE PERL_HASH_SEED

# lost FILE: prints "CLASS BYTES BLOCKS" for the three classes, from the output of mprof or memcheck in FILE.
lost()
{
    if grep -q 'no leaks are possible' "$1"; then
        printf '%s 0 0\n' definitely indirectly possibly
    else
        sed -nE 's/^(mprof|==[0-9]+==): * *//; s/^(==[0-9]+==) *//
            s/^(definitely|indirectly|possibly) lost:? +([0-9,]+) bytes? in ([0-9,]+) blocks?.*/\1 \2 \3/p' "$1"
    fi
}

# both COMMAND...: writes what both find to ours.lost and theirs.lost. Skips the test and returns false if COMMAND is not
# installed.
both()
{
    if ! need "$1"; then
        skip "$1" "$missing"
        return 1
    fi
    "$mprof" run --leaks -o real.data -- "$@" </dev/null >ours.out 2>ours
    valgrind --leak-check=full --trace-children=no -- "$@" </dev/null >theirs.out 2>theirs
    lost ours >ours.lost
    lost theirs >theirs.lost
    is "$*: three classes" "$(wc -l <ours.lost) $(wc -l <theirs.lost)" "3 3"
    rm -f real.data*
}

same()
{
    ! both "$@" || ok "... are the same" diff ours.lost theirs.lost
}

same_but_possible()
{
    both "$@" || return
    sed -i '/^possibly/d' ours.lost theirs.lost
    ok "... the first two are the same" diff ours.lost theirs.lost
}

# blocks FILE CLASS: prints how many blocks of CLASS were found.
blocks()
{
    tr -d , <"$1" | awk -v class="$2" '$1 ~ class { n += $3 } END { print n + 0 }'
}

near()
{
    both "$@" || return
    at_least "... what is definitely lost is" "$(blocks ours.lost definitely)" "$(blocks theirs.lost definitely)"
    at_most "... and hardly more in all" "$(blocks ours.lost .)" "$(($(blocks theirs.lost .) + 100))"
}

# files: makes the input files of the programs.
files()
{
    seq 3000 >lines
    seq 2 3001 >others
    mkdir many
    (cd many && seq 200 | xargs touch)
    echo '<a><b c="d">text</b><b/></a>' >a.xml
    echo 'digraph g { a -> b -> c; a -> c; b [label="hello world"]; subgraph cluster_x { e -> f; } }' >a.dot
    echo '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle cx="4" cy="4" r="2"/></svg>' >a.svg
    sed 's/<circle/<text x="1" y="5">A<\/text>&/' a.svg >text.svg
    "$python" - >a.png <<'END'
import sys, zlib
def chunk(kind, data):
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"\0\0\0\x08\0\0\0\x08\x08\x02\0\0\0") +
                        chunk(b"IDAT", zlib.compress((b"\0" + b"abc" * 8) * 8)) + chunk(b"IEND", b""))
END
}
# SPDX-License-Identifier: MIT
