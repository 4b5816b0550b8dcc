#!/bin/sh
# The loader is started by name, with the program as its argument: the recording is of the program.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "started by the loader" readelf
loader=$(readelf -l "$top/examples/widgets" | sed -n 's/.*interpreter: \(.*\)\]$/\1/p')
ok "the loader is there" test -x "$loader"

returns "status" 0 "$mprof" run -q -o widgets.data "$loader" "$top/examples/widgets"
is "its functions" "$(books self make_widget widgets.data | cut -d' ' -f1-4)" "10000 2040000 4981 1016124"
is "nothing cut" "$(total cut widgets.data)" 0
prints "the program's name" "^Program  *$top/examples/widgets\$" "$mprof" report --no-pager widgets.data
hasnt "nothing is the loader's" out 'ld-linux.*0x'
"$mprof" export -F chains widgets.data >chains
hasnt "no chain is" chains 'ld-linux'

run env LD_PRELOAD="$library" MPROF_FILE=%e.data "$loader" "$top/examples/widgets"
ok "its name in a file's" test -f widgets.data

# Unloading is noticed, too.
returns "reload: status" 0 env LD_PRELOAD="$library" MPROF_FILE=reload.data "$loader" "$programs/reload" \
    "$programs/.libs/plug_a.so" "$programs/.libs/plug_b.so" 20
mv out printed
at_least "reload: both lie at one address" "$(expected same-address printed)" 10
for name in alpha bravo; do
    is "reload: plug_$name allocates its own" \
        "$(books self plug_$name reload.data | cut -d' ' -f1,2)" "$(sed -n "s/^$name //p" printed)"
done
plan
# SPDX-License-Identifier: MIT
