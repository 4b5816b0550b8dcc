/* SPDX-License-Identifier: MIT */
/*
 * module_hold.c -- finds out what is in the heap and what keeps an object alive, by a snapshot of the heap.
 *
 * The calling thread itself refers to the object. So its stacks, and the variables in which its REPL remembers
 * values, do not count. Stacks and bindings of other threads do.
 */
#include "lisp_module.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

static cl_object
failure(const struct mp_error *error)
{
    return ecl_cons(mp_module_string(mp_error_string(error->code)), mp_module_string(error->text));
}

/* Makes a snapshot in FILE, and fills OWN and PATH. Returns ECL_NIL, or an errno value as a fixnum. */
static cl_object
make(cl_object file, cl_object symbols, struct own *own, char path[static PATH_MAX])
{
    cl_object made;

    add_stack(own);
    mp_module_monitor->own_places(symbols, add, own);
    made = mp_module_heap_to_read(file);
    if (ECL_FIXNUMP(made))
        return made;
    return mp_module_path(file, path, PATH_MAX) ? ECL_NIL : ecl_make_fixnum(ENAMETOOLONG);
}

cl_object
mp_module_hold(cl_object object, cl_object symbols, cl_object file, uint32_t most)
{
    struct own own = { .n = 0 };
    struct mp_report_hold hold;
    struct mp_error error;
    char path[PATH_MAX];
    cl_object made = make(file, symbols, &own, path), result;

    if (ECL_FIXNUMP(made))
        return made;
    if (!mp_report_hold(path, address_of(object), own.ranges, own.n, most, &hold, &error))
        return failure(&error);
    result = cl_list(6, ecl_make_unsigned_integer(hold.retained), ecl_make_unsigned_integer(hold.retained_objects),
                     mp_module_truth(hold.own), ways(&hold), steps(&hold.cut), mp_module_truth(hold.more));
    mp_report_hold_free(&hold);
    return result;
}

/* ------------------------------------------------------------------ what is in the heap */

static cl_object
value_of(const struct mp_table_column *column, const struct mp_value *value)
{
    const intptr_t number = value->negative ? -(intptr_t)value->number : (intptr_t)value->number;

    if (!value->known || (value->blank && column->unit == MP_UNIT_ADDRESS))
        return ECL_NIL;
    if (column->unit == MP_UNIT_TEXT)
        return mp_module_string(value->text);
    return column->unit == MP_UNIT_TENTHS ? ecl_make_double_float((double)number / 10) : ecl_make_fixnum(number);
}

/* Returns the row with VALUES, or the keys of the columns if VALUES is NULL. */
static cl_object
row_of(const struct mp_table_kind *kind, const struct mp_value *values)
{
    cl_object list = ECL_NIL;

    for (size_t i = kind->n_columns; i-- > 0;)
        if (kind->columns[i].key)
            list = ecl_cons(values ? value_of(&kind->columns[i], &values[i]) : mp_module_string(kind->columns[i].key),
                            list);
    return list;
}

static cl_object
table_of(const struct mp_table *table)
{
    cl_object rows = ECL_NIL;

    for (uint32_t i = table->n_rows; i-- > 0;)
        rows = ecl_cons(row_of(table->kind, table->rows[i].values), rows);
    return ecl_cons(mp_module_string(table->kind->key), ecl_cons(row_of(table->kind, NULL), rows));
}

/* Converts STRING, which may be ECL_NIL, to UTF-8. Returns false if memory has run out. The caller frees *TEXT. */
static bool
to_text(cl_object string, char **text)
{
    const size_t size = string == ECL_NIL ? 0 : 4 * (size_t)ecl_length(string) + 5;

    *text = size > 0 ? malloc(size) : NULL;
    return size == 0 || (*text && mp_module_path(string, *text, size));
}

/* Returns the names in TEXT, which each end with the character 1, as an array that ends with NULL. Returns NULL if
 * memory has run out. */
static const char **
names_in(char *text)
{
    const char **names;
    size_t n = 0;

    for (const char *at = text; at && *at; at++)
        n += *at == 1;
    names = malloc((n + 1) * sizeof *names);
    if (!names)
        return NULL;
    names[n] = NULL;
    for (size_t i = 0; i < n; i++) {
        names[i] = text;
        text = strchr(text, 1);
        *text++ = '\0';
    }
    return names;
}

static cl_object
tell(const char *path, const struct mp_report_heap_request *request)
{
    struct mp_report_heap heap;
    struct mp_error error;
    cl_object tables = ECL_NIL;

    if (!mp_report_heap(path, request, &heap, &error))
        return failure(&error);
    for (uint32_t i = heap.n_tables; i-- > 0;)
        tables = ecl_cons(table_of(heap.tables[i]), tables);
    tables = ecl_cons(ecl_make_unsigned_integer(heap.objects),
                      ecl_cons(ecl_make_unsigned_integer(heap.bytes),
                               ecl_cons(ecl_make_unsigned_integer(heap.heap),
                                        ecl_cons(mp_module_string(heap.text),
                                                 ecl_cons(ecl_make_foreign_data(ECL_NIL, 0, heap.state), tables)))));
    mp_report_heap_free(&heap);
    return tables;
}

cl_object
mp_module_census(cl_object file, const struct mp_module_census *census)
{
    struct own own = { .n = 0 };
    char path[PATH_MAX], *types = NULL, *standard = NULL, *root = NULL, *package = NULL;
    const char **type_list = NULL, **standard_list = NULL;
    cl_object result = make(file, census->symbols, &own, path);

    if (result == ECL_NIL && to_text(census->types, &types) && to_text(census->standard, &standard) &&
        to_text(census->root, &root) && to_text(census->package, &package) &&
        (type_list = names_in(types)) != NULL && (standard_list = names_in(standard)) != NULL) {
        const struct mp_report_heap_request request = {
            .types = types ? type_list : NULL, .standard = standard_list, .root = root, .package = package,
            .by_growth = census->by_growth, .most = census->most, .width = census->width, .own = own.ranges,
            .n_own = own.n,
            .since = census->since == ECL_NIL ? NULL : ecl_foreign_data_pointer_safe(census->since)};

        result = tell(path, &request);
    } else if (result == ECL_NIL) {
        result = ecl_make_fixnum(ENOMEM);
    }
    free(type_list);
    free(standard_list);
    free(types);
    free(standard);
    free(root);
    free(package);
    return result;
}

void
mp_module_forget_state(void *state)
{
    mp_report_heap_forget(state);
}
