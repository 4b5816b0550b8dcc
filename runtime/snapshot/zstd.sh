#!/bin/sh
# zstd.sh ARCHIVE OUT.o -- makes one object from libzstd's static library ARCHIVE, with which the monitor is linked.
#
# OUT.o defines mp_zstd_NAME for each entry below and nothing else, so it never conflicts with a program's own libzstd.
# libzstd's calls for memory, threads and tracing are replaced by functions that return 0.  A program may define such
# functions, and the monitor hooks malloc.  With the monitor's static context libzstd needs none of them.
# Exit status 1: the library refers to something else.  configure runs the script with its CC, LD, NM and OBJCOPY.
set -eu
archive=$1 out=$2

entries='estimateCCtxSize initStaticCCtx compressCCtx isError'
kept='memcpy|memmove|memset|memcmp|__mem[a-z]*_chk|__stack_chk_(fail|guard)|_GLOBAL_OFFSET_TABLE_'
never='malloc|calloc|free|pthread_[a-z_]*|ZSTD_trace_[a-z_]*'

pulled='' names=''
for entry in $entries; do
    pulled="$pulled -u ZSTD_$entry"
    names="$names --redefine-sym ZSTD_$entry=mp_zstd_$entry"
done
trap 'rm -f "$out".[1-4]*' EXIT
# shellcheck disable=SC2086     # commands may have arguments, and the lists are split on purpose
${LD:-ld} -r -o "$out.1" $pulled "$archive"
: >"$out.2.c"
# shellcheck disable=SC2086
for name in $(${NM:-nm} -P "$out.1" | awk '$2 ~ /^[Uvw]$/ { print $1 }'); do
    echo "$name" | grep -Eqx "$kept" && continue
    if ! echo "$name" | grep -Eqx "$never"; then
        echo "zstd.sh: $archive refers to $name" >&2
        exit 1
    fi
    names="$names --redefine-sym $name=mp_zero_$name"
    echo "unsigned long mp_zero_$name(void); unsigned long mp_zero_$name(void) { return 0; }" >>"$out.2.c"
done
# shellcheck disable=SC2086
${CC:-cc} -O2 -fPIC -c -o "$out.2" "$out.2.c"
# shellcheck disable=SC2086
${OBJCOPY:-objcopy} $names "$out.1"
# shellcheck disable=SC2086
${LD:-ld} -r -o "$out.3" "$out.1" "$out.2"
${OBJCOPY:-objcopy} --wildcard --keep-global-symbol='mp_zstd_*' "$out.3"
mv "$out.3" "$out"
