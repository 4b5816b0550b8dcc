#!/bin/sh
# Runs each fuzz target over its committed inputs, as an ordinary program. make check-fuzz does this with sanitizers.
kind=smoke
. "${srcdir:-.}/tests/fuzz/corpus.sh"
# SPDX-License-Identifier: MIT
