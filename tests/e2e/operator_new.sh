#!/bin/sh
# An allocator with an operator new of its own, which does not call malloc: the head says that it
# was not seen, and what goes through malloc is exact all the same.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
not_seen='^Not seen  *operator new '

run "$mprof" run -q -o new.data "$programs/family" --no-pvalloc
run "$mprof" report --no-pager new.data
hasnt "libstdc++'s is seen" out "$not_seen"

for other in libjemalloc.so.2 libtcmalloc_minimal.so.4 libtcmalloc.so.4; do
    if [ -n "$(LD_PRELOAD=$other true 2>&1)" ]; then
        skip "$other" "it is not installed"
        continue
    fi
    rm -f new.data
    LD_PRELOAD=$other "$mprof" run -q -o new.data "$programs/family" --no-pvalloc \
        >printed 2>err </dev/null
    is "$other: status" "$?" 0
    is "$other: nothing on stderr" "$(cat err)" ""
    run "$mprof" report --no-pager new.data
    has "$other: the head says that operator new was not seen" out "$not_seen"
    is "$other: nor was it" "$(books inclusive call_operator_new new.data | cut -d' ' -f1,2)" "0 0"

    n=0
    while read -r what function allocs bytes; do
        case $what:$function in
        self:call_new* | self:call_operator_new*) continue ;;
        self:leak) freed="0 0" ;;
        self:*) freed="1 $bytes" ;;
        *) continue ;;
        esac
        n=$((n + 1))
        is "$other: $function" "$(books inclusive "$function" new.data | cut -d' ' -f1-4)" \
            "$allocs $bytes $freed"
    done <printed
    is "$other: these were all" "$n" 9
done
plan
