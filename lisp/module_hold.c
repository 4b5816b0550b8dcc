/*
 * module_hold.c -- who holds an object: a snapshot of the heap, asked by the reporter.
 *
 * This thread refers to the object by asking, so its stacks do not count, nor does what its REPL remembers.  Where
 * other threads stand, and what they bind, does.
 */
#include "module.h"

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
add(struct own *own, const void *start, const void *end)
{
    if (own->n < RANGES && start && start < end)
        own->ranges[own->n++] = (struct mp_report_range){ (uintptr_t)start, (uintptr_t)end };
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
        add(own, start, (char *)start + size);
    pthread_attr_destroy(&attributes);
}

static bool
is_one_of(cl_object symbol, cl_object symbols)
{
    for (; ECL_CONSP(symbols); symbols = ECL_CONS_CDR(symbols))
        if (ECL_CONS_CAR(symbols) == symbol)
            return true;
    return false;
}

/* The value of SYMBOL outside of all bindings, and in this thread. */
static void
add_values(struct own *own, const struct cl_env_struct *env, cl_object symbol)
{
    add(own, &symbol->symbol.value, &symbol->symbol.value + 1);
#ifdef ECL_THREADS
    if (symbol->symbol.binding < env->thread_local_bindings_size)
        add(own, &env->thread_local_bindings[symbol->symbol.binding],
            &env->thread_local_bindings[symbol->symbol.binding] + 1);
#endif
}

static void
find_own(struct own *own, cl_object symbols)
{
    const struct cl_env_struct *env = ecl_process_env();

    add_stack(own);
    add(own, env, env + 1);
    add(own, env->stack, env->stack_limit);
    add(own, env->frs_org, env->frs_top + 2);
    for (cl_object at = symbols; ECL_CONSP(at); at = ECL_CONS_CDR(at))
        add_values(own, env, ECL_CONS_CAR(at));
    for (const struct ecl_bds_frame *at = env->bds_org; at <= env->bds_top; at++)
        if (is_one_of(at->symbol, symbols))
            add(own, at, at + 1);
}

/* ------------------------------------------------------------------ the answer */

static uintptr_t
address_of(cl_object object)
{
    return (uintptr_t)object & ~(uintptr_t)3;
}

bool
mp_module_in_heap(cl_object object)
{
    return !(ECL_IMMEDIATE(object) && !ECL_LISTP(object)) && address_of(object) &&
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

    find_own(&own, symbols);
    made = mp_module_heap_to_read(file);
    if (ECL_FIXNUMP(made))
        return made;
    if (!mp_module_path(file, path, sizeof path))
        return ecl_make_fixnum(ENAMETOOLONG);
    if (!mp_report_hold(path, address_of(object), own.ranges, own.n, most, &hold, &error))
        return ecl_cons(mp_module_string(mp_error_string(error.code)), mp_module_string(error.text));
    result = cl_list(6, ecl_make_unsigned_integer(hold.retained), ecl_make_unsigned_integer(hold.retained_objects),
                     hold.own ? ECL_T : ECL_NIL, ways(&hold), steps(&hold.cut), hold.more ? ECL_T : ECL_NIL);
    mp_report_hold_free(&hold);
    return result;
}
