/*
 * program.h -- functions that the test programs share.
 *
 * The programs know what they allocate and print it. Nothing here calls malloc: say() formats on the stack and writes
 * at once, so that printing changes no count.
 */
#ifndef MP_TEST_PROGRAM_H
#define MP_TEST_PROGRAM_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function with a frame of its own: no inlining, no clones. */
#if defined(__GNUC__) && !defined(__clang__)
#define FRAME __attribute__((noipa))
#else
#define FRAME __attribute__((noinline))
#endif

/* Keeps the compiler from assuming anything about P, and from making the preceding call a tail call. */
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")

__attribute__((format(printf, 1, 2))) static inline void
say(const char *format, ...)
{
    char line[512];
    va_list ap;
    int n;

    va_start(ap, format);
    n = vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    if (n < 0 || n >= (int)sizeof line || write(STDOUT_FILENO, line, (size_t)n) != n)
        _exit(99);
}

/* Overwrites what earlier calls left on the stack. */
__attribute__((unused)) static FRAME void
sweep(void)
{
    volatile char room[16384];

    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
}

/* Returns the next number of a deterministic series (xorshift64*, Vigna 2016). *STATE must not be 0. */
static inline uint32_t
next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 32);
}

/* Returns the integer in TEXT, or FALLBACK if TEXT is NULL. */
static inline long
number_or(const char *text, long fallback)
{
    return text != NULL ? strtol(text, NULL, 10) : fallback;
}

/* Returns the number after FIELD ("VmLck:") in the file PATH (/proc/self/status) in kilobytes, or -1 if FIELD is
 * missing. */
static inline long
own_figure(const char *path, const char *field)
{
    char text[8192];
    const char *line;
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, text, sizeof text - 1);

    close(fd);
    text[n > 0 ? n : 0] = '\0';
    line = strstr(text, field);
    return line ? strtol(line + strlen(field), NULL, 10) : -1;
}

#endif
/* SPDX-License-Identifier: MIT */
