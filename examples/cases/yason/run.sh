#!/bin/sh
# What the hash tables of a parsed document need in yason, a JSON parser in Common Lisp (Debian's cl-yason), before and
# after their size is given. ../README.md tells the story.
#
#     examples/cases/yason/run.sh
#
# MPROF is the command (default: ./mprof or the installed one), ECL the Lisp (default: ecl), YASON_SOURCE the source of
# yason (default: Debian's).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/cases/lib.sh
. "$here/../lib.sh"
parsed YASON "${YASON_SOURCE:-/usr/share/common-lisp/source/yason}"
# SPDX-License-Identifier: MIT
