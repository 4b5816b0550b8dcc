#!/bin/sh
# As in 1988, the program is linked with the library, as a shared object or as an archive.
. "${srcdir:-.}/tests/e2e/lib.sh"

source=$srcdir/examples/widgets.c
case $source in
/*) ;;
*) source=$top/$source ;;
esac
cc=${CC:-gcc}

# linked NAME ARGUMENT...: compiles the example with these arguments, runs it, reads mprof.data.
linked()
{
    name=$1
    shift
    rm -f mprof.data
    # shellcheck disable=SC2086
    ok "$name: links" $cc -g -fno-builtin -o "$name" "$source" "$@"
    returns "$name: status" 0 "./$name"
    is "$name: allocations" "$(total allocs mprof.data)" 10000
    is "$name: bytes" "$(total bytes mprof.data)" 2040000
    is "$name: kept" "$(total kept mprof.data)" 1023876
    is "$name: nothing is missed" "$(total cut mprof.data) $(total dropped mprof.data)" "0 0"
}

linked shared -L"$top/.libs" -lmprof -Wl,-rpath,"$top/.libs"
linked archive "$top/.libs/libmprof.a"

# A program that is linked with the library has one monitor, also if it is preloaded by any of its names.
readelf -d shared >dynamic
has "shared: it needs the library by its version" dynamic 'NEEDED.*\[libmprof\.so\.1\]'
cat >maps.c <<'ENDC'
#include <stdio.h>
int
main(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    for (int c; (c = getc(maps)) != EOF;)
        putchar(c);
    return 0;
}
ENDC
# shellcheck disable=SC2086
ok "shared: a program that shows its libraries" $cc -o maps maps.c -L"$top/.libs" -Wl,--no-as-needed -lmprof -Wl,-rpath,"$top/.libs"
monitors() { awk '/libmprof/ && !seen[$6]++ { n++ } END { print n + 0 }' "$1"; }
mkdir private
ln -s "$top/.libs/libmprof.so.1" private/libmprof.so
"$mprof" run -q ./maps >out
is "shared, under mprof run: monitors" "$(monitors out)" 1
MPROF_LIBRARY=$tmp/private/libmprof.so "$mprof" run -q ./maps >out
is "shared, under mprof run, by the installed link: monitors" "$(monitors out)" 1
LD_LIBRARY_PATH=$top/.libs LD_PRELOAD=libmprof.so.1 MPROF_LIBRARY=$tmp/private/libmprof.so "$mprof" run -q ./maps >out
is "shared, preloaded twice: monitors" "$(monitors out)" 1

# A program that uses mprof.h runs without the library; the archive brings the functions without --whole-archive,
# although each reference is weak.
source=$src/tests/programs/api.c
# shellcheck disable=SC2086
ok "api, linked with nothing: links" $cc -g -fno-builtin -I"$src" -o bare "$source"
rm -f mprof.data
run ./bare second.data
is "api, linked with nothing: it runs" "$status $(cat out)" "0 without"
ok "api, linked with nothing: no file" test ! -e mprof.data
prints "api, linked with nothing, profiled: it has the calls" '^active 1$' "$mprof" run -q ./bare second.data
for how in "archive $top/.libs/libmprof.a" "shared -L$top/.libs -lmprof -Wl,-rpath,$top/.libs"; do
    name=${how%% *}
    rm -f mprof.data second.data
    # shellcheck disable=SC2086
    ok "api, $name: links" $cc -g -fno-builtin -I"$src" -o "$name" "$source" ${how#* }
    returns "api, $name: status" 0 "./$name" second.data
    is "api, $name: the calls answer" "$(tr '\n' ' ' <out)" "active 1 total +100000 current +100000\
 blocks: total +1000, current +1000 after free: total +100000 current +0\
 blocks: total +1000, current +0 peak above 1 peak reset 1 active 0 restart 0 active 1 "
    is "api, $name: the first file" "$(books self counted mprof.data | cut -d' ' -f1-4)" \
        "1250 102000 1000 100000"
    is "api, $name: the pool" "$(books inclusive from_pool mprof.data | cut -d' ' -f1-4)" \
        "10 1000 9 900"
    is "api, $name: the second file" "$(books self counted_again second.data | cut -d' ' -f1,2)" \
        "70 2240"
done

# Each way of linking defines every function of mprof.h, also for a program that uses nothing else of the library. Without
# the library each is NULL. The archive refuses a static program.
sed '1,/^# mprof.h/d; s/.*/EACH(&)/' "$src/tests/lint/exports.txt" >each.h
grep -c '^EACH(.*mprof_' each.h >count
is "mprof.h: it declares each function" "$(grep -c '^MPROF_WEAK .*(' "$src/runtime/mprof.h")" "$(cat count)"
cat >each.c <<'ENDC'
#include <mprof.h>
#define EACH(name) if (!name) puts("NULL"); else ((void (*)(long, long, long, long))(void (*)(void))name)(0, 0, 0, 0);
int
main(void)
{
#include "each.h"
    return 0;
}
ENDC
# each HOW NULLS ARGUMENT...: links by the command ARGUMENT..., runs the program, and tests that NULLS functions of
# mprof.h are NULL.
each()
{
    how=$1 nulls=$2
    shift 2
    rm -f each mprof.data
    ok "mprof.h, $how: links" "$@" -I"$src/runtime" -o each
    run ./each
    is "mprof.h, $how: status, functions that are missing" "$status $(grep -c NULL out)" "0 $nulls"
    [ "$nulls" -gt 0 ] || ok "mprof.h, $how: there is a recording" test -s mprof.data
}
archive=$top/.libs/libmprof.a
for way in --as-needed --no-as-needed; do
    each "shared, $way" 0 gcc each.c -L"$top/.libs" "-Wl,$way,-rpath,$top/.libs" -lmprof
