/* The progress line appears after a second if it is enabled and stderr is a terminal. */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "reporter/base/progress.h"

/* Makes stderr a terminal. Returns the descriptor of its other end. */
static int
open_terminal(void)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), end;

    ck_assert_int_ge(terminal, 0);
    ck_assert_int_eq(grantpt(terminal), 0);
    ck_assert_int_eq(unlockpt(terminal), 0);
    end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(end, 0);
    ck_assert_int_eq(dup2(end, STDERR_FILENO), STDERR_FILENO);
    close(end);
    return terminal;
}

/* Returns the text that is written to the terminal within WAIT ms, or "". A text may arrive in parts, so this function
 * waits for the rest of it. */
static const char *
said(int terminal, int wait)
{
    static char text[256];
    struct pollfd ready = {.fd = terminal, .events = POLLIN};
    ssize_t size = 0, more;

    for (; poll(&ready, 1, size > 0 ? 100 : wait) > 0; size += more) {
        more = read(terminal, text + size, sizeof text - 1 - (size_t)size);
        ck_assert_int_gt(more, 0);
    }
    text[size] = '\0';
    return text;
}

TEST(test_long)
{
    const int terminal = open_terminal();
    const char *text = "";

    mp_progress_want();
    mp_progress_begin("large\x1b.zst");
    mp_progress(1, 4);
    ck_assert_str_eq(said(terminal, 0), "");
    while (!text[0]) {          /* the test's time limit ends the loop */
        mp_progress(1, 4);
        text = said(terminal, 10);
    }
    ck_assert_str_eq(text, "\r\033[Kmprof: large\\x1b.zst 25 %");
    mp_progress_end();
    ck_assert_str_eq(said(terminal, 1000), "\r\033[K");
    mp_progress(2, 4);
    mp_progress_end();
    ck_assert_str_eq(said(terminal, 0), "");
}

TEST(test_within)
{
    const int terminal = open_terminal();
    const char *text = "";

    mp_progress_want();
    mp_progress_begin("all");
    while (!text[0]) {
        mp_progress_begin("one of them");
        mp_progress(3, 4);
        mp_progress_end();
        mp_progress(1, 2);
        text = said(terminal, 10);
    }
    ck_assert_str_eq(text, "\r\033[Kmprof: all 50 %");
    mp_progress_end();
    ck_assert_str_eq(said(terminal, 1000), "\r\033[K");
}

/* Checks that no line appears within 1.2 seconds. */
static void
expect_nothing(int terminal)
{
    mp_progress_begin("x");
    for (int i = 0; i < 120; i++) {
        mp_progress(1, 2);
        ck_assert_str_eq(said(terminal, 10), "");
    }
    mp_progress_end();
    ck_assert_str_eq(said(terminal, 0), "");
}

TEST(test_not_wanted)
{
    expect_nothing(open_terminal());
}

TEST(test_no_terminal)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    mp_progress_want();
    expect_nothing(ends[0]);
}
/* SPDX-License-Identifier: MIT */
