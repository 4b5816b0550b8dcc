/*
 * own_unwind.c -- prints which objects the program's unwinder and allocator come from.
 *
 * If a preloaded library linked libunwind, it would replace glibc's backtrace() and libgcc's _Unwind_* in the
 * program. Prints `SYMBOL OBJECT` for each function, and whether they work.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <unwind.h>

#include "program.h"

static const char *const symbols[] = {
    "_Unwind_Backtrace", "_Unwind_GetIP",    "_Unwind_Resume",  "_Unwind_RaiseException",
    "_Unwind_Find_FDE",  "__register_frame", "backtrace",       "backtrace_symbols_fd",
    "dl_iterate_phdr",   "dlsym",            "pthread_create",  "setjmp",
    "longjmp",           "sigaction",        "free",            "malloc",
};

static const char *
object_of(const char *symbol)
{
    void *address = dlsym(RTLD_DEFAULT, symbol);
    const char *slash;
    Dl_info info;

    if (address == NULL)
        return "-";
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return "?";
    slash = strrchr(info.dli_fname, '/');
    return slash != NULL ? slash + 1 : info.dli_fname;
}

static _Unwind_Reason_Code
count_frame(struct _Unwind_Context *context, void *count)
{
    if (_Unwind_GetIP(context) == 0)
        return _URC_END_OF_STACK;
    ++*(int *)count;
    return _URC_NO_REASON;
}

static FRAME int
level(int n, int (*leaf)(void))
{
    volatile int frames = n > 1 ? level(n - 1, leaf) : leaf();

    return frames;
}

static FRAME int
by_backtrace(void)
{
    void *frames[200];

    return backtrace(frames, 200);
}

static FRAME int
by_unwind_backtrace(void)
{
    int count = 0;

    _Unwind_Backtrace(count_frame, &count);
    return count;
}

int
main(void)
{
    void *volatile block = malloc(10);

    for (unsigned i = 0; i < sizeof symbols / sizeof *symbols; i++)
        say("%s %s\n", symbols[i], object_of(symbols[i]));
    say("backtrace: %d\n", level(50, by_backtrace));
    say("_Unwind_Backtrace: %d\n", level(50, by_unwind_backtrace));
    free(block);
    return 0;
}
/* SPDX-License-Identifier: MIT */
