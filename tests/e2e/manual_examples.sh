#!/bin/sh
# Every example command of a manual page does what it should, in a separate directory for each page, with programs and
# files that have the page's names. Graphical programs, and those that need a network, are replaced by stand-ins.
. "${srcdir:-.}/tests/e2e/lib.sh"

man=$src/man
needs "examples" gcc

mkdir bin
ln -s "$mprof" bin/mprof
ln -s "$library" bin/libmprof.so
MPROF_LIBRARY=$library
PATH=$tmp/bin:$PATH
export PATH MPROF_LIBRARY

# stand_in NAME...: makes programs that read their input and succeed.
stand_in()
{
    for name; do
        printf '#!/bin/sh\n[ -t 0 ] || cat >/dev/null\nexit 0\n' >"bin/$name"
        chmod +x "bin/$name"
    done
}
stand_in flamegraph.pl kcachegrind heaptrack_gui go curl less

# The program of the examples: it parses, renders, keeps and prints. If ENDLESS is set, it goes on until it is killed.
cat >program.c <<'END'
#include <mprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *volatile kept[1000];
static __attribute__((noinline)) void *make_widget(int n) { return malloc(n > 0 ? 204 : 0); }
static __attribute__((noinline)) void parse(void)
{
    for (int i = 0; i < 100; i++)
        free(make_widget(i + 1));
}
static __attribute__((noinline)) void render(void) { free(make_widget(1000)); }
static __attribute__((noinline)) void keep(int i) { kept[i] = make_widget(204); }
int main(void)
{
    parse();
    MPROF(mprof_checkpoint("warm"));
    MPROF(mprof_checkpoint("loaded"));
    MPROF(mprof_checkpoint("parsed"));
    for (int i = 0; i < 5; i++)
        keep(i);
    render();
    MPROF(mprof_checkpoint("written"));
    usleep(100000);
    printf("done\n");
    fflush(stdout);
    while (getenv("ENDLESS")) {
        parse();
        usleep(10000);
    }
    for (int i = 0; i < 5; i++)
        free(kept[i]);
    return 0;
}
END
gcc -g -O0 -I"$src/runtime" -o program program.c || exit 99
"$mprof" run -q -o program.data ./program >program.out

# commands PAGE: prints the commands in its examples, one a line, joining lines that end in a backslash.
commands()
{
    sed -n -e '/^\.Bd/,/^\.Ed/p' -e 's/^\.Dl \(mprof .*\)/$ \1/p' "$1" | sed 's/\\e/\\/g' |
        awk '/^\$ / { inside = 1; sub(/^\$ /, "") }
            inside { inside = sub(/\\$/, ""); printf inside ? "%s" : "%s\n", $0 }'
}

# programs NAME...: makes copies of the program. data NAME...: makes recordings of it.
programs()
{
    for name; do
        cp "$tmp/program" "$name"
    done
}
data()
{
    for name; do
        cp "$tmp/program.data" "$name"
    done
}

# prepare PAGE: makes what the examples of PAGE need, in its directory.
prepare()
{
    programs example server old new test test_parser test_render program
    data mprof.data release.data run.data
    [ "$1" = mprof-watch.1 ] || data server.data
    printf '{"a":[1,2,3]}\n' >large.json
    case $1 in
    mprof-diff.1)
        echo 'print("old")' >old.py
        echo 'print("new")' >new.py
        ;;
    mprof-merge.1)
        printf 'all:\n\t./example\n' >Makefile
        mkdir tests web mail
        programs parse
        for folder in tests web mail; do
            "$mprof" run -q -o $folder/a.data ./parse >out
        done
        ;;
    mprof-plot.1)
        printf 'create table t(a); insert into t values(1);\n' >queries.sql
        echo "plot data using 1:2" >timeline.gnuplot
        ;;
    mprof-seal.1)
        mkdir build
        LD_PRELOAD=$library MPROF_FILE=prog.1.data ./program >out
        ;;
    mprof-run.1) echo 'int f(void) { return 1; }' >file.c ;;
    mprof-replay.1) echo '(dotimes (i 8) (dotimes (k 100000) (make-list 10)) (ext:gc t))' >work.lisp
        ! need ecl || ecl --eval '(compile-file "work.lisp")' --eval '(quit)' >out 2>&1 </dev/null
        ;;
    esac
}

