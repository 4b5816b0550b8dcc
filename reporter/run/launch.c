/* SPDX-License-Identifier: MIT */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload.h"
#include "preloadable.h"
#include "reporter/base/arena.h"
#include "reporter/base/clock.h"
#include "reporter/file/live_writer.h"
#include "reporter/profile/ending.h"
#include "runtime/runner_message.h"

/* ------------------------------------------------------------- environment */

/* Sets the variable NAME to VALUE, or removes the variable if VALUE is NULL. So a variable of mprof's own environment
 * does not affect the program if an option of mprof run corresponds to it. */
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

/* Returns the number of seccomp filters of mprof itself. A process with the same number can be recorded, and a process
 * with more filters cannot. Linux before 5.9 does not count filters; then returns 1 if there are any. */
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
set_run(const struct mp_launch *launch, const uint64_t run_id[2])
{
    uint32_t pid = (uint32_t)getppid();
    char text[80 + 9 * MP_CODE_MOUNTS];
    int n;

    /* The length is constant, so that a program that copies its environment allocates the same in each run. */
    n = snprintf(text, sizeof text, "%016" PRIx64 ".%016" PRIx64 ".%08" PRIx32 ".%016" PRIx64, run_id[0],
                 run_id[1], pid, mp_process_start_ticks(pid));
    for (unsigned i = 0; i < MP_CODE_MOUNTS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, ".%08" PRIx32,
                      launch->listener ? launch->listener->mounts[i] : UINT32_MAX);
    return set_variable("MPROF_RUN", text);
}

/* Sets MPROF_RUNNER to the descriptor of the socket to LISTENER and its inode, see runtime/system/runner.h. Removes it
 * if there is no socket. */
static bool
set_runner(const struct mp_listener *listener)
{
    const int descriptor = listener ? mp_listener_pass(listener) : -1;
    char text[40];

    if (descriptor < 0)
        return set_variable("MPROF_RUNNER", NULL);
    snprintf(text, sizeof text, "%08x.%016" PRIx64, (unsigned)descriptor, listener->inode);
    return set_variable("MPROF_RUNNER", text);
}

/* Sets the variables for which options were given and which otherwise keep their values from mprof's environment. */
static bool
set_kept(const struct mp_launch *launch)
{
    return (!launch->no_arguments || set_variable("MPROF_ARGUMENTS", "0")) &&
           (!launch->labels || set_variable("MPROF_LABELS", launch->labels)) &&
           (!launch->heap_strings || set_variable("MPROF_HEAP_STRINGS", "1")) &&
           (launch->heap_signal == 0 || set_number("MPROF_HEAP_SIGNAL", launch->heap_signal)) &&
           (!launch->heap_every || set_variable("MPROF_HEAP_EVERY", launch->heap_every));
}

/* Sets MPROF_EVEN if the monitor would otherwise remove an odd number of variables, see c-bridge/environment.c. PRELOAD
 * means that the monitor will remove LD_PRELOAD, too. */
static bool
set_even(bool preload)
{
    size_t n = preload;

    if (!set_variable("MPROF_EVEN", NULL))
        return false;
    for (char **at = environ; *at; at++)
        n += strncmp(*at, "MPROF_", 6) == 0;
    return n % 2 == 0 || set_variable("MPROF_EVEN", "1");
}

/* Sets all variables of the monitor. Runs in the child. */
static bool
set_environment(const struct mp_launch *launch, const uint64_t run_id[2])
{
    char *preload = mp_preload_join(launch->library, getenv("LD_PRELOAD"));
    bool ok = preload && set_variable("LD_PRELOAD", preload) &&
              set_variable("MPROF_FILE", launch->template) && set_run(launch, run_id) &&
              set_runner(launch->listener) &&
              set_variable("MPROF_FOLLOW", launch->follow ? "1" : "3") &&
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
              set_number("MPROF_DEPTH", (long)launch->depth) && set_even(strcmp(preload, launch->library) == 0);

    free(preload);
    return ok;
}

/* ----------------------------------------------------------------- signals */

/*
 * While the program runs and afterwards, this process blocks all signals and receives them by sigwaitinfo(2). So no
 * signal can end it before it has returned the program's status. Only signals that stop a job act as usual, because
 * the shell waits until mprof stops, too.
 */

/* Fills SET with the signals that are blocked. */
static void
fill_set(sigset_t *set)
{
    static const int of_jobs[] = {SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};

    sigfillset(set);
    for (size_t i = 0; i < sizeof of_jobs / sizeof *of_jobs; i++)
        sigdelset(set, of_jobs[i]);
}

/* Mask and action of SIGCHLD (`ended`) that mprof had at first, for the program. */
struct signals {
    struct sigaction ended;
    sigset_t mask;
};

