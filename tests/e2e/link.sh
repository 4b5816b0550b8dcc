#!/bin/sh
# The 1988 way: the program is linked with the library, as a shared object or as an archive.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
source=$srcdir/examples/widgets.c
case $source in
/*) ;;
*) source=$top/$source ;;
esac
cc=${CC:-cc}

# linked NAME ARGUMENT...: compiles the example with these, runs it by itself, reads mprof.data
linked()
{
    name=$1
    shift
    rm -f mprof.data
    # shellcheck disable=SC2086
    ok "$name: links" $cc -g -fno-builtin -o "$name" "$source" "$@"
    run "./$name"
    is "$name: status" "$status" 0
    is "$name: allocations" "$(total allocs mprof.data)" 10000
    is "$name: bytes" "$(total bytes mprof.data)" 2040000
    is "$name: kept" "$(total kept mprof.data)" 1023876
    is "$name: nothing is missed" "$(total cut mprof.data) $(total dropped mprof.data)" "0 0"
}

linked shared -L"$top/.libs" -lmprof -Wl,-rpath,"$top/.libs"
linked archive "$top/.libs/libmprof.a"
plan
