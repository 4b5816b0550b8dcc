/*
 * torture.cc -- control flow that is hard for an unwinder, with allocations everywhere.
 *
 *     torture [ROUNDS [THREADS]]      default 20 rounds, 2 threads beside the main one
 *
 * Exceptions, longjmp, siglongjmp out of signal handlers, coroutines (makecontext), signals on the normal and on an
 * alternate stack, every single instruction of a function (by the trap flag), alloca, realigned (AVX) frames, qsort
 * callbacks, virtual calls, deep recursion. A seed for each thread makes the sequence deterministic. Prints "ok".
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "program.h"

namespace {

thread_local uint64_t seed;

unsigned
pick(unsigned n)
{
    return next_random(&seed) % n;
}

FRAME void
touch(size_t size)
{
    void *volatile block = malloc(size);

    if (block == nullptr)
        abort();
    free(block);
}

/* ---------------------------------------------------------------- exceptions */

struct cleanup {                /* allocates while the stack is unwound */
    std::string text;
    explicit cleanup(unsigned n) : text(40 + n, 'c') {}
    ~cleanup() { touch(text.size()); }
};

FRAME void
thrower(unsigned depth)
{
    cleanup guard(depth);

    touch(16);
    if (depth > 0)
        thrower(depth - 1);
    else if (pick(2))
        throw std::runtime_error("a message that is too long for the short-string buffer");
    else
        throw 42;
    KEEP(&guard);
}

FRAME void
catcher(unsigned depth)
{
    try {
        touch(24);
        if (depth > 0)
            catcher(depth - 1);
        else
            thrower(1 + pick(20));
    } catch (const std::exception &error) {
        touch(32);
        if (pick(3) != 0)
            throw;
    } catch (int number) {
        touch(48);
        if (pick(3) != 0)
            throw number + 1;
    }
}

FRAME void
exceptions()
{
    for (int i = 0; i < 20; i++)
        try {
            catcher(pick(8));
            touch(8);
        } catch (...) {
            touch(56);
        }
}

/* ---------------------------------------------------------------- longjmp */

thread_local jmp_buf home;
thread_local sigjmp_buf signal_home;

FRAME void
jumper(unsigned depth)
{
    volatile char pad[80];

    pad[0] = 1;
    touch(20);
    if (depth > 0)
        jumper(depth - 1);
    else if (pick(4) != 0)
        longjmp(home, 1);
    KEEP(pad);
}

FRAME void
jumps()
{
    for (volatile int i = 0; i < 20; i++) {
        if (setjmp(home) == 0)
            jumper(pick(30));
        else
            touch(28);
    }
}

/* ---------------------------------------------------------------- signals */

FRAME void
handler_work(unsigned depth)
{
    touch(36);
    if (depth > 0)
        handler_work(depth - 1);
    touch(37);
    KEEP(&depth);
}

void
on_signal(int)
{
    handler_work(pick(6));
}

void
on_jump_signal(int)
{
    handler_work(pick(4));
    siglongjmp(signal_home, 1);
}

void
on_fault(int, siginfo_t *, void *)      /* leaves the faulting store by a jump */
{
    handler_work(2);
    siglongjmp(signal_home, 2);
}

char *forbidden;                /* a page without write permission */

FRAME void
raiser(unsigned depth, int number)
{
    volatile char pad[48];

    pad[0] = 2;
    touch(44);
    if (depth > 0)
        raiser(depth - 1, number);
    else if (number == SIGSEGV)
        *(volatile char *)forbidden = 1;
    else
        raise(number);
    touch(45);
    KEEP(pad);
}

FRAME void
signals()
{
    static const int numbers[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGSEGV};

    for (volatile int i = 0; i < 30; i++) {
        if (sigsetjmp(signal_home, 1) == 0)
            raiser(pick(12), numbers[pick(5)]);
        else
            touch(52);
    }
}

/* ---------------------------------------------------------------- every instruction */

#ifdef __x86_64__
thread_local volatile unsigned steps;
thread_local volatile bool stepping;

/* Called after each instruction while the trap flag is set. Clears the flag itself, so that the traced code contains
 * only the compiler's own instructions, whose unwind tables are right. */
void
on_step(int, siginfo_t *, void *context)
{
    steps = steps + 1;
    touch(33);
    if (!stepping)
        static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
}

