#!/bin/sh
# Shells and perl: pipes, subshells, coprocesses, traps; fork, eval, signals, regular expressions.
. "${srcdir:-.}/tests/e2e/same_lib.sh"

seq 1 2000 | awk '{ print $1 * 7919 % 2003, "line", $1 }' >lines

cat >pipes.sh <<'ENDS'
count=0
while read -r number rest; do count=$((count + number)); done < <(sort -n "$1" | tee copy)
echo "$count"
mapfile -t array < <(cut -d' ' -f1 "$1" | sort -n | uniq)
echo "${#array[@]} ${array[7]}"
(cd / && (pwd; (echo deep; exit 3)); echo "left by $?") | cat -n | sed 's/^/> /'
for i in 1 2 3 4 5 6 7 8; do (echo "$((i * i))" >"part.$i") & done
wait
cat part.*
trap 'echo trapped' EXIT USR1
kill -USR1 $$
coproc { while read -r line; do echo "co $line"; done; }
echo hello >&"${COPROC[1]}"
read -r answer <&"${COPROC[0]}"
echo "$answer"
declare -A map
while read -r key _ value; do map[$key]=$value; done <"$1"
echo "${#map[@]} ${map[1000]}"
printf '%s\n' "$(<copy)" | md5sum
ls /does/not/exist
exit 5
ENDS
cat >count.sh <<'ENDS'
declare -A map
for ((i = 0; i < 3000; i++)); do map[$((i * 7 % 1009))]+="$i "; done
echo "${map[5]}"
ENDS
# counts: prints the figures of each chain. The length of bash's parent's process id, which it keeps as text, is
# random.
counts()
{
    "$mprof" export -F chains "$tmp/data" | grep -v ';set_ppid;' | sort
}
if optional bash; then
    same "bash" bash "$tmp/pipes.sh" "$tmp/lines"
    is "bash: it ended as it wanted to" "$bare_status" 5
    same -f -n 20 "bash -f" bash "$tmp/pipes.sh" "$tmp/lines"
    same "bash, one process" bash "$tmp/count.sh"
    counts >once
    profiled
    counts >twice
    ok "bash, one process: counts" diff once twice
fi
same -r "dash" dash -c 'i=0; while [ $i -lt 500 ]; do i=$((i + 1)); set -- "$@" "$i"; done; echo "$*"'

cat >work.pl <<'ENDS'
use strict;
use warnings;
my %h;
$h{$_ % 997} .= "$_," for 1 .. 20000;
my $text = join "", map { $h{$_} } sort keys %h;
print length $text, " ", scalar(() = $text =~ /\b\d*(?:12|34)\d*\b/g), "\n";
my @kids;
for my $n (1 .. 5) {
    my $kid = fork // die;
    if (!$kid) { my @a = map { "x" x $_ } 1 .. 200 * $n; exit @a / 200 }
    push @kids, $kid;
}
for my $kid (@kids) { waitpid $kid, 0; print $? >> 8, " " }
print "\n";
eval { local $SIG{ALRM} = sub { die "alarm\n" }; kill ALRM => $$; 1 } or print "caught $@";
eval { die { code => 42 } } or print "code $@->{code}\n";
print `echo from a shell | tr a-z A-Z`;
open my $pipe, "-|", "sort", "-r" , $ARGV[0] or die;
my @lines = <$pipe>;
close $pipe;
print scalar @lines, " $lines[0]";
warn "a warning\n";
exit 9;
ENDS
if optional perl; then
    same -n 6 "perl" perl "$tmp/work.pl" "$tmp/lines"
    is "perl: it ended as it wanted to" "$bare_status" 9
    same -f -n 8 "perl -f" perl "$tmp/work.pl" "$tmp/lines"
    same -f -r -n 2 "perl, its counts" env PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0 perl -e '
        my %h; $h{$_ % 97} .= "$_," for 1 .. 5000; print join "\n", map { $h{$_} } sort keys %h'
fi
plan
# SPDX-License-Identifier: MIT
