#!/bin/sh
# mprof html writes a page in one file, completely or not at all. It requests nothing and allows only its own scripts.
# tests/html tests it in a browser.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile prof.data "$programs/costs"
is "runs" "$status" 0

# ------------------------------------------------------------------ the file
returns "a page" 0 "$mprof" html prof.data
is "... by the name of the data" "$(echo ./*.html)" ./prof.html
has "... which is said" err '^mprof: prof\.html$'
returns "-o: a page" 0 "$mprof" html prof.data -o other.html
is "... and nothing is said" "$(cat out err)" ""
ok "... the same" cmp -s prof.html other.html
rm -f shared.html
(umask 022; "$mprof" html prof.data -o shared.html >/dev/null 2>&1)
is "... it can be shown to others" "$(ls -l shared.html | cut -c1-10)" "-rw-r--r--"
"$mprof" html prof.data -o - >piped.html
ok "-o -: on standard output" cmp -s prof.html piped.html
has "it is HTML" prof.html '^<!doctype html>$'
is "no places are left empty" "$(grep -oE '@[A-Z]+@' prof.html)" ""

# ------------------------------------------------------------------ its parts
# hash FILE: prints the hash as the policy contains it.
hash()
{
    "$python" -c 'import base64, hashlib, sys
print("sha256-" + base64.b64encode(hashlib.sha256(open(sys.argv[1], "rb").read()).digest()).decode())' "$1"
}

if need python3; then
    policy=$(sed -n 's/.*Content-Security-Policy" content="\([^"]*\)".*/\1/p' prof.html)
    "$python" - <<'END'
import re
text = open("prof.html", encoding="utf-8").read()
for name, pattern in (("style", r"<style>(.*?)</style>"), ("script", r"<script>(.*?)</script>")):
    for i, part in enumerate(re.findall(pattern, text, re.S)):
        open(f"{name}{i}", "w", encoding="utf-8").write(part)
END
    is "the policy is of its scripts and its style" "$policy" "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '$(hash style0)'; script-src '$(hash script0)' '$(hash script1)'"
    ok "no other script" test ! -e script2
    ok "scripts and style are small" test "$(cat style0 script0 script1 | wc -c)" -lt 300000
    model prof.html >model
    "$mprof" totals prof.data >totals
    is "the model has all figures" "$("$python" -c 'import json
model = json.load(open("model"))
cells = model["cells"]
print(sum(cells["allocs"]), sum(cells["bytes"]), sum(cells["kept"]), sum(cells["temporary"]))')" \
        "$(for key in allocs bytes kept temporary; do sed -n "s/^$key //p" totals; done | tr '\n' ' ' | sed 's/ $//')"
    "$mprof" html --function='^keep$' -o part.html prof.data
    model part.html >model
    is "options choose what it has" "$("$python" -c 'import json
print(sum(json.load(open("model"))["cells"]["bytes"]))')" 10000
    "$mprof" html --source="$src" -o sources.html prof.data
    model sources.html >model
    is "--source has the lines of functions" "$("$python" -c 'import json
model = json.load(open("model"))
files = [model["files"][int(i)] for i in model["sources"]]
lines = [line for source in model["sources"].values() for _, part in source["parts"] for line in part]
print(any(f.endswith("costs.c") for f in files), "keep(void)" in lines)')" "True True"
    # Sources that were moved, and a page made where they are elsewhere.
    mkdir -p was/deep now
    printf '#include <stdlib.h>\nvoid *kept;\nint main(void)\n{\n    kept = malloc(1234); /* moved away */\n    return !kept;\n}\n' \
        >was/deep/moved.c
    ${CC:-gcc} -g -o moved "$PWD/was/deep/moved.c" 2>cc.err || echo "Bail out! $(cat cc.err)"
    profile moved.data ./moved
    mv was/deep now/
    for option in --source --source=now; do
        "$mprof" html -q $option -o moved.html moved.data
        model moved.html >model
        is "moved sources: $option" "$(grep -c 'moved away' model)" "$(echo "$option" | grep -c now)"
    done
    # Ten lines around lines 50 and 90 of a file, whose line 51 is very long.
    "$python" - >long.c <<'END'
