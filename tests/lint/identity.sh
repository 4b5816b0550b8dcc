#!/bin/sh
# Texts of functions are made for output. Only identity.c composes and parses them, so a name may contain any character.
. "${srcdir:-.}/tests/e2e/tap.sh"

# statements: prints the statements of the C files listed in $tmp/files, each in a line that begins with the file.
statements()
{
    # shellcheck disable=SC2046     # no path of the tree has blanks
    awk 'FNR == 1 { text = "" } { sub(/^ +/, ""); text = text " " $0 }
        /[;{}]$/ { print FILENAME ":" FNR ":" text; text = "" }' $(cat "$tmp/files")
}

# none PATTERN: returns whether no statement matches PATTERN, and prints those that do.
none()
{
    grep -E -e "$1" "$tmp/statements" >"$tmp/wrong"
    cat "$tmp/wrong"
    [ -s "$tmp/statements" ] && [ ! -s "$tmp/wrong" ]
}

cd "$src" || exit 99
find reporter -name '*.[ch]' ! -path reporter/profile/identity.c | LC_ALL=C sort >"$tmp/files"
statements >"$tmp/statements"
parsers='\b(str(chr|rchr|str|casestr|n?casecmp|ncmp|cspn|spn|pbrk|sep|tok|tok_r|ndup|tou?ll?)|mem(chr|rchr|mem|cmp)|sscanf|begins)\('
ok "no code parses the text of a function" none \
    "${parsers}[^;]*(function|functions\[[^;]*\]|full|is)(\.|->)text\b"
ok "no code looks for what makes a text unique" none "(str(r?chr|str|cspn)|mem(chr|mem))\([^;]*('!'|\"!\"|\"\+0x|\" (in|or) \")"
ok "no code makes a text unique" none '"(%s!%s|%s#%|%s@0x)'

# The patterns find what they are for.
cat >"$tmp/wrong.c" <<'EOF2'
const char *bang = strchr(view->functions[i].text,
                          '!');
length = strncmp(function->text, module, n);
in = strstr(name, " in ");
text = printf("%s!%s", module, name);
EOF2
echo "$tmp/wrong.c" >"$tmp/files"
statements >"$tmp/statements"
is "they are found" "$(for pattern in "${parsers}[^;]*(function|functions\[[^;]*\])(\.|->)text\b" "'!'|\" in \"" '"%s!%s'; do
    grep -cE -e "$pattern" "$tmp/statements"
done)" "2
2
1"
plan
# SPDX-License-Identifier: MIT
