#!/bin/sh
# Allocations, frees and bytes of python equal valgrind's "total heap usage"; output and status are those without mprof.
. "${srcdir:-.}/tests/e2e/oracle_lib.sh"

if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 14))'; then
    # a library that counts the calls agrees with mprof there
    skip "python3" "since 3.14 it makes fewer calls under valgrind"
else
    compare_script python3 2000 'import json, ast' 'import json, ast
d = [{"a": i, "b": str(i) * 3} for i in range(1000)]
s = json.dumps(d)
assert json.loads(s) == d
print(len(s), len(ast.dump(ast.parse("x = 1 + 2\n" * 200))))' $python -S -B -c
fi
plan
# SPDX-License-Identifier: MIT
