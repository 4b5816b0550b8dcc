#!/bin/sh
# mprof replay: the tests of ecl_replay.sh for other programs.
. "${srcdir:-.}/tests/e2e/replay_lib.sh"

policy strings
policy trees
plan
# SPDX-License-Identifier: MIT
