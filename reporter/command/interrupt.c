#include "interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t interrupted;

static void
interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

volatile sig_atomic_t *
mp_until_interrupted(void)
{
    const struct sigaction stop = {.sa_handler = interrupt};

    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGHUP, &stop, NULL);
    return &interrupted;
}
