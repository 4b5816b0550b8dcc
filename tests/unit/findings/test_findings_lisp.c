#include "tests/unit/tap.h"

#include "findings_said.h"
#include "tests/unit/profile_builder.h"

enum { CONS = MP_KIND_LISP, DOUBLE, BIGNUM, STRING };

/* Objects that no rule says anything of, N of them. */
static struct pb *
beside(uint64_t n)
{
    struct pb *pb = pb_new();

    pb_kind(pb, CONS, CONS, "CONS", 'c');
    pb_kind(pb, DOUBLE, DOUBLE, "DOUBLE-FLOAT", 'f');
    pb_kind(pb, BIGNUM, BIGNUM, "BIGNUM", 'o');
    pb_kind(pb, STRING, STRING, "STRING", 's');
    pb_objects(pb, "main;lisp:MAKE-NAMES;builtin:COPY-SEQ;runtime:alloc", STRING, n, 64 * n);
    return pb;
}

START_TEST(floats)
{
    struct pb *pb = beside(10000);

    pb_objects(pb, "main;lisp:NORM;builtin:*;runtime:ecl_make_double", DOUBLE, 30000, 480000);
    must_say(pb_done(pb), "boxed NORM 750: main > NORM > *\n");
    pb = beside(10000);
    pb_objects(pb, "main;lisp:NORM;builtin:*;runtime:ecl_make_double", DOUBLE, 9999, 159984);
    must_say(pb_done(pb), "");
    pb = beside(1000000);
    pb_objects(pb, "main;lisp:NORM;builtin:*;runtime:ecl_make_double", DOUBLE, 30000, 480000);
    must_say(pb_done(pb), "");
}
END_TEST

START_TEST(bignums)
{
    struct pb *pb = beside(10000);

    pb_objects(pb, "main;lisp:HASH;builtin:LOGXOR;runtime:alloc", BIGNUM, 30000, 960000);
    must_say(pb_done(pb), "bignums HASH 750: main > HASH > LOGXOR\n");
}
END_TEST

START_TEST(argument_lists)
{
    struct pb *pb = beside(10000);

    pb_objects(pb, "main;lisp:SUM;runtime:cl_grab_rest_args;runtime:ecl_cons", CONS, 30000, 480000);
    pb_objects(pb, "main;lisp:BITS;builtin:SBIT;runtime:cl_grab_rest_args;runtime:ecl_cons", CONS, 10000,
               160000);
    pb_objects(pb, "main;lisp:PAIRS;runtime:ecl_cons", CONS, 50000, 800000);
    must_say(pb_done(pb), "rest SUM 300: main > SUM\n"
                 "rest BITS 100: main > BITS > SBIT\n");
}
END_TEST

START_TEST(of_whose_function_is_said)
{
    struct pb *pb = beside(10000);
    struct mp_profile *profile;

    pb_objects(pb, "main;lisp:BITS;builtin:SBIT;runtime:cl_grab_rest_args;runtime:ecl_cons", CONS, 30000,
               480000);
    profile = pb_done(pb);
    sentence_must_be(profile, "BITS calls SBIT, which takes its arguments as a list: 30,000 conses for "
                              "&rest, 480.0 kB, 75 % of all objects.");
    mp_profile_free(profile);
}
END_TEST

START_TEST(built_in_functions)
{
    struct pb *pb = beside(10000);

    pb_objects(pb, "main;lisp:ALL-ODD;builtin:EVERY;runtime:ecl_cons", CONS, 30000, 480000);
    pb_objects(pb, "main;lisp:ALL-NEW;builtin:EVERY;lisp:FRESH;runtime:ecl_cons", CONS, 30000, 480000);
    pb_objects(pb, "main;lisp:SQUARES;builtin:MAPCAR;runtime:ecl_cons", CONS, 30000, 480000);
    must_say(pb_done(pb), "builtin ALL-ODD 300: main > ALL-ODD > EVERY\n");
}
END_TEST

START_TEST(generic_functions)
{
    struct pb *pb = beside(10000);

    pb_objects(pb, "main;lisp:DRAW;dispatch:GF;miss:dispatch of AREA;builtin:SORT-METHODS;runtime:alloc",
               STRING, 30000, 960000);
    pb_objects(pb, "main;lisp:PAINT;dispatch:GF;builtin:FILL-METHOD;runtime:alloc", STRING, 30000, 960000);
    must_say(pb_done(pb), "dispatch DRAW 428: main > DRAW > dispatch of AREA > SORT-METHODS\n");
}
END_TEST

/* ---------------------------------------------------------------- ages */

static struct mp_cell *
aged(struct pb *pb, uint64_t objects, uint64_t survived, uint64_t often)
{
    struct mp_cell *cell = pb_objects(pb, "main;lisp:MAKE;runtime:alloc", STRING, objects, 64 * objects);

    cell->counts.requested = cell->counts.bytes;
    cell->counts.survived[0] = cell->counts.survived[1] = survived;
    cell->counts.survived[2] = often;
    cell->counts.aged = 64 * survived;
    cell->counts.frees = objects - survived;
    cell->counts.freed = 64 * cell->counts.frees;
    return cell;
}

START_TEST(what_dies_at_once)
{
    struct pb *pb = beside(10000);

    aged(pb, 200000, 100, 0);
    must_say(pb_done(pb), "fleeting MAKE 952: main > MAKE\n");
    pb = beside(10000);
    aged(pb, 200000, 10000, 0);
    must_say(pb_done(pb), "");
    pb = beside(600000);
    aged(pb, 200000, 100, 0);
    must_say(pb_done(pb), "");
}
END_TEST

START_TEST(what_stays)
{
    struct pb *pb = beside(10000);

    aged(pb, 30000, 30000, 20000);
    must_say(pb_done(pb), "tenured MAKE 1000: main > MAKE\n");
    pb = beside(10000);
    aged(pb, 30000, 30000, 10000);
    must_say(pb_done(pb), "");
}
END_TEST

START_TEST(what_is_larger_than_asked_for)
{
    struct pb *pb = beside(10000);

    aged(pb, 50000, 10000, 0)->counts.requested = 33 * 50000;
    must_say(pb_done(pb), "rounded MAKE 403: main > MAKE\n");
    pb = beside(10000);
    aged(pb, 50000, 10000, 0)->counts.requested = 60 * 50000;
    must_say(pb_done(pb), "");
}
END_TEST

START_TEST(a_fault_is_told_once)
{
    struct pb *pb = beside(10000);
    struct mp_cell *cell;

    cell = pb_objects(pb, "main;lisp:NORM;builtin:*;runtime:ecl_make_double", DOUBLE, 300000, 4800000);
    cell->counts.frees = 300000;
    cell->counts.freed = cell->counts.requested = cell->counts.bytes;
    must_say(pb_done(pb), "boxed NORM 967: main > NORM > *\n");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("findings in Lisp");
    TCase *tests = tcase_create("findings in Lisp");

    tcase_add_test(tests, floats);
    tcase_add_test(tests, bignums);
    tcase_add_test(tests, argument_lists);
    tcase_add_test(tests, of_whose_function_is_said);
    tcase_add_test(tests, built_in_functions);
    tcase_add_test(tests, generic_functions);
    tcase_add_test(tests, what_dies_at_once);
    tcase_add_test(tests, what_stays);
    tcase_add_test(tests, what_is_larger_than_asked_for);
    tcase_add_test(tests, a_fault_is_told_once);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
