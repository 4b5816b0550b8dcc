#!/bin/sh
# Every chain of larger programs equals libunwind's.
. "${srcdir:-.}/tests/e2e/chains_lib.sh"

seq 1 8 | awk '{ print "static int f" $1 "(int x) { for (int i = 0; i < x; i++) x += i * " $1 \
    "; return x; }\nint g" $1 "(int x) { return f" $1 "(x) + " $1 "; }" }' >unit.c

chains torture 10000 6 "$programs/torture" 2 2
chains jq 1000 8 jq -n '[range(1000) | {a: ., b: "x\(.)"}] | map(.b) | join(",") | length'
chains python3 1000 12 $python -S -B -c 'import json, ast
print(len(json.dumps([{"a": i} for i in range(500)])), ast.dump(ast.parse("x = 1 + 2\n" * 50))[:9])'
if cc1=$(gcc -print-prog-name=cc1 2>/dev/null) && [ -x "$cc1" ]; then
    chains cc1 1000 15 "$cc1" -quiet -O2 unit.c -o unit.s
else
    skip cc1 "gcc has no cc1 here"
fi

# Not all frames of chains with more than 16 are compared.
MPROF_DEEP=16
export MPROF_DEEP
chains "python3, deep from 16 on" 30000 12 $python -S -B -c 'import json
print(len(json.dumps([{"a": i} for i in range(500)])))'
plan
# SPDX-License-Identifier: MIT
