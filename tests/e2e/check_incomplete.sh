#!/bin/sh
# mprof check of incomplete recordings, and with baselines and suppressions together.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >leaks.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void *volatile sink;

__attribute__((noinline)) static void known(size_t size) { sink = malloc(size); }
__attribute__((noinline)) static void fresh(size_t size) { sink = malloc(size); }

/* leaks KNOWN FRESH [kill]: keeps so many bytes by each function. */
int main(int argc, char **argv)
{
    known((size_t)atol(argv[1]));
    if (atol(argv[2]) > 0)
        fresh((size_t)atol(argv[2]));
    if (argc > 3)
        raise(SIGKILL);
    return 0;
}
END
cc -g -O1 -o leaks leaks.c

# ---------------------------------------------------------------- suppressions
"$mprof" run -q -o old.data ./leaks 5000 0
"$mprof" run -q -o new.data ./leaks 100 3000
echo 'leak:^known$' >known.supp
run "$mprof" check --baseline=old.data --suppressions=known.supp new.data
is "a new leak smaller than the baseline's suppressed one is over" "$status" 1
has "... with what was kept before" out '^OVER      --baseline=old\.data: kept: 3,000 bytes are kept, 0 before, 0 allowed$'
has "... and its chain" out '^    \+3,000 bytes in 1 block: .*fresh'
has "only what the checked run keeps counts as suppressed" out '^suppressed: 100 bytes in 1 block by leak:\^known\$$'
run "$mprof" check --baseline=new.data --suppressions=known.supp old.data
is "less than before is within" "$(grep -c '^within .*: kept: 0 bytes are kept, 3,000 before' out)" 1

# -------------------------------------------------------------- incomplete runs
"$mprof" run -q -o killed.data ./leaks 100 0 kill 2>/dev/null
is "killed: the status of the run" $? 137
run "$mprof" check --max-kept=1M killed.data
is "a killed run is not within" "$status $(cat out err)" \
    "2 mprof: killed.data: killed by SIGKILL (Killed); --allow-killed checks what was recorded"
run "$mprof" check --max-kept=1M --allow-killed killed.data
is "--allow-killed" "$status $(cut -c 1-6 out)" "0 within"
returns "... and what is over is over" 1 "$mprof" check --max-kept=99 --allow-killed killed.data
printf 'max-kept = 1M\nallow-killed = true\n' >limits.toml
returns "... of a file of limits" 0 "$mprof" check --limits=limits.toml killed.data
run "$mprof" merge -o merged.data old.data killed.data
run "$mprof" check --max-kept=1M merged.data
is "one of a merged file was killed" "$status $(cat out err)" \
    "2 mprof: killed.data: killed by SIGKILL (Killed); --allow-killed checks what was recorded"
run "$mprof" run -q --check --max-kept=1M -o check.data ./leaks 100 0 kill
is "mprof run --check of a killed run" "$status $(cat err)" \
    "137 mprof: check.data: killed by SIGKILL (Killed); --allow-killed checks what was recorded"
says "... with --allow-killed" "137 " "$mprof" run -q --check --max-kept=1M --allow-killed -o check.data ./leaks 100 0 kill
LD_PRELOAD=$library MPROF_FILE=live.data ./leaks 100 0 kill 2>/dev/null
run "$mprof" check --max-kept=1M live.data
is "a live file whose process is gone" "$status $(cat out err)" \
    "2 mprof: live.data: killed, or crashed; --allow-killed checks what was recorded"
plan
# SPDX-License-Identifier: MIT
