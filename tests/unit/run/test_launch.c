#include "tests/unit/tap.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/run/launch.h"
#include "reporter/run/preloadable.h"
#include "tests/unit/folder.h"

static struct mp_error error;

/* Returns the ELF header of this test without segments, like that of a static program. */
static Elf64_Ehdr
own_header(void)
{
    Elf64_Ehdr header;
    int fd = open("/proc/self/exe", O_RDONLY);

    ck_assert(fd >= 0 && read(fd, &header, sizeof header) == sizeof header);
    close(fd);
    header.e_phnum = 0;
    return header;
}

static void
assert_refused(const char *path, const char *why)
{
    ck_assert(!mp_program_check(path, &error));
    ck_assert_int_eq(error.code, MP_ERR_PROGRAM);
    if (!strstr(error.text, why))
        ck_abort_msg("'%s' does not say '%s'", error.text, why);
}

/* ---------------------------------------------------------------- programs */

TEST(finds_programs_in_path)
{
    int status;
    char *path = mp_program_find("sh", &status, &error);

    ck_assert_ptr_nonnull(path);
    ck_assert_str_eq(strrchr(path, '/'), "/sh");
    free(path);
}

TEST(what_cannot_be_run_has_a_status)
{
    const char *plain = make_text("plain", "x");
    const struct {
        const char *program;
        int status;
    } cases[] = {{"no-such-program-at-all", 127}, {"", 127}, {in_folder("nothing"), 127},
                 {plain, 126}, {folder(), 126}};

    chmod(plain, 0644);
    setenv("PATH", "/usr/bin:/bin", 1);         /* directories that any user may search */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = 0;

        ck_assert_ptr_null(mp_program_find(cases[i].program, &status, &error));
        ck_assert_int_eq(status, cases[i].status);
    }
}

TEST(dynamic_programs_pass)
{
    ck_assert(mp_program_check("/bin/sh", &error));
}

/* Copies of the test's header without segments, with changes. */
static const struct {
    const char *name, *why;
    Elf64_Half machine, segments;       /* 0 for no change */
    unsigned char class;
    size_t size;
} refused[] = {
    {"static", "statically linked", 0, 0, 0, sizeof(Elf64_Ehdr)},
    {"another machine", "another kind of machine", EM_S390, 0, 0, sizeof(Elf64_Ehdr)},
    {"32 bits", "32-bit", 0, 0, ELFCLASS32, sizeof(Elf64_Ehdr)},
    {"cut", "damaged", 0, 0, 0, 20},
    {"segments beyond the end", "damaged", 0, 3, 0, sizeof(Elf64_Ehdr)},
};

TEST_CASES(programs_are_refused, refused)
{
    Elf64_Ehdr header = own_header();

    if (refused[_i].machine)
        header.e_machine = refused[_i].machine;
    if (refused[_i].class)
        header.e_ident[EI_CLASS] = refused[_i].class;
    if (refused[_i].segments) {
        header.e_phnum = refused[_i].segments;
        header.e_phoff = UINT64_MAX - 8;
    }
    assert_refused(make_file("program", &header, refused[_i].size), refused[_i].why);
}

TEST(interpreters_of_scripts_are_checked)
{
    Elf64_Ehdr header = own_header();
    char line[PATH_MAX + 32];

    make_file("inter", &header, sizeof header);
    snprintf(line, sizeof line, "#!%s -x\n", in_folder("inter"));
    assert_refused(make_text("script", line), "inter: is statically linked");
    snprintf(line, sizeof line, "#! /usr/bin/env -S A=b %s\n", in_folder("inter"));
    assert_refused(make_text("script2", line), "inter: is statically linked");
    assert_refused(make_text("script3", "#!/no/such/interpreter\n"), "interpreter");
    ck_assert(mp_program_check(make_text("script4", "#!/bin/sh\n"), &error));
    ck_assert(mp_program_check(make_text("script5", "echo\n"), &error));
}

