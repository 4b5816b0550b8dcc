/* SPDX-License-Identifier: MIT */
#include "interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t interrupted;
static const struct mp_file_at *volatile doomed;      /* file that signals remove; NULL if none */

static void
interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static void
remove_and_end(int number)
{
    if (doomed)
        mp_file_at_remove(doomed);
    signal(number, SIG_DFL);
    raise(number);
}

static void
handle(void (*handler)(int))
{
    const struct sigaction action = {.sa_handler = handler};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

volatile sig_atomic_t *
mp_until_interrupted(void)
{
    handle(interrupt);
    return &interrupted;
}

void
mp_remove_if_interrupted(const struct mp_file_at *file)
{
    doomed = file;
    handle(file ? remove_and_end : SIG_DFL);
}