/* The first trap comes after the last instruction of this macro. */
#define SET_TRAP()                                                                                 \
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orl $0x100, (%%rsp); popfq; "                \
                     "lea 128(%%rsp), %%rsp" ::: "cc", "memory")

/* Has pushed registers, a frame pointer and a call, so that traps go through each prologue and epilogue. */
FRAME long
stepped_leaf(long a, long b)
{
    volatile long c[6] = {a, b};

    return c[0] * c[1] + c[2];
}

FRAME long
stepped(long n)
{
    char *room = static_cast<char *>(alloca(static_cast<size_t>(16 + n * 8)));
    volatile long sum = 0;

    for (long i = 0; i < 2; i++) {
        room[i] = static_cast<char>(i);
        sum = sum + stepped_leaf(n + i, sum + room[i]);
    }
    return sum;
}

FRAME void
single_steps()
{
    volatile long result;

    steps = 0;
    stepping = true;
    SET_TRAP();
    result = stepped(3);
    stepping = false;
    KEEP(&result);              /* traps end here or just after the flag is cleared */
    if (steps < 20)
        abort();
    KEEP(&result);
}
#else
void
single_steps()
{
}
#endif

/* ---------------------------------------------------------------- frames */

FRAME void
with_alloca(unsigned depth)
{
    size_t size = 16 + pick(400);
    char *room = static_cast<char *>(alloca(size));

    memset(room, 1, size);
    touch(size);
    if (depth > 0)
        with_alloca(depth - 1);
    touch(size + 1);
    KEEP(room);
}

FRAME void
realigned(unsigned depth)       /* rounds rsp down, so that the frame is found through rbp or r10 */
{
    alignas(64) volatile char line[128];
    char *room = static_cast<char *>(alloca(32 + pick(100)));

    line[0] = 1;
    room[0] = 2;
    touch(64);
    if (depth > 0)
        realigned(depth - 1);
    else
        with_alloca(3);
    if (reinterpret_cast<uintptr_t>(line) % 64 != 0)
        abort();
    KEEP(line);
    KEEP(room);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) FRAME double
with_vectors(unsigned depth, double start)
{
    typedef double vector __attribute__((vector_size(32)));
    volatile vector sums[4] = {{start}, {1, 2, 3, 4}};
    double rest;

    touch(72);
    rest = depth > 0 ? with_vectors(depth - 1, start + 1) : 0;
    sums[2] = sums[0] + sums[1];
    touch(73);
    return sums[2][3] + rest;
}
#endif

FRAME void
frames()
{
    with_alloca(pick(10));
    realigned(pick(10));
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        with_vectors(pick(10), 1.5);
#endif
}

/* ---------------------------------------------------------------- callbacks */

struct shape {
    virtual ~shape() {}
    virtual void draw(unsigned depth) = 0;
};

struct box : shape {
    FRAME void draw(unsigned depth) override;
};

struct ring : shape {
    FRAME void draw(unsigned depth) override;
};

void
box::draw(unsigned depth)
{
    std::unique_ptr<shape> next(new ring);

    if (depth > 0)
        next->draw(depth - 1);
}

void
ring::draw(unsigned depth)
{
    std::unique_ptr<shape> next(new box);

    if (depth > 0)
        next->draw(depth - 1);
}

