#!/bin/sh
# The figures within the cycles of interpreters, in the table of the call graph, compared with a computation from the
# chains.
. "${srcdir:-.}/tests/e2e/lib.sh"

# The table gives the cycle of each function. Then each chain counts once for each of its cycles, for the function at
# its end and for the last member, and each call between members counts once for each chain.
cat >check.awk <<'END_AWK'
function name_of(line)
{
    sub(/^[^|]*\|[^|]*\|/, "", line)
    sub(/^ *[0-9]+(\/[0-9]+)? +/, "", line)
    sub(/^\[[0-9]+\] +/, "", line)
    return line
}

# Returns the name without the number of the cycle.
function bare(name)
{
    sub(/ <cycle [0-9]+>$/, "", name)
    return name
}

FNR == 1 { file++ }

file == 1 && /^Cycle [0-9]+, / { number = $2 + 0; part = "members" }
file == 1 && /^Allocated on its behalf/ { part = "allocators" }
file == 1 && /^The innermost member/ { part = "innermost" }
file == 1 && /^Strongest calls/ { part = "arcs" }
file == 1 && /^---/ { part = part == "members" ? "ways in" : "" }
file == 1 && /^\[[0-9]+\] / && / <cycle [0-9]+>$/ {
    name = name_of($0)
    of = name
    sub(/.* <cycle /, "", of)
    cycle[bare(name)] = of + 0
}
file == 1 && /^\[[0-9]+\] / && part == "ways in" { part = "ways out" }
file == 1 && part != "" && part != "members" && /^ +[0-9]/ {
    name = name_of($0)
    if (part == "arcs")
        sub(/ > \[[0-9]+\] /, " > ", name)
    else
        name = bare(name)
    told[part, number, name] = $1 + 0
    sum[part, number] += $1
}

file == 2 {
    bytes = $2
    if ($1 == 0 && bytes == 0)
        next
    if (!sub(/^[^\t]*\t/, ""))
        for (i = 1; i <= 7; i++)
            sub(/^[^ ]+ /, "")
    n = split($0, frame, ";")
    for (i = 1; i <= n; i++)            # mprof export -F chains writes ; in a name as \x3b
        gsub(/\\x3b/, ";", frame[i])
    split("", last)
    split("", taken)
    for (i = 1; i <= n; i++) {
        of = cycle[frame[i]]
        if (!of)
            continue
        last[of] = frame[i]
        if (i > 1 && cycle[frame[i - 1]] == of)
            taken["arcs" SUBSEP of SUBSEP frame[i - 1] " > " frame[i]] = 1
    }
    for (of in last) {
        whole[of] += bytes
        books["allocators", of, frame[n]] += bytes
        books["innermost", of, last[of]] += bytes
    }
    for (arc in taken)
        books[arc] += bytes
}

END {
    for (of in whole) {
        cycles++
        if (sum["allocators", of] != whole[of] || sum["innermost", of] != whole[of])
            print "cycle " of ": " sum["allocators", of] ", " sum["innermost", of] " of " whole[of]
        if (sum["ways in", of] && sum["ways in", of] != whole[of])
            print "cycle " of ": " sum["ways in", of] " of " whole[of] " came in"
    }
    for (row in told)
        if (row !~ /^ways/ && told[row] != books[row] + 0)
            print row ": " told[row] ", not " books[row]
    for (row in books) {
        rows++
        if (!(row in told))
            print row ": " books[row] " not told"
    }
    print cycles + 0, rows + 0 >"checked"
}
END_AWK

# inside TEXT FILE OPTION...: tests that the report's cycles of FILE are those that follow from the chains.
inside()
{
    what=$1 data=$2
    shift 2
    "$mprof" report -verbose --full-names --no-skip --table=graph --no-pager "$@" "$data" >graph
    is "$what: report" "$?" 0
    "$mprof" export -F chains "$@" "$data" >chains
    awk -f check.awk graph chains | tr '\034' ' ' >wrong
    is "$what: all figures are those of the chains" "$(head -3 wrong)" ""
    read -r cycles rows <checked
}

