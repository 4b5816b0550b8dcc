#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/view/view.h"
#include "tests/unit/golden.h"
#include "tests/unit/profile_builder.h"
#include "tests/unit/profile_checks.h"

enum { CONS = MP_KIND_LISP, BIGNUM };
enum { BLOCKS = 6 };             /* maximum number of chains of a case */

/* Returns a line "chain kind: objects bytes" for each cell of PROFILE, functions outermost first. */
static const char *
cells_text(const struct mp_profile *profile)
{
    char *text;
    FILE *out = golden_stream(&text);

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        uint32_t path[64], n = 0;

        for (uint32_t c = cell->context; c; c = profile->contexts[c].parent)
            path[n++] = profile->contexts[c].frame;
        while (n-- > 0) {
            const struct mp_frame *frame = &profile->frames[path[n]];

            for (uint32_t l = frame->n_locations; l-- > 0;) {
                const struct mp_location *at = &profile->locations[frame->first_location + l];

                fprintf(out, "%s ", profile->functions[at->function].text);
            }
        }
        fprintf(out, "%u: %u %u\n", cell->kind, (unsigned)cell->counts.allocs,
                (unsigned)cell->counts.bytes);
    }
    return golden_close(out, &text);
}

static void
must_show_in(const char *what, const struct mp_profile *profile, enum mp_frames frames,
             bool lisp_only, const char *expected)
{
    const struct mp_view_options options = {.frames = frames, .lisp_only = lisp_only};
    struct mp_profile *view = keep_view(profile, &options);
    const char *text = cells_text(view);

    assert_valid(view);
    ck_assert_msg(strcmp(text, expected) == 0, "%s: got\n%s instead of\n%s", what, text, expected);
}

#define must_show(...) must_show_in("the view", __VA_ARGS__)

static struct pb *
with_kinds(void)
{
    struct pb *pb = pb_new();

    pb_kind(pb, CONS, CONS, "CONS", 'c');
    pb_kind(pb, BIGNUM, BIGNUM, "BIGNUM", 'o');
    return pb;
}

TEST(a_c_program_is_as_it_is)
{
    struct mp_profile *profile = pb_example();

    for (int frames = MP_FRAMES_DEFAULT; frames <= MP_FRAMES_ALL; frames++) {
        const struct mp_view_options options = {.frames = (enum mp_frames)frames};
        struct mp_profile *view = keep_view(profile, &options);

        ck_assert_ptr_eq(view->contexts, profile->contexts);
        ck_assert_ptr_eq(view->cells, profile->cells);
        ck_assert_ptr_eq(view->frames, profile->frames);
    }
}

#define STARTED "libc.so.6!clone3;libc.so.6!start_thread;runtime:thread_entry_point"

