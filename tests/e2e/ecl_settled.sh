#!/bin/sh
# Old objects die one by one, in pages in which other objects live on or are newly allocated.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

MPROF_CHECK=1
MPROF_CHECK_FILE=$tmp/check
export MPROF_CHECK MPROF_CHECK_FILE

# A few unreachable objects may stay, because stacks are scanned conservatively. Columns of mprof export -F chains
# --lisp: 1 objects, 6 kept, 8-10 survived 1, 2, 4 or more collections.
figure()
{
    value=$(lisp_sum "$1" "$2" settled.mprof)
    within "$2: column $1" "$value" "$3" $(($3 + $4))
}

ok "compile" compiled settled
lisp settled.mprof settled.fas
is "status" "$status" 0
set -- "$(awk '$1 == "checked" { print $4, $8 }' check)"
is "the sweep says of each object what the collector says" "${1% *}" 0
at_least "objects compared" "${1#* }" 400000
[ "${1% *}" = 0 ] || sed 's/^/# /' check
figure 1 MAKE-EVEN 20000 0
figure 6 MAKE-EVEN 20000 0
figure 10 MAKE-EVEN 20000 0
figure 1 MAKE-ODD 20000 0
figure 6 MAKE-ODD 0 20
figure 10 MAKE-ODD 20000 0
figure 1 MAKE-LATE 10000 0
figure 6 MAKE-LATE 0 20
figure 8 MAKE-LATE 10000 0
figure 9 MAKE-LATE 5000 20
figure 10 MAKE-LATE 5000 20
plan
# SPDX-License-Identifier: MIT
