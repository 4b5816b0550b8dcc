#include "tests/unit/tap.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "reporter/api.h"
#include "reporter/file/seal.h"
#include "tests/unit/folder.h"
#include "tests/unit/golden.h"
#include "tests/unit/lisp_profile.h"
#include "tests/unit/profile_builder.h"

static const char *path;
static struct mp_error error;

/* Seals PROFILE at `path` and frees it. */
static void
write_file(struct mp_profile *profile)
{
    path = in_folder("mprof.data");
    ck_assert_msg(mp_seal(profile, path, NULL, &error), "%s", error.text);
    tap_release(profile);
}

static void
set_up(void)
{
    write_file(lisp_profile_with_c());
}

static const char *
text_of(const struct mp_report_request *request)
{
    char *text = mp_report_text(path, request, &error);

    ck_assert_msg(text != NULL, "%s", error.text);
    return tap_keep(text, free);
}

FIXTURE(set_up, NULL)

TEST(without_a_wish_it_is_the_report)
{
    const struct mp_report_request request = MP_REPORT_REQUEST;
    const char *text = text_of(&request);

    ck_assert_int_eq(strncmp(text, "MPROF: DYNAMIC", 14), 0);
    must_have(text, "\n\nTABLE 1: ALLOCATION BINS\n");
    must_have(text, "\n\nTABLE 1: ALLOCATION BY TYPE\n");
    must_have(text, "\n\nTABLE 2: MEMORY LEAKS\n");
    must_have(text, "\n\nTABLE 4: ALLOCATION CALL GRAPH\n");
    ck_assert_ptr_null(strchr(text, '\033'));
}

TEST(tables_are_those_of_the_request)
{
    struct mp_report_request request = {.tables = MP_TABLE_DIRECT, .lisp = true};
    const char *text = text_of(&request);

    ck_assert_int_eq(strncmp(text, "TABLE 3: DIRECT", 15), 0);
    must_lack(text, "TABLE 4");
    must_lack(text, "helper");
    request.tables = MP_TABLE_HEAD | MP_TABLE_GC;
    text = text_of(&request);
    ck_assert_int_eq(strncmp(text, "MPROF: DYNAMIC", 14), 0);
    must_have(text, "\n\nTABLE 5: SURVIVAL\n");
}

TEST(rows_are_those_of_the_request)
{
    struct mp_report_request request = {.tables = MP_TABLE_DIRECT, .lisp = true, .most = 2};
    const char *text = text_of(&request);

    must_have(text, " MAKE-SHAPES\n");
    must_lack(text, " EVAL\n");
    request.most = 0;
    must_have(text_of(&request), " *\n");
    request.min_percent = 5;
    must_have(text_of(&request), "1 function of less than 5 % left out");
}

TEST(chains_are_as_long_as_requested)
{
    struct mp_report_request request = {.tables = MP_TABLE_GC, .lisp = true, .chain = MP_CHAIN_ALL};

    must_have(text_of(&request), " || > main > EVAL > EVENS > MAKE-LIST\n");
    request.chain = 2;
    must_have(text_of(&request), " ... > EVENS > MAKE-LIST\n");
}

/* Names are written in UTF-8, also in the C locale. */
TEST(text_is_utf8)
{
    const struct mp_report_request request = {.tables = MP_TABLE_DIRECT, .lisp = true};
    struct pb *pb = pb_new();

    pb_kind(pb, MP_KIND_LISP, MP_KIND_LISP, "CONS", 'c');
    pb_objects(pb, "lisp:GR\xc3\x96SSE", MP_KIND_LISP, 1, 16);
    write_file(pb_done(pb));
    setlocale(LC_ALL, "C");
    must_have(text_of(&request), " GR\xc3\x96SSE\n");
}

TEST(errors_are_returned)
{
    const struct mp_report_request request = MP_REPORT_REQUEST;
    struct mp_totals totals;

    ck_assert_ptr_null(mp_report_text("/nowhere/mprof.data", &request, &error));
    ck_assert_int_eq(error.code, MP_ERR_SYSTEM);
    ck_assert(!mp_report_totals("/dev/null", &totals, &error));
    ck_assert_int_eq(error.code, MP_ERR_NOT_MPROF);
    ck_assert_ptr_null(mp_report_sites_open("/nowhere/mprof.data", &request, &error));
}