static const struct {
    const char *name;
    struct {
        const char *chain;
        uint32_t kind, objects, bytes;
    } blocks[BLOCKS];
    const char *shown[MP_FRAMES_ALL + 1];       /* by enum mp_frames; NULL if that view is not tested */
} cases[] = {
    {"frames of the runtime are folded into their caller",
     {{"main;runtime:cl_boot;lisp:FOO;builtin:MAPCAR;runtime:cl_cons", CONS, 3, 48}},
     {[MP_FRAMES_LISP] = "main FOO MAPCAR 16: 3 48\n",
      [MP_FRAMES_C] = "main cl_boot c_FOO c_MAPCAR cl_cons 16: 3 48\n",
      [MP_FRAMES_ALL] = "main cl_boot FOO MAPCAR cl_cons 16: 3 48\n"}},
    {"user c between lisp is shown",
     {{"main;call;runtime:cl_funcall;lisp:FOO;libc.so.6!qsort;back/inner;"
       "ld-linux-x86-64.so.2!_dl_open;dispatch:APPLY;builtin:LIST", CONS, 1, 16}},
     {[MP_FRAMES_LISP] = "main call FOO qsort back inner LIST 16: 1 16\n"}},
    /* a.fas is a stripped file of Lisp, libx.so a library of C. */
    {"nameless functions of lisp files are folded",
     {{"main;lisp:FOO;a.fas!a.fas+0x10;a.fas!helper;libx.so!libx.so+0x20;"
       "a.fas!a.fas+0x30", CONS, 1, 16}},
     {[MP_FRAMES_LISP] = "main FOO helper libx.so+0x20 16: 1 16\n",
      [MP_FRAMES_ALL] = "main FOO a.fas+0x10 helper libx.so+0x20 a.fas+0x30 16: 1 16\n"}},
    {"interpreted functions are one interpreter in c",
     {{"main;interp:BAR;runtime:cl_cons", CONS, 1, 16},
      {"main;interp:BAZ;runtime:cl_cons", CONS, 2, 32}},
     {[MP_FRAMES_LISP] = "main BAR 16: 1 16\nmain BAZ 16: 2 32\n",
      [MP_FRAMES_C] = "main ecl_interpret cl_cons 16: 3 48\n",
      [MP_FRAMES_ALL] = "main BAR cl_cons 16: 1 16\nmain BAZ cl_cons 16: 2 32\n"}},
    {"recursion stays",
     {{"lisp:FOO;runtime:x;lisp:FOO;runtime:x;lisp:FOO", CONS, 1, 16}},
     {[MP_FRAMES_LISP] = "FOO FOO FOO 16: 1 16\n"}},
    {"the way to all that was recorded is left out",
     {{"builtin:TOP-LEVEL;builtin:LOAD;lisp:MINE;builtin:EVAL;builtin:FORM;lisp:A", CONS, 1, 16},
      {"builtin:TOP-LEVEL;builtin:LOAD;lisp:MINE;builtin:EVAL;builtin:FORM;lisp:B", CONS, 2, 32}},
     {[MP_FRAMES_LISP] = "MINE FORM A 16: 1 16\nMINE FORM B 16: 2 32\n",
      [MP_FRAMES_ALL] = "TOP-LEVEL LOAD MINE EVAL FORM A 16: 1 16\n"
                        "TOP-LEVEL LOAD MINE EVAL FORM B 16: 2 32\n"}},
    /* An APPLY that a thunk calls only passes the call on and is hidden, except in the thunk that calls what its caller
     * names (APPLY-FROM-STACK-FRAME). An APPLY that the program calls, and a function of the program with that name,
     * are shown. */
    {"apply that nothing shown calls is not shown",
     {{"lisp:F;dispatch:WRAPPER;builtin:APPLY;dispatch:SI:APPLY-FROM-STACK-FRAME;lisp:M",
       CONS, 1, 16},
      {"lisp:F;dispatch:WRAPPER;builtin:APPLY", CONS, 2, 32},
      {"lisp:F;builtin:APPLY;dispatch:WRAPPER;lisp:M", CONS, 4, 64},
      {"lisp:F;builtin:FUNCALL;dispatch:SI:APPLY-FROM-STACK-FRAME;builtin:APPLY;lisp:M",
       CONS, 8, 128},
      {"lisp:F;dispatch:WRAPPER;lisp:APPLY;lisp:M", CONS, 16, 256},
      {"lisp:M;runtime:closure;builtin:APPLY;lisp:N", CONS, 32, 512}},
     {[MP_FRAMES_LISP] = "F 16: 2 32\nF M 16: 1 16\nF APPLY M 16: 20 320\n"
                         "F FUNCALL APPLY M 16: 8 128\nM N 16: 32 512\n",
      [MP_FRAMES_ALL] = "F WRAPPER APPLY 16: 2 32\n"
                        "F WRAPPER APPLY SI:APPLY-FROM-STACK-FRAME M 16: 1 16\n"
                        "F APPLY WRAPPER M 16: 4 64\n"
                        "F FUNCALL SI:APPLY-FROM-STACK-FRAME APPLY M 16: 8 128\n"
                        "F WRAPPER APPLY M 16: 16 256\n"
                        "M closure APPLY N 16: 32 512\n"}},
    {"what has no function to show says so",
     {{"runtime:GC_thread;runtime:cl_cons", CONS, 1, 16},
      {"runtime:other", CONS, 2, 32},
      {"#1;runtime:cl_cons", CONS, 4, 64},
      {"#1;lisp:FOO;runtime:cl_cons", CONS, 8, 128}},
     {[MP_FRAMES_LISP] = "<mark 1> FOO 16: 8 128\n[runtime] 16: 3 48\n"
                         "<mark 1> [runtime] 16: 4 64\n"}},
    /* The frame of the thread's name is outside of all others. It is shown within the frames that start the thread. */
    {"a thread with a name begins its chains",
     {{"thread:thread one;" STARTED ";lisp:FOO", CONS, 1, 16},
      {"thread:thread two;" STARTED ";lisp:FOO", CONS, 2, 32},
      {"thread:thread two;" STARTED, CONS, 4, 64},
      {STARTED ";lisp:FOO", CONS, 8, 128},
      {"thread:thread two;lisp:FOO", CONS, 16, 256},
      {"thread:thread two;libc.so.6!clone3", BIGNUM, 1, 32}},
     {[MP_FRAMES_LISP] = "thread one FOO 16: 1 16\nclone3 17: 1 32\nclone3 thread two 16: 4 64\n"
                         "clone3 thread two FOO 16: 2 32\nFOO 16: 8 128\n"
                         "thread two FOO 16: 16 256\n",
      [MP_FRAMES_ALL] = "clone3 17: 1 32\n"
                        "clone3 start_thread thread one thread_entry_point FOO 16: 1 16\n"
                        "clone3 start_thread thread two thread_entry_point 16: 4 64\n"
                        "clone3 start_thread thread two thread_entry_point FOO 16: 2 32\n"
                        "clone3 start_thread thread_entry_point FOO 16: 8 128\n"
                        "thread two FOO 16: 16 256\n",
      [MP_FRAMES_C] = "clone3 17: 1 32\nclone3 start_thread thread_entry_point 16: 4 64\n"
                      "clone3 start_thread thread_entry_point c_FOO 16: 11 176\n"
                      "c_FOO 16: 16 256\n"}},
    /* The monitor adds a frame for a generic function that searches for a method. The frame has no C function. */
    {"a generic function that looks for a method is shown",
     {{"lisp:F;dispatch:THUNK;miss:dispatch of G;builtin:COMPUTE", CONS, 1, 16},
      {"lisp:F;dispatch:THUNK;lisp:M", CONS, 2, 32}},
     {[MP_FRAMES_LISP] = "F dispatch of G COMPUTE 16: 1 16\nF M 16: 2 32\n",
      [MP_FRAMES_ALL] = "F THUNK dispatch of G COMPUTE 16: 1 16\nF THUNK M 16: 2 32\n",
      [MP_FRAMES_C] = "c_F c_THUNK c_COMPUTE 16: 1 16\nc_F c_THUNK c_M 16: 2 32\n"}},
    {"an interpreted function of the Lisp module is hidden",
     {{"lisp:F;module:MPROF:CALL;lisp:M", CONS, 1, 16}},
     {[MP_FRAMES_LISP] = "F M 16: 1 16\n", [MP_FRAMES_C] = "c_F c_M 16: 1 16\n"}},
};

