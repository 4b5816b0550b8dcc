/*
 * module_hold.c -- finds out what keeps an object alive, by a snapshot of the heap.
 *
 * The calling thread itself refers to the object. So its stacks, and the variables in which its REPL remembers
 * values, do not count. Stacks and bindings of other threads do.
 */
#include "lisp_module.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "reporter/api.h"

#define RANGES 256u

struct own {
    struct mp_report_range ranges[RANGES];
    size_t n;
};

static void
add(void *data, uintptr_t start, uintptr_t end)
{
    struct own *own = data;

    if (own->n < RANGES && start && start < end)
        own->ranges[own->n++] = (struct mp_report_range){ start, end };
}

static void
add_stack(struct own *own)
{
    pthread_attr_t attributes;
    void *start;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0)
        add(own, (uintptr_t)start, (uintptr_t)start + size);
    pthread_attr_destroy(&attributes);
}

/* ------------------------------------------------------------------ results */

static uintptr_t
address_of(cl_object object)
{
    return (uintptr_t)object & ~(uintptr_t)3;
}

bool
mp_module_in_heap(cl_object object)
{
    return (!ECL_IMMEDIATE(object) || ECL_CONSP(object)) && address_of(object) &&
           GC_base((void *)address_of(object)) == (void *)address_of(object);
}

static cl_object
steps(const struct mp_report_way *way)
{
    cl_object list = ECL_NIL;

    for (uint32_t i = way->n; i-- > 0;) {
        const struct mp_report_step *step = &way->steps[i];
        cl_object what = mp_module_string(step->what), by = mp_module_string(step->by);

        list = ecl_cons(step->address ? cl_list(4, what, by, ecl_make_unsigned_integer(step->bytes),
                                                ecl_make_unsigned_integer(step->address))
                                      : cl_list(4, what, by, ECL_NIL, ECL_NIL),
                        list);
    }
    return list;
}

static cl_object
ways(const struct mp_report_hold *hold)
{
    cl_object list = ECL_NIL;

    for (uint32_t i = hold->n_ways; i-- > 0;)
        list = ecl_cons(steps(&hold->ways[i]), list);
    return list;
}

cl_object
mp_module_hold(cl_object object, cl_object symbols, cl_object file, uint32_t most)
{
    struct own own = { .n = 0 };
    struct mp_report_hold hold;
    struct mp_error error;
    char path[PATH_MAX];
    cl_object made, result;

    add_stack(&own);
    mp_module_monitor->own_places(symbols, add, &own);
    made = mp_module_heap_to_read(file);
    if (ECL_FIXNUMP(made))
        return made;
    if (!mp_module_path(file, path, sizeof path))
        return ecl_make_fixnum(ENAMETOOLONG);
    if (!mp_report_hold(path, address_of(object), own.ranges, own.n, most, &hold, &error))
        return ecl_cons(mp_module_string(mp_error_string(error.code)), mp_module_string(error.text));
    result = cl_list(6, ecl_make_unsigned_integer(hold.retained), ecl_make_unsigned_integer(hold.retained_objects),
                     mp_module_truth(hold.own), ways(&hold), steps(&hold.cut), mp_module_truth(hold.more));
    mp_report_hold_free(&hold);
    return result;
}
