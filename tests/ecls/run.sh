#!/bin/sh
# run.sh -- tests which parts of mprof work with ECLs that are built in other ways. Must be run in a built tree.
#
#     tests/ecls/run.sh [--manual] [ECL...]      default: all
#
# installed                 the ECL for which mprof was built, which needs no sources; Debian's are stripped
# static                    --disable-shared: libecl.a is inside of ecl, which calls a shared libgc
# static-stripped           the same without symbols
# linked                    tests/ecls/top.c with static's libecl.a and the system's libgc.a inside
# linked-stripped           the same without symbols
# static-bundled            --disable-shared with ECL's own libgc.a inside
# static-bundled-stripped   the same without symbols
# bundled                   libecl.so contains libgc, upstream's default
# no-threads, no-unicode    --enable-threads=no, --enable-unicode=no; both with --disable-shared
# O0, lto                   CFLAGS=-O0, CFLAGS="-O3 -flto"
#
# ECLS_CACHE     directory of sources and of built ECLs (default: $XDG_CACHE_HOME/mprof/ecls). An existing ECL is used
#                again; remove its directory to build it again
# ECLS_MIRROR    mirror of the sources (default: that of this machine's apt)
# ECLS_RELEASE   release of Debian whose sources are used, such as trixie (default: this machine's). Its ECLs are in a
#                directory of the cache with its name
# ECLS_SOURCE    directory with ECL's sources, such as a clone of its repository, instead of Debian's. Its ECLs are in a
#                directory of the cache with its name
# JOBS           number of parallel jobs of make
#
# The default sources are those of Debian's packages ecl and libgc. Runs tests/e2e/ecl_any.sh with each ECL, and
# ecl_products.sh with static. Prints a line for each ECL with what works, as in the table "Builds of ECL" of
# mprof-lisp(7). --manual writes the rows into man/mprof-lisp.7, with the name of the release or directory if
# ECLS_RELEASE or ECLS_SOURCE is set. The last line is "N passed, N failed, N skipped". Ends with status 0 if nothing
# failed, with 77 if the sources are unavailable.
set -u
top=$(pwd)
src=$(cd "$(dirname "$0")/../.." && pwd)
source=${ECLS_SOURCE:+$(basename "$ECLS_SOURCE")}
source=${source:-${ECLS_RELEASE-}}
cache=${ECLS_CACHE:-${XDG_CACHE_HOME:-${HOME:-$top}/.cache}/mprof/ecls}${source:+/$source}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
all='installed static static-stripped linked linked-stripped static-bundled static-bundled-stripped bundled no-threads no-unicode O0 lto'
work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-ecls.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# ------------------------------------------------------------------ sources

# apt with its own lists, so that nothing on this machine changes.
own_apt()
{
    apt-get -q -o Dir::Etc::SourceList="$cache/apt/sources" -o Dir::Etc::SourceParts=- \
        -o Dir::State::Lists="$cache/apt/lists" -o Dir::Cache="$cache/apt/cache" \
        -o APT::Sandbox::User= "$@"
}

# Finds the mirror and the release of the distribution that apt uses here.
where_from()
{
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL) $(CODENAME)' 'Created-By: Packages' |
        awk '$2 == "Debian" && $3 == "Debian" && $4 !~ /-/ { print $1, $4; exit }'
}

get_sources()
{
    [ ! -d "$cache/src/ecl" ] || return 0
    if [ -n "${ECLS_SOURCE-}" ]; then
        rm -rf "$cache/src.new" && mkdir -p "$cache/src.new" && cp -a "$ECLS_SOURCE" "$cache/src.new/ecl" &&
            mv "$cache/src.new" "$cache/src"
        return
    fi
    mkdir -p "$cache/apt/lists/partial" "$cache/apt/cache/archives/partial" || return
    from=$(where_from)
    echo "deb-src ${ECLS_MIRROR:-${from% *}} ${ECLS_RELEASE:-${from#* }} main" >"$cache/apt/sources"
    rm -rf "$cache/src.new" && mkdir "$cache/src.new" && cd "$cache/src.new" && own_apt update &&
        own_apt --download-only source ecl && dpkg-source -q --no-check -x ecl_*.dsc ecl && prepare && get_libgc &&
        mv "$cache/src.new" "$cache/src"
}

# Fetches libgc's sources. Only an ECL with its own libgc needs them; some mirrors lack them.
get_libgc()
{
    ! own_apt --download-only source libgc || { dpkg-source -q --no-check -x libgc_*.dsc ecl/src/bdwgc; }
}

# Adds what ECL's configure takes from the bundled libraries, which Debian's sources lack.
prepare()
{
    tools=$(dirname "$(find /usr/share/automake-* -name install-sh | tail -n 1)")
    mkdir -p ecl/src/gmp && cp "$tools/install-sh" "$tools/config.guess" "$tools/config.sub" ecl/src/gmp &&
        cp "$tools/install-sh" ecl/src && cp ecl/src/configure.ac ecl/src/configure.in &&
        # in the order in which make expects that they were made
        touch -d '1 hour ago' ecl/src/configure.in && touch -d '30 minutes ago' ecl/src/aclocal.m4 &&
        touch ecl/src/configure ecl/configure
}