done
each archive 0 gcc each.c "$archive"
each "archive, optimised" 0 gcc -O2 -flto each.c -Wl,--gc-sections "$archive"
each "archive, no PIE" 0 gcc -no-pie each.c "$archive"
each "archive, C++" 0 g++ -x c++ each.c -x none "$archive"
if need clang ld.lld; then
    each "archive, clang and lld" 0 clang -fuse-ld=lld each.c "$archive"
else
    skip "mprof.h, archive, clang and lld" "$missing"
fi
each nothing "$(cat count)" gcc each.c
each "nothing, static" "$(cat count)" gcc -static each.c
each "nothing, C++" "$(cat count)" g++ -x c++ each.c
ok "mprof.h, preloaded: it runs" gcc -I"$src/runtime" -o each each.c
returns "mprof.h, preloaded: status" 0 "$mprof" run -q ./each
is "mprof.h, preloaded: no function is missing" "$(grep -c NULL out)" 0
cat >unaware.c <<'ENDC'
#include <stdlib.h>
int
main(void)
{
    void *volatile block = malloc(10);
    return !block;
}
ENDC
for way in "-static each" "-static-pie each" "-static unaware" "-static-pie unaware"; do
    rm -f refused
    # shellcheck disable=SC2086
    run gcc -I"$src/runtime" ${way% *} "${way#* }.c" "$archive" -o refused
    ok "archive, $way: does not link" test "$status" -ne 0 -a ! -e refused
    has "archive, $way: says so" err 'mprof: libmprof.a cannot record a static program; link it without -static$'
done
# Chains do not contain frames of libmprof.a, even if libmprof.a called the program's function.
# shellcheck disable=SC2086
ok "callback: links" $cc -g -fno-builtin -I"$src" -o callback "$src/tests/programs/meter.c" "$top/.libs/libmprof.a" \
    -pthread
rm -f mprof.data
returns "callback: status" 0 ./callback callback
at_least "callback: its caller" "$("$mprof" export -F chains mprof.data | grep -c '[	;]up_and_down;changed$')" 1
is "callback: none of our frames" "$(own_frames mprof.data)" ""

# The first report seals the recording of a linked program, with the same result as mprof run.
run ./archive
ok "seal: the file is live at first" test "$(wc -c <mprof.data)" -gt 50000
"$mprof" report --no-pager --executable=archive mprof.data >before
ok "seal: --executable leaves it so" test "$(wc -c <mprof.data)" -gt 50000
"$mprof" report --no-pager mprof.data >first
ok "seal: the report seals it" test "$(wc -c <mprof.data)" -lt 2000
"$mprof" report --no-pager mprof.data >second
same_text()
{
    cmp "$2" "$3" && ok "$1" true || ok "$1" false
}
same_text "seal: the report is the same" before first
same_text "seal: and stays so" first second
run ./archive
run "$mprof" seal
is "seal: the command" "$status $(sed 's/[0-9.]* K*B of/SIZE of/' err)" "0 mprof: SIZE of data in mprof.data"
run "$mprof" seal mprof.data
is "seal: again, nothing is done" "$status$(cat out err)" 0
says "seal: another file" "1 mprof: archive is no live data file" "$mprof" seal archive
run ./archive
"$mprof" report --graph=dot mprof.data >graph
ok "seal: a graph is a report, too" test "$(wc -c <mprof.data)" -lt 2000
cat >waits.c <<'ENDC'
#include <stdlib.h>
#include <unistd.h>
int
main(void)
{
    char c, *volatile block = malloc(10);
    return write(1, "a\n", 2) != 2 || read(0, &c, 1) != 0 || !block;
}
ENDC
ok "seal: a program that waits: links" $cc -o waits waits.c "$top/.libs/libmprof.a"
mkfifo end began
returns "seal: a FIFO does not block" 1 timeout 20 "$mprof" seal end
./waits <end >began &
exec 9>end
read -r _ <began
"$mprof" report mprof.data >running
has "seal: the report of a program that runs" running '^Ended  *still running'
ok "seal: is not sealed" test "$(wc -c <mprof.data)" -gt 50000
says "seal: it is in use" "1 mprof: mprof.data: process $! has it in use" "$mprof" seal mprof.data
exec 9>&-
wait