TEST(set_id_programs_are_refused)
{
    Elf64_Ehdr header = own_header();
    const char *path = make_file("setuid", &header, sizeof header);

    struct statvfs info;
    bool ignored;

    if (chown(path, 12345, 12345) != 0 || chmod(path, 04755) != 0)
        return;                 /* only root can make one */
    ck_assert_int_eq(statvfs(path, &info), 0);
    ignored = (info.f_flag & ST_NOSUID) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
    assert_refused(path, ignored ? "static" : "set-user-id");
    ck_assert_int_eq(chmod(path, 02755), 0);
    assert_refused(path, ignored ? "static" : "set-group-id");
}

/* ------------------------------------------------------------------ launch */

/* Runs COMMAND and then WORK, which gets HOW. Stores what mp_launch_run() does in *STATUS. */
static struct mp_launched
launch_work(const char *command, int (*work)(void *how, const struct mp_launched *launched), const void *how,
            int *status)
{
    char shell[] = "sh", option[] = "-c", *text = strdup(command);
    char *argv[] = {shell, option, text, NULL};
    const struct mp_launch launch = {.path = "/bin/sh", .argv = argv, .library = "", .template = "/tmp/x", .depth = 8,
                                     .work = work, .data = (void *)how};
    struct mp_launched result;

    ck_assert(mp_launch_run(&launch, &result, status, &error));
    free(text);
    return result;
}

static struct mp_launched
launch_shell(const char *command)
{
    int status;

    return launch_work(command, NULL, NULL, &status);
}

static const struct {
    const char *name, *command;
    bool killed;
    int status;
} ends[] = {
    {"exit status", "exit 7", false, 7},
    {"a signal", "kill -KILL $$", true, SIGKILL},
};

TEST_CASES(ends_are_reported, ends)
{
    const struct mp_launched result = launch_shell(ends[_i].command);

    ck_assert_int_eq(result.killed, ends[_i].killed);
    ck_assert_int_eq(result.status, ends[_i].status);
    ck_assert_uint_gt(result.duration, 0);
}

/* Each signal that mprof gets is passed on, or does nothing. */
TEST_LOOP(signals_do_not_end_mprof, 1, SIGRTMAX + 1)
{
    static const int stay[] = {SIGINT, SIGQUIT, SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGPIPE, SIGXFSZ, SIGXCPU};
    static const int others[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
    struct mp_launched result;
    bool stays = false;
    char command[64];

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (_i == others[i] || (_i > SIGSYS && _i < SIGRTMIN))
            return;
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        stays = stays || _i == stay[i];
    snprintf(command, sizeof command, "kill -%d $PPID; %s", _i, stays ? "exit 5" : "exec sleep 60");
    result = launch_shell(command);
    ck_assert_int_eq(result.killed, !stays);
    ck_assert_int_eq(result.status, stays ? 5 : _i);
}

TEST(ignored_signals_are_not_passed_on)
{
    signal(SIGHUP, SIG_IGN);
    ck_assert_int_eq(launch_shell("kill -HUP $PPID; exit 5").status, 5);
}

TEST(mprof_stops_with_its_job)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        setpgid(0, 0);          /* in a job of its own, which the test controls */
        _exit(launch_shell("kill -TSTP $PPID; exit 5").status);
    }
    ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
    ck_assert(WIFSTOPPED(status));
    kill(pid, SIGCONT);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(WEXITSTATUS(status), 5);
}

static int
add(void *number, const struct mp_launched *launched)
{
    return *(const int *)number + launched->status;
}

TEST(work_follows)
{
    const int number = 100;
    int status;

    ck_assert_int_eq(launch_work("exit 7", add, &number, &status).status, 7);
    ck_assert_int_eq(status, 107);
}

/* ------------------------------------------------------------ ends of work */

static int
overflow(const volatile char *above)
{
    volatile char here[4096];

    here[0] = above[0];
    return here[0] == 0 ? overflow(here) + here[0] : 0;
}

enum how {RAISE, ABORT, EXIT, NO_MEMORY, OVERFLOW, SIGNALLED_FROM_OUTSIDE};

