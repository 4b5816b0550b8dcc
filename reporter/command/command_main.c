#include "command_main.h"

#include <fcntl.h>
#include <locale.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "option_table.h"
#include "reporter/base/progress.h"
#include "reporter/base/term.h"

/* ---------------------------------------------------------------- the stack */

#define SMALL_STACK ((rlim_t)1 << 20)   /* stack limit below which OWN_STACK is used, bytes */
#define OWN_STACK   ((size_t)8 << 20)

static struct {
    int (*commands)(int argc, char **argv, struct mp_error *error);
    int argc, status;
    char **argv;
    struct mp_error *error;
} call;

static void
run_call(void)
{
    call.status = call.commands(call.argc, call.argv, call.error);
}

/* Runs the commands. If the process's stack limit is small, they get a stack of their own, because libdw alone takes
 * 160 KiB for a line table. The limit itself is not changed, because started programs inherit it. */
static int
run_commands(void)
{
    ucontext_t here, there;
    struct rlimit limit;
    void *stack = MAP_FAILED;

    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < SMALL_STACK)
        stack = mmap(NULL, OWN_STACK, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || getcontext(&there) != 0) {
        run_call();
        return call.status;
    }
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = OWN_STACK;
    there.uc_link = &here;
    makecontext(&there, run_call, 0);
    swapcontext(&here, &there);
    return call.status;
}

/* ---------------------------------------------------------------- the program */

/* Opens standard streams that are closed, so that no file of mprof gets their numbers and then messages meant for
 * stderr. Reading and writing them still fails, and a program that mprof starts finds them closed. */
static void
reserve_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int
mp_program(int argc, char **argv, int (*commands)(int argc, char **argv, struct mp_error *error))
{
    struct mp_error error = {.code = MP_ERR_NONE, .offset = MP_NO_OFFSET};
    struct mp_pager none = {0};
    int status;

    reserve_streams();
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    mp_progress_want();
    call.commands = commands;
    call.argc = argc;
    call.argv = argv;
    call.error = &error;
    status = run_commands();
    if (error.code == MP_ERR_NONE && !mp_pager_finish(&none, &error))
        status = status == 0 ? MP_EXIT_ERROR : status;
    if (error.code != MP_ERR_NONE)
        mp_error_print(&error);
    return status;
}
