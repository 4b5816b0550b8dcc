/*
 * lambdas.cc -- functions without names in the source: lambdas, and initialisers of thread-local variables. Tests
 * expect the numbers of the lines.
 */
#include <cstdlib>

struct table {
    void *room = std::malloc(33);
};
extern thread_local table shared;
thread_local table shared;

template <class F>
void
call(F f)
{
    f(1);
}

static void *kept[4];

int
main()
{
    auto first = [](int i) { kept[i] = std::malloc(101); }; /* line 25 */
    auto second = [](int i) { kept[i] = std::malloc(102); };
    auto any = [](auto i) { kept[i] = std::malloc(103); };

    call(first);
    call(second);
    call(any);
    return shared.room == nullptr;
}
/* SPDX-License-Identifier: MIT */
