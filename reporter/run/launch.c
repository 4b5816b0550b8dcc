#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload.h"
#include "preloadable.h"
#include "reporter/base/arena.h"
#include "reporter/base/clock.h"
#include "reporter/read/live_writer.h"

/* ------------------------------------------------------------- environment */

/* Sets the variable NAME, or removes it if VALUE is NULL. So mprof's own environment does not affect the program
 * where an option exists. */
static bool
set_variable(const char *name, const char *value)
{
    return value ? setenv(name, value, 1) == 0 : unsetenv(name) == 0;
}

/* Sets the variable NAME to NUMBER, or removes it if NUMBER is 0. */
static bool
set_number(const char *name, long number)
{
    char text[24];

    if (number == 0)
        return set_variable(name, NULL);
    snprintf(text, sizeof text, "%ld", number);
    return set_variable(name, text);
}

/* Returns the number of seccomp filters of mprof itself. The program can be recorded behind these. A process that has
 * more is not recorded. Linux before 5.9 does not count filters; then returns 1 if there are any. */
static long
count_filters(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    long filters = -1, mode = 0;
    char line[256];

    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "Seccomp: %ld", &mode);
        sscanf(line, "Seccomp_filters: %ld", &filters);
    }
    if (file)
        fclose(file);
    return filters >= 0 ? filters : mode != 0;
}

static bool
set_filters(void)
{
    char text[24];

    snprintf(text, sizeof text, "%ld", count_filters());
    return set_variable("MPROF_FILTERS", text);
}

/* Sets MPROF_RUN to the run's id and the process that starts the program, see runtime/system/options.c. */
static bool
set_run(const uint64_t run_id[2])
{
    uint32_t pid = (uint32_t)getppid();
    char text[80];

    /* The length is constant, so that a program that copies its environment allocates the same in each run. */
    snprintf(text, sizeof text, "%016" PRIx64 ".%016" PRIx64 ".%08" PRIx32 ".%016" PRIx64, run_id[0],
             run_id[1], pid, mp_process_start_ticks(pid));
    return set_variable("MPROF_RUN", text);
}

/* Sets the variables that keep their value from mprof's environment if no option changes them. They are the variables
 * of heap snapshots, and the one that keeps arguments out of the data. */
static bool
set_kept(const struct mp_launch *launch)
{
    return (!launch->no_arguments || set_variable("MPROF_ARGUMENTS", "0")) &&
           (!launch->heap_strings || set_variable("MPROF_HEAP_STRINGS", "1")) &&
           (launch->heap_signal == 0 || set_number("MPROF_HEAP_SIGNAL", launch->heap_signal)) &&
           (!launch->heap_every || set_variable("MPROF_HEAP_EVERY", launch->heap_every));
}

/* Sets all variables of the monitor. Runs in the child. */
static bool
set_environment(const struct mp_launch *launch, const uint64_t run_id[2])
{
    char *preload = mp_preload_join(launch->library, getenv("LD_PRELOAD"));
    bool ok = preload && set_variable("LD_PRELOAD", preload) &&
              set_variable("MPROF_FILE", launch->template) && set_run(run_id) &&
              set_variable("MPROF_FOLLOW", launch->follow ? "1" : NULL) &&
              set_variable("MPROF_CALL_GRAPH", launch->no_call_graph ? "0" : NULL) &&
              set_variable("MPROF_FOLD_RECURSION", launch->fold ? "1" : NULL) &&
              set_variable("MPROF_LIFETIMES", launch->lifetimes ? "1" : NULL) &&
              set_variable("MPROF_SENTINEL", launch->sentinel ? "1" : NULL) &&
              set_variable("MPROF_RECORD", launch->record ? "1" : NULL) &&
              set_variable("MPROF_HELD", launch->held ? "1" : NULL) &&
              set_variable("MPROF_LEAKS", launch->leaks ? "1" : NULL) &&
              set_variable("MPROF_STOPPED", launch->stopped ? "1" : NULL) &&
              set_variable("MPROF_UNWINDER", launch->unwinder) &&
              set_variable("MPROF_ONLY", launch->only) &&
              set_number("MPROF_SIGNAL", launch->signal) && set_kept(launch) &&
              set_number("MPROF_SAMPLE", (long)launch->sample) && set_filters() &&
              set_number("MPROF_DEPTH", (long)launch->depth);

    free(preload);
    return ok;
}

/* ----------------------------------------------------------------- signals */

static const int left_to_child[] = {SIGINT, SIGQUIT};
static const int passed_on[] = {SIGTERM, SIGHUP};
enum { N_LEFT = 2, N_PASSED = 2 };

/* Saved signal actions and mask, which the child restores. */
struct signals {
    struct sigaction left[N_LEFT], passed[N_PASSED], ended;
    sigset_t mask;
};

static volatile sig_atomic_t child_pid;

static void
pass_on(int number)
{
    int saved = errno;

    if (child_pid > 0)
        kill((pid_t)child_pid, number);
    errno = saved;
}