/* For each limit of memory, the call returns a text or an error. It neither ends the process nor writes anything. */
#ifndef __SANITIZE_ADDRESS__
TEST(want_of_memory_is_an_error)
{
    const struct mp_report_request request = MP_REPORT_REQUEST;
    unsigned texts = 0, errors = 0;

    for (rlim_t room = 0; room < 3000000; room += 100000) {
        struct rlimit before, limit;
        unsigned long pages;
        FILE *file = fopen("/proc/self/statm", "r");
        char *text;

        ck_assert_int_eq(fscanf(file, "%lu", &pages), 1);
        fclose(file);
        getrlimit(RLIMIT_AS, &before);
        limit = before;
        limit.rlim_cur = pages * 4096 + room;
        setrlimit(RLIMIT_AS, &limit);
        text = mp_report_text(path, &request, &error);
        setrlimit(RLIMIT_AS, &before);
        texts += text != NULL;
        errors += text == NULL;
        free(text);
    }
    ck_assert_uint_eq(texts + errors, 30);
    ck_assert_uint_gt(texts, 0);
}
#endif

TEST(totals_need_no_names)
{
    struct mp_totals totals;

    ck_assert(mp_report_totals(path, &totals, &error));
    ck_assert_uint_eq(totals.lisp.allocs, 1130);
    ck_assert_uint_eq(totals.c.bytes, 7500);
}

/* Returns the chain from STEP outwards: "g < f < main". */
static const char *
chain_of(const struct mp_report_sites *sites, uint32_t step)
{
    static char text[1024];
    uint32_t n = mp_report_sites_steps(sites) + 1;
    uint32_t *callers = calloc(n, sizeof *callers), *functions = calloc(n, sizeof *functions);

    mp_report_sites_tree(sites, callers, functions);
    text[0] = '\0';
    for (uint32_t left = n; step; step = callers[step]) {
        ck_assert_uint_lt(step, n);
        ck_assert_uint_lt(functions[step], mp_report_sites_functions(sites));
        ck_assert_uint_gt(left--, 0);
        strcat(text, text[0] ? " < " : "");
        strcat(text, mp_report_sites_name(sites, functions[step]));
    }
    free(callers);
    free(functions);
    return text;
}

TEST(sites_come_by_bytes)
{
    const struct mp_report_request request = {.lisp = true};
    struct mp_report_sites *sites = mp_report_sites_open(path, &request, &error);
    struct mp_report_site site;
    uint64_t bytes = 0;
    unsigned n = 0;

    ck_assert_ptr_nonnull(sites);
    ck_assert(mp_report_sites_next(sites, &site));
    ck_assert_uint_eq(site.objects, 600);
    ck_assert_uint_eq(site.bytes, 9600);
    ck_assert_uint_eq(site.kept_objects, 150);
    ck_assert_uint_eq(site.kept_bytes, 2400);
    ck_assert_uint_eq(site.survived[2], 100);
    ck_assert_str_eq(site.type, "CONS");
    ck_assert_int_eq(site.category, 'c');
    ck_assert_str_eq(chain_of(sites, site.step),
                     "MAKE-LIST < EVENS < ODDS < EVENS < EVAL < main");
    do {
        n++;
        bytes += site.bytes;
        if (strcmp(site.type, "POINT") == 0)
            ck_assert_str_eq(site.base, "STRUCTURE");
    } while (mp_report_sites_next(sites, &site));
    ck_assert_uint_eq(n, 6);
    ck_assert_uint_eq(bytes, 24240);
    mp_report_sites_close(sites);
}

TEST(sites_may_be_few_and_of_c)
{
    const struct mp_report_request request = {.sort = MP_SORT_KEPT, .most = 1};
    struct mp_report_sites *sites = mp_report_sites_open(path, &request, &error);
    struct mp_report_site site;

    ck_assert(mp_report_sites_next(sites, &site));
    ck_assert_int_eq(strncmp(chain_of(sites, site.step), "helper < ", 9), 0);
    ck_assert_str_eq(site.type, "malloc");
    ck_assert_int_eq(site.category, 'l');
    ck_assert(!mp_report_sites_next(sites, &site));
    mp_report_sites_close(sites);
}
/* SPDX-License-Identifier: MIT */
