#!/bin/sh
# mprof annotate shows each source line with what it allocated, including inlined calls and Lisp forms. The figures
# equal those of the tables.
. "${srcdir:-.}/tests/e2e/lib.sh"

# annotate ARGUMENT...: runs mprof annotate; its output is in the file `out`.
annotate()
{
    run "$mprof" annotate --no-pager "$@"
}

# row NUMBER: prints the row of that source line in `out`, with single blanks.
row()
{
    tr -s ' ' <out | sed 's/^ //' | grep -E "(^|[ )])$1 " | head -n 1
}

mkdir -p src/lib other
cat >src/lib/list.h <<'END'
#include <stdlib.h>

static inline __attribute__((always_inline)) void *
node(size_t size)
{
    return malloc(size);
}
END
cat >src/prog.c <<'END'
#include "lib/list.h"
void *kept[100], *volatile hide;
int n;
void *other(int);
__attribute__((noinline)) static void *
same(int size)
{
	kept[n++] = malloc(size);	// tabs <&> and \é
    return kept[n - 1];
}
__attribute__((noinline)) void
down(int depth)
{
    if (depth > 0)
        down(depth - 1);
    free(hide = malloc(10));
}
int
main(void)
{
    kept[n++] = node(1000);
    kept[n++] = node(200); free(hide = node(50));
    same(300);
    same(300);
    other(7);
    down(4);



    return n == 0;
}
END
cat >src/other.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) static void *
same(int size)
{
    return malloc(size);
}
void *
other(int size)
{
    void *a = same(size);
    return n_used(a);
}
END
sed -i 's/n_used(a)/(void *)((char *)a + 0)/' src/other.c
(cd src && ${CC:-gcc} -g -O1 -fno-optimize-sibling-calls -o ../prog prog.c other.c) 2>cc.err ||
    echo "Bail out! $(cat cc.err)"
