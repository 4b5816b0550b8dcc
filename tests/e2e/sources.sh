#!/bin/sh
# mprof html and mprof annotate show source files only below the current directory and below directories of --source,
# whatever files the recording names.
. "${srcdir:-.}/tests/e2e/lib.sh"

mkdir -p here/.hidden here/dir here/sub/deep here2 priv private/sub moved/b
# Lines "FUNCTION PATH": the source file of FUNCTION in the program's debug information. Files in $shown may be shown,
# files in $secret must not.
shown="good $tmp/here/good.c
deeper $tmp/here/sub/deep/deeper.c
dots_inside $tmp/here/sub/../dots_inside.c
link_inside $tmp/private/link_inside.c
newer $tmp/here/newer.c
crooked $tmp/here/we ird.c"
secret="private $tmp/private/key
passwords /etc/passwd
dots $tmp/here/../private/key
relative ../private/key
sibling $tmp/here2/sibling.c
link $tmp/here/link.c
link_of_folder $tmp/here/folder/key
link_of_links $tmp/here/chain.c
dots_after_link $tmp/here/folder/../private/key
above $tmp/above.c
hidden $tmp/here/.hidden/secret.c
hidden_file $tmp/here/.dot.c
environment /proc/self/environ
device /dev/zero
descriptor /dev/fd/0
directory $tmp/here/dir
fifo $tmp/here/fifo.c
binary $tmp/here/binary.c
escape $tmp/here/a\\033[1mb.c
gone $tmp/gone/b/moved.c"

{
    echo '#include <stdlib.h>'
    echo 'void *kept[100]; int n;'
    echo "$shown
$secret" | while read -r name path; do
        echo "#line 1 \"$path\""
        echo "__attribute__((noinline)) void $name(int size) { kept[n++] = malloc(size); }"
    done
    echo '#line 1 "main.c"'
    echo 'int main(void) {'
    echo "$shown
$secret" | sed 's/ .*/(10);/'
    echo 'return n == 0; }'
} >here/program.c
echo "$shown" | while read -r name path; do
    echo "SHOWN $name;" >"$path"
done
mv private/link_inside.c here/sub/there.c
ln -s ../here/sub/there.c private/link_inside.c
for file in private/key private/sub/deep.c here2/sibling.c above.c here/.hidden/secret.c here/.dot.c moved/b/moved.c; do
    echo "SECRET $file" >$file
done
ln -s ../private/key here/link.c
ln -s ../private here/folder
ln -s link.c here/chain.c
mkfifo here/fifo.c
printf 'SECRET\0' >here/binary.c
find . -type f -exec touch -d '1 hour ago' {} +
if ! (cd here && ${CC:-gcc} -g -O1 -o ../program program.c) 2>cc.err; then
    echo "Bail out! $(cat cc.err)"
    exit 99
fi
profile all.data ./program
is "runs" "$status" 0
touch here/newer.c
"$mprof" report --no-pager --lines=full all.data >report
is "the program names the files" "$(echo "$secret" | sed 's/ .*//' | while read -r name; do
    grep -q "$name (.*:1)" report || echo "$name"
done)" ""
cd here || exit 99

# texts OPTION...: makes the page of all.data. Prints the functions and files whose text is in it, in one line.
texts()
{
    "$mprof" html -o ../page.html "$@" ../all.data 2>../said </dev/null
    "$python" - ../page.html <<'END_OF_SCRIPT'
import base64, json, re, sys, zlib
page = open(sys.argv[1], encoding="utf-8").read()
model = json.loads(zlib.decompress(base64.b64decode(re.search(r'id="model"[^>]*>([^<]*)<', page)[1])))
sources = {model["files"][int(i)]: source for i, source in model.get("sources", {}).items()}
text = "\n".join(line for source in sources.values() for _, lines in source["parts"] for line in lines)
assert not re.search("SECRET|SHOWN", page), "text outside of the model"
print(*sorted(set(re.findall(r"^(?:SECRET |SHOWN |(?=root:))([\w/.]+)", text, re.M))))
print(*(name for name, source in sources.items() if "changed" in source.get("doubt", "")), file=sys.stderr)
END_OF_SCRIPT
}

# ------------------------------------------------------------------------ html
is "html --no-source: no text" "$(texts --no-source 2>&1) $(cat ../said)" " "
inside="crooked deeper dots_inside good link_inside newer"
is "html: only files below the current directory" "$(texts 2>../doubts)" "$inside"
is "... how many" "$(cat ../said)" "mprof: html: lines of 6 source files embedded, 1 of them changed since the recording began"
is "... the newer file is marked" "$(cat ../doubts)" "$tmp/here/newer.c"
refused 2 '--source cannot be combined with --no-source' html --source --no-source ../all.data
is "html --source: only files below the current directory" "$(texts --source 2>../doubts)" "$inside"
is "... how many were left out, and why" "$(cat ../said)" "mprof: html: 6 source files embedded, 1 of them changed \
since the recording began; 19 left out: 10 outside of the current directory and --source, 2 hidden, 4 missing, \
2 unreadable, 1 not text"
is "... the newer file is marked" "$(cat ../doubts)" "$tmp/here/newer.c"
is "... -q: nothing is said" "$(texts -q --source 2>/dev/null) $(cat ../said)" "$inside "
for folder in ../private "$tmp/private/" folder ../private/sub/..; do
    is "--source=$folder: also below it" "$(texts --source="$folder" 2>/dev/null)" "$inside private/key"
