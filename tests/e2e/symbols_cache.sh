#!/bin/sh
# The symbol cache on disk: reports are the same with it, without it, and whatever happened to it.
. "${srcdir:-.}/tests/e2e/lib.sh"

cache=$tmp/cache
shim=$programs/.libs/shrink.so

# report FILE [VARIABLE=VALUE...]: prints everything that depends on names, lines and types.
report()
{
    data=$1
    shift
    env MPROF_CACHE="$cache" "$@" "$mprof" report -v --all-frames --lines \
        --table=bins,leaks,direct,graph "$data" 2>err &&
        env MPROF_CACHE="$cache" "$@" "$mprof" export -F chains "$data"
}

# looked FILE [VARIABLE=VALUE...]: returns whether its report reads debug information.
looked()
{
    head -c 200 /dev/zero >mark
    report "$@" "LD_PRELOAD=$shim" dwfl_module_getdwarf=mark >text
    [ "$(wc -c <mark)" -ne 200 ]
}

# record FILE COMMAND: makes an unsealed data file, whose names are looked up for each report.
record()
{
    data=$1
    shift
    rm -f "$data" "$data.live"
    MPROF_FILE=$tmp/$data.live LD_PRELOAD=$library "$@" >printed 2>&1 </dev/null
    ln -s "$data.live" "$data"  # reports do not seal a file that is named by a link
}

