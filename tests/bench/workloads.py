"""The workloads of the benchmarks: programs, most of them real ones, with generated inputs that are always the same."""

import os
import shutil
import subprocess


class Missing(Exception):
    """Raised if a workload cannot be made here; the text says why."""


def program(name):
    path = shutil.which(name, path="/usr/bin:/bin:/usr/local/bin")
    if path is None:
        raise Missing(f"{name} is not installed")
    return path


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as stream:
        stream.write(text)
    return path


def example(build, folder):
    """The paper's example with 500,000 widgets."""
    return [f"{build}/examples/widgets", "500000"], {}


def deep(build, folder):
    """200,000 allocations in a random recursion, 200 to 1000 frames deep."""
    return [f"{build}/tests/programs/deep"], {}


def abyss(build, folder):
    """200,000 frames deep, with an allocation in each; 20 times down; 1,000 allocations at the bottom."""
    return [f"{build}/tests/programs/abyss", "200000", "10"], {}


def trees(build, folder):
    """Trees of 18 levels, built and dropped recursively: a chain for each node."""
    return [f"{build}/tests/programs/trees", "18", "2"], {}


def threads(build, folder):
    """2 threads that make 2,000,000 pairs of malloc and free each, and nothing else."""
    return [f"{build}/tests/programs/threads"], {}


def bignum(build, folder):
    """Products of big integers; each limb is a block of 16 bytes."""
    return [f"{build}/tests/bench/lists", "bignum"], {}


def boolean(build, folder):
    """Boolean functions complemented recursively; each product is a block."""
    return [f"{build}/tests/bench/lists", "boolean"], {}


def sqlite(build, folder):
    """500,000 rows in memory, an index, two queries."""
    script = write(folder, "rows.sql", """
create table t(a integer primary key, b text, c real);
with recursive n(x) as (values(1) union all select x + 1 from n where x < 500000)
insert into t select x, hex(x * 7919 % 500009), x / 7.0 from n;
create index i on t(b);
select count(*), sum(c) from t where b > '4';
select substr(b, 1, 3) as k, count(*) from t group by k order by 2 desc limit 5;
""")
    return [program("sqlite3"), "-batch", "-init", script, ":memory:", ".exit"], {}


def python(build, folder):
    """Modules json and ast; each object comes from malloc."""
    script = write(folder, "work.py", """
import ast
import json
rows = [{"id": i, "name": "n" * (i % 17), "values": list(range(i % 11))} for i in range(20000)]
for _ in range(3):
    text = json.dumps(rows)
    assert json.loads(text) == rows
source = "def f(x):\\n    return [x * i + (x - i) for i in range(x) if i % 3 == x % 3]\\n" * 700
tree = ast.parse(source)
print(len(text), len(ast.dump(tree)), sum(1 for _ in ast.walk(tree)))
""")
    return ["/usr/bin/python3", "-S", "-B", script], {"PYTHONMALLOC": "malloc",
                                                      "PYTHONHASHSEED": "0"}


def jq(build, folder):
    """A filter of a large file."""
    rows = (f'{{"id":{i},"name":"item {i % 977}","tags":["t{i % 7}","u{i % 13}"],"n":{i * 31 % 1009}}}'
            for i in range(90000))
    data = write(folder, "rows.json", "[" + ",\n".join(rows) + "]\n")
    return [program("jq"), "-c",
            "map(select(.n > 300) | {id, k: (.name + .tags[0]), s: (.tags | length)})"
            " | group_by(.k) | map({k: .[0].k, n: length})", data], {}


def c_function(i):
    return f"""
struct s{i} {{ int a, b[{i % 7 + 2}]; struct s{i} *next; double d; }};
static int h{i}(struct s{i} *p, int n)
{{
    int sum = {i};
    for (int j = 0; j < n && p; j++, p = p->next) {{
        switch ((p->a + j) % 5) {{
        case 0: sum += p->b[j % {i % 7 + 2}]; break;
        case 1: sum ^= (int)(p->d * {i}.5); break;
        case 2: sum = sum * 31 + j; break;
        default: if (sum > {i * 17}) sum -= p->a; else sum += j;
        }}
    }}
    return sum;
}}
int g{i}(struct s{i} *p, int *v, int n)
{{
    for (int j = 0; j < n; j++)
        v[j] = h{i}(p, v[j]) + (v[(j + {i}) % n] >> {i % 5 + 1});
    return n > {i} ? g{i}(p->next, v, n - 1) : v[0];
}}
"""


def cc1(build, folder):
    """The compiler proper, -O2, on a large generated file."""
    gcc = program("gcc")
    path = subprocess.run([gcc, "-print-prog-name=cc1"], capture_output=True, text=True,
                          check=True).stdout.strip()
    if not os.access(path, os.X_OK):
        raise Missing("gcc has no cc1 here")
    source = write(folder, "unit.c", "".join(c_function(i) for i in range(80)))
    return [path, "-quiet", "-O2", source, "-o", os.path.join(folder, "unit.s")], {}