TEST_CASES(what_is_shown_of_chains, cases)
{
    struct pb *pb = with_kinds();
    struct mp_profile *profile;

    for (size_t i = 0; i < BLOCKS && cases[_i].blocks[i].chain; i++)
        pb_objects(pb, cases[_i].blocks[i].chain, cases[_i].blocks[i].kind,
                   cases[_i].blocks[i].objects, cases[_i].blocks[i].bytes);
    profile = pb_done(pb);
    for (int frames = MP_FRAMES_DEFAULT; frames <= MP_FRAMES_ALL; frames++)
        if (cases[_i].shown[frames])
            must_show_in(cases[_i].name, profile, (enum mp_frames)frames, false,
                         cases[_i].shown[frames]);
}

/* The chains differ in the calls of MAPCAR in FOO, in frames of the runtime, and in two definitions of FOO. */
TEST(contexts_that_become_equal_are_one)
{
    struct pb *pb = with_kinds();
    struct mp_profile *profile;

    pb_objects(pb, "main;runtime:x;lisp:FOO;builtin:MAPCAR;runtime:a", CONS, 1, 16)->size_min = 16;
    pb_objects(pb, "main;runtime:y;lisp:FOO;builtin:MAPCAR", CONS, 2, 32)->size_max = 16;
    pb_objects(pb, "main;runtime:y;lisp:FOO;builtin:MAPCAR;runtime:b", BIGNUM, 1, 32);
    pb_objects(pb, "main;interp:FOO;builtin:MAPCAR", CONS, 4, 64);
    profile = pb_done(pb);
    must_show(profile, MP_FRAMES_LISP, false,
              "main FOO MAPCAR 16: 7 112\nmain FOO MAPCAR 17: 1 32\n");
}

