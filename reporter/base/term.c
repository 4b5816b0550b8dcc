/* SPDX-License-Identifier: MIT */
#include "term.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_RUN = 126, NOT_FOUND = 127 };     /* exit statuses of a shell that cannot run a command */

bool
mp_term_color(enum mp_color_when when)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    if (when != MP_COLOR_AUTO)
        return when == MP_COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

unsigned
mp_term_width(void)
{
    const char *columns = getenv("COLUMNS");
    unsigned long wanted = columns ? strtoul(columns, NULL, 10) : 0;
    struct winsize size;

    if (!isatty(STDOUT_FILENO))
        return 0;
    if (wanted >= 20 && wanted <= USHRT_MAX)
        return (unsigned)wanted;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
}

bool
mp_term_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

const char *
mp_term_ellipsis(void)
{
    return mp_term_utf8() ? "\xe2\x80\xa6" : "...";
}

static const char *
pager_command(void)
{
    const char *command = getenv("MPROF_PAGER");

    if (!command)
        command = getenv("PAGER");
    return command ? command : "less";
}

/* Runs the pager in the child, with IN as its stdin. If it cannot be executed, copies stdin to stdout. */
_Noreturn static void
run_pager(const char *command, int in)
{
    char buffer[4096];
    ssize_t n;

    signal(SIGPIPE, SIG_DFL);
    if (in == STDIN_FILENO)             /* stdin was closed before */
        fcntl(in, F_SETFD, 0);
    else
        dup2(in, STDIN_FILENO);
    setenv("LESS", "FRSX", 0);
    if (strpbrk(command, " \t'\"$|&;<>("))
        execlp("sh", "sh", "-c", command, (char *)NULL);
    else
        execlp(command, command, (char *)NULL);
    while ((n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
        if (write(STDOUT_FILENO, buffer, (size_t)n) != n)
            _exit(1);
    _exit(0);
}

/* Starts a pager for stdout if stdout is a terminal: $MPROF_PAGER, $PAGER or less. Callers must ask for width
 * and colour before. If the pager cannot be started, output goes to the terminal, and that is no error. */
static void
pager_start(struct mp_pager *pager)
{
    const char *command = pager_command();
    int ends[2];

    *pager = (struct mp_pager){0};
    signal(SIGPIPE, SIG_IGN);
    if (!isatty(STDOUT_FILENO) || *command == '\0' || strcmp(command, "cat") == 0)
        return;
    fflush(stdout);
    pager->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (pager->terminal < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        if (pager->terminal >= 0)
            close(pager->terminal);
        return;
    }
    pager->pid = fork();
    if (pager->pid == 0) {
        close(ends[1]);
        run_pager(command, ends[0]);
    }
    close(ends[0]);
    if (pager->pid > 0)
        dup2(ends[1], STDOUT_FILENO);
    else
        close(pager->terminal);
    close(ends[1]);
}

bool
mp_term_reader_gone(void)
{
    struct pollfd fd = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLERR);
}

/* Waits for the pager and restores stdout. Output that the pager has not read is discarded, because the user has
 * left it. */
static void
end_pager(struct mp_pager *pager)
{
    int status = 0;

    signal(SIGINT, SIG_IGN);            /* from here on the pager handles it */
    fflush(stdout);
    __fpurge(stdout);
    clearerr(stdout);
    dup2(pager->terminal, STDOUT_FILENO);
    close(pager->terminal);
    while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    pager->failed = WIFEXITED(status) && (WEXITSTATUS(status) == CANNOT_RUN ||
                                          WEXITSTATUS(status) == NOT_FOUND);
    pager->pid = 0;
}

bool
mp_pager_finish(struct mp_pager *pager, struct mp_error *error)
{
    bool failed = ferror(stdout) != 0;
    int number;

    if (pager->pid > 0) {
        end_pager(pager);
        return true;
    }
    errno = 0;
    if (fflush(stdout) != 0)
        failed = true;
    number = errno;
    if (!failed || number == EPIPE || mp_term_reader_gone())
        return true;
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "standard output: %s",
                   number ? strerror(number) : "write error");
}

static bool
show(bool (*write)(const void *data, struct mp_error *error), const void *data, struct mp_error *error)
{
    if (write(data, error))
        return true;
    if (!ferror(stdout) || !mp_term_reader_gone())
        return false;
    error->code = MP_ERR_NONE;
    return true;
}

bool
mp_pager_show(bool (*write)(const void *data, struct mp_error *error), const void *data, bool wanted,
              struct mp_error *error)
{
    struct mp_pager pager = {0};
    struct mp_error late;
    bool ok;

    if (wanted)
        pager_start(&pager);
    ok = show(write, data, error);
    if (!mp_pager_finish(&pager, &late)) {
        if (ok)
            *error = late;
        return false;
    }
    return pager.failed ? ok && show(write, data, error) : ok;
}
