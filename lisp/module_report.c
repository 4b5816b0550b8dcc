/* SPDX-License-Identifier: MIT */
#include "lisp_module.h"

#include <limits.h>
#include <stdlib.h>

#include "reporter/api.h"

static cl_object
failure(const struct mp_error *error)
{
    return ecl_cons(mp_module_string(mp_error_string(error->code)), mp_module_string(error->text));
}

static cl_object
number(uint64_t value)
{
    return ecl_make_unsigned_integer(value);
}

#define NAME_SIZE 4096          /* maximum length of a function's name; names are never longer */

#define MOMENT_SIZE 300         /* bytes; checkpoint names are shorter */

struct moments {
    char from[MOMENT_SIZE], to[MOMENT_SIZE];
};

static const char *
moment(cl_object name, char room[static MOMENT_SIZE])
{
    return name != ECL_NIL && mp_module_path(name, room, MOMENT_SIZE) ? room : NULL;
}

static struct mp_report_part
part_of(cl_object from, cl_object to, uint32_t recorder, struct moments *room)
{
    return (struct mp_report_part){.from = moment(from, room->from), .to = moment(to, room->to),
                                   .recorder = recorder};
}

/* Converts REQUEST. ROOM gets the name of the function in focus, and MOMENTS the names of the part's ends. */
static struct mp_report_request
wish_of(const struct mp_module_wish *request, char room[static NAME_SIZE], struct moments *moments)
{
    if (request->focus != ECL_NIL && !mp_module_path(request->focus, room, NAME_SIZE))
        room[0] = '\0';
    return (struct mp_report_request){
        .part = part_of(request->from, request->to, request->recorder, moments),
        .tables = request->tables,
        .lisp = true,
        .frames = (enum mp_frames)request->frames,
        .sort = request->sort == MP_SORTS ? MP_SORT_BYTES : (enum mp_sort)request->sort,
        .with_callees = request->sort == MP_SORTS,
        .most = request->most,
        .min_percent = request->min_percent,
        .width = request->width,
        .chain = request->chain,
        .focus = request->focus == ECL_NIL ? NULL : room,
        .full_names = request->full_names != 0,
        .no_skip = request->no_skip != 0,
    };
}

static cl_object
no_path(cl_object name)
{
    return ecl_cons(mp_module_string("file name too long"), name);
}

cl_object
mp_module_report(cl_object file, const struct mp_module_wish *request)
{
    char path[PATH_MAX], focus[NAME_SIZE];
    struct moments moments;
    const struct mp_report_request wanted = wish_of(request, focus, &moments);
    struct mp_error error;
    cl_object result;
    char *text;

    if (!mp_module_path(file, path, sizeof path))
        return no_path(file);
    text = mp_report_text(path, &wanted, &error);
    if (!text)
        return failure(&error);
    result = mp_module_string(text);
    free(text);
    return result;
}

#define MAX_TOP 16u

cl_object
mp_module_top(cl_object file, unsigned most)
{
    const struct mp_report_request request = {.lisp = true};
    struct mp_report_top top[MAX_TOP];
    cl_object list = ECL_NIL;
    char path[PATH_MAX];
    struct mp_error error;
    size_t n;

    if (!mp_module_path(file, path, sizeof path))
        return no_path(file);
    n = mp_report_top(path, &request, top, most < MAX_TOP ? most : MAX_TOP, &error);
    if (n == SIZE_MAX)
        return failure(&error);
    while (n-- > 0) {
        list = ecl_cons(cl_list(3, mp_module_string(top[n].name), number(top[n].bytes),
                                number(top[n].objects)),
                        list);
        free(top[n].name);
    }
    return list;
}

cl_object
mp_module_totals(cl_object file)
{
    char path[PATH_MAX];
    struct mp_error error;
    struct mp_totals totals;

    if (!mp_module_path(file, path, sizeof path))
        return no_path(file);
    if (!mp_report_totals(path, &totals, &error))
        return failure(&error);
    return cl_list(4, number(totals.lisp.allocs), number(totals.lisp.bytes),
                   number(totals.lisp.allocs - totals.lisp.frees),
                   number(totals.lisp.bytes - totals.lisp.freed));
}

cl_object
mp_module_seal(cl_object file, cl_object name, cl_object from, cl_object to, uint32_t recorder)
{
    struct moments moments;
    const struct mp_report_part part = part_of(from, to, recorder, &moments);
    char path[PATH_MAX], sealed[PATH_MAX];
    struct mp_error error;

    if (!mp_module_path(file, path, sizeof path))
        return no_path(file);
    if (!mp_module_path(name, sealed, sizeof sealed))
        return no_path(name);
    return mp_report_seal(path, &part, sealed, &error) ? ECL_NIL : failure(&error);
}

/* ------------------------------------------------------------------ sites */

cl_object
mp_module_sites(cl_object file, const struct mp_module_wish *request)
{
    char path[PATH_MAX], focus[NAME_SIZE];
    struct moments moments;
    const struct mp_report_request wanted = wish_of(request, focus, &moments);
    struct mp_error error;
    struct mp_report_sites *sites;

    if (!mp_module_path(file, path, sizeof path))
        return no_path(file);
    sites = mp_report_sites_open(path, &wanted, &error);
    return sites ? ecl_make_foreign_data(ECL_NIL, 0, sites) : failure(&error);
}

cl_object
mp_module_next_site(void *sites)
{
    struct mp_report_site site;

    if (!mp_report_sites_next(sites, &site))
        return ECL_NIL;
    return cl_list(14, ecl_make_fixnum(site.step), mp_module_string(site.type),
                   mp_module_string(site.base), ECL_CODE_CHAR(site.category),
                   number(site.objects), number(site.bytes), number(site.requested),
                   number(site.kept_objects), number(site.kept_bytes),
                   number(site.collected_objects), number(site.collected_bytes),
                   number(site.survived[0]), number(site.survived[1]), number(site.survived[2]));
}

void
mp_module_close_sites(void *sites)
{
    mp_report_sites_close(sites);
}

uint32_t
mp_module_sites_steps(const void *sites)
{
    return mp_report_sites_steps(sites) + 1;
}

uint32_t
mp_module_sites_functions(const void *sites)
{
    return mp_report_sites_functions(sites);
}

static void *
words(cl_object vector, uint32_t n, size_t size)
{
    return ecl_row_major_ptr(vector, 0, n * size);
}

void
mp_module_sites_tree(const void *sites, cl_object callers, cl_object functions, cl_object names)
{
    const uint32_t steps = mp_report_sites_steps(sites);
    uint32_t *by_step = words(functions, steps + 1, sizeof *by_step);

    mp_report_sites_tree(sites, words(callers, steps + 1, sizeof *by_step), by_step);
    for (uint32_t i = steps; i > 0; i--)
        if (ecl_aref1(names, by_step[i]) == ECL_NIL)
            ecl_aset1(names, by_step[i], mp_module_string(mp_report_sites_name(sites, by_step[i])));
}