lines = {1: "#include <stdlib.h>", 2: "void *kept[2];", 48: "int main(void)", 49: "{", 50: "    kept[0] = malloc(1);",
         51: "    /*" + "\u00e4" * 5000 + "*/", 90: "    kept[1] = malloc(2);", 91: "    return 0;", 92: "}", 150: "int last;"}
print("\n".join(lines.get(i, "") for i in range(1, 151)))
END
    ${CC:-gcc} -g -o long long.c 2>cc.err || echo "Bail out! $(cat cc.err)"
    profile long.data ./long
    "$mprof" html -o long.html long.data 2>err
    is "unasked: lines near calls of files below the current directory, which is said" "$(cat err)" \
        "mprof: html: lines of 1 source file embedded"
    model long.html >model
    is "... ten before and after each, and not all of a long one" "$("$python" -c 'import json
for source in json.load(open("model"))["sources"].values():
    print([(first, len(lines)) for first, lines in source["parts"]], [line[-5:] for _, lines in source["parts"] for line in lines
           if len(line) > 900], max(len(line.encode()) for _, lines in source["parts"] for line in lines) <= 2004)')" \
        "[(40, 21), (80, 21)] ['ä ...'] True"
    "$mprof" html --no-source -o long.html long.data 2>err
    is "--no-source: none" "$(cat err) $(model long.html | grep -c '"sources":{')" " 0"
    # shellcheck disable=SC2016
    ok "... which are not there unasked" "$python" -c 'import sys
sys.exit("(void)" in open("prof.html").read())'
else
    skip "the model" "python3 is not installed"
fi
"$mprof" report --no-pager prof.data >report
sed -n '/<pre/,/<\/pre>/p' prof.html | sed 's/<[^>]*>//g; s/&gt;/>/g; s/&lt;/</g; s/&#39;/'"'"'/g; s/&quot;/"/g; s/&amp;/\&/g' >text
is "the tables of the report are in it" "$(grep -vxF -f text report 2>&1)" ""

# ----------------------------------------------------------------- what fails
returns "no such folder: status" 1 "$mprof" html -o none/page.html prof.data
is "... one line" "$(cat err)" "mprof: none/page.html: No such file or directory"
head -c 100 prof.data >cut.data
returns "no profile: status" 1 "$mprof" html cut.data
has "... one line" err '^mprof: .*cut\.data'
ok "... and no page" test ! -e cut.html
returns "two files: status" 2 "$mprof" html prof.data other.data
returns "nothing is left: status" 1 "$mprof" html --function='^none$' -o empty.html prof.data
ok "... and no page" test ! -e empty.html
if [ -c /dev/full ]; then
    "$mprof" html -o - prof.data >/dev/full 2>err
    is "no room: status" "$?" 1
    has "... is said" err '^mprof: .*No space left'
fi
cp prof.html before.html
(ulimit -f 1; "$mprof" html prof.data >/dev/null 2>err)
is "a page that cannot be written whole: status" "$?" 1
ok "... leaves the one before" cmp -s prof.html before.html
is "... and nothing else" "$(echo prof.html*)" prof.html

# -------------------------------------------------------------------- --open
mkdir bin
cat >bin/xdg-open <<'END'
#!/bin/sh
echo "$1" >shown
END
chmod +x bin/xdg-open
PATH=$tmp/bin:$PATH returns "--open: status" 0 "$mprof" html --open -o open.html prof.data
is "... shows the page" "$(cat shown)" open.html
PATH=$tmp/nothing returns "without xdg-open: status" 1 "$mprof" html --open -o open.html prof.data
has "... the page is there" err '^mprof: open\.html was written, but '
plan
# SPDX-License-Identifier: MIT
