#!/bin/sh
# The bytes of each type are those that the collector counts, in runs of more than 100 MB.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled volume
for type in cons double ratio structure instance string base-string large-string bignum \
    large-bignum table closure symbol interned vector byte-vector double-vector adjustable matrix \
    bit-vector stream printed read threads; do
    VOLUME_TYPE=$type profile volume.live "$ecl" --norc --shell volume.fas
    is "$type: status" "$status" 0
    at_least "$type: more than 100 MB" "$(total heap volume.live)" 100000000
    exact_heap "$type" volume.live
    is "$type: dropped" "$(total dropped volume.live)" 0
    rm -f volume.live
done
plan
# SPDX-License-Identifier: MIT
