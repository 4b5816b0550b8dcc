#!/bin/sh
# Allocation wrappers: their allocations are charged to their callers, no figure is lost, the head names them. None is
# skipped in the legacy format, in machine-readable output, and with --no-skip.
. "${srcdir:-.}/tests/e2e/lib.sh"

# direct FILE OPTION...: writes the function names of table 3, and its total, to the file `direct`.
direct()
{
    file=$1
    shift
    "$mprof" report --no-lines -v --table=direct "$@" "$file" >report || fail "report of $file"
    sed -n '/<TOTAL>$/,/^$/p' report >direct        # the head follows after an empty line
}

# same_total TEXT FILE: tests that table 3 has the same total with and without wrappers, and that its rows add up to
# it.
same_total()
{
    direct "$2" --no-skip
    all=$(sed -n 's/^ *\([0-9]*\) .* \([0-9]*\) <TOTAL>$/\1 \2/p' direct)
    direct "$2"
    is "$1: the total is the same" "$(sed -n 's/^ *\([0-9]*\) .* \([0-9]*\) <TOTAL>$/\1 \2/p' direct)" "$all"
    is "$1: rows add up to it" "$(awk 'NR > 1 { sum += $2 } END { printf "%d", sum }' direct)" "${all% *}"
}

cat >wrapped.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
static inline __attribute__((always_inline)) void *xzalloc(size_t n) { return xmalloc(n); }
__attribute__((noinline)) void *pool_get(size_t n) { void *p = xzalloc(n); *(volatile char *)p = 0; return p; }
#define CALLS(f, g) __attribute__((noinline)) void *f(void) { void *p = g; *(volatile char *)p = 1; return p; }
CALLS(e, pool_get(500))
CALLS(d, e())
CALLS(c, d())
CALLS(b, c())
CALLS(a, b())
int main(void) { return a() == NULL; }
END
cat >containers.cc <<'END'
#include <map>
#include <string>
#include <vector>
__attribute__((noinline)) void fill(std::map<int, std::string> &map) { for (int i = 0; i < 1000; i++) map[i]; }
__attribute__((noinline)) void grow(std::vector<long> &vector) { vector.reserve(10000); }
int main() { std::map<int, std::string> map; std::vector<long> vector; fill(map); grow(vector); return 0; }
END

if ! need gcc; then
    skip "wrappers of C" "$missing"
else
    gcc -g -O1 -fno-optimize-sibling-calls -o wrapped wrapped.c || exit 99
    profile wrapped.data ./wrapped
    "$mprof" report --no-lines --table=leaks wrapped.data >report
    has "the five functions of a chain are the program's" report '\.\.\. > b > c > d > e > pool_get$'
    has "the head says what is skipped" report '^Skipped +xmalloc, xzalloc; 2 wrappers, see --no-skip$'
    "$mprof" report --no-lines --table=leaks --no-skip wrapped.data >report
    has "--no-skip shows them" report '\.\.\. > d > e > pool_get > xzalloc > xmalloc$'
    hasnt "--no-skip: nothing is said of it" report '^Skipped'
    "$mprof" report --no-lines -v --table=leaks --skip='^pool_' --skip='^e$' wrapped.data >report
    has "--skip skips more" report '> main > a > b > c > d$'
    has "--skip: the head says so" report '^Skipped +e, pool_get, xmalloc, xzalloc; 4 wrappers, see --no-skip$'
    "$mprof" report --no-lines --table=leaks --no-skip --skip=xmalloc wrapped.data >report
    has "--skip alone" report '\.\.\. > c > d > e > pool_get > xzalloc$'
    "$mprof" --table=leaks wrapped wrapped.data >report
    has "in the form of 1988 all are shown" report '\.\.\. > d > e > pool_get > xzalloc > xmalloc$'
    "$mprof" --table=leaks --skip=xmalloc wrapped wrapped.data >report
    has "in the form of 1988 as well, if it is asked for" report '\.\.\. > c > d > e > pool_get > xzalloc$'
    has "in a dump all are there" - 'main;a;b;c;d;e;pool_get;xzalloc;xmalloc$' <<END
$("$mprof" export -F chains wrapped.data)
END
    "$mprof" report --no-lines --table=leaks --focus=xmalloc wrapped.data >report
    has "what is skipped may be in focus" report '^Only what was allocated through xmalloc: 500 of 500 bytes'
    returns "--skip that is no expression: status" 2 "$mprof" report --no-lines --skip='(' wrapped.data
    is "it is said in one line" "$(grep -c '^mprof: --skip=(: ' err)/$(wc -l <err)" 1/1
    same_total "C" wrapped.data
fi

if ! need g++; then
    skip "containers of C++" "$missing"
else
    for level in 0 2; do
        g++ -g -O$level -fno-optimize-sibling-calls -o containers containers.cc || exit 99
        profile containers.data ./containers
        same_total "C++ -O$level" containers.data
        hasnt "C++ -O$level: neither operator new nor an allocator allocates" direct \
            'operator new$|::allocate$|_M_allocate$|_M_get_node$'
        has "C++ -O$level: containers do" direct ' 1000 std::_Rb_tree<'
        direct containers.data --no-skip
        has "C++ -O$level: --no-skip: operator new allocates" direct ' 1001 operator new$'
    done
fi

if ! need perl; then
    skip "perl" "$missing"
else
    profile perl.data perl -e '$h{$_ % 97} .= "$_," for 1 .. 5000;'
    same_total "perl" perl.data
    has "perl: what appends to strings allocates" direct ' (Perl_pp_(multi)?concat|perl\+0x[0-9a-f]+)$'
    hasnt "perl: neither Perl_safesysmalloc nor what makes strings longer by it" direct 'Perl_(safesys.*|sv_grow)$'
    has "perl: the head names the one, by its name" report '^Skipped +(.*, )?Perl_safesysmalloc[,;]'
    has "perl: ... and the other, by what it does" report '^Skipped +(.*, )?Perl_sv_grow[,;]'
    direct perl.data --no-skip
    has "perl: --no-skip: Perl_safesysmalloc allocates" direct ' Perl_safesysmalloc$'
fi

if ! need gio; then
    skip "a program with GLib" "$missing"
else
    profile gio.data gio list /
    same_total "GLib" gio.data
    hasnt "GLib: neither g_malloc nor what calls it so" direct ' g_(malloc|malloc0|realloc|strdup|slice_alloc)$'
    direct gio.data --no-skip
    has "GLib: --no-skip: g_malloc allocates" direct ' g_malloc$'
fi

plan
# SPDX-License-Identifier: MIT