touch -d '1 hour ago' src/*.c src/lib/*.h
profile data ./prog
is "runs" "$status" 0

# ---------------------------------------------------------------- a function
annotate main data
is "a function: status" "$status" 0
is "its title" "$(head -n 1 out)" "main, prog.c"
is "its file" "$(sed -n 3p out)" "$(pwd -P)/src/prog.c"
is "a line with an inlined call" "$(row 21)" "1000 (52) 1 1000 21 kept[n++] = node(1000);"
is "... and the call" "$(tr -s ' ' <out | grep -m 1 '> node')" \
    " 1000 (52) 1000 1 1000 > node (list.h:6): return malloc(size);"
is "two of them in a line" "$(row 22)" "250 (13) 2 200 22 kept[n++] = node(200); free(hide = node(50));"
is "a call that is no inlined one" "$(row 23)" "300 (15) 1 300 23 same(300);"
is "a recursion" "$(row 26)" "50 (2) 5 0 26 down(4);"
is "nothing else has figures" "$(sed '/TOTAL/,$d' out | grep -cE '^ *[0-9]+ .* (2[1-6]|>) ')" 8
has "context" out '^ +18 +int$|^ +20 +\{$'
hasnt "... but not all" out '^ +30 '
has "the sum is that of the function" out '^ *[0-9]+ \(100\) .*<TOTAL>$'
annotate --all main data
has "--all: the first line" out '^ +1 #include "lib/list\.h"$'
has "--all: the last" out '^ +31 \}$'
annotate down data
is "a recursive line counts once" "$(row 15)" "40 (2) 4 0 15 down(depth - 1);"
is "... and its function once" "$(tr -s ' ' <out | grep TOTAL)" " 50 (2) 50 5 0 <TOTAL>"
annotate node data
is "an inlined function by its own name" "$(row 6)" \
    "1250 (65) 1250 3 1200 6 return malloc(size);"

# ------------------------------------------------- several functions of a name
annotate same data
is "two functions: status" "$status" 0
is "... most bytes first" "$(grep '^same\|^[a-z]*\.c!same\|same, ' out | sed 's/.*, //' | tr '\n' ' ')" "prog.c other.c "
has "... one" out '^ *600 .* 8 +kept'
has "... the other" out '^ *7 .* 5 +return malloc'
has "tabs are blanks, and text is text" out ' 8         kept\[n\+\+\] = malloc\(size\); +// tabs <&> and'

# -------------------------------------------------------------------- a file
annotate prog.c data
is "a file: its title" "$(head -n 1 out)" "prog.c"
has "a file: several functions" out '^ *600 .* 8 +kept'
has "... in order" out '^ *50 .* 26 +down'
annotate src/lib/list.h data
is "a header by the end of its path" "$(head -n 1 out) $(row 6)" "list.h 1250 (65) 1250 3 1200 6 return malloc(size);"
annotate prog.c:26 data
has "near a line: first" out '^ +16 '
hasnt "near a line: not what is far" out '^.* 15 +down| 8 +kept'
has "near a line: last" out '^ +31 \}$'
annotate b/prog.c data
is "no part of a component" "$status $(cat err)" \
    "1 mprof: 'b/prog.c' is neither a function on a chain nor a source file of one"

# ------------------------------------------------------- the figures of tables
"$mprof" report --no-pager -v --table=direct data >direct
annotate prog.c data
"$mprof" totals data >totals
sum=$(for file in prog.c other.c list.h; do
    "$mprof" annotate --no-pager "$file" data | tr -s ' ' | sed -n 's/^ *[0-9]* \(([0-9]*) \)\{0,1\}\([0-9]*\) [0-9]* [0-9]* <TOTAL>$/\2/p'
done | awk '{ sum += $1 } END { print sum }')
is "what files allocate themselves is all" "$sum" "$(total bytes data)"
is "a function's sum is the table's" \
    "$("$mprof" annotate --no-pager node data | tr -s ' ' | sed -n 's/^ *\([0-9]*\) .* <TOTAL>$/\1/p')" \
    "$(awk '$NF == "node" { print $2 }' direct)"

# ---------------------------------------------------------- where sources are
mv src moved
annotate same data
is "no sources: status" "$status" 0
has "... says so" out 'src/prog\.c: missing; --source=DIR names a directory of sources\.$'
has "... and has the figures" out '^ *600 .* 8 \(same@prog\.c\)$'
annotate --source="$tmp/other" --source=moved node data
has "--source" out ' 6 +return malloc'
is "... is said" "$(sed -n 3p out)" "$tmp/moved/lib/list.h"
mv moved src
touch src/prog.c
annotate down data
has "a changed source" out 'prog\.c: changed since the recording began; lines may be others\.$'
has "... is shown" out ' 15 +down'
printf 'x' >src/prog.c
annotate down data
has "a source that is shorter now" out ' 15 \(down\)$'

# -------------------------------------------------------------------- errors
annotate nobody data
is "nobody" "$status $(cat err)" "1 mprof: 'nobody' is neither a function on a chain nor a source file of one"
annotate
is "nothing asked for: the hottest function of mprof.data" "$status $(cat err)" \
    "1 mprof: cannot open mprof.data: No such file or directory"
annotate '' data
is "an empty name" "$status" 2
annotate main data data
is "two files" "$status $(cat err)" "2 mprof: 'data': one file too many; see mprof annotate --help"
annotate main none
is "no data file" "$status $(cat err)" "1 mprof: cannot open none: No such file or directory"
strip -g -o bare prog
profile bare.data ./bare
annotate same bare.data
is "no debug information" "$status $(cat err)" "1 mprof: 'same': no source lines are known"
for file in "$src"/tests/data/*.data; do
    run "$mprof" annotate --no-pager main "$file"
    [ "$status" -le 1 ] || fail "$(basename "$file"): status $status"
done

# ---------------------------------------------------------------------- Lisp
module=$top/lisp/mprof.fas
[ -f "$module" ] || skip_all "Lisp" "mprof was configured --without-ecl"
HOME=$tmp
export HOME
cat >work.lisp <<'END'
;;; Comments (with a paren.
#| and more ( |#

(defun work (n)
  ;; a string with a paren: )
  (let ((text ") \" (") (open #\())
    (declare (ignorable text open))
    (let ((list (list)))
      (dotimes (i n list)
        (setf list (cons i list))))))

(defun idle () nil)
END
cat >run.lisp <<END
(load "$module")
(load (compile-file "work.lisp"))
(mprof:with-profiling () (work 100))
(mprof:save "lisp.data")
(ext:quit)
END
sleep 0.01
run "${ECL:-ecl}" --norc --load run.lisp
annotate --source=. --lisp work lisp.data
is "a Lisp function in small letters: title" "$status $(head -n 1 out)" "0 WORK, work.lisp"
is "its form has its figures" "$(row 4)" "1600 (100) 1600 100 0 4 (defun work (n)"
has "its form to the end" out '^ +10 +\(setf list'
hasnt "... and no further" out 'idle'
annotate --source=. --lisp work.lisp lisp.data
is "a Lisp file" "$(row 4)" "1600 (100) 1600 100 0 4 (defun work (n)"
echo ';' >>work.lisp
annotate --source=. --lisp WORK lisp.data
has "a changed Lisp file" out 'changed since the recording began'
has "... whose form cannot be told" out '\(WORK.*, line not known\)$'
plan
# SPDX-License-Identifier: MIT
