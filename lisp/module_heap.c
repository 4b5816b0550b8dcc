/* SPDX-License-Identifier: MIT */
/*
 * module_heap.c -- snapshots of the heap.
 */
#include "lisp_module.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

static bool
text(cl_object string, char *room, size_t size)
{
    return string == ECL_NIL || mp_module_path(string, room, size);
}

/* Returns an errno value if RESULT is an error, or else PATH as a new string. */
static cl_object
answer(long result, const char *path)
{
    cl_object name;
    uint32_t saved;

    if (result < 0)
        return ecl_make_fixnum(-result);
    saved = mp_module_monitor->pause();
    name = mp_module_string(path);
    mp_module_monitor->resume(saved);
    return name;
}

cl_object
mp_module_heap(cl_object name, cl_object file, bool collect, bool in_place, bool wait, bool strings)
{
    char path[2 * PATH_MAX] = "";       /* zeroed, because the collector scans the stack and must not find old words */
    char called[256] = "", plain[PATH_MAX] = "";
    long result;

    if (!text(file, plain, sizeof plain) || !text(name, called, sizeof called))
        return ecl_make_fixnum(ENAMETOOLONG);
    result = mp_module_monitor->heap(called, plain, collect, in_place, wait, strings, path, sizeof path);
    return answer(result, path);
}

cl_object
mp_module_heap_to_read(cl_object file)
{
    char path[2 * PATH_MAX] = "";
    char plain[PATH_MAX];

    if (!mp_module_path(file, plain, sizeof plain))
        return ecl_make_fixnum(ENAMETOOLONG);
    return answer(mp_module_monitor->heap_to_read(plain, path, sizeof path), path);
}

cl_object
mp_module_heap_problem(int error)
{
    switch (error) {
    case ENOTSUP:
        return mp_module_string("this ECL is not one whose heap can be read");
    case ECANCELED:
        return mp_module_string("nothing was collected, or the file was not written to its end");
    case E2BIG:
        return mp_module_string("there are more mappings, threads or compiled files than there is room for");
    case EBUSY:
        return mp_module_string("others are being written");
    default:
        return mp_module_strerror(error);
    }
}