#define START_UP "_start;libc.so.6!__libc_start_main;libc.so.6!__libc_start_call_main"

/* The runtime's main and the frames that start it are hidden. Allocations of start-up code are shown. */
TEST(start_up_is_folded_into_the_runtime)
{
    static const struct mp_view_options all_frames = {
        .frames = MP_FRAMES_LISP, .lisp_only = true, .all_frames = true};
    struct pb *pb = with_kinds();
    struct mp_profile *profile;

    pb_objects(pb, START_UP ";runtime:main;runtime:cl_boot", CONS, 1, 16);
    pb_objects(pb, START_UP ";runtime:main;lisp:FOO", CONS, 2, 32);
    pb_objects(pb, "libc.so.6!clone3;libc.so.6!start_thread;runtime:GC_thread", CONS, 4, 64);
    pb_add(pb, "_start;libc.so.6!__libc_start_main", MP_KIND_SMALL, 1, 8, 0, 0);
    profile = pb_done(pb);
    must_show(profile, MP_FRAMES_LISP, true, "FOO 16: 2 32\n[runtime] 16: 5 80\n");
    must_show(profile, MP_FRAMES_LISP, false, "__libc_start_main 0: 1 8\n"
                                              "__libc_start_main 16: 1 16\n"
                                              "__libc_start_main FOO 16: 2 32\n"
                                              "[runtime] 16: 4 64\n");
    must_have(cells_text(keep_view(profile, &all_frames)),
              "_start __libc_start_main __libc_start_call_main FOO 16");
}

TEST(lisp_only_leaves_c_blocks_out)
{
    struct pb *pb = with_kinds();
    struct mp_profile *profile;

    pb_add(pb, "main;f", MP_KIND_SMALL, 5, 50, 0, 0);
    pb_objects(pb, "main;f;lisp:FOO", CONS, 1, 16);
    pb_add(pb, "main;f;lisp:FOO", MP_KIND_SMALL, 1, 1, 0, 0);
    profile = pb_done(pb);
    must_show(profile, MP_FRAMES_LISP, true, "main f FOO 16: 1 16\n");
    must_show(profile, MP_FRAMES_ALL, false,
              "main f 0: 5 50\nmain f FOO 0: 1 1\nmain f FOO 16: 1 16\n");
    profile = pb_example();
    must_show(profile, MP_FRAMES_LISP, true, "");
}

/* Chains that lead through the form begin with the form. A view of all frames shows its callers, too. */
TEST(chains_begin_with_the_form)
{
    static const char inside[] = "FORM 16: 1 16\nFORM WORK 16: 2 32\n";
    const struct mp_view_options everything = {.frames = MP_FRAMES_ALL, .all_frames = true};
    struct pb *pb = with_kinds();
    struct mp_profile *profile;
    uint32_t form;

    pb_objects(pb, "lisp:REPL;lisp:EDITOR;lisp:FORM", CONS, 1, 16);
    pb_objects(pb, "lisp:REPL;lisp:EDITOR;lisp:FORM;lisp:WORK", CONS, 2, 32);
    profile = pb_done(pb);
    form = pb_context(profile, "c_EDITOR");
    profile->forms = &form;
    profile->n_forms = 1;
    must_show(profile, MP_FRAMES_LISP, true, inside);
    must_show(profile, MP_FRAMES_ALL, false, inside);
    must_show(profile, MP_FRAMES_C, false, "c_FORM 16: 1 16\nc_FORM c_WORK 16: 2 32\n");
    ck_assert_str_eq(cells_text(keep_view(profile, &everything)),
                     "REPL EDITOR FORM 16: 1 16\nREPL EDITOR FORM WORK 16: 2 32\n");
}

TEST(what_is_not_in_the_form_is_whole)
{
    struct pb *pb = with_kinds();
    struct mp_profile *profile;
    uint32_t form;

    pb_objects(pb, "lisp:REPL;lisp:FORM;lisp:WORK", CONS, 2, 32);
    pb_objects(pb, "lisp:REPL", CONS, 4, 64);
    profile = pb_done(pb);
    form = pb_context(profile, "c_REPL");
    profile->forms = &form;
    profile->n_forms = 1;
    must_show(profile, MP_FRAMES_LISP, true, "REPL 16: 4 64\nFORM WORK 16: 2 32\n");
}
/* SPDX-License-Identifier: MIT */
