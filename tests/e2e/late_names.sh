#!/bin/sh
# Names that come later: files with the build-ids of stripped programs and libraries are found wherever they are, for
# every kind of recording and by every command. What does not fit is refused.
. "${srcdir:-.}/tests/e2e/lib.sh"

if ! need gcc objcopy strip; then
    skip "names that come later" "$missing"
    plan
fi

cat >lib.c <<'END'
#include <stdlib.h>
static __attribute__((noinline)) void *shelf(long n) { return malloc(n); }
void *store(long n) { void *p = shelf(n); __asm__ volatile("" : : "r"(p)); return p; }
END
cat >prog.c <<'END'
#include <stdlib.h>
struct thing { char text[72]; };
void *volatile sink;
void *store(long n);
static inline __attribute__((always_inline)) void *inner(long n) { return malloc(n); }
static __attribute__((noinline)) void fill(long n)
{
    struct thing *thing = inner(n);
    sink = thing; __asm__ volatile("");
}
static __attribute__((noinline)) void WORK(long n) { fill(n); __asm__ volatile(""); }
int main(void)
{
    for (int i = 0; i < 50; i++)
        WORK(sizeof(struct thing));
    sink = store(4000);
    return 0;
}
END
mkdir run debug other
gcc -O1 -g -shared -fPIC -Wl,--build-id=sha1 -o libstore.so lib.c
gcc -O1 -g -DWORK=work -Wl,--build-id=sha1 -o full prog.c ./libstore.so
gcc -O1 -g -DWORK=later_work -Wl,--build-id=sha1 -o newer prog.c ./libstore.so
cp libstore.so full_store
strip libstore.so
strip -o run/prog full
objcopy --only-keep-debug full debug/any-name
objcopy --only-keep-debug full_store debug/other-name
"$mprof" run -q -o whole.data ./full
"$mprof" run -q -o stripped.data run/prog

# tree FILE OPTION...: writes the tree with source lines to `text`.
tree()
{
    file=$1
    shift
    "$mprof" report --no-pager --lines --table=tree,bins "$@" "$file" >text 2>err
}

# named NAME FILE OPTION...: checks that the report has functions, lines, inlined calls, types and the library's names.
named()
{
    name=$1
    shift
    tree "$@"
    has "$name: names, lines and inlined calls" text \
        'main \(prog.c:15\) > work \(prog.c:11\) > fill \(prog.c:8\) > inner \(prog.c:5\)$'
    has "$name: those of the library" text 'store \(lib.c:3\) > shelf \(lib.c:2\)$'
    has "$name: the type" text 'struct thing|[^a-z]thing'
    hasnt "$name: nothing is missing" text '^(No symbols|Module)'
}

tree stripped.data
has "sealed without names: it is said" text '^No symbols +prog$'
has "sealed without names: the option is said" text '^For symbols +see --symbols$'
hasnt "sealed without names" text 'work'
"$mprof" report --json --table=tree stripped.data >json
has "sealed without names: JSON" json '"module":.*run/prog", *"problem": *"no symbols"'
"$mprof" html -q -o page.html stripped.data
has "sealed without names: the page" page.html 'see --symbols'

# ------------------------------------------------------------------- where files are found

named "a directory with files" stripped.data --symbols=debug
named "two files" stripped.data --executable=full --executable=full_store
named "two debug files" stripped.data --executable=debug/any-name --executable=debug/other-name
named "a file and a directory" stripped.data --executable=full --symbols=debug

id=$(readelf -n full | sed -n 's/.*Build ID: //p')
rest=${id#??}
mkdir -p "package/usr/lib/debug/.build-id/${id%"$rest"}" many
cp debug/any-name "package/usr/lib/debug/.build-id/${id%"$rest"}/$rest.debug"
tree stripped.data --symbols=package
has "the content of a package" text 'work \(prog.c:11\)'
tree stripped.data --symbols=package/usr/lib/debug
has "a directory like /usr/lib/debug" text 'work \(prog.c:11\)'
i=0
while [ $i -lt 1000 ]; do
    i=$((i + 1))
    case $i in
    *7) echo "no program $i" >many/$i ;;
    *) ln run/prog many/$i ;;
    esac
