/* What keys do and what the screen shows afterwards, without a terminal. */
#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/base/fit.h"
#include "reporter/screen/keys.h"
#include "tests/unit/profile_builder.h"

/* The state of a session's screen. */
struct screen {
    struct mp_tally *tally;
    struct mp_controls controls;
    struct mp_screen_lines lines;
    struct mp_picture_process process;
    char text[8192];            /* rows that are shown, each with a newline */
};

static void
settle(struct screen *s)
{
    mp_lines_free(&s->lines);
    s->lines = mp_lines_make(s->tally, mp_controls_how(&s->controls, s->tally));
    mp_controls_settle(&s->controls, &s->lines);
}

static void
screen_free(void *screen)
{
    struct screen *s = screen;

    mp_controls_end(&s->controls);
    mp_lines_free(&s->lines);
    mp_tally_free(s->tally);
    free(s);
}

/* Returns a screen with N functions f00, f01 ... called by main, each with more live bytes than the next. The screen is
 * freed when the test ends. */
static struct screen *
screen_of(unsigned n)
{
    struct screen *s = calloc(1, sizeof *s);
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    struct mp_tree *tree;
    char chain[32];

    s->controls = (struct mp_controls)MP_CONTROLS_DEFAULT;
    s->process = (struct mp_picture_process){.program = "prog", .pid = 7, .ending = "still running",
                                              .running = true};
    s->tally = mp_tally_new();
    for (unsigned i = 0; i < n; i++) {
        snprintf(chain, sizeof chain, "main;f%02u", i);
        pb_add(pb, chain, MP_KIND_MEDIUM, 1, 200 - i, 0, 0);
    }
    profile = pb_done(pb);
    tree = mp_tree_build(profile, &(struct mp_tree_options){.one_cut = true});
    mp_tally_take(s->tally, tree, &(struct mp_tally_options){.raw = true}, 1000000000);
    mp_tree_free(tree);
    tap_release(profile);               /* the screen does not refer to it */
    settle(s);
    return tap_keep(s, screen_free);
}

static enum mp_do
press(struct screen *s, uint32_t key)
{
    enum mp_do what = mp_controls_key(&s->controls, s->tally, &s->lines, key);

    settle(s);
    return what;
}

static void
type(struct screen *s, const char *text)
{
    for (; *text; text++)
        press(s, (uint32_t)(unsigned char)*text);
    press(s, MP_KEY_ENTER);
}

/* Returns what a screen of that size shows. A > precedes the selected line. */
static const char *
seen(struct screen *s, unsigned width, unsigned height)
{
    char settings[64], saying[256];
    struct mp_picture_options options = {
        .tally = s->tally, .lines = &s->lines, .how = &s->controls.how, .process = &s->process,
        .settings = mp_controls_settings(&s->controls, settings), .only = s->controls.only,
        .saying = mp_controls_saying(&s->controls, saying), .ellipsis = "..."};
    struct mp_picture *picture;

    s->controls.place.width = width;
    s->controls.place.height = height;
    mp_controls_settle(&s->controls, &s->lines);
    picture = mp_picture_draw(&options, &s->controls.place);
    ck_assert_uint_eq(picture->n, height);
    s->text[0] = '\0';
    for (unsigned i = 0; i < picture->n; i++) {
        ck_assert_uint_le(mp_fit_width(picture->rows[i].text, strlen(picture->rows[i].text)), width);
        strcat(s->text, picture->rows[i].look == MP_LOOK_CHOSEN ? ">" : "");
        strcat(strcat(s->text, picture->rows[i].text), "\n");
    }
    mp_picture_free(picture);
    return s->text;
}

/* Returns the name of the selected line. */
static const char *
chosen(const struct screen *s)
{
    return mp_tally_of(s->tally, s->controls.how.by)
        ->items[s->lines.list[s->controls.place.chosen].item].name;
}

TEST(a_screen_of_80_columns)
{
    struct screen *s = screen_of(2);

    ck_assert_str_eq(seen(s, 80, 10),
                     "prog (7), still running, 0.000 s; every 1 s\n"
                     "Live 399 B in 2 blocks; allocated 399 B in 2; peak 0 B\n"
                     "Now  rates come with the second look\n"
                     "functions by themselves by live\n"
                     "   vLIVE     %      BLOCKS    ALLOCS/s   BYTES/s NAME\n"
                     ">   200 B  50.1           1           -         - f00\n"
                     "   199 B  49.9           1           -         - f01\n"
                     "\n"
                     "\n"
                     "q quit  ? help  1-5 what  < > sort  / search  f filter  Space pause\n");
}