echo '<a/>' >short.xml
for command in "$programs/symbols_c" "$programs/symbols_cxx" "$programs/trees 6 1" perl sqlite3 \
    "jq -n [range(99)]" "xmllint --noout short.xml" "git --version"; do
    program=${command%% *}
    name=${program##*/}
    if ! command -v "$program" >which; then
        skip "$name: the same" "$name is not installed"
        continue
    fi
    # shellcheck disable=SC2086
    record "$name.data" $command
    MPROF_CACHE=off "$mprof" report -v --all-frames --lines --table=bins,leaks,direct,graph \
        "$name.data" >expected
    MPROF_CACHE=off "$mprof" export -F chains "$name.data" >>expected
    rm -rf "$cache"
    ok "$name: looked up" looked "$name.data"
    ok "$name: the same when it is kept" diff expected text
    report "$name.data" >second
    ok "$name: the same when it was kept" diff expected second
    if looked "$name.data"; then
        fail "$name: nothing was looked up again"
    else
        pass "$name: nothing was looked up again"
    fi
    ok "$name: without a look it is the same" diff expected text
done

is "the folder is for its user only" "$(stat -c %a "$cache")" 700
is "so are its files" "$(find "$cache" -type f ! -perm 600)" ""
mkdir "$cache/other"
touch "$cache/other/file"
report symbols_c.data >expected
report symbols_c.data MPROF_CACHE=off >text
ok "off: the same" diff expected text
report symbols_c.data MPROF_CACHE= "HOME=$tmp/home" "XDG_CACHE_HOME=$tmp/xdg" >text
ok "no folder, no HOME: the same" diff expected text
ok "off: none is made" test ! -e xdg -a ! -e home
mkdir home
env -u MPROF_CACHE -u XDG_CACHE_HOME "HOME=$tmp/home" "$mprof" report symbols_c.data >text
ok "below HOME" test -d home/.cache/mprof/symbols
env -u MPROF_CACHE "XDG_CACHE_HOME=$tmp/xdg" "HOME=$tmp/home" "$mprof" report symbols_c.data >text
ok "in XDG_CACHE_HOME" test -d xdg/mprof/symbols

chmod 777 "$cache"
ok "a folder of everybody's is not used" looked symbols_c.data
chmod 700 "$cache"
if looked symbols_c.data; then
    fail "a folder of the user's own is"
else
    pass "a folder of the user's own is"
fi

# Damage: whatever the cache contains, the report is the same, and invalid files are written again.
n=0
wrong=0
for file in "$cache"/*-*; do
    size=$(wc -c <"$file")
    cp "$file" whole
    for place in 0 7 8 12 16 17 $((size / 2)) $((size - 1)); do
        head -c "$place" whole >"$file"
        report symbols_c.data >text
        cmp -s expected text || wrong=$((wrong + 1))
        { head -c "$place" whole; printf '\377'; tail -c +$((place + 2)) whole; } >"$file"
        report symbols_c.data >text
        cmp -s expected text || wrong=$((wrong + 1))
        n=$((n + 2))
    done
    cp whole "$file"
    [ "$n" -lt 64 ] || break
done
at_least "damaged files" "$n" 16
is "reports that were different" "$wrong" 0

# Files of another version of mprof, or of another program, are not used, and written again.
for text in '\001\000\000\000' '\377\377\377\377'; do
    for file in "$cache"/*-*; do
        cp "$file" whole
        # shellcheck disable=SC2059
        { head -c 8 whole; printf "$text"; tail -c +13 whole; } >"$file"
    done
    ok "another version: looked up" looked symbols_c.data
    ok "another version: the same" diff expected text
    if looked symbols_c.data; then
        fail "another version: written anew"
    else
        pass "another version: written anew"
    fi
done
rm -f "$cache"/*-*
report symbols_c.data >text
for file in "$cache"/*-*; do
    mv "$file" "$tmp/moved"
    ln -s "$tmp/moved" "$file"
done
ok "symbolic links are not followed" looked symbols_c.data
ok "symbolic links: the same" diff expected text
is "symbolic links: replaced" "$(find "$cache" -name '*-*' -type l)" ""
rm -f "$cache"/*-*
report symbols_c.data >text

# figures FILE: prints the report and the chains of FILE, without what differs from run to run.
figures()
{
    "$mprof" report -v --all-frames --lines --table=bins,leaks,direct,graph "$1" |
        grep -vE '^(Process|Started|Recorded) ' && "$mprof" export -F chains "$1"
}

# sealed FILE COMMAND: runs COMMAND, seals its recording, and prints its figures.
sealed()
{
    data=$1
    shift
    rm -f "$data"
    MPROF_CACHE="$cache" "$mprof" run -q -o "$data" "$@" >printed 2>err </dev/null
    figures "$data"
}

for command in "$programs/symbols_cxx" "xmllint --noout short.xml"; do
    name=${command%% *}
    name=${name##*/}
    command -v "${command%% *}" >which || continue
    rm -f "$cache"/*-*
    # shellcheck disable=SC2086
    sealed cold.data $command >cold
    # shellcheck disable=SC2086
    sealed warm.data $command >warm
    # It is chance whether the observer reads the memory of so short a program.
    sed -i '/^In memory /d' cold warm
    ok "$name: sealed with what was kept, and without, is the same" diff cold warm
    at_least "$name: names" "$(grep -c main warm)" 1
done

# copies FILE COMMAND: prints of how many files the symbols are read while COMMAND is run and sealed.
copies()
{
    data=$1
    shift
    rm -f "$data"* trace
    MPROF_CACHE="$cache" strace -f -o trace -e trace=memfd_create,open,openat \
        "$mprof" run -q -f -o "$data" "$@" >printed 2>err </dev/null
    grep -c -e '^[0-9]* *memfd_create.*SEALING' -e '/var/tmp.*O_TMPFILE' trace
}

if ! need strace || ! strace -o trace true 2>err; then
    skip "how much is read" "strace is not there, or may not trace"
else
    rm -f "$cache"/*-*
    one=$(copies one.data "$programs/symbols_c")
    at_least "one process: files are read" "$one" 1
    is "the second time none is" "$(copies one.data "$programs/symbols_c")" 0
    rm -f "$cache"/*-*
    many=$(copies many.data sh -c "for i in 1 2 3 4 5 6 7 8 9; do $programs/symbols_c; done")
    is "ten processes: recordings" "$("$mprof" totals many.data.children | sed -n 's/^processes //p')" 9
    # the shell is one file more, with its debug file
    at_most "ten processes: each file is read once" "$many" $((one + 2))
    rm -f killed.data
    strace -f -o trace -e trace=rename,renameat,renameat2 \
        -e inject=rename,renameat,renameat2:signal=KILL \
        "$mprof" run -q -o killed.data "$programs/symbols_c" >printed 2>err
    is "killed while it seals: the live file is there" "$(head -c 8 killed.data)" MPROFLIV
    sealed whole.data "$programs/symbols_c" >whole
    figures killed.data >text
    sed -i '/^In memory /d' whole text
    ok "killed while it seals: nothing is lost" diff whole text
fi

# Another program of the same name, and debug information that is added and removed.
if need gcc objcopy strip; then
    for name in alpha bravo; do
        echo "#include <stdlib.h>
        int *kept; void $name(void) { kept = malloc(77); } int main(void) { $name(); return 0; }" >p.c
        gcc -g -O0 -o p p.c
        record data ./p
        report data >text
        has "$name: compiled anew, new names" text "main \(p.c:2\) > $name \(p.c:2\)$"
    done
    cp p whole
    objcopy --only-keep-debug p p.debug
    strip p
    record data ./p
    report data >text
    has "stripped: its debug file is used" text "main \(p.c:2\) > bravo \(p.c:2\)$"
    mv p.debug away
    report data >text
    hasnt "debug file gone: so are names" text "bravo"
    mv away p.debug
    report data >text
    has "debug file back: so are names" text "main \(p.c:2\) > bravo \(p.c:2\)$"
else
    skip "another program of the same name" "$missing"
fi

# Types with 6 MB of names: only those that a report shows are stored.
if need gcc; then
    long=$(seq 50 | tr -d '\n')
    seq 30000 | sed "s/.*/struct z${long}_${long}_& { char a[& % 90 + 1]; };/" >many.c
    {
        echo '#include <stdlib.h>'
        echo 'struct opaque; extern const size_t size; struct opaque *make(void);'
        echo 'struct opaque *make(void) { return malloc(size); }'
        echo 'void *kept; int main(void) { struct opaque *o = make(); kept = malloc(77); return !o; }'
    } >main.c
    {
        echo '#include <stddef.h>'
        echo 'struct opaque { char a[33]; }; struct first { char a[77]; };'
        echo 'extern const size_t size; const size_t size = sizeof(struct opaque);'
    } >last.c
    gcc -g -O0 -fno-eliminate-unused-debug-types -o types many.c main.c last.c
    rm -f "$cache"/*-*
    record data ./types
    MPROF_CACHE=off "$mprof" report -v --all-frames --lines --table=bins,leaks,direct,graph data \
        >expected
    MPROF_CACHE=off "$mprof" export -F chains data >>expected
    ok "many types: looked up" looked data
    ok "many types: the same when it is kept" diff expected text
    has "many types: one that is only declared where it is allocated" text \
        '^ +33 .* opaque, z'
    has "many types: the first of the alphabet, from the last file" text '^ +77 .* first, z'
    is "many types: no more than eight" \
        "$(grep -E '^ +77 .* first, z' text | tr ',' '\n' | grep -c .)" 8
    if looked data; then
        fail "many types: nothing was looked up again"
    else
        pass "many types: nothing was looked up again"
    fi
    ok "many types: without a look it is the same" diff expected text
else
    skip "many types" "$missing"
fi

# The cache has at most 64 MB.
rm -f "$cache"/*-*
old=$cache/0123456789abcdef0123-000000000000000
for i in 1 2 3 4; do
    truncate -s 20M "$old$i"
    touch -d "2001-01-0$i" "$old$i"
done
truncate -s 80M "$cache/photo"
touch -d 2000-01-01 "$cache/photo"
report symbols_c.data >text
ok "too much: the oldest files are gone" test ! -e "${old}1" -a ! -e "${old}2"
ok "too much: the newest stay" test -e "${old}4"
ok "too much: what is no file of the cache stays" test -e "$cache/other/file" -a -e "$cache/photo"
if looked symbols_c.data; then
    fail "too much: the new one stays"
else
    pass "too much: the new one stays"
fi
plan
# SPDX-License-Identifier: MIT