def perl(build, folder):
    """Hashes, strings and a sort."""
    script = write(folder, "work.pl", """
my (%count, %seen);
for my $i (1 .. 200000) {
    my $key = join('-', $i % 9973, ($i * 7) % 31);
    $count{$key}++;
    push @{$seen{$i % 5003}}, $key if $i % 3 == 0;
}
my @sorted = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
my $text = join(',', map { s/-/_/r } @sorted);
print length($text), ' ', scalar(keys %seen), "\\n";
""")
    return [program("perl"), script], {"PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"}


ALL = {f.__name__: f for f in (example, deep, abyss, trees, threads, bignum, boolean, sqlite,
                                python, jq, cc1, perl)}
# The maximum ratios of time and resident memory to those of the bare run.
AIMS = {"example": 1.4, "deep": 7, "threads": 1.9, "bignum": 1.9, "boolean": 1.9, "sqlite": 1.2,
        "python": 1.5, "jq": 1.15, "cc1": 1.2}
MEMORY_AIMS = {"deep": 8, "boolean": 4, "sqlite": 1.15, "python": 1.15, "jq": 1.15, "cc1": 1.15,
               "perl": 1.15}
# Workloads whose instructions are counted.
SHORT = {"pairs": lambda build, folder: ([f"{build}/tests/programs/threads", "500000", "1"], {}), "example": example,
         "bignum": lambda build, folder: ([f"{build}/tests/bench/lists", "bignum", "2"], {}),
         "boolean": lambda build, folder: ([f"{build}/tests/bench/lists", "boolean", "2"], {}),
         "deep": deep, "trees": trees, "python": python, "sqlite": sqlite}
# Means of all workloads, then of recordings with mprof run --sample, which have an aim for each workload, too.
MEAN_AIM = 1.4
SAMPLED_AIM, SAMPLED_MEAN_AIM = 1.15, 1.03

# Programs for benchmarks of scale: their arguments, and what the first argument counts.
SCALE = [("contexts", ["500000"], "chains, two blocks on each"),
         ("contexts", ["1000000"], "chains, two blocks on each"),
         ("live_blocks", ["5000000"], "blocks live at a time"),
         ("live_blocks", ["10000000"], "blocks live at a time"),
         ("threads", ["2000000", "2"], "pairs in each of 2 threads"),
         ("threads", ["62500", "64"], "pairs in each of 64 threads"),
         ("handover", ["4000000", "2"], "blocks that another of 2 threads frees"),
         ("handover", ["4000000", "64"], "blocks that another of 64 threads frees")]
# Programs that do nothing, for the time that mprof run needs to start.
STARTS = {"true": ["true"], "python3 -c pass": ["python3", "-c", "pass"]}
START_AIM = 15                  # milliseconds

# Programs that start many short processes: the shell, the command that it repeats, how often, and the maximum ratio.
PROCESSES = {"200 processes of true": ("sh", "/bin/true", 200, 1.8),
             "400 processes of true": ("sh", "/bin/true", 400, 1.8),
             "200 children of bash that only end": ("bash", "x=$(:)", 200, "")}

# Functions of work.lisp with their maximum ratios, and those that need a library of this name.
LISP = {"conses": 1.6, "doubles": 1.9, "structures": 1.9, "instances": "", "keep": 1.15, "overflow": "", "trees": "",
        "ppcre": 1.15, "csv": 1.15, "cxml": 1.15}
LIBRARIES = ["ppcre", "csv", "cxml"]
# Functions of work.lisp that make a heap of which snapshots are taken.
HEAPS = ["many-conses", "shuffled", "strings", "nodes", "tables"]

# Snapshots for mprof heap: to what object I of N refers. RANDOM(limit) is a random number.
SHAPES = {
    "list": ("the next one: one list", lambda i, n, random: [i + 1]),
    "back": ("the next one, and the head of the list", lambda i, n, random: [0, i + 1] if i > 0 else [1]),
    "tree": ("two children, and the parent", lambda i, n, random: [2 * i + 1, 2 * i + 2, (i - 1) // 2]),
    "near": ("two objects nearby", lambda i, n, random: [i + 1 + random(8), i - random(1000)]),
    "wide": ("four objects nearby", lambda i, n, random: [
        i + 1 + random(8), i - random(1000), i + 1 + random(8), i - random(1000)]),
    "random": ("two objects anywhere", lambda i, n, random: [random(n), random(n)]),
}

# Programs for which the time and memory of mprof run itself are measured. contexts has many chains.
OBSERVED = {"true": ["true"], "sleep": ["sleep", "4"], "contexts": ["tests/programs/contexts", "300000"],
            "perl": ["perl", "-e", '$h{$_ % 9973} .= "x" for 1 .. 6e6']}
# Programs whose pages are measured.
PAGES = {"contexts": ["tests/programs/contexts", "88000"], "very many": ["tests/programs/contexts", "524288"],
         "boolean": ["tests/bench/lists", "boolean"]}
# SPDX-License-Identifier: MIT