TEST(a_small_screen_has_lines_only)
{
    struct screen *s = screen_of(20);

    ck_assert_str_eq(seen(s, 20, 4), "   vLIVE NAME\n>   200 B f00\n   199 B f01\nq quit  ? help  1-5 \n");
    press(s, MP_KEY_END);
    ck_assert_str_eq(seen(s, 20, 4), "   vLIVE NAME\n   182 B f18\n>   181 B f19\nq quit  ? help  1-5 \n");
}

TEST(tiny_screens)
{
    struct screen *s = screen_of(20);

    for (unsigned width = 1; width < 100; width += 3)
        for (unsigned height = 1; height < 30; height++)
            ck_assert_str_ne(seen(s, width, height), "");
}

TEST(keys_choose_and_scroll)
{
    struct screen *s = screen_of(50);

    press(s, MP_KEY_DOWN);
    press(s, 'j');
    press(s, MP_KEY_UP);
    ck_assert_str_eq(chosen(s), "f01");
    press(s, MP_KEY_PAGE_DOWN);         /* of 18 lines */
    ck_assert_str_eq(chosen(s), "f19");
    ck_assert_uint_eq(s->controls.place.top, 2);
    press(s, MP_KEY_PAGE_UP);
    ck_assert_str_eq(chosen(s), "f01");
    press(s, MP_KEY_END);
    press(s, MP_KEY_DOWN);
    ck_assert_str_eq(chosen(s), "f49");
    press(s, MP_KEY_HOME);
    ck_assert_str_eq(chosen(s), "f00");
}

TEST(what_is_chosen_stays_so)
{
    struct screen *s = screen_of(50);

    press(s, MP_KEY_DOWN);
    press(s, 'R');
    ck_assert_str_eq(chosen(s), "f01");
    ck_assert_uint_eq(s->controls.place.chosen, 48);
    press(s, MP_KEY_HOME);
    press(s, 'R');
    ck_assert_str_eq(chosen(s), "f00");
}

TEST(sorts_and_what_is_shown)
{
    struct screen *s = screen_of(3);

    press(s, 'B');
    ck_assert_int_eq(s->controls.how.sort, MP_LINES_BLOCKS);
    press(s, '>');
    ck_assert_int_eq(s->controls.how.sort, MP_LINES_ALLOCS);
    press(s, '<');
    press(s, '<');
    press(s, '<');
    ck_assert_int_eq(s->controls.how.sort, MP_LINES_NAME);
    press(s, '\t');
    ck_assert_int_eq(s->controls.how.by, MP_BY_SITE);
    press(s, '3');
    ck_assert_int_eq(s->controls.how.by, MP_BY_TYPE);
    press(s, 't');
    ck_assert(s->controls.how.totals);
    press(s, '1');
    press(s, 'c');
    press(s, 'L');
    ck_assert_str_eq(chosen(s), "main");
}

TEST(the_tree_opens_and_closes)
{
    struct screen *s = screen_of(3);

    press(s, '5');
    ck_assert_uint_eq(s->lines.n, 4);
    press(s, MP_KEY_LEFT);
    ck_assert_uint_eq(s->lines.n, 1);
    press(s, '*');
    press(s, MP_KEY_DOWN);
    press(s, MP_KEY_DOWN);
    ck_assert_str_eq(chosen(s), "f01");
    press(s, MP_KEY_LEFT);
    ck_assert_str_eq(chosen(s), "main");
}

TEST(search_goes_on_and_round)
{
    struct screen *s = screen_of(30);

    press(s, '/');
    type(s, "F1");
    ck_assert_str_eq(chosen(s), "f10");
    press(s, 'n');
    ck_assert_str_eq(chosen(s), "f11");
    press(s, '/');
    type(s, "f0");
    ck_assert_str_eq(chosen(s), "f00");
    press(s, '/');
    type(s, "nowhere");
    ck_assert_str_eq(chosen(s), "f00");
    ck_assert_str_eq(s->controls.saying, "Not found: nowhere");
}

TEST(search_opens_the_tree)
{
    struct screen *s = screen_of(5);

    press(s, '5');
    press(s, '-');
    ck_assert_uint_eq(s->lines.n, 1);
    press(s, '/');
    type(s, "f03");
    ck_assert_str_eq(chosen(s), "f03");
}

