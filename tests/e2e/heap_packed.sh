#!/bin/sh
# Snapshots are compressed: how large they are; that the content is the same as uncompressed; and that neither a
# program with its own libzstd, nor this libzstd, notices.
. "${srcdir:-.}/tests/e2e/lib.sh"

if ! grep -q '^#define MP_HAVE_ZSTD 1' "$top/config.h"; then
    run "$mprof" heap "$src/tests/fuzz/corpus/heap/packed"
    is "built without libzstd, it refuses what is packed" "$status $(sed 's|/.*/||' err)" \
        "1 mprof: packed is packed by zstd, without which this mprof was built"
    plan
    exit
fi
if ! grep -q '^#define MP_PACKS_SNAPSHOTS 1' "$top/config.h"; then
    echo "1..0 # SKIP configure found no static library of libzstd that can be linked with"
    exit 0
fi
PYTHONPATH="$src/tests/e2e"
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
ecl=$(sed -n 's/^ECL = //p' "$top/Makefile")
cc=${CC:-gcc}

# blocks WHAT FILE [OUT]: runs heap_packed.py.
blocks()
{
    "$python" "$src/tests/e2e/heap_packed.py" "$@"
}

# small FILE MOST: tests that FILE takes at most MOST bytes for a hundred of its objects, and that all blocks except
# perhaps the last one are compressed.
small()
{
    blocks share "$1" >share 2>err
    read -r share packed n <share
    echo "# $1: $share % of its objects; $packed of $n blocks packed"
    at_most "$1: its size" "${share:-none}" "$2"
    at_least "$1: blocks that are packed" "${packed:-none}" "$((n - 1))"
}

# same FILE: tests that the content is the same when the blocks are not compressed.
same()
{
    blocks plain "$1" plain.heap
    "$mprof" heap --json --max=all "$1" >packed.json
    is "$1: read: status" "$?" 0
    "$mprof" heap --json --max=all plain.heap | sed "s/plain\.heap/$1/g" >plain.json
    ok "$1: the same is read where no block is packed" cmp packed.json plain.json
    at_least "$1: and plain it is larger, times" "$(($(wc -c <plain.heap) / $(wc -c <"$1")))" 5
}

# kept FILE: prints how many bytes the list of own_zstd.c retains.
kept()
{
    "$mprof" heap --json --max=all "$1" |
        jq -r '.tables[] | select(.name == "roots").rows[] | select(.title == "the_list").retained'
}

# ---- of C, with a libzstd of its own
# built HOW ARGUMENT...: compiles own_zstd.c to ./HOW.
built()
{
    name=$1
    shift
    ok "$name: links" "$cc" -g -O1 -std=gnu11 -fno-builtin -pthread -I"$src" \
        -o "$name" "$src/tests/programs/own_zstd.c" "$@"
}

# ended HOW NUMBER: tests the output, and the snapshot that was left.
ended()
{
    is "$1: status and output" "$status $(tail -n 1 "$1.out")" "0 wrong 0, told of all"
    small "$1.mprof.$2.heap" 19
    is "$1: what is kept" "$(kept "$1.mprof.$2.heap")" 8000000
    ok "$1: who traces its libzstd does not meet ours" test ! -d traced
}

archive=$(sed -n 's/^ZSTD_ARCHIVE = //p' "$top/Makefile")
built shared -lzstd
built exported "$archive" -rdynamic
for name in shared exported; do
    MPROF_FILE=$tmp/$name.mprof LD_PRELOAD=$library MPROF_LEAKS=1 ./$name end >$name.out 2>err &
    pid=$!
    until_true 60 grep -q ready $name.out
    for i in 1 2; do
        "$mprof" snapshot --heap --wait=60 $pid >out 2>err
        is "$name: snapshot $i while it compresses" "$? $(kept "$name.mprof.$i.heap")" "0 8000000"
    done
    : >end
    wait $pid
    status=$?
    rm end
    ended $name 3
done
same shared.mprof.3.heap
built linked "$top/.libs/libmprof.a" -lzstd
built both "$top/.libs/libmprof.a" "$archive"
for name in linked both; do
    MPROF_FILE=$tmp/$name.mprof MPROF_LEAKS=1 ./$name >$name.out 2>err
    status=$?
    ended $name 1
done

# ---- damage within a frame
blocks damaged shared.mprof.3.heap damaged.heap
refuses "a damaged frame: status, one line" 1 '^mprof: .*damaged\.heap: a block cannot be decompressed' "$mprof" heap damaged.heap

# ---- of ECL
grep -q '^#define MP_HAVE_ECL 1' "$top/config.h" || skip_all "snapshots of ECL" "configured --without-ecl"
cat >kept.lisp <<'END'
(defstruct node left right name)
(defvar *conses* (loop for i below 300000 collect (list i)))
(defvar *strings* (loop for i below 20000 collect (format nil "the string ~D" i)))
(defvar *nodes* (let (last) (dotimes (i 50000 last) (setf last (make-node :left i :right last)))))
(defvar *table* (let ((table (make-hash-table))) (dotimes (i 20000 table) (setf (gethash i table) (list i)))))
(si::gc t)
(mprof:heap-snapshot :file "copy.heap")
(mprof:heap-snapshot :file "place.heap" :fork nil)
(ext:quit 0)
END
returns "ECL: status" 0 "$ecl" --norc --load "$top/lisp/mprof.fas" --shell kept.lisp
# nodes FILE: prints the objects and bytes of the type.
nodes()
{
    "$mprof" heap --json --max=all "$1" |
        jq -r '.tables[] | select(.name == "types").rows[] | select(.type == "NODE") | "\(.objects) \(.bytes)"'
}
small copy.heap 19
same copy.heap
is "where the program waits no block is packed" "$(blocks share place.heap | cut -d' ' -f2)" 0
for name in copy place; do
    is "$name.heap: its lists" "$(blocks lists $name.heap)" "300000 CONS 20000 STRING"
done
is "what a copy wrote, and the program itself, has the same objects" "$(nodes copy.heap)" "$(nodes place.heap)"
is "... as many as were made" "$(nodes copy.heap | cut -d' ' -f1)" 50000
plan