done
is "... which a name must not only begin with" "$(texts --source=../priv 2>/dev/null)" "$inside"
is "a file that was moved" "$(texts --source=../moved 2>/dev/null)" \
    "crooked deeper dots_inside good link_inside moved/b/moved.c newer"
is "a hidden directory that is named" "$(texts --source=.hidden 2>/dev/null)" \
    "crooked deeper dots_inside good here/.hidden/secret.c link_inside newer"
is "several directories" "$(texts --source=../moved --source --source=../here2 2>/dev/null)" \
    "crooked deeper dots_inside good here2/sibling.c link_inside moved/b/moved.c newer"
is "the root directory" "$(texts --source=/ 2>/dev/null)" \
    "above.c crooked deeper dots_inside good here2/sibling.c link_inside newer private/key root"
refused 2 '--source=nowhere: No such file' html --source=nowhere ../all.data
refused 2 '--source=good\.c: Not a directory' annotate --source=good.c good ../all.data

# -------------------------------------------------------------------- annotate
# annotated FUNCTION OPTION...: prints what the two outputs contain of the text of files, each text once, and the note
# below the title.
annotated()
{
    function=$1
    shift
    "$mprof" annotate --no-pager "$@" "$function" ../all.data >../out 2>&1 </dev/null || cat ../out
    "$mprof" annotate --json "$@" "$function" ../all.data 2>&1 </dev/null |
        cat - ../out | grep -oE '(SECRET|SHOWN) [a-z_./]*|root:' | sort -u
    sed -n 3p ../out
}

for name in $(echo "$shown" | sed 's/ .*//'); do
    is "annotate $name" "$(annotated "$name" | head -n 1)" "SHOWN $name"
done
is "a newer file is shown, and this is said" "$(annotated newer)" "SHOWN newer
$tmp/here/newer.c: changed since the recording began; lines may be others."
ask="; --source=DIR names a directory of sources."
for problem in "outside of the current directory and --source$ask: private passwords relative sibling link \
link_of_folder link_of_links above environment device descriptor" "hidden$ask: hidden hidden_file" \
    "missing$ask: escape gone dots_after_link" "unreadable.: directory fifo" "not text.: binary"; do
    for name in ${problem#*: }; do
        is "annotate $name" "$(annotated "$name" | sed 's/^[^ ]*: //')" "${problem%%: *}"
    done
done
is "the recorded path is said" "$(annotated link)" \
    "$tmp/here/link.c: outside of the current directory and --source$ask"
is "--source" "$(annotated link --source=../private)" "SECRET private/key
$tmp/private/key"
is "another --source" "$(annotated link --source=../here2 | grep -c SECRET)" 0
is "the current directory decides" "$(cd ../private && annotated link)" "SECRET private/key
$tmp/private/key"

# --------------------------------------------- a current directory that nobody chose for its sources
wide="not below --source, and the current directory contains the home directory"
ln -s here ../way_home
for home in here here/sub here/sub/deep here/../here/sub/ way_home way_home/sub; do
    is "HOME=$home: nothing here" "$(HOME=$tmp/$home; export HOME; texts --source 2>/dev/null)" ""
    has "... and why" ../said "embedded; 25 left out: 10 outside of [^,]*, 11 $wide, 4 missing"
    is "... annotate" "$(HOME=$tmp/$home; export HOME; annotated good)" "$tmp/here/good.c: $wide$ask"
    is "... --source=. names it" "$(HOME=$tmp/$home; export HOME; texts --source=. 2>/dev/null)" "$inside"
    is "... annotate --source=." "$(HOME=$tmp/$home; export HOME; annotated good --source=. | head -n 1)" "SHOWN good"
done
for home in "$tmp" "$tmp/here2" "$tmp/here/su" / "" nothing; do
    is "HOME=$home: what is here" "$(HOME=$home; export HOME; texts --source 2>/dev/null)" "$inside"
done
for home in "$tmp" "$tmp/nothing" /; do
    run env HOME="$home" sh -c 'cd / && exec "$@"' sh "$mprof" annotate --no-pager passwords "$tmp/all.data"
    has "HOME=$home, in /" ../out "^/etc/passwd: $wide$ask"
    hasnt "... no text" ../out root:
done

# --------------------------------------------- names that did not come from a compiler
# A recording of another tool states any name, of which nothing was resolved, and has no time.
{
    printf 'v 10000 1\nX prog\ns prog\n'
    i=2
    for name in ../private/key here/../../private/key ./../private/key "$tmp/here/../private/key" \
        "$tmp//private//./key" "$tmp/here/folder/../private/key" folder/key / . .. "$tmp" ' ' good.c; do
        printf 's f%d\ns %s\ni %x 1 %x %x 1\nt %x 0\na 10 %x\n+ %x\n' $i "$name" $((i + 4096)) $i $((i + 1)) \
            $((i / 2)) $((i / 2)) $((i / 2 - 1))
        i=$((i + 2))
    done
} >../all.data
is "raw names" "$(texts --source 2>/dev/null)" "good"
is "... counted" "$(cat ../said)" "mprof: html: 1 source file embedded; 12 left out: \
10 outside of the current directory and --source, 2 missing"
head -c 1100000 /dev/zero | tr '\0' '\n' >>good.c
is "a large file" "$(texts --source 2>/dev/null)" ""
has "... counted" ../said ' 0 source files embedded; 13 left out: .*, 1 too large$'
is "a relative name" "$(annotated f26)" "SHOWN good
$tmp/here/good.c: may have changed since the recording, whose time is unknown."
plan
# SPDX-License-Identifier: MIT