# elsewhere COMMAND: returns whether the command cannot be run here: receivers on other machines, servers that never
# end, files of other tools, snapshots of ECL's heap, compilers that need an installed mprof.
elsewhere()
{
    case $1 in
    *'mprof serve'* | *'go tool'* | *'heap.pb.gz'* | *HEAPPROFILE* | *jq.0001.heap* | *MALLOC_CONF* | \
        *jeprof* | *heaptrack[.\ ]jq* | *server.lisp* | *'snapshot --heap'* | *--type=CONS* | *--heaps* | *data.*.heap* | \
        *'top --lisp'* | 'cc prog.c'* | *GC_INITIAL* | */usr/local*) return 0 ;;
    *) return 1 ;;
    esac
}

# programs_of COMMAND: prints the other programs that the command starts.
programs_of()
{
    for name in jq sqlite3 gnuplot ecl make python3 seq mawk; do
        case $1 in
        "$name "* | *" $name "*) echo "$name" ;;
        esac
    done
}

# begin_server OPTION...: starts the process that the page calls 4711.
begin_server()
{
    rm -f served                # output of the previous server
    ENDLESS=1 "$mprof" run -q "$@" ./server >served 2>&1 &
    runner=$!
    until_true 20 grep -qs 'done' served
    server=$(program_of "$runner")
}

end_server()
{
    [ -z "$server" ] || kill "$server" 2>/dev/null
    [ -z "$runner" ] || wait "$runner"
    server=
    runner=
}

total=0
for page in "$man"/*.[1-9]; do
    page_name=$(basename "$page")
    commands "$page" >"$tmp/commands"
    [ -s "$tmp/commands" ] || continue
    mkdir "$tmp/$page_name.d"
    cd "$tmp/$page_name.d" || exit 99
    prepare "$page_name"
    server=
    runner=
    while read -r example <&3; do
        text="$page_name: $example"
        elsewhere "$example" && continue
        # shellcheck disable=SC2046
        if ! need $(programs_of "$example"); then
            skip "$text" "$missing"
            continue
        fi
        command=$example
        total=$((total + 1))
        case $command in
        *gcc.data.4711)         # the recording of a process that the previous command started
            command="mprof report $(echo gcc.data.*[0-9] | cut -d' ' -f1)" ;;
        *'--stopped -q ./server &')
            begin_server --stopped
            continue
            ;;
        *'./server &')          # the next command watches it until that command is interrupted
            ENDLESS=1 LD_PRELOAD=$library MPROF_FILE=server.data ./server >served 2>&1 &
            server=$!
            until_true 20 grep -qs 'done' served
            continue
            ;;
        'mprof watch '*) command="timeout -s INT 2 mprof watch $server || test \$? -eq 124" ;;
        *--from=parsed* | 'mprof plot -o time.svg') data mprof.data ;; # needs checkpoints
        *'4711 before')         # not the server of the previous example
            end_server
            begin_server -o server.data
            command="mprof checkpoint $server before"
            ;;
        *4711*)
            [ -n "$server" ] || begin_server -o server.data
            command=$(echo "$command" | sed "s/4711/$server/g; s/-d 10 -n 360/-d 0.2 -n 2/; s/sleep 10/sleep 1/")
            ;;
        esac
        command=$(echo "$command" | sed 's/--from=1s/--from=0.001s/')
        BUILD=1 timeout 120 sh -c "$command" >stdout 2>stderr </dev/null
        status=$?
        is "$text" "$status" 0
        [ "$status" -eq 0 ] || sed 's/^/# /' stderr
    done 3<"$tmp/commands"
    end_server
    cd "$tmp" || exit 99
done

# The program in mprof(3) prints the live bytes of its pool, and 0 without the profiler.
sed -n '/^#include <mprof.h>/,/^\.Ed/p' "$man/mprof.3" | sed -e '/^\.Ed/d' -e 's/\\e/\\/g' >pool.c
gcc -Wall -Werror -I"$src/runtime" -o pool pool.c
is "mprof.3: a pool" "$(./pool) $("$mprof" run -q ./pool)" "0 bytes 4800 bytes"
at_least "there are examples" "$total" 60
plan
# SPDX-License-Identifier: MIT
