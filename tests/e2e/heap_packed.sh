#!/bin/sh
# Sealed snapshots are compressed: how large they are; that the content is the same as uncompressed.
. "${srcdir:-.}/tests/e2e/lib.sh"

if ! grep -q '^#define MP_HAVE_ZSTD 1' "$top/config.h"; then
    run "$mprof" heap "$src/tests/fuzz/corpus/heap/packed"
    is "built without libzstd, it refuses what is packed" "$status $(sed 's|/.*/||' err)" \
        "1 mprof: packed is packed by zstd, without which this mprof was built"
    plan
    exit
fi
PYTHONPATH="$src/tests/e2e"
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
ecl=$(sed -n 's/^ECL = //p' "$top/Makefile")

# blocks WHAT FILE [OUT]: runs heap_packed.py.
blocks()
{
    "$python" "$src/tests/e2e/heap_packed.py" "$@"
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

grep -q '^#define MP_HAVE_ECL 1' "$top/config.h" || skip_all "snapshots of ECL" "configured --without-ecl"
cat >kept.lisp <<'END'
(defstruct node left right name)
(defvar *conses* (loop for i below 300000 collect (list i)))
(defvar *strings* (loop for i below 20000 collect (format nil "the string ~D" i)))
(defvar *nodes* (let (last) (dotimes (i 50000 last) (setf last (make-node :left i :right last)))))
(defvar *table* (let ((table (make-hash-table))) (dotimes (i 20000 table) (setf (gethash i table) (list i)))))
(si::gc t)
END
{
    cat kept.lisp
    echo '(mprof:heap-snapshot) (ext:quit 0)'
} >recorded.lisp
cat >>kept.lisp <<'END'
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
for name in copy place; do
    is "$name.heap: its lists" "$(blocks lists $name.heap)" "300000 CONS 20000 STRING"
done
is "what a copy wrote, and the program itself, has the same objects" "$(nodes copy.heap)" "$(nodes place.heap)"
is "... as many as were made" "$(nodes copy.heap | cut -d' ' -f1)" 50000
returns "ECL, recorded: status" 0 "$mprof" run -q -o a.data -- "$ecl" --norc --load "$top/lisp/mprof.fas" \
    --shell recorded.lisp
is "sealed, it has the same objects" "$(nodes a.data.1.heap)" "$(nodes copy.heap)"
blocks share a.data.1.heap >share
read -r packed n <share
at_least "blocks that are compressed, all but perhaps the last one" "${packed:-none}" "$((n - 1))"
at_most "its size, in percent of the unsealed one's" "$((100 * $(wc -c <a.data.1.heap) / $(wc -c <copy.heap)))" 50
same a.data.1.heap
blocks damaged a.data.1.heap damaged.heap
refuses "a damaged frame: status, one line" 1 '^mprof: .*damaged\.heap: a block cannot be decompressed' "$mprof" heap damaged.heap
plan
# SPDX-License-Identifier: MIT
