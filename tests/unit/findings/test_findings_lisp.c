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

TEST(floats)
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

TEST(bignums)
{
    struct pb *pb = beside(10000);

    pb_objects(pb, "main;lisp:HASH;builtin:LOGXOR;runtime:alloc", BIGNUM, 30000, 960000);
    must_say(pb_done(pb), "bignums HASH 750: main > HASH > LOGXOR\n");
}

TEST(argument_lists)
{
    struct pb *pb = beside(10000);

    pb_objects(pb, "main;lisp:SUM;runtime:cl_grab_rest_args;runtime:ecl_cons", CONS, 30000, 480000);
    pb_objects(pb, "main;lisp:BITS;builtin:SBIT;runtime:cl_grab_rest_args;runtime:ecl_cons", CONS, 10000,
               160000);
    pb_objects(pb, "main;lisp:PAIRS;runtime:ecl_cons", CONS, 50000, 800000);
    must_say(pb_done(pb), "rest SUM 300: main > SUM\n"
                 "rest BITS 100: main > BITS > SBIT\n");
}

TEST(of_whose_function_is_said)
{
    struct pb *pb = beside(10000);
    struct mp_profile *profile;

    pb_objects(pb, "main;lisp:BITS;builtin:SBIT;runtime:cl_grab_rest_args;runtime:ecl_cons", CONS, 30000,
               480000);
    profile = pb_done(pb);
    sentence_must_be(profile, "BITS calls SBIT, which takes its arguments as a list: 30,000 conses for "
                              "&rest, 480.0 kB, 75 % of all objects.");
}

TEST(built_in_functions)
{
    struct pb *pb = beside(10000);

    pb_objects(pb, "main;lisp:ALL-ODD;builtin:EVERY;runtime:ecl_cons", CONS, 30000, 480000);
    pb_objects(pb, "main;lisp:ALL-NEW;builtin:EVERY;lisp:FRESH;runtime:ecl_cons", CONS, 30000, 480000);
    pb_objects(pb, "main;lisp:SQUARES;builtin:MAPCAR;runtime:ecl_cons", CONS, 30000, 480000);
    must_say(pb_done(pb), "builtin ALL-ODD 300: main > ALL-ODD > EVERY\n");
}

TEST(generic_functions)
{
    struct pb *pb = beside(10000);

    pb_objects(pb, "main;lisp:DRAW;dispatch:GF;miss:dispatch of AREA;builtin:SORT-METHODS;runtime:alloc",
               STRING, 30000, 960000);
    pb_objects(pb, "main;lisp:PAINT;dispatch:GF;builtin:FILL-METHOD;runtime:alloc", STRING, 30000, 960000);
    must_say(pb_done(pb), "dispatch DRAW 428: main > DRAW > dispatch of AREA > SORT-METHODS\n");
}

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

TEST(what_dies_at_once)
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

TEST(what_stays)
{
    struct pb *pb = beside(10000);

    aged(pb, 30000, 30000, 20000);
    must_say(pb_done(pb), "tenured MAKE 1000: main > MAKE\n");
    pb = beside(10000);
    aged(pb, 30000, 30000, 10000);
    must_say(pb_done(pb), "");
}

TEST(what_is_larger_than_asked_for)
{
    struct pb *pb = beside(10000);

    aged(pb, 50000, 10000, 0)->counts.requested = 33 * 50000;
    must_say(pb_done(pb), "rounded MAKE 403: main > MAKE\n");
    pb = beside(10000);
    aged(pb, 50000, 10000, 0)->counts.requested = 60 * 50000;
    must_say(pb_done(pb), "");
}

TEST(a_fault_is_told_once)
{
    struct pb *pb = beside(10000);
    struct mp_cell *cell;

    cell = pb_objects(pb, "main;lisp:NORM;builtin:*;runtime:ecl_make_double", DOUBLE, 300000, 4800000);
    cell->counts.frees = 300000;
    cell->counts.freed = cell->counts.requested = cell->counts.bytes;
    must_say(pb_done(pb), "boxed NORM 967: main > NORM > *\n");
}

/* ---------------------------------------------------------------- what collections left */

enum { COLLECTIONS = 18 };

static void
hold(struct pb *pb, const char *chain, uint64_t kilobytes)
{
    struct mp_cell *cell = pb_objects(pb, chain, STRING, kilobytes, 1000 * kilobytes);

    cell->counts.requested = cell->counts.aged = cell->counts.bytes;
    cell->counts.survived[0] = kilobytes;
}

/* After each collection more of what is kept lived than after the one before. */
static struct mp_profile *
growing(struct pb *pb)
{
    struct mp_profile *profile = pb_done(pb);
    struct mp_timeline *line = profile->timeline = mp_arena_alloc(profile->arena, sizeof *line);

    let_peak_be_kept(profile);
    profile->meta.duration = (COLLECTIONS + 1) * UINT64_C(1000);
    line->n_moments = COLLECTIONS + 2;
    line->moments = mp_arena_alloc(profile->arena, line->n_moments * sizeof *line->moments);
    for (uint32_t i = 0; i < line->n_moments; i++) {
        const bool within = i > 0 && i <= COLLECTIONS;

        line->moments[i] = (struct mp_moment){
            .kind = within ? MP_MOMENT_COLLECTION : i == 0 ? MP_MOMENT_START : MP_MOMENT_END,
            .time = i * UINT64_C(1000), .name = "", .exact = true, .has_changes = !within,
            .heap_after = (uint64_t)profile->meta.peak_bytes / COLLECTIONS * i};
    }
    return profile;
}

TEST(few_grow_together)
{
    struct pb *pb = beside(1000);
    struct mp_profile *profile;

    hold(pb, "main;lisp:PUT;runtime:alloc", 4000);
    hold(pb, "main;lisp:HOLD;runtime:alloc", 5000);
    hold(pb, "main;lisp:LITTLE;runtime:alloc", 500);
    profile = growing(pb);
    must_say(profile, "grows HOLD 947: main > HOLD\n");
    sentence_must_be(profile, "What collections left alive grew from the beginning to the end and was never less: "
                     "2.1 MB were alive after a quarter of the time, 4.7 MB after half, 7.4 MB after three quarters, "
                     "and 9.5 MB in the end. 2 places together made 9.0 MB of what lives still, in 9,000 objects, "
                     "94 % of the peak: HOLD 5.0 MB and PUT 4.0 MB.");
}

TEST(one_grows)
{
    struct pb *pb = beside(1000);

    hold(pb, "main;lisp:HOLD;runtime:alloc", 9000);
    hold(pb, "main;lisp:PUT;runtime:alloc", 500);
    must_say(growing(pb), "grows HOLD 947: main > HOLD\n");
}

/* Five of the same size: no four of them have nearly all. */
TEST(many_grow)
{
    static const char *const chains[] = {"main;lisp:A;runtime:alloc", "main;lisp:B;runtime:alloc",
                                         "main;lisp:C;runtime:alloc", "main;lisp:D;runtime:alloc",
                                         "main;lisp:E;runtime:alloc"};
    struct pb *pb = beside(1000);

    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        hold(pb, chains[i], 2000);
    must_say(growing(pb), "");
}

/* Places that have little are not named, were they enough with the largest. */
TEST(one_grows_and_others_are_small)
{
    struct pb *pb = beside(1000);

    hold(pb, "main;lisp:HOLD;runtime:alloc", 8500);
    hold(pb, "main;lisp:PUT;runtime:alloc", 900);
    hold(pb, "main;lisp:LITTLE;runtime:alloc", 500);
    must_say(growing(pb), "");
}
