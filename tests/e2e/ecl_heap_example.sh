#!/bin/sh
# The example of README.md, "What holds the memory": sessions that a finalizer keeps, and the same server mended.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cat >serve.lisp <<'END'
(serve 0 5000)
(mprof:heap-snapshot :gc t)
(serve 5000 25000)
(mprof:heap-snapshot :gc t)
(ext:quit 0)
END

# snapshots NAME: two of the server in NAME.lisp, NAME.data.1.heap and NAME.data.2.heap
snapshots()
{
    "$ecl" --norc --eval "(progn (compile-file \"$1.lisp\") (ext:quit 0))" >log 2>&1
    run "$mprof" run -q -o "$1.data" -- \
        "$ecl" --norc --load "$top/lisp/mprof.fas" --load "$1.fas" --load serve.lisp
    is "$1: status" "$status" 0
}

# figure FILTER OPTION... FILE: of mprof heap --json
figure()
{
    filter=$1
    shift
    "$mprof" heap --json --max=all "$@" | jq -r "$filter"
}

need jq || bail "jq is needed: apt-get install jq"
cp "$src/examples/sessions.lisp" sessions.lisp
sed "s/(lambda (dead).*session)))/#'end-session)/" sessions.lisp >mended.lisp
ok "one line is mended" test "$(diff sessions.lisp mended.lisp | grep -c '^>')" = 1

snapshots sessions
is "sessions that are never freed" \
    "$(figure '.types[] | select(.name == "SESSION") | .objects' sessions.data.2.heap)" 25000
is "finalizers hold them" \
    "$(figure '[.roots[] | select(.kind == "finalizer")] | length' sessions.data.2.heap)" 1
