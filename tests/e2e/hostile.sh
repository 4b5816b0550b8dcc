#!/bin/sh
# Control characters in names of functions and files, in arguments and in data files do not reach a terminal:
# everything that mprof prints is text, and fields stay fields.
. "${srcdir:-.}/tests/e2e/lib.sh"

LC_ALL=C.UTF-8
esc=$(printf '\033') bell=$(printf '\007') tab=$(printf '\t')
c1=$(printf '\302\233')         # CSI as UTF-8
euro=$(printf '\342\202\254')

# clean TEXT FILE...: tests that the files are lines of valid UTF-8 without control characters.
clean()
{
    text=$1
    shift
    if cat "$@" | $python -c '
import sys
text = sys.stdin.buffer.read().decode("utf-8")
sys.exit(any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 for c in text))' 2>/dev/null; then
        pass "$text: nothing but text"
    else
        fail "$text: nothing but text"
        cat -v "$@" | sed 's/^/#   /'
    fi
}

# ---------------------------------------------------------------- a program with such names
# hostile FILE: replaces the names in FILE by an escape sequence and a newline; semicolons, a tab, half a character.
hostile()
{
    LC_ALL=C sed -i -e 's/odd_name_escape/odd\x1b[31m\nescape/g' -e 's/odd_name_fields/odd;;\x09;\xc3;fields/g' -e 's/odd_names\.c/odd\x9bnames.c/g' "$1"
}
program="prog${esc}[31m$c1 x"
recorded="data${esc}]0;title$bell.data"
cp "$programs/odd_names" "$program"
hostile "$program"
is "the program still runs" "$("./$program"; echo $?)" 0
returns "run: status" 0 "$mprof" run -o "$recorded" "./$program" "argument${esc}[2J" "$c1" plain
clean "run: the summary" out err
has "run: the program's name is escaped" err 'prog\\x1b\[31m'
has "run: the data file's, too" err 'in data\\x1b\]0;title\\x07\.data;'
tail -n 1 err | sed "s|^mprof |$mprof |" >typed
if need bash; then
    returns "run: the command that it names works" 0 bash typed
    has "run: ... and is the report" out 'ALLOCATION'
else
    skip "run: the command that it names works" "$missing"
fi

# shown TEXT FILE: tests all reports of FILE.
shown()
{
    for options in --no-pager "--no-pager --verbose --lines --offsets --all-frames --chain=all" \
        "--no-pager --terse --table=bins,leaks,direct,graph"; do
        # shellcheck disable=SC2086
        returns "$1: report: status" 0 "$mprof" report $options "$2"
        clean "$1: report $options" out err
    done
    prints "$1: an escape sequence" 'odd\\x1b\[31m\\x0aescape' "$mprof" report --no-pager --verbose --lines "$2"
    run "$mprof" export -F chains "$2"
    clean "$1: dump" out err
    is "$1: dump: a line for each chain" "$(wc -l <out)" 3
    is "$1: dump: fields stay fields" "$(awk '$2 == 200 { n = split($0, part, ";"); print n, part[n] }' out)" \
        '3 odd\x3b\x3b\x09\x3b\xc3\x3bfields'
    run "$mprof" totals "$2"
    clean "$1: totals" out err
}
shown "a sealed file" "$recorded"
prints "the command line is shown escaped" '^Command .*argument\\x1b\[2J' "$mprof" report --no-pager --verbose --lines "$recorded"
has "names of source files are escaped" out 'odd\\x9bnames\.c:[0-9]+'
profile live.data "./$program"
shown "a live file, names by DWARF" live.data
if need objcopy; then
    objcopy --strip-debug "$program" symbols
    profile plain.data ./symbols
    shown "a live file, names by ELF symbols" plain.data
else
    skip "names by ELF symbols" "$missing"
fi