/* Blocks all signals except those of jobs. SIGCHLD must not be ignored, because the program's status is needed. */
static void
take_signals(struct signals *before)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t set;

    fill_set(&set);
    sigprocmask(SIG_BLOCK, &set, &before->mask);
    sigaction(SIGCHLD, &usual, &before->ended);
}

static void
give_signals_back(const struct signals *before)
{
    sigaction(SIGCHLD, &before->ended, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* Sends the signal NUMBER, which mprof has received, to the process TO. */
static void
pass_on(int number, pid_t to, bool is_program)
{
    struct sigaction action;

    switch (number) {
    case SIGINT:
    case SIGQUIT:
        if (is_program)         /* the terminal has sent it to the program, too */
            return;
        break;
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:              /* do nothing by default */
    case SIGPIPE:
    case SIGXFSZ:
    case SIGXCPU:               /* concern mprof itself */
        return;
    default:
        break;
    }
    if (sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_IGN)      /* nohup ignores SIGHUP */
        kill(to, number);
}

/* --------------------------------------------------------------------- run */

/* Memory that mprof shares with its child processes. */
struct shared {
    volatile int not_executed;  /* error number if the program could not be executed, or 0 */
    volatile bool begun;        /* a worker knows how the program ended, and works on the recording */
    volatile int given_up;      /* error number if the worker gave up, or 0 */
    volatile int outcome;       /* what launch->work() returned; -1 if it has not returned */
};

struct run {
    const struct mp_launch *launch;
    struct mp_launched *result;
    struct shared *shared;
    struct signals before;
};

/* Executes the program. Runs in the child. */
_Noreturn static void
become_program(const struct run *run)
{
    give_signals_back(&run->before);
    if (set_environment(run->launch, run->result->run_id))
        execvp(run->launch->path, run->launch->argv);
    run->shared->not_executed = errno;
    _exit(MP_EXIT_CANNOT_RUN);
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
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    n = read(fd, name, 15);
    close(fd);
    name[n > 0 ? n : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    for (char *c = name; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

/* Waits until the child process PID, the program or the worker, has ended, and passes on signals meanwhile. If signals
 * cannot be received, waits without passing them on. Continues a worker that something has stopped, because nobody else
 * knows of the worker. Both waitid() and waitpid() return how the process ended; a sandbox may forbid one of them.
 * Returns false and sets errno if both fail. */
static bool
wait_for(pid_t pid, struct mp_launched *result, bool is_program)
{
    siginfo_t end = {0};
    sigset_t set;
    int status;

    fill_set(&set);
    while (waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT | WNOHANG) == 0 && end.si_pid == 0) {
        int number;

        if (!is_program)
            kill(pid, SIGCONT);         /* mprof gets SIGCHLD when it is stopped again */
        number = sigwaitinfo(&set, NULL);
        if (number > 0)
            pass_on(number, pid, is_program);
        else if (errno != EINTR)
            break;
    }
    if (end.si_pid == 0)
        waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT);
    if (is_program)
        read_last_name(pid, result->last_name);
    if (waitpid(pid, &status, 0) == pid) {
        result->killed = WIFSIGNALED(status);
        result->status = result->killed ? WTERMSIG(status) : WEXITSTATUS(status);
    } else if (end.si_pid == pid) {
        result->killed = end.si_code != CLD_EXITED;
        result->status = end.si_status;
    } else {
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ worker */

/*
 * A child process, the worker, observes the program and does all work that follows the program's end. mprof itself only
 * waits, so it returns the program's status even if the worker crashes or is killed.
 */

/* Observes process PID until it ends. If memory runs out, stops observing. */
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

/* Ends the worker because of the error NUMBER. */
_Noreturn static void
give_up(const struct run *run, int number)
{
    run->shared->given_up = number;
    _exit(EXIT_FAILURE);
}

/* Restores in the worker the mask that mprof had at first. First discards the signals that the terminal has sent while
 * the program ran. */
static void
begin_signals(const struct signals *before)
{
    const struct timespec at_once = {0};
    sigset_t set;

    fill_set(&set);
    while (sigtimedwait(&set, NULL, &at_once) > 0)
        continue;
    give_signals_back(before);
}

/* Does the work of the worker. If FROM is a pipe, first observes the program, and then reads from FROM how the program
 * ended. If FROM is negative, the program has ended, and run->result describes the end. */
_Noreturn static void
work(const struct run *run, int from)
{
    jmp_buf no_memory;
    sigset_t bus;

    signal(SIGPIPE, SIG_IGN);   /* writing fails instead */
    signal(SIGXFSZ, SIG_IGN);
    if (run->launch->listener)
        mp_listener_begin(run->launch->listener, run->result->pid);
    if (from >= 0) {
        sigemptyset(&bus);
        sigaddset(&bus, SIGBUS);
        sigprocmask(SIG_UNBLOCK, &bus, NULL);   /* mp_observer_watch() handles it */
        observe(run->launch->observer, run->result->pid);
        if (read(from, run->result, sizeof *run->result) != sizeof *run->result)
            give_up(run, errno);
    }
    run->shared->begun = true;
    begin_signals(&run->before);
    if (setjmp(no_memory) != 0)
        give_up(run, ENOMEM);
    mp_when_no_memory(&no_memory);
    if (run->launch->listener)
        mp_listener_end(run->launch->listener);
    run->shared->outcome = run->launch->work(run->launch->data, run->result);
    mp_when_no_memory(NULL);
    exit(EXIT_SUCCESS);
}

/* Forks a worker that does work() and ends if mprof is killed. Returns its pid, or -1 and sets errno. */
static pid_t
fork_worker(const struct run *run, int from)
{
    const pid_t parent = getpid(), pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    work(run, from);
}

/* Forks a worker that observes the program, and stores in *TO the pipe from which it reads how the program ended.
 * Returns its pid, 0 if the program is not to be observed, or -1 if that is impossible; then errno is set. */
static pid_t
fork_observer(const struct run *run, int *to)
{
    struct mp_observer *observer = run->launch->observer;
    int ends[2], number;
    pid_t pid;

    if (!observer || (observer->size == 0 && !run->launch->listener))
        return 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    observer->run_id = run->result->run_id;
    pid = fork_worker(run, ends[0]);
    number = errno;
    close(ends[0]);
    errno = number;
    *to = ends[1];
    return pid;
}

/* Waits for the worker PID, and writes to WHY how it ended. If PID is negative, the worker could not be forked, and WHY
 * becomes the text of the error number NUMBER. Returns WHY. */
static const char *
end_of(pid_t pid, int number, char why[static MP_ENDING_SIZE])
{
    struct mp_launched end;

    if (pid > 0 && wait_for(pid, &end, false))
        return mp_ending_text(&(struct mp_meta){.ending = end.killed ? MP_END_SIGNAL : MP_END_EXITED,
                                                .status = end.status}, why);
    snprintf(why, MP_ENDING_SIZE, "%s", strerror(pid > 0 ? errno : number));
    return why;
}

/* Returns why the worker ended before its work was done, where WHY is the text of end_of(). */
static const char *
failure(const struct run *run, const char *why)
{
    return run->shared->given_up != 0 ? strerror(run->shared->given_up) : why;
}

/* Makes a worker do the work after the end of the program. OBSERVER is the result of fork_observer(), with errno NUMBER
 * and the pipe TO. If the observer ends before it has begun this work (shared->begun), another worker does the work,
 * without observations. A successful write to the pipe does not prove that the observer lives, because a killed process
 * has the pipe open until its last thread has ended. */
static void
finish(const struct run *run, pid_t observer, int number, int to)
{
    char why[MP_ENDING_SIZE];

    if (observer > 0 && write(to, run->result, sizeof *run->result) != sizeof *run->result)
        kill(observer, SIGKILL);
    if (observer != 0)
        end_of(observer, number, why);
    if (!run->shared->begun) {
        pid_t worker;

        if (observer != 0)
            fprintf(stderr, "mprof: observing the program failed: %s\n", failure(run, why));
        run->shared->given_up = 0;
        worker = fork_worker(run, -1);
        end_of(worker, errno, why);
    }
    if (run->shared->outcome < 0)
        fprintf(stderr, "mprof: sealing or reporting failed: %s; mprof report reads what was recorded\n",
                failure(run, why));
}

bool
mp_launch_run(const struct mp_launch *launch, struct mp_launched *result, int *status,
              struct mp_error *error)
{
    const uint64_t from = mp_now();
    struct run run = {.launch = launch, .result = result};
    pid_t observer;
    int number, to = -1;

    *result = (struct mp_launched){0};
    run.shared = mmap(NULL, sizeof *run.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run.shared == MAP_FAILED || getrandom(result->run_id, sizeof result->run_id, 0) != sizeof result->run_id)
        return cannot_start(launch, errno, status, error);
    run.shared->outcome = -1;
    if (launch->listener)
        mp_listener_open(launch->listener, launch->path, launch->template, result->run_id, launch->observer,
                         launch->early);
    fflush(NULL);
    take_signals(&run.before);
    result->pid = fork();
    if (result->pid == 0)
        become_program(&run);
    if (result->pid < 0)
        return cannot_start(launch, errno, status, error);
    observer = fork_observer(&run, &to);
    number = errno;
    if (launch->listener && launch->listener->theirs >= 0)
        close(launch->listener->theirs);
    if (!wait_for(result->pid, result, true))
        return cannot_start(launch, errno, status, error);
    if (run.shared->not_executed != 0) {
        if (observer > 0)
            kill(observer, SIGKILL);
        return cannot_start(launch, run.shared->not_executed, status, error);
    }
    result->duration = mp_now() - from;
    if (launch->work)
        finish(&run, observer, number, to);
    *status = run.shared->outcome;
    return true;
}
