#!/bin/sh
# How much reading a character allocates in xmls, an XML parser in Common Lisp (Debian's cl-xmls), before and after
# one function is changed. ../README.md tells the story.
#
#     examples/cases/xmls/run.sh
#
# MPROF is the command (default: ./mprof or the installed one), ECL the Lisp (default: ecl), XMLS_SOURCE the source of
# xmls (default: Debian's).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/cases/lib.sh
. "$here/../lib.sh"
parsed XMLS "${XMLS_SOURCE:-/usr/share/common-lisp/source/xmls}"
# SPDX-License-Identifier: MIT
