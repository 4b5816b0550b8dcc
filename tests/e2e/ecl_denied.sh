#!/bin/sh
# All of mprof works with ECL where process_vm_readv(2) is denied, as in containers and by filters of services.
if ! tests/programs/sandboxed before errno process_vm_readv -- true; then
    echo "1..0 # SKIP no filter can be installed"
    exit 0
fi
exec tests/programs/sandboxed before errno process_vm_readv -- sh "${srcdir:-.}/tests/e2e/ecl_any.sh"
# SPDX-License-Identifier: MIT
