/*
 * stack_depths.c -- allocations at known depths of the stack.
 *
 *     stack_depths HOW [HOW...]
 *
 * Each HOW is one of the functions in `ways`, below. Prints "NAME BYTES" for main and for each thread: how far the
 * lowest stack pointer at a call of malloc was below the stack pointer at the program's start, or, in a thread, below
 * the frame of its first function. The distance between that frame and the start of the thread is the same in all
 * threads.
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "program.h"
#include "runtime/mprof.h"

#define STACK (1u << 20)

extern const void *__libc_stack_end;

static _Thread_local uintptr_t lowest = UINTPTR_MAX;

/* Allocates a block. The stack pointer is that of the call of malloc. */
static FRAME void
allocate(int counts)
{
    uintptr_t sp;
    void *block = malloc(24);

#ifdef __x86_64__
    __asm__ volatile("movq %%rsp, %0" : "=r"(sp));
#else
    sp = (uintptr_t)__builtin_frame_address(0);
#endif
    if (counts && sp < lowest)
        lowest = sp;
    free(block);
    KEEP(block);
}

static FRAME void
descend(long level, int counts)
{
    char room[100];

    KEEP(room);
    if (level > 0)
        descend(level - 1, counts);
    else
        allocate(counts);
    KEEP(room);
}

/* ------------------------------------------------------------------ main */

static void
shallow(void)
{
    descend(3, 1);
}

static void
deep(void)
{
    descend(500, 1);
    descend(20, 1);
}

/* Allocates deeper and deeper, and once again with other callers. */
static void
deeper(void)
{
    for (long level = 0; level < 300; level++)
        descend(level, 1);
    shallow();
}

static FRAME void
large_frame(size_t size)
{
    char *room = alloca(size);

    KEEP(room);
    descend(2, 1);
    KEEP(room);
}

static void
large(void)
{
    large_frame(300000);
}

/* ------------------------------------------------------------------ jumps and signals */

static sigjmp_buf back;
static volatile int jumps, counting;

static void
on_signal(int number)
{
    (void)number;
    descend(200, counting);
    if (jumps)
        siglongjmp(back, 1);
}

static void
handle(int flags)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};

    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 4; i++) {
        if (sigsetjmp(back, 1) == 0)
            raise(SIGUSR1);
        descend(i, 1);
    }
}

static void
signals(void)
{
    counting = 1;
    handle(0);
}

static void
jump(void)
{
    jumps = 1;
    signals();
}

static void
use_alternate(void *memory)
{
    const stack_t stack = {.ss_sp = memory, .ss_size = STACK};

    sigaltstack(&stack, NULL);
    counting = 0;
    handle(SA_ONSTACK);
}

static void
alternate(void)
{
    static char memory[STACK];

    use_alternate(memory);
}

/* The alternate stack is part of a frame of the normal stack. */
static FRAME void
within(void)
{
    char *memory = alloca(STACK);

    use_alternate(memory);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    KEEP(memory);
}

/* ------------------------------------------------------------------ coroutines */

static ucontext_t outside, inside;

static void
coroutine_body(void)
{
    for (;;) {
        descend(400, 0);
        swapcontext(&inside, &outside);
    }
}

static void
coroutine(void)
{
    getcontext(&inside);
    inside.uc_stack.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    inside.uc_stack.ss_size = STACK;
    makecontext(&inside, coroutine_body, 0);
    for (int i = 0; i < 4; i++) {
        swapcontext(&outside, &inside);
        descend(i, 1);
    }
}

/* ------------------------------------------------------------------ threads */

static void
say_thread(const char *name, const char *frame)
{
    say("%s %lu\n", name, (unsigned long)((uintptr_t)frame - lowest));
}

/* The child has only the thread that called fork, and its stack. */
static void
fork_child(long level, const char *frame)
{
    if (fork() == 0) {
        descend(2 * level, 1);
        say_thread("child", frame);
        _exit(0);
    }
    wait(NULL);
}

#define THREAD(name, body)                                                                         \
    static void *name(void *argument)                                                              \
    {                                                                                              \
        const long level = (long)argument;                                                         \
                                                                                                   \
        KEEP(level);                                                                               \
        body;                                                                                      \
        say_thread(#name, __builtin_frame_address(0));                                             \
        return NULL;                                                                               \
    }

THREAD(probe, descend(level, 1))
THREAD(worker, descend(level, 1))
THREAD(user, descend(level, 1))
THREAD(guest, coroutine(); descend(level, 1))
THREAD(parent, descend(level, 1); fork_child(level, __builtin_frame_address(0)))

static void
run(void *(*function)(void *), long level, void *memory)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    if (memory)
        pthread_attr_setstack(&attributes, memory, STACK);
    if (pthread_create(&thread, &attributes, function, (void *)level) != 0)
        _exit(98);
    pthread_join(thread, NULL);
}

static void
threads(void)
{
    run(probe, 0, NULL);
    for (long level = 10; level <= 40; level += 10)
        run(worker, level, NULL);
}

static void
own_memory(void)
{
    static _Alignas(4096) char memory[STACK];

    run(probe, 0, NULL);
    run(user, 77, memory);
}

static void
guests(void)
{
    run(probe, 0, NULL);
    run(guest, 9, NULL);
}

static void
parents(void)
{
    run(probe, 0, NULL);
    run(parent, 30, NULL);
}

static void
many(void)
{
    for (long i = 0; i < 1500; i++)
        run(worker, i % 50, NULL);
}

static void *
waiting(void *barrier)
{
    descend(5, 1);
    pthread_barrier_wait(barrier);
    return NULL;
}

static void
together(void)
{
    pthread_barrier_t barrier;
    pthread_t thread[20];

    pthread_barrier_init(&barrier, NULL, 21);
    for (int i = 0; i < 20; i++)
        pthread_create(&thread[i], NULL, waiting, &barrier);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 20; i++)
        pthread_join(thread[i], NULL);
}

/* ------------------------------------------------------------------ how it ends */

static void
say_main(void)
{
    say("main %lu\n", (unsigned long)((uintptr_t)__libc_stack_end - lowest));
}

static void
killed(void)
{
    say_main();
    raise(SIGKILL);
}

static void
waits(void)
{
    say_main();
    pause();
}

/* Begins a recording after the stack was deeper. */
static void
anew(void)
{
    lowest = UINTPTR_MAX;
    if (mprof_restart && mprof_restart("anew.data") != 0)
        _exit(97);
    shallow();
}

static const struct {
    const char *name;
    void (*function)(void);
} ways[] = {
    {"shallow", shallow}, {"deep", deep}, {"deeper", deeper}, {"large", large},
    {"signals", signals}, {"jump", jump}, {"alternate", alternate}, {"within", within},
    {"coroutine", coroutine}, {"threads", threads}, {"own_memory", own_memory}, {"guests", guests},
    {"parents", parents}, {"many", many}, {"together", together}, {"killed", killed},
    {"waits", waits}, {"anew", anew},
};

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
            if (strcmp(argv[i], ways[way].name) == 0)
                ways[way].function();
    if (lowest != UINTPTR_MAX)
        say_main();
    return 0;
}