TEST(a_filter_and_a_bad_one)
{
    struct screen *s = screen_of(30);

    press(s, 'f');
    type(s, "^f1");
    ck_assert_uint_eq(s->lines.n, 10);
    press(s, 'f');
    type(s, "(");
    ck_assert_uint_eq(s->lines.n, 10);
    ck_assert_int_eq(strncmp(s->controls.saying, "No such expression: ", 20), 0);
    press(s, 'f');
    ck_assert_str_eq(s->controls.answer, "^f1");
    for (unsigned i = 0; i < 3; i++)
        press(s, MP_KEY_BACKSPACE);
    press(s, MP_KEY_ENTER);
    ck_assert_uint_eq(s->lines.n, 30);
}

TEST(answers_are_utf_8)
{
    struct screen *s = screen_of(1);

    press(s, '/');
    press(s, 0xe9);
    press(s, 0x4e16);
    press(s, 0x1f600);
    ck_assert_str_eq(s->controls.answer, "\u00e9\u4e16\U0001f600");
    press(s, MP_KEY_BACKSPACE);
    press(s, MP_KEY_BACKSPACE);
    press(s, 1);
    ck_assert_str_eq(s->controls.answer, "\u00e9");
    for (unsigned i = 0; i < 2 * MP_ANSWER_SIZE; i++)
        press(s, 'x');
    ck_assert_uint_lt(strlen(s->controls.answer), MP_ANSWER_SIZE);
    press(s, MP_KEY_ESCAPE);
    ck_assert_int_eq(s->controls.asked, MP_ASKED_NOTHING);
}

TEST(looks_and_their_interval)
{
    struct screen *s = screen_of(1);

    ck_assert_int_eq(press(s, 'u'), MP_DO_LOOK);
    ck_assert_int_eq(press(s, ' '), MP_DO_NOTHING);
    ck_assert(s->controls.paused);
    ck_assert_int_eq(press(s, ' '), MP_DO_LOOK);
    ck_assert(!s->controls.paused);
    ck_assert_int_eq(press(s, 'w'), MP_DO_SNAPSHOT);
    press(s, 'm');
    for (const char *c = "one"; *c; c++)
        ck_assert_int_eq(press(s, (uint32_t)*c), MP_DO_NOTHING);
    ck_assert_int_eq(press(s, MP_KEY_ENTER), MP_DO_CHECKPOINT);
    ck_assert_str_eq(s->controls.answer, "one");
    press(s, 'm');
    ck_assert_int_eq(press(s, MP_KEY_ESCAPE), MP_DO_NOTHING);
    press(s, 'd');
    press(s, MP_KEY_BACKSPACE);
    type(s, "2.5");
    ck_assert(s->controls.interval == 2.5);
    press(s, 'd');
    type(s, "x");
    ck_assert(s->controls.interval == 2.5);
    ck_assert_int_eq(press(s, '?'), MP_DO_NOTHING);
    ck_assert(s->controls.help);
    ck_assert_int_eq(press(s, 'q'), MP_DO_NOTHING);
    ck_assert_int_eq(press(s, 'q'), MP_DO_QUIT);
    ck_assert_int_eq(press(s, MP_KEY_GONE), MP_DO_QUIT);
}

TEST(intervals)
{
    double seconds = 7;

    ck_assert(mp_controls_interval("0.1", &seconds) && seconds == 0.1);
    ck_assert(mp_controls_interval("3", &seconds) && seconds == 3);
    ck_assert(!mp_controls_interval("", &seconds));
    ck_assert(!mp_controls_interval("0.01", &seconds));
    ck_assert(!mp_controls_interval("1s", &seconds));
    ck_assert(!mp_controls_interval("nan", &seconds));
    ck_assert(!mp_controls_interval("inf", &seconds));
    ck_assert(seconds == 3);
}

TEST(help_fits_a_usual_screen)
{
    unsigned rows = 0;

    for (; mp_controls_help[rows]; rows++)
        ck_assert_uint_lt(strlen(mp_controls_help[rows]), 80);
    ck_assert_uint_lt(rows, 24);
}

TEST(keys_where_there_is_nothing)
{
    static const uint32_t keys[] = {MP_KEY_UP, MP_KEY_DOWN, MP_KEY_LEFT, MP_KEY_RIGHT, MP_KEY_END,
                                    MP_KEY_PAGE_UP, '*', '-', 'n', '5', MP_KEY_RIGHT, '*', '-'};
    struct screen *s = screen_of(0);

    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
        press(s, keys[i]);
    press(s, '/');
    type(s, "x");
    ck_assert_str_eq(s->controls.saying, "Not found: x");
}
/* SPDX-License-Identifier: MIT */