static const struct {
    const char *name;
    enum how how;
    int number;
} works[] = {
    {"SIGSEGV", RAISE, SIGSEGV}, {"SIGBUS", RAISE, SIGBUS}, {"SIGKILL", RAISE, SIGKILL}, {"SIGXCPU", RAISE, SIGXCPU},
    {"SIGTERM", RAISE, SIGTERM}, {"SIGINT", RAISE, SIGINT}, {"SIGHUP", RAISE, SIGHUP}, {"abort", ABORT, 0},
    {"exit 0", EXIT, 0}, {"exit 3", EXIT, 3}, {"no memory", NO_MEMORY, 0}, {"a stack overflow", OVERFLOW, 0},
    {"Ctrl-C", SIGNALLED_FROM_OUTSIDE, SIGINT}, {"SIGTERM of mprof", SIGNALLED_FROM_OUTSIDE, SIGTERM},
};

static int
do_not_return(void *how, const struct mp_launched *launched)
{
    const int which = *(const int *)how;
    char top = 0;

    (void)launched;
    switch (works[which].how) {
    case RAISE:
        raise(works[which].number);
        break;
    case ABORT:
        abort();
    case EXIT:
        exit(works[which].number);
    case NO_MEMORY:
        mp_no_memory();
    case OVERFLOW:
        return overflow(&top);
    case SIGNALLED_FROM_OUTSIDE:
        kill(getppid(), works[which].number);
        pause();
        break;
    }
    return 0;
}

/* Each case is tried once with a program that exits and once with one that is killed. */
TEST_LOOP(the_status_survives_the_work, 0, 2 * (int)(sizeof works / sizeof *works))
{
    const int which = _i / 2, killed = _i % 2;
    struct mp_launched result;
    int status;

    tap_name(works[which].name);
    signal(SIGINT, SIG_DFL);    /* Check has a handler */
    result = launch_work(killed ? "kill -KILL $$" : "exit 7", do_not_return, &which, &status);
    ck_assert_int_eq(result.killed, killed);
    ck_assert_int_eq(result.status, killed ? SIGKILL : 7);
    ck_assert_int_eq(status, -1);
}

static int
write_badly(void *how, const struct mp_launched *launched)
{
    const struct rlimit none = {0};
    int to[2];

    (void)how;
    (void)launched;
    ck_assert_int_eq(pipe(to), 0);
    close(to[0]);
    if (write(to[1], "", 1) >= 0 || errno != EPIPE)
        return 1;
    setrlimit(RLIMIT_FSIZE, &none);
    return ftruncate(open(in_folder("large"), O_RDWR | O_CREAT, 0600), 1) < 0 && errno == EFBIG ? 2 : 3;
}

TEST(work_that_cannot_write_goes_on)
{
    int status;

    launch_work("exit 7", write_badly, NULL, &status);
    ck_assert_int_eq(status, 2);
}

TEST(environment_tells_the_monitor)
{
    setenv("MPROF_FOLLOW", "1", 1);
    setenv("MPROF_UNWINDER", "fp", 1);
    ck_assert_int_eq(launch_shell("test \"$MPROF_FILE\" = /tmp/x").status, 0);
    ck_assert_int_eq(launch_shell("test \"$MPROF_DEPTH\" = 8").status, 0);
    ck_assert_int_eq(launch_shell("test \"$MPROF_FOLLOW$MPROF_UNWINDER\" = 3").status, 0);
    ck_assert_str_eq(getenv("MPROF_FOLLOW"), "1");
}

TEST(exec_failure_is_told)
{
    char name[] = "x", *argv[] = {name, NULL};
    const struct mp_launch launch = {.path = "/no/such/file", .argv = argv, .library = "",
                                     .template = "/tmp/x"};
    struct mp_launched result;
    int status = 0;

    ck_assert(!mp_launch_run(&launch, &result, &status, &error));
    ck_assert_int_eq(status, 127);
    ck_assert_ptr_nonnull(strstr(error.text, "/no/such/file"));
}
/* SPDX-License-Identifier: MIT */