# Letters remain unchanged.
cp "$programs/odd_names" letters
LC_ALL=C sed -i "s/odd_name_letter/odd_${euro}_lettre_/g" letters
profile letters.data ./letters
prints "dump: letters stay as they are" "odd_${euro}_lettre_" "$mprof" export -F chains letters.data
prints "report: letters stay as they are" "\\[1\\] +odd_${euro}_lettre_" "$mprof" report --no-pager letters.data
LC_ALL=C returns "report: in a locale without them: status" 0 timeout 300 "$mprof" report --no-pager letters.data
has "report: in a locale without them" out '\[1\] +odd_.*_lettre_'

# One name does not affect another: letters and escapes in one table, in any locale.
cp "$programs/odd_names" both
hostile both
LC_ALL=C sed -i "s/odd_name_letter/odd_${euro}_lettre_/g" both
profile both.data ./both
"$mprof" report --no-pager --verbose both.data >utf8.out
LC_ALL=C "$mprof" report --no-pager --verbose both.data >c.out
ok "letters and escapes: the report is the same in the locale C" cmp utf8.out c.out
for table in leaks direct graph; do
    "$mprof" report --no-pager --verbose --table=$table both.data >out
    has "letters and escapes: table of $table" out "odd_${euro}_lettre_"
    has "letters and escapes: table of $table, a tab" out '[> ]odd;;\\x09;\\xc3;fields'
    hasnt "letters and escapes: table of $table, twice escaped" out '\\x5c'
done

# Other processes, with --follow, have such names, too.
returns "run -f: status" 0 "$mprof" run -f -o follow.data sh -c '"$1"; exit 0' sh "./$program"
clean "run -f: the summary" out err
has "run -f: the other's name is escaped" err ' prog\\x1b\[31m'
run "$mprof" run -o exec.data sh -c 'exec "$1"' sh "./$program"
clean "run: a program that replaced itself" out err

# ---------------------------------------------------------------- a data file made by hand
$python - "$recorded" sealed.data <<'END'
import struct, sys, zlib
file = open(sys.argv[1], "rb").read()
stored = struct.unpack_from("<Q", file, 24)[0]
content = file[32:32 + stored]
if file[12] & 1:
    content = zlib.decompress(content, -15)
content = content.replace(b"odd\\x1b[31m\\x0aescape", b"\xff\x1b[31m\x9b\xc2\x9b\r\n\t\x7f escape*")
assert b"escape*" in content
file = file[:12] + struct.pack("<IQQ", 0, len(content), len(content)) + content
open(sys.argv[2], "wb").write(file + struct.pack("<I", zlib.crc32(file)))
END
returns "a hostile sealed file: status" 0 "$mprof" report --no-pager --verbose sealed.data
has "a hostile sealed file: it was read" out 'escape\*'
clean "a hostile sealed file: report" out err
run "$mprof" export -F chains sealed.data
has "a hostile sealed file: dump" out '\\xff\\x1b\[31m\\x9b\\xc2\\x9b\\x0d\\x0a\\x09\\x7f escape\*'
clean "a hostile sealed file: dump" out err

# ---------------------------------------------------------------- messages
# message ARGUMENTS...: tests that the error is one line, in which the escape is visible.
message()
{
    run "$mprof" "$@"
    is "message: it fails" "$([ "$status" -ne 0 ] && echo yes)" yes
    is "message: one line" "$(grep -c '^mprof: ' err) $(wc -l <err)" "1 1"
    has "message: escaped" err '\\x1b'
    clean "message: $(cat -v err | head -n 1)" out err
}
bad="x${esc}[31m$c1$bell"
printf 'MPROFDAT\001' >"$bad.data"
message report "$bad"
message report "$bad.data"
message report --chain="$bad"
message report --table="$bad"
message report --"$bad"
message export -F chains --frames="$bad"
message run "./$bad"
message run --depth="$bad" true
message run -o "/nowhere/$bad/x" true
message run "./$bad.data"
message "$bad"
message help "$bad"

LD_PRELOAD=$library MPROF_FILE=/nowhere/$bad "$programs/odd_names" >out 2>err
has "the monitor's line" err '^mprof: /nowhere/x\?\[31m'
clean "the monitor's line" out err
plan
# SPDX-License-Identifier: MIT
