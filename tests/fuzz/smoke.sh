#!/bin/sh
# Runs the fuzz target of sealed files, as an ordinary program, over its committed inputs. make check-fuzz does this
# for all targets, with sanitizers.
. "${srcdir:-.}/tests/e2e/tap.sh"

cp -r "$src/tests/fuzz/corpus/sealed" "$tmp/sealed"
run "$top/tests/fuzz/smoke" -runs=0 -timeout=60 -artifact_prefix="$tmp/" "$tmp/sealed"
is "inputs of sealed files: status" "$status" 0
plan
