/*
 * process_ends.cc -- a process at its end, or after what should have ended it: handlers, destructors and faults that
 * allocate.
 *
 *     process_ends HOW       see the table at the end
 *
 * Prints, as late as possible, the sums of what block() allocated; see books.h.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include <exception>
#include <new>
#include <stdexcept>

#include "books.h"

namespace {

FRAME void
work(int n)
{
    for (int i = 0; i < n; i++) {
        void *made = block(&books[0], 30);

        if (i % 2)
            unblock(&books[0], made, 30);
    }
}

void
last_words()
{
    work(4);
    books_say();
}

/* ---------------------------------------------------------------- exit */

bool talk;                          /* whether the static destructor, which runs in every case, prints the books */

struct at_end {
    ~at_end()
    {
        work(2);
        if (talk)
            books_say();
    }
} static_object;

void
by_exit()
{
    talk = true;
    atexit([] { work(6); });
    on_exit([](int, void *) { work(8); }, nullptr);
    work(10);
    exit(3);
}

void
by_quick_exit()
{
    at_quick_exit(last_words);
    at_quick_exit([] { work(6); });
    work(10);
    quick_exit(4);
}

void
by_exit_in_thread()
{
    pthread_t thread;

    talk = true;
    pthread_create(&thread, nullptr, [](void *) -> void * {
        work(10);
        exit(5);
    }, nullptr);
    pthread_join(thread, nullptr);
}

void
by_exit_in_handler()
{
    talk = true;
    signal(SIGUSR1, [](int) {
        work(10);
        exit(6);
    });
    raise(SIGUSR1);
}

/* ---------------------------------------------------------------- destructors of threads */

struct of_thread {
    ~of_thread() { work(6); }
};

void
by_thread_locals()
{
    talk = true;
    for (int i = 0; i < 100; i++) {
        pthread_t thread;

        pthread_create(&thread, nullptr, [](void *) -> void * {
            static thread_local of_thread object;

            KEEP(&object);
            work(4);
            return nullptr;
        }, nullptr);
        pthread_join(thread, nullptr);
    }
}

/* ---------------------------------------------------------------- exceptions that nobody catches */

FRAME void
thrower(int depth)
{
    work(2);
    if (depth == 0)
        throw std::runtime_error("nobody catches this, and it is too long for a short string");
    thrower(depth - 1);
    KEEP(&depth);
}

void
by_exception()
{
    work(10);
    books_say();
    throw std::runtime_error("nobody catches this");
}

void
by_terminate()
{
    std::set_terminate([] {
        last_words();
        _exit(9);
    });
    thrower(20);
}

/* operator new throws through the frames of the hooks' callers, and new handlers allocate. */
void
by_bad_alloc()
{
    static volatile size_t most = PTRDIFF_MAX;
    static int handled;
    int caught = 0;

    talk = true;
    std::set_new_handler([] {
        work(2);
        if (++handled % 3 == 0)
            throw std::bad_alloc();
    });
    for (int i = 0; i < 200; i++)
        try {
            work(1);
            ::operator delete(::operator new(most));
        } catch (const std::bad_alloc &) {
            caught++;
        }
    say("caught %d\n", caught);
}

/* ---------------------------------------------------------------- faults */

sigjmp_buf home;

void
on_alternate_stack(int number, void (*handler)(int))
{
    static char stack[65536];
    struct sigaction action = {};
    stack_t alternate = {};

    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, nullptr);
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(number, &action, nullptr);
}

FRAME long
overflow(long n)
{
    volatile char room[3000];

    room[n % 3000] = 1;
    n = n >= 0 ? overflow(n + 1) + room[7] : 0;
    KEEP(room);
    return n;
}

FRAME long
overflow_in_malloc(long n)      /* the stack overflows here, in malloc, or in a hook */
{
    volatile char room[1000];

    unblock(&books[0], block(&books[0], 30), 30);
    n = n >= 0 ? overflow_in_malloc(n + 1) + 1 : 0;
    KEEP(room);
    return n;
}

void
by_stack_overflow()
{
    work(10);
    on_alternate_stack(SIGSEGV, [](int) {
        last_words();
        _exit(10);
    });
    overflow(0);
}

/* Where the stack overflows, and what the last call has done by then, differs under mprof. */
void
by_overflow_in_malloc()
{
    on_alternate_stack(SIGSEGV, [](int) {
        work(4);
        siglongjmp(home, 1);
    });
    for (volatile int i = 0; i < 3; i = i + 1)
        if (sigsetjmp(home, 1) == 0)
            overflow_in_malloc(0);
    work(10);
    say("back\n");
    _exit(11);
}

void
by_segv_handler()
{
    static volatile int *nowhere;

    talk = true;
    signal(SIGSEGV, [](int) {
        work(3);
        siglongjmp(home, 1);
    });
    for (volatile int i = 0; i < 100; i = i + 1) {
        work(2);
        if (sigsetjmp(home, 1) == 0)
            *nowhere = 1;
    }
}

void
by_abort_handler()
{
    signal(SIGABRT, [](int) { last_words(); });
    work(10);
    abort();
}

const struct {
    const char *name;
    void (*run)();
} ends[] = {
    {"exit", by_exit}, {"quick_exit", by_quick_exit}, {"exit_in_thread", by_exit_in_thread},
    {"exit_in_handler", by_exit_in_handler}, {"thread_locals", by_thread_locals},
    {"exception", by_exception}, {"terminate", by_terminate}, {"bad_alloc", by_bad_alloc},
    {"stack_overflow", by_stack_overflow}, {"overflow_in_malloc", by_overflow_in_malloc},
    {"segv_handler", by_segv_handler}, {"abort_handler", by_abort_handler},
};

}   // namespace

int
main(int argc, char **argv)
{
    books_open();
    for (auto &end : ends)
        if (argc > 1 && strcmp(end.name, argv[1]) == 0) {
            end.run();
            return 0;
        }
    return 2;
}
/* SPDX-License-Identifier: MIT */
