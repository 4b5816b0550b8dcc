/* SPDX-License-Identifier: MIT */
/* signal_name.h -- parses the name of a signal. Used by the monitor and the reporter. */
#ifndef MP_SIGNAL_NAME_H
#define MP_SIGNAL_NAME_H

#include <signal.h>
#include <string.h>

/* Parses TEXT as a decimal number from 0 to LIMIT. Returns -1 if TEXT is no such number. */
static inline int
mp_signal_decimal(const char *text, int limit)
{
    int value = 0;

    if (!*text)
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > limit)
            return -1;
        value = value * 10 + (*text - '0');
    }
    return value <= limit ? value : -1;
}

/* Returns whether signal NUMBER cannot be used for requests, because it cannot be handled or has another meaning
 * to programs. */
static inline int
mp_signal_is_taken(int number)
{
    static const int taken[] = {SIGKILL, SIGSTOP, SIGCONT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP,
                                SIGABRT, SIGSYS, SIGCHLD};

    for (unsigned i = 0; i < sizeof taken / sizeof *taken; i++)
        if (taken[i] == number)
            return 1;
    return 0;
}

/* Returns the number of the signal called TEXT ("USR2", "SIGUSR2", "RTMIN+3", "12"), or 0 if TEXT names no
 * signal or the signal cannot be used for requests. Does not allocate. */
static inline int
mp_signal_number(const char *text)
{
    int number = mp_signal_decimal(text, SIGRTMAX), offset;

    if (strncmp(text, "SIG", 3) == 0)
        text += 3;
    if (strncmp(text, "RTMIN+", 6) == 0) {
        offset = mp_signal_decimal(text + 6, SIGRTMAX - SIGRTMIN);
        number = offset < 0 ? 0 : SIGRTMIN + offset;
    }
    for (int i = 1; number < 0 && i < 32; i++) {
        const char *name = sigabbrev_np(i);

        if (name && strcmp(name, text) == 0)
            number = i;
    }
    return number <= 0 || mp_signal_is_taken(number) ? 0 : number;
}

#endif