# ------------------------------------------------------------------ ECLs

# Parts of ECL in Lisp that the test does not need and that would take most of the time.
without='--with-cmp=no --with-asdf=no --with-tcp=no --with-serve-event=no'

# build NAME OPTION...: configures ECL, builds it, and installs it as NAME into the cache.
build()
{
    name=$1
    shift
    [ ! -d "$cache/$name" ] || return 0
    compiler=${CC:-gcc}
    ! command -v ccache >/dev/null || compiler="ccache $compiler"
    # ECL's install.sh makes only the last one of several directories; without Unicode, nothing else makes the others
    # shellcheck disable=SC2086
    rm -rf "${cache:?}/work" && cp -a "$cache/src/ecl" "$cache/work" && cd "$cache/work" &&
        ABI=64 CC="$compiler" nice ./configure --prefix="$cache/$name.new" --enable-gmp=system \
            --enable-libatomic=system --enable-manual=no $without "$@" &&
        nice make -j "$jobs" && make install mkinstalldirs='mkdir -p' && mv "$cache/$name.new" "$cache/$name"
    built=$?
    cd "$top" && rm -rf "${cache:?}/work"
    return $built
}

# system_gc: prints the path of the system's libgc.a.
system_gc()
{
    ${CC:-gcc} -print-file-name=libgc.a
}

# link NAME SOURCE PROGRAM LIBRARY LIBRARY: compiles and links PROGRAM with the headers of NAME.
link()
{
    ${CC:-gcc} -g -O1 -fno-optimize-sibling-calls -I"$cache/$1/include" -o "$3" "$2" -Wl,--no-as-needed \
        "$4" "$5" -lgmp -lffi -lpthread -ldl -lm
}

link_ecl()
{
    mkdir -p "$cache/linked/bin" &&
        link static "$src/tests/ecls/top.c" "$cache/linked/bin/ecl" "$cache/static/lib/libecl.a" "$(system_gc)" &&
        cp -a "$cache/static/lib" "$cache/linked/"
}

# stripped_copy FROM NAME: makes the ECL NAME, a copy of FROM without symbols.
stripped_copy()
{
    [ ! -d "$cache/$2" ] || return 0
    rm -rf "$cache/$2.new" && cp -a "$cache/$1" "$cache/$2.new" && strip "$cache/$2.new/bin/ecl" &&
        mv "$cache/$2.new" "$cache/$2"
}

make_ecl()
{
    system='--enable-boehm=system --enable-threads=yes'
    # shellcheck disable=SC2086
    case $1 in
    installed) ;;
    linked) make_ecl static && link_ecl ;;
    linked-stripped) make_ecl linked && stripped_copy linked linked-stripped ;;
    static) build static --disable-shared $system ;;
    static-bundled) build static-bundled --disable-shared --enable-boehm=included --enable-threads=yes ;;
    bundled) build bundled --enable-boehm=included --enable-threads=yes ;;
    no-threads) build no-threads --disable-shared --enable-boehm=system --enable-threads=no ;;
    no-unicode) build no-unicode --disable-shared $system --enable-unicode=no ;;
    O0) CFLAGS='-g -O0' build O0 $system ;;
    lto) CFLAGS='-O3 -flto=auto' build lto $system ;;
    static-stripped) make_ecl static && stripped_copy static static-stripped ;;
    static-bundled-stripped) make_ecl static-bundled && stripped_copy static-bundled static-bundled-stripped ;;
    *) echo "$1: there is no such ECL"; false ;;
    esac
}

# embed NAME: links C programs with the libecl.a of NAME, which call a shared libgc or contain libgc.a. For bundled,
# links programs with its libecl.so and a shared libgc, which ECL calls only if it comes first.
embed()
{
    if [ "$1" = bundled ]; then
        embed_with "$1" last "$cache/$1/lib/libecl.so" -lgc && embed_with "$1" first -lgc "$cache/$1/lib/libecl.so"
    elif [ ! -f "$cache/$1/lib/libecl.a" ]; then
        return 0
    elif [ -f "$cache/$1/lib/libeclgc.a" ]; then
        embed_with "$1" inside "$cache/$1/lib/libecl.a" "$cache/$1/lib/libeclgc.a"
    else
        embed_with "$1" shared "$cache/$1/lib/libecl.a" -lgc &&
            embed_with "$1" inside "$cache/$1/lib/libecl.a" "$(system_gc)"
    fi
}

# embed_with NAME WHERE LIBRARY LIBRARY: links one of these programs.
embed_with()
{
    embedded="$embedded $work/libgc-$2"
    link "$1" "$src/tests/ecl/embed.c" "$work/libgc-$2" "$3" "$4"
}

# ------------------------------------------------------------------ tests

# expected NAME: prints the expected yes or no for hook, types, names, owners, threads, collector and snapshots.
expected()
{
    case $1 in
    static-bundled-stripped | linked-stripped) echo "no no no no no no no" ;;
    static-stripped | no-threads | no-unicode) echo "yes no no no no yes no" ;;
    *) echo "yes yes yes yes yes yes yes" ;;
    esac
}