done
mkfifo many/pipe
ln -s ../many many/again
mkdir many/deep
cp debug/* many/deep
named "1,000 files" stripped.data --symbols=many

cp run/prog linked
objcopy --add-gnu-debuglink=debug/any-name linked
"$mprof" run -q -o linked.data ./linked
hasnt "the name in the file: nothing at first" linked.data work
mkdir -p .debug
cp debug/any-name .debug
tree linked.data
has "the name in the file" text 'work \(prog.c:11\)'
rm -r .debug

cp run/prog usual
"$mprof" run -q -o usual.data ./usual
cp debug/any-name usual.debug
rm usual
tree usual.data
has "beside the program, which is gone" text 'work \(prog.c:11\)'

# ------------------------------------------------------------------- all kinds of recordings

mkdir away
cp stripped.data away/copy
mv run/prog kept_prog
mv libstore.so kept_store
named "copied, the program is gone" away/copy --symbols=debug
strip -o run/prog newer
named "the program was replaced" stripped.data --symbols=debug
tree stripped.data
hasnt "the program was replaced: no names of the other" text later_work
gcc -O1 -g -shared -fPIC -Wl,--build-id=sha1 -o libstore.so lib.c
"$mprof" run -q -o newer.data run/prog
objcopy --only-keep-debug newer debug/of-newer
"$mprof" merge -q -o merged.data stripped.data newer.data
tree merged.data --symbols=debug
has "merged: names of the first build" text ' work \(prog.c:11\) > fill'
has "merged: names of the second build" text ' later_work \(prog.c:11\) > fill'
is "merged: a function of both builds is one" "$("$mprof" report --no-pager --table=direct --symbols=debug merged.data |
    grep -cE ' (inner|fill)(@|$)')" 1
"$mprof" merge -q -o named.data --symbols=debug stripped.data newer.data
tree named.data
has "merged with names: the first build" text ' work \(prog.c:11\) > fill'
has "merged with names: the second build" text ' later_work \(prog.c:11\) > fill'
"$mprof" diff --symbols=debug stripped.data newer.data >difference
has "diff: names" difference work
returns "diff: a file of one side" 0 "$mprof" diff --executable=debug/of-newer stripped.data newer.data
refuses "diff: a file of neither side" 1 '/bin/true has build-id' \
    "$mprof" diff --executable=/bin/true stripped.data newer.data

for command in "report --json" "html -o-" "flamegraph" "annotate fill" plot "export -F chains" "export -F dhat" \
    "export -F speedscope" "export -F callgrind" "check --max-kept=1"; do
    # shellcheck disable=SC2086
    "$mprof" $command --symbols=debug stripped.data >out 2>err
    has "$command: names" out 'fill|inner'
done

# ------------------------------------------------------------------- stored names

cp stripped.data stored.data
"$mprof" seal stored.data
ok "seal: nothing is stored without an option" cmp -s stored.data stripped.data
returns "seal --symbols: status" 0 "$mprof" seal -q --symbols=debug stored.data
named "seal --symbols: stored" stored.data
cp stored.data again.data
"$mprof" seal -q --symbols=debug again.data
ok "seal --symbols: nothing is better" cmp -s stored.data again.data
"$mprof" seal -q --symbols stored.data
named "names that nobody can improve stay" stored.data --symbols=many
"$mprof" report --no-pager -v --lines --table=tree,direct,bins stored.data | sed -n '/^TABLE/,/^MPROF/p' >late
mkdir early
mv kept_prog early/prog
mv kept_store libstore.so
MPROF_FILE=early.data LD_PRELOAD=$library early/prog
"$mprof" seal -q --symbols=debug early.data
"$mprof" report --no-pager -v --lines --table=tree,direct,bins early.data | sed -n '/^TABLE/,/^MPROF/p' >at_once
ok "the same as if they had been found at first" cmp late at_once
cp stripped.data denied.data
refuses "seal: another file" 1 '/bin/true has build-id' "$mprof" seal --executable=/bin/true denied.data
ok "seal: another file: unchanged" cmp -s denied.data stripped.data

# ------------------------------------------------------------------- what is refused

refuses "another program" 1 "/bin/true has build-id [0-9a-f]+\.\., not [0-9a-f]+\.\. as the recorded [^ ]*/run/prog," \
    "$mprof" report --executable=/bin/true stripped.data
refuses "another program, one of two" 1 '/bin/true has build-id' \
    "$mprof" report --executable=full --executable=/bin/true stripped.data
