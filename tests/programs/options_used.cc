/*
 * options_used.cc -- a program for which each option that selects frames or parts of a recording makes a difference.
 * It has long names, a wrapper, a named thread, two sizes, and checkpoints.
 */
#include <cstdlib>
#include <pthread.h>

#include "runtime/mprof.h"

static void *volatile kept;

extern "C" __attribute__((noinline)) void *
xmalloc(size_t size)
{
    return malloc(size);
}

template <typename Key, typename Value> struct Table {
    __attribute__((noinline)) static void
    fill(int n, size_t size)
    {
        for (int i = 0; i < n; i++)
            kept = xmalloc(size);
    }
};

struct Name {};
struct Person {};

__attribute__((noinline)) static void
load()
{
    Table<Name, Person>::fill(5000, 200);
}

__attribute__((noinline)) static void
index_all()
{
    Table<Person, Name>::fill(400, 40);
}

static void *
work(void *data)
{
    pthread_setname_np(pthread_self(), "worker");
    index_all();
    return data;
}

int
main()
{
    pthread_t thread;

    load();
    if (mprof_checkpoint)
        mprof_checkpoint("loaded");
    if (pthread_create(&thread, nullptr, work, nullptr) == 0)
        pthread_join(thread, nullptr);
    if (mprof_checkpoint)
        mprof_checkpoint("indexed");
    return 0;
}
/* SPDX-License-Identifier: MIT */