# at_home_in NAME COMMAND...: runs COMMAND so that the ECL NAME finds its libraries and files.
at_home_in()
{
    home=$cache/$1/lib
    shift
    env LD_LIBRARY_PATH="$home" ECLDIR="$(dirname "$(find "$home" -name help.doc | head -n 1)")/" "$@"
}

# runs NAME: returns whether the ECL runs, without mprof.
runs()
{
    [ "$1" = installed ] ||
        at_home_in "$1" "$cache/$1/bin/ecl" --norc --eval '(progn (print (+ 1 2)) (ext:quit 0))' </dev/null
}

try()
{
    rm -f "$work/row"
    export ECL_ROW="$work/row"
    embedded=
    if [ "$1" = installed ]; then
        sh "$src/tests/e2e/ecl_any.sh"
    else
        case $1 in
        linked | *-stripped | no-*) ;;          # tried with static, or no names are known
        *) embed "$1" || { echo "tests/ecl/embed.c cannot be linked"; return 1; } ;;
        esac
        at_home_in "$1" ECL_TRIED="$cache/$1/bin/ecl" ECL_EMBEDDED="$embedded" sh "$src/tests/e2e/ecl_any.sh"
    fi || return
    if [ "$1" = static ] && [ -z "$source" ]; then      # of the same version as the installed one, which has a compiler
        ECL_LIBRARIES="$cache/static/lib/libecl.a -lgc -lgmp -lffi -lm" sh "$src/tests/e2e/ecl_products.sh" || return
    fi
    [ "$(cut -f2- "$work/row" | tr '\t' ' ')" = "$(expected "$1")" ] || { echo "expected: $(expected "$1")"; return 1; }
}

# version PACKAGE: prints the version of its sources.
version()
{
    sed -n 's/^Version: //p' "$cache/src/$1"_*.dsc | head -n 1
}

manual=false
[ "${1-}" != --manual ] || { manual=true; shift; }
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $all
mkdir -p "$cache" || exit
[ "$*" = installed ] || (get_sources) >"$cache/sources.log" 2>&1 ||
    { echo "the sources of ECL cannot be had ($cache/sources.log)"; echo "0 passed, 0 failed, $# skipped"; exit 77; }

passed=0 failed=0 skipped=0
touch "$work/table"
for name; do
    log=$cache/$name.log
    if ! (make_ecl "$name") >"$log" 2>&1; then
        failed=$((failed + 1))
        tail -n 20 "$log"
        echo "$name: cannot be built ($log)"
    elif ! (runs "$name") >>"$log" 2>&1; then
        skipped=$((skipped + 1))
        echo "$name: skipped: this ECL does not run, without mprof either ($log)"
    elif (try "$name") >>"$log" 2>&1; then
        passed=$((passed + 1))
        printf '%s\t%s\n' "$name" "$(cat "$work/row")" >>"$work/table"
        echo "$name: $(tr '\t' ' ' <"$work/row")"
    else
        failed=$((failed + 1))
        grep -A 6 '^not ok\|^expected' "$log" || tail -n 20 "$log"
        echo "$name: FAILED ($log)"
    fi
done

# rows: prints the rows of this run, and the other rows of the manual.
rows()
{
    { awk -F'\t' -v source="$source" '{ name = $1 == "installed" ? $1 " " substr($2, length("ECL ") + 1) : $1
            printf ".It %s%s", name, source == "" ? "" : " " source
            for (i = 3; i <= NF; i++) printf " Ta %s", $i
            print "" }' "$work/table"
        sed -n '/^\.\\" begin check-ecls/,/^\.\\" end check-ecls/{ /^\.It ECL /d; /^\.It /p; }' "$src/man/mprof-lisp.7"; } |
        awk -v all="$all" 'BEGIN { count = split(all, kinds, " "); while (count) place[kinds[count]] = count-- }
            { name = $0; sub(/ Ta .*/, "", name) }
            !seen[name]++ { printf "%d\t%s\t%s\n", place[$2], name, $0 }' | sort -n -k 1,1 -k 2 | cut -f 3-
}

# Replaces the table of the manual, which is between two comments.
if $manual && [ $failed -eq 0 ]; then
    {
        sed '/^\.\\" begin check-ecls/q' "$src/man/mprof-lisp.7"
        echo ".Pp"
        if [ -z "$source" ] && [ -d "$cache/src" ]; then
            echo "Sources of Debian: ECL $(version ecl), libgc $(version libgc); $(date -u +%Y-%m-%d)."
        else
            sed -n 's/^Sources of Debian/&/p' "$src/man/mprof-lisp.7"
        fi
        echo '.Bl -column "static-bundled-stripped" "hook" "types" "names" "owners" "threads" "collector" "snapshot"'
        echo '.It ECL Ta hook Ta types Ta names Ta owners Ta threads Ta collector Ta snapshot'
        rows
        echo ".El"
        sed -n '/^\.\\" end check-ecls/,$p' "$src/man/mprof-lisp.7"
    } >"$work/manual" && cat "$work/manual" >"$src/man/mprof-lisp.7"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