int
compare(const void *a, const void *b)
{
    touch(12);
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

FRAME void
callbacks()
{
    int numbers[400];
    std::map<std::string, std::vector<int>> map;
    std::function<void(unsigned)> again = [&](unsigned n) {
        map["a rather long key, number " + std::to_string(n)].push_back(static_cast<int>(n));
        if (n > 0)
            again(n - 1);
    };

    for (int &number : numbers)
        number = static_cast<int>(pick(1000));
    qsort(numbers, 40, sizeof *numbers, compare);       /* on the stack */
    qsort(numbers, 400, sizeof *numbers, compare);      /* by malloc */
    std::sort(numbers, numbers + 400, [](int a, int b) {
        touch(14);
        return a > b;
    });
    again(pick(20));
    box().draw(pick(20));
}

/* ---------------------------------------------------------------- coroutines */

constexpr unsigned N_COROUTINES = 8;
constexpr size_t STACK = 128 * 1024;

struct coroutine {
    ucontext_t context;
    char *stack;
    bool done;
};

thread_local coroutine routines[N_COROUTINES];
thread_local ucontext_t scheduler;
thread_local coroutine *running;

/* A separate function, so that no thread-local address is kept across the switch. */
FRAME void
yield()
{
    touch(80);
    swapcontext(&running->context, &scheduler);
    touch(81);
}

FRAME void
routine_work(unsigned depth)
{
    volatile char pad[100];

    pad[0] = 3;
    touch(88);
    if (pick(3) == 0)
        yield();
    if (depth > 0)
        routine_work(depth - 1);
    if (pick(4) == 0)
        yield();
    touch(89);
    KEEP(pad);
}

void
routine_main()
{
    for (int i = 0; i < 3; i++)
        routine_work(pick(15));
    running->done = true;
    swapcontext(&running->context, &scheduler);
}

FRAME void
coroutines()
{
    volatile unsigned left = N_COROUTINES;     /* volatile, because compilers assume that getcontext() returns twice */

    for (coroutine &routine : routines) {
        routine.stack = static_cast<char *>(mmap(nullptr, STACK, PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (routine.stack == MAP_FAILED)
            abort();
        getcontext(&routine.context);
        routine.context.uc_stack.ss_sp = routine.stack;
        routine.context.uc_stack.ss_size = STACK;
        routine.context.uc_link = nullptr;
        routine.done = false;
        makecontext(&routine.context, routine_main, 0);
    }
    while (left > 0) {
        running = &routines[pick(N_COROUTINES)];
        if (running->done)
            continue;
        swapcontext(&scheduler, &running->context);
        touch(96);
        left = left - running->done;
    }
    for (coroutine &routine : routines)
        munmap(routine.stack, STACK);
}

/* ---------------------------------------------------------------- depth */

FRAME void
dive(unsigned depth)
{
    if (depth % 512 == 0)
        touch(104);
    if (depth > 0)
        dive(depth - 1);
    if (depth % 700 == 0)
        touch(105);
    KEEP(&depth);
}

/* ---------------------------------------------------------------- all of it */

long rounds;

void *
thread_main(void *argument)
{
    static void (*const parts[])() = {exceptions, jumps,     signals,    single_steps,
                                      frames,     callbacks, coroutines};
    void *stack = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t alternate = {};

    if (stack == MAP_FAILED)
        abort();
    alternate.ss_sp = stack;
    alternate.ss_size = STACK;
    sigaltstack(&alternate, nullptr);
    seed = 1234567 + reinterpret_cast<uintptr_t>(argument);
    for (long i = 0; i < rounds; i++) {
        for (unsigned j = 0; j < 7; j++)
            parts[pick(7)]();
        if (i % 10 == 0)
            dive(2000 + pick(2000));
    }
    alternate.ss_flags = SS_DISABLE;
    sigaltstack(&alternate, nullptr);
    munmap(stack, STACK);
    return nullptr;
}

void
handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {};

    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, nullptr);
}

void
handle_info(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {};

    action.sa_sigaction = handler;
    action.sa_flags = flags | SA_SIGINFO;
    sigaction(number, &action, nullptr);
}

}   // namespace

int
main(int argc, char **argv)
{
    unsigned n_threads = static_cast<unsigned>(number_or(argc > 2 ? argv[2] : nullptr, 2));
    pthread_t threads[16];

    rounds = number_or(argc > 1 ? argv[1] : nullptr, 20);
    if (n_threads > 16)
        return 2;
    forbidden = static_cast<char *>(
        mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    handle(SIGUSR1, on_signal, 0);
    handle(SIGUSR2, on_signal, SA_ONSTACK);
    handle(SIGALRM, on_jump_signal, 0);
    handle(SIGVTALRM, on_jump_signal, SA_ONSTACK);
    handle_info(SIGSEGV, on_fault, SA_ONSTACK);
#ifdef __x86_64__
    handle_info(SIGTRAP, on_step, 0);
#endif
    for (unsigned i = 0; i < n_threads; i++)
        if (pthread_create(&threads[i], nullptr, thread_main, reinterpret_cast<void *>(i + 1ul)))
            return 3;
    thread_main(nullptr);
    for (unsigned i = 0; i < n_threads; i++)
        pthread_join(threads[i], nullptr);
    say("ok\n");
    return 0;
}
/* SPDX-License-Identifier: MIT */