static void
block_all(struct signals *before)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before->mask);
}

/* Installs the signal actions of mprof. The caller has blocked all signals. Ignored signals (nohup) stay ignored,
 * except for SIGCHLD, because the status of the child is needed. */
static void
take_signals(struct signals *before)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    struct sigaction usual = {.sa_handler = SIG_DFL};

    child_pid = 0;
    sigaction(SIGCHLD, &usual, &before->ended);
    for (size_t i = 0; i < N_LEFT; i++)
        sigaction(left_to_child[i], &ignore, &before->left[i]);
    for (size_t i = 0; i < N_PASSED; i++) {
        sigaction(passed_on[i], NULL, &before->passed[i]);
        if (before->passed[i].sa_handler != SIG_IGN)
            sigaction(passed_on[i], &pass, NULL);
    }
}

static void
give_signals_back(const struct signals *before)
{
    for (size_t i = 0; i < N_LEFT; i++)
        sigaction(left_to_child[i], &before->left[i], NULL);
    for (size_t i = 0; i < N_PASSED; i++)
        sigaction(passed_on[i], &before->passed[i], NULL);
    sigaction(SIGCHLD, &before->ended, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* --------------------------------------------------------------------- run */

/* Executes the program. Runs in the child. On failure writes errno to REPORT, a pipe to the parent that a successful
 * exec closes. */
_Noreturn static void
become_program(const struct mp_launch *launch, const uint64_t run_id[2],
               const struct signals *before, int report)
{
    int number;
    ssize_t n;

    give_signals_back(before);
    if (set_environment(launch, run_id))
        execvp(launch->path, launch->argv);
    number = errno;
    n = write(report, &number, sizeof number);
    _exit(n == sizeof number ? MP_EXIT_CANNOT_RUN : MP_EXIT_NOT_FOUND);
}

static bool
cannot_start(const struct mp_launch *launch, int number, int *status, struct mp_error *error)
{
    *status = number == ENOENT ? MP_EXIT_NOT_FOUND : MP_EXIT_CANNOT_RUN;
    return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: %s", launch->path, strerror(number));
}

/* Reads the name of the process PID, which has ended and was not reaped. */
static void
read_last_name(pid_t pid, char name[static 16])
{
    char path[64];
    FILE *file;
    size_t n;

    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    file = fopen(path, "re");
    if (!file)
        return;
    n = fread(name, 1, 15, file);
    fclose(file);
    name[n] = '\0';
    name[strcspn(name, "\n")] = '\0';
    for (char *c = name; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

static bool
wait_for(pid_t pid, struct mp_launched *result)
{
    siginfo_t ended;
    int status;

    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) < 0)
        if (errno != EINTR)
            return false;
    child_pid = 0;              /* from waitpid() on, another process may get that number */
    read_last_name(pid, result->last_name);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    result->killed = WIFSIGNALED(status);
    result->status = result->killed ? WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

/* Forks and executes the program. Returns its pid, or 0 if fork failed. Stores the error number of either in *NUMBER,
 * or 0. */
static pid_t
start(const struct mp_launch *launch, const uint64_t run_id[2], struct signals *before, int *number)
{
    pid_t pid;
    int ends[2];

    *number = 0;
    fflush(NULL);
    block_all(before);
    take_signals(before);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *number = errno;
        return 0;
    }
    pid = fork();
    if (pid == 0)
        become_program(launch, run_id, before, ends[1]);
    if (pid < 0)
        *number = errno;
    else
        child_pid = pid;
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    close(ends[1]);
    if (pid > 0 && read(ends[0], number, sizeof *number) != sizeof *number)
        *number = 0;
    close(ends[0]);
    return pid > 0 ? pid : 0;
}

/* Observes process PID until it ends. If memory runs out, stops observing: the program must not notice. */
static void
observe(struct mp_observer *observer, pid_t pid)
{
    jmp_buf no_memory;

    if (setjmp(no_memory) == 0) {
        mp_when_no_memory(&no_memory);
        mp_observer_watch(observer, pid, -1, NULL);
    }
    mp_when_no_memory(NULL);
}

bool
mp_launch_run(const struct mp_launch *launch, struct mp_launched *result, int *status,
              struct mp_error *error)
{
    uint64_t from = mp_now();
    struct signals before;
    int number;

    *result = (struct mp_launched){0};
    if (getrandom(result->run_id, sizeof result->run_id, 0) != sizeof result->run_id)
        return cannot_start(launch, errno, status, error);
    result->pid = start(launch, result->run_id, &before, &number);
    if (result->pid > 0 && number == 0 && launch->observer) {
        launch->observer->run_id = result->run_id;
        observe(launch->observer, result->pid);
    }
    if (result->pid > 0 && !wait_for(result->pid, result) && number == 0)
        number = errno;
    give_signals_back(&before);
    if (number != 0)
        return cannot_start(launch, number, status, error);
    result->duration = mp_now() - from;
    return true;
}