profile cycles.data "$programs/cycles"
inside "known cycles" cycles.data
is "three cycles" "$cycles" 3
has "the innermost function of a cycle is told" graph '^ +1000 +\(100\).* \[[0-9]+\] +inner <cycle [0-9]+>$'
has "calls inside have a star" graph '^ +100\* +\(100\).* \[[0-9]+\] +ping > \[[0-9]+\] pong$'
has "each call says how often it recurred" graph ' 1/2 +\[[0-9]+\] +ping > \[[0-9]+\] pong$'

cat >program.py <<'END_PY'
import ast, functools, json, re
class Count(ast.NodeVisitor):
    def generic_visit(self, node):
        return 1 + sum([self.visit(child) for child in ast.iter_child_nodes(node)])
text = open(json.decoder.__file__).read()
print(Count().visit(ast.parse(text)) > 0)
nested = functools.reduce(lambda inner, n: [n, inner, str(n)], range(60), [])
print(json.loads(json.dumps(nested)) == nested)
print(sorted(re.findall("[a-z]+", text), key=lambda word: (len(word), word))[-1] != "")
END_PY
if need "$python"; then
    PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 profile python.data "$python" program.py
    is "python runs" "$status" 0
    inside "python" python.data
    at_least "python's interpreter is a cycle" "$cycles" 1
    at_least "python: many figures were compared" "$rows" 100
    "$mprof" report --table=graph --no-pager python.data >graph
    has "not verbose: the rest of a list is counted" graph '^ .*\([0-9]+ others\)$'
    is "not verbose: 20 members at most" "$(awk '/ as a whole>.* members:$/ { n = 0; on = 1; next }
        /^---/ { on = 0 } on && / <cycle / { n++ } n > 20 { print "more"; exit }' graph)" ""
else
    skip "python" "$missing"
fi

if need perl; then
    profile perl.data perl -e '
        package Node { use overload q("") => sub { my $n = shift; defined $n->[1] ? "($n->[0] $n->[1])" : "." } }
        sub tree { my $n = shift; bless [$n, $n ? tree($n - 1) : undef], "Node" }
        print length(tree(40)), "\n";
        print join(",", sort { length(tree($a)) <=> length(tree($b)) } 5, 3, 9), "\n";'
    is "perl runs" "$(tail -1 out)" "3,5,9"
    inside "perl" perl.data
    at_least "perl's interpreter is a cycle" "$cycles" 1
else
    skip "perl" "$missing"
fi

if need lua5.4; then
    cat >program.lua <<'END_LUA'
local function deep(n) return n == 0 and {} or {pcall(deep, n - 1)} end
print(#deep(30), (("x"):rep(50):gsub("x", function(c) return select(2, pcall(string.rep, c, 3)) end)))
END_LUA
    profile lua.data lua5.4 program.lua
    is "lua runs" "$status" 0
    inside "lua" lua.data
    at_least "lua's interpreter is a cycle" "$cycles" 1
else
    skip "lua" "$missing"
fi

ecl=$(sed -n 's/^ECL = //p' "$top/Makefile")
if grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    cp "$src/tests/ecl/names.lisp" .
    "$mprof" run -o ecl.data -- "$ecl" --norc --eval '(progn (compile-file "names.lisp") (ext:quit 0))' \
        >out 2>err </dev/null
    is "ECL compiles a file" "$?" 0
    inside "ECL, Lisp functions" ecl.data --lisp
    at_least "its compiler is a cycle" "$cycles" 1
    at_least "ECL: many figures were compared" "$rows" 500
    inside "ECL, C functions" ecl.data --frames=c
    at_least "C functions of ECL are a cycle" "$cycles" 1
else
    skip "ECL" "configured --without-ecl"
fi
plan
# SPDX-License-Identifier: MIT