refuses "not an ELF file" 1 'prog.c is not an ELF file$' "$mprof" report --executable=prog.c stripped.data
gcc -O1 -Wl,--build-id=none -DWORK=work -o without prog.c ./libstore.so
refuses "no build-id" 1 'without has build-id none, not ' "$mprof" html -o- --executable=without stripped.data
cp without foreign
printf '\002\000' | dd of=foreign bs=1 seek=18 conv=notrunc 2>err       # for SPARC
refuses "another machine" 1 'foreign is for another kind of machine' "$mprof" report --executable=foreign stripped.data
refuses "a missing file" 1 'nowhere: No such file' "$mprof" report --executable=nowhere stripped.data
refuses "a missing directory" 1 'nowhere: No such file' "$mprof" report --symbols=nowhere stripped.data
refuses "a file as directory" 1 'prog.c: Not a directory' "$mprof" export -F chains --symbols=prog.c stripped.data
mkdir closed
chmod 0 closed
if [ -r closed ]; then
    skip "an unreadable directory" "root may read everything"
else
    refuses "an unreadable directory" 1 'closed: Permission denied' "$mprof" report --symbols=closed stripped.data
fi
refuses "in the form of 1988" 1 'new/prog has build-id' sh -c 'mkdir new && cp "$2" new/prog && "$1" new/prog "$3"' sh \
    "$mprof" newer stripped.data
"$mprof" report --no-pager --executable=early/prog stripped.data >text 2>err
has "a file without symbols: it is said" err '^mprof: early/prog contains no symbols$'
./without
"$mprof" run -q -o unverified.data ./without
mv without moved
refuses "sealed without a build-id" 1 'moved cannot be verified, because [^ ]*without was recorded without a build-id' \
    "$mprof" report --executable=moved unverified.data

run "$mprof" run -q --executable=/bin/true -o unneeded.data early/prog
is "mprof run: the status is that of the program" "$status" 0
has "mprof run: it is said" err '^mprof: /bin/true has build-id'

# ------------------------------------------------------------------- costs

if need strace; then
    strace -f -o trace -e trace=openat,open "$mprof" report --no-pager whole.data >text 2>err
    hasnt "names are complete: the program is not opened" trace '/full"'
else
    skip "names are complete: the program is not opened" "$missing"
fi

# ------------------------------------------------------------------- other kinds of debug information

cp full mini
nm -D mini --format=posix --defined-only | awk '{ print $1 }' | sort >dynamic
nm mini --format=posix --defined-only | awk '$2 == "T" || $2 == "t" { print $1 }' | sort >functions
comm -13 dynamic functions >keep
if need xz nm; then
    objcopy -S --remove-section .comment --keep-symbols=keep mini mini.symbols
    xz -k mini.symbols
    strip -o run/mini full
    strip -o packed full
    objcopy --add-section .gnu_debugdata=mini.symbols.xz packed
    "$mprof" run -q -o mini.data run/mini
    rm run/mini
    tree mini.data --executable=packed
    has "symbols in .gnu_debugdata" text 'work > fill$'
else
    skip "symbols in .gnu_debugdata" "$missing"
fi
if need dwz; then
    cp debug/any-name first.debug
    cp debug/of-newer second.debug
    mkdir shared
    mv first.debug second.debug shared
    (cd shared && dwz -m common -M "$tmp/shared/common" first.debug second.debug) 2>err
    tree stripped.data --symbols=shared
    has "a common file of dwz" text 'work \(prog.c:11\)'
else
    skip "a common file of dwz" "$missing"
fi

# The packages of Debian: dpkg-query finds the name.
if need dpkg-query && package=$(dpkg-query -S /usr/bin/sort 2>err) && [ -z "$(nm /usr/bin/sort 2>err)" ]; then
    echo b | "$mprof" run -q -o sort.data sort >sorted
    "$mprof" report --no-pager sort.data >text
    has "a package with symbols" text "^For symbols +on Debian: apt install .*${package%%:*}-dbgsym or see --symbols\$"
    "$mprof" report --json sort.data >json
    has "a package with symbols: JSON" json "\"package\": *\"${package%%:*}-dbgsym\""
    if need strace && strace -o trace true 2>err; then
        strace -f -o trace -e trace=execve "$mprof" run -q -o sort.data sort sorted >out
        hasnt "mprof run does not ask for packages" trace dpkg-query
        strace -f -o trace -e trace=execve "$mprof" report --no-pager sort.data >out
        is "mprof report asks for them once" "$(grep -c 'execve("[^"]*/dpkg-query".* = 0' trace)" 1
    else
        skip "mprof run does not ask for packages" "strace is not there, or may not trace"
        skip "mprof report asks for them once" "strace is not there, or may not trace"
    fi
else
    skip "a package with symbols" "no stripped program of a package"
fi
plan
# SPDX-License-Identifier: MIT
