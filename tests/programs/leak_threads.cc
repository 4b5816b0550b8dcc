/*
 * leak_threads.cc -- threads that have ended, are running, or have not started when the process ends or is asked for
 * leaks.
 *
 *     leak_threads HOW [wait]
 *
 * Nothing is lost except where HOW says so. With "wait" the program prints "ready", and goes on allocating until its
 * input ends.
 *
 * thread, async, detached, cancelled: 50 threads have ended in this way; glibc keeps their stacks;
 * unborn: threads were created, whose start routines get the only pointer to their arguments, and the process ends;
 * unjoined: a thread has ended, and its result was not collected by pthread_join();
 * dropped: the thread that joins another one loses the result, 3001 bytes.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "program.h"

enum { THREADS = 50 };

static void *
work(void *argument)
{
    std::free(argument);
    free(std::malloc(100));
    return nullptr;
}

static bool
are_alone()
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;

    while (readdir(tasks))
        n++;
    closedir(tasks);
    return n == 3;              /* ".", "..", this one */
}

static void *
until_cancelled(void *argument)
{
    work(argument);
    for (;;)
        pause();
}

static void *
never_seen(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static void *
make_result(void *size)
{
    return std::malloc(reinterpret_cast<std::size_t>(size));
}

static FRAME void
threads(const char *how)
{
    std::vector<std::thread> all;
    std::vector<std::future<void *>> results;
    std::vector<pthread_t> handles;

    for (int i = 0; i < THREADS; i++) {
        void *argument = std::malloc(200);
        pthread_t handle;

        if (std::strcmp(how, "thread") == 0) {
            all.emplace_back(work, argument);
        } else if (std::strcmp(how, "async") == 0) {
            results.push_back(std::async(std::launch::async, work, argument));
        } else if (std::strcmp(how, "detached") == 0) {
            std::thread(work, argument).detach();
        } else {
            if (pthread_create(&handle, nullptr, until_cancelled, argument) != 0)
                std::abort();
            handles.push_back(handle);
        }
    }
    for (auto &one : all)
        one.join();
    for (auto &one : results)
        one.get();
    for (pthread_t one : handles) {
        pthread_cancel(one);
        pthread_join(one, nullptr);
    }
    while (!are_alone())
        usleep(1000);
}

static FRAME void
unborn()
{
    cpu_set_t one;

    /* On other processors they would run before the process ends. */
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < 4; i++) {
        pthread_t handle;

        if (pthread_create(&handle, nullptr, never_seen, std::malloc(2101)) != 0)
            std::abort();
    }
}

static FRAME pthread_t
make(std::size_t size)
{
    pthread_t handle;

    if (pthread_create(&handle, nullptr, make_result, reinterpret_cast<void *>(size)) != 0)
        std::abort();
    return handle;
}

static FRAME void
unjoined()
{
    make(2201);
    while (!are_alone())
        usleep(1000);
}

static FRAME void
dropped()
{
    void *result;

    pthread_join(make(3001), &result);
}

int
main(int argc, char **argv)
{
    char c;

    if (argc < 2)
        return 2;
    if (std::strcmp(argv[1], "unborn") == 0)
        unborn();
    else if (std::strcmp(argv[1], "unjoined") == 0)
        unjoined();
    else if (std::strcmp(argv[1], "dropped") == 0)
        dropped();
    else
        threads(argv[1]);
    if (std::strcmp(argv[1], "unborn") != 0)
        sweep();
    if (argc > 2) {
        say("ready\n");
        do
            std::free(std::malloc(8));
        while (read(0, &c, 1) == 1);
    }
    std::exit(0);
}
/* SPDX-License-Identifier: MIT */