# A program that calls only one function of the malloc family is linked with the whole archive.
# alone NAME ALLOCS COMPILER...: compiles standard input, links it with the archive, runs it, and tests that the
# recording is complete and has at least ALLOCS allocations, because libc and libstdc++ may allocate as well.
alone()
{
    name=$1 expected=$2
    shift 2
    rm -f mprof.data
    ok "only $name: links" "$@" -g -fno-builtin -I"$src/runtime" -o alone - -x none \
        "$top/.libs/libmprof.a"
    returns "only $name: status" 0 ./alone
    ok "only $name: allocations" test "$(total allocs mprof.data)" -ge "$expected"
    "$mprof" report mprof.data >report
    has "only $name: the recording has its end" report '^Ended  *exit status 0$'
    has "only $name: and its time" report '^Recorded '
}
alone malloc 4 ${CC:-gcc} -x c <<'ENDC'
#include <mprof.h>
#include <stdlib.h>
int
main(void)
{
    for (int i = 0; i < 4; i++)
        free(malloc(10));
    return !&mprof_stop || MPROF_VALUE(mprof_total()) != 40;
}
ENDC
alone posix_memalign 1 ${CC:-gcc} -x c <<'ENDC'
#include <stdlib.h>
int
main(void)
{
    void *block;
    return posix_memalign(&block, 64, 10);
}
ENDC
alone realloc 2 ${CC:-gcc} -x c -pthread <<'ENDC'
#include <pthread.h>
#include <stdlib.h>
static void *
thread(void *unused)
{
    void *volatile block = realloc(unused, 10);
    return block ? NULL : unused;
}
int
main(void)
{
    pthread_t id;
    return pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL) || !realloc(NULL, 20);
}
ENDC
alone fork 1 ${CC:-gcc} -x c <<'ENDC'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int
main(void)
{
    int status;
    void *volatile block = malloc(10);
    if (fork() == 0)
        return !block || !malloc(20);
    return wait(&status) < 0 || status;
}
ENDC
alone new 3 ${CXX:-g++} -x c++ -Wl,-u,malloc <<'ENDC'
int
main()
{
    for (int i = 0; i < 3; i++)
        delete new int[10];
    return 0;
}
ENDC

# The program's environment is unchanged, except for mprof's own variables. If their number is odd, _ is added.
cat >environment.c <<'ENDC'
#include <stdio.h>
extern char **environ;
int
main(void)
{
    for (char **at = environ; *at; at++)
        puts(*at);
    return 0;
}
ENDC
ok "environment: links" $cc -o environment environment.c -L"$top/.libs" -Wl,--no-as-needed -lmprof \
    -Wl,-rpath,"$top/.libs"
# environment PRELOAD EXPECTED: tests the environment with LD_PRELOAD=PRELOAD.
environment()
{
    rm -f mprof.data
    run env -i A=1 "LD_PRELOAD=$1" B=2 MPROF_DEPTH=5 C=3 ./environment
    is "environment, LD_PRELOAD '$1'" "$(grep -vxF _= out | tr '\n' ' ')" "A=1 ${2}B=2 C=3 "
}
other=$programs/.libs/bump.so
environment "" "LD_PRELOAD= "
environment "$other" "LD_PRELOAD=$other "
environment "$other:$library" "LD_PRELOAD=$other "
environment "$library $other" "LD_PRELOAD=$other "
environment "$library" ""

# A set-user-id program ignores mprof's variables.
if [ "$(id -u)" -eq 0 ]; then
    # shellcheck disable=SC2086
    ok "secure: links" $cc -g -fno-builtin -o secure "$src/examples/widgets.c" "$top/.libs/libmprof.a"
    chown 65534 secure
    chmod 4755 secure
    chmod 711 .
    mkdir -m 777 open
    (cd open && MPROF_FILE=$tmp/open/chosen MPROF_DEPTH=1 ../secure >"$tmp/out" 2>"$tmp/err")
    is "secure: the file is not the one that the environment names" "$(ls open)" mprof.data
    is "secure: it is its user's alone" "$(stat -c '%u %a' open/mprof.data)" "65534 600"
    is "secure: nor is the depth" "$(total depth-cut open/mprof.data)" 0
    chmod 0755 secure
    (cd open && MPROF_FILE=$tmp/open/chosen ../secure >"$tmp/out" 2>"$tmp/err")
    ok "not set-user-id: it is" test -f open/chosen
else
    skip "a set-user-id program" "only root can make one of another user"
fi
plan
# SPDX-License-Identifier: MIT
