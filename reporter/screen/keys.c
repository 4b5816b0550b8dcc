/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

const char *const mp_controls_help[] = {
    "mprof top: who holds memory, and who allocates it now",
    "",
    "What is shown            1 functions   2 call sites   3 types and sizes",
    "                         4 threads     5 tree of callers     Tab the next",
    "  c                      functions by themselves, or with what they call",
    "  t                      allocations each second, or since the start",
    "Sorted by                L live  B blocks  A allocations  Y bytes  N name",
    "  < >                    the column before, behind      R the least first",
    "Chosen line              arrows, Page keys, Home, End, j, k",
    "  Right Enter + (tree)   show what it calls; * and all below",
    "  Left - (tree)          hide that; or go to the caller",
    "  / n                    search for a name; again",
    "  f                      only names like an expression (extended regex)",
    "Looks                    Space pause   d seconds between looks   u now",
    "  w                      write a snapshot, as mprof snapshot does",
    "  m                      set a checkpoint, as mprof checkpoint does",
    "  h ? q                  this help, and back; quit",
    "",
    "LIVE is what was not freed; of Lisp objects, what no collection has found",
    "dead.  Rates are those between the last two looks.  The process is only",
    "read: it does not notice.",
    NULL,
};

void
mp_controls_forget(struct mp_controls *controls)
{
    free(controls->open);
    controls->open = NULL;
    controls->n_open = 0;
    controls->item = MP_NO_ID;
    controls->place.top = 0;
}

void
mp_controls_end(struct mp_controls *controls)
{
    mp_controls_forget(controls);
    if (controls->how.only)
        mp_pattern_free(&controls->pattern);
    controls->how.only = NULL;
}

static void
say(struct mp_controls *controls, const char *what, const char *more)
{
    snprintf(controls->saying, sizeof controls->saying, "%s%s", what, more);
}

/* ---------------------------------------------------------------- lines */

/* Expands new items that have no caller, and collapses the other new ones. */
const struct mp_lines_options *
mp_controls_how(struct mp_controls *controls, const struct mp_tally *tally)
{
    const struct mp_tally_list *tree = &tally->lists[MP_BY_TREE];

    if (controls->n_open < tree->n)
        controls->open = mp_need(reallocarray(controls->open, tree->n, sizeof *controls->open));
    for (; controls->n_open < tree->n; controls->n_open++)
        controls->open[controls->n_open] = tree->items[controls->n_open].parent == MP_NO_ID;
    controls->how.open = controls->open;
    controls->how.n_open = controls->n_open;
    return &controls->how;
}

void
mp_controls_settle(struct mp_controls *controls, const struct mp_screen_lines *lines)
{
    struct mp_picture_place *place = &controls->place;
    uint32_t room = mp_picture_room(place->height);

    for (uint32_t i = 0; i < lines->n && controls->item != MP_NO_ID; i++)
        if (lines->list[i].item == controls->item)
            place->chosen = i;
    if (controls->item == MP_NO_ID)
        place->chosen = 0;
    if (place->chosen >= lines->n)
        place->chosen = lines->n > 0 ? lines->n - 1 : 0;
    if (place->chosen < place->top)
        place->top = place->chosen;
    if (room > 0 && place->chosen - place->top >= room)
        place->top = place->chosen - room + 1;
    if (place->top > 0 && lines->n < place->top + room)
        place->top = lines->n > room ? lines->n - room : 0;
}

/* Selects the line STEPS below, or above if STEPS is negative. */
static void
move(struct mp_controls *controls, const struct mp_screen_lines *lines, int64_t steps)
{
    int64_t to = (int64_t)controls->place.chosen + steps;

    if (lines->n == 0)
        return;
    to = to < 0 ? 0 : to >= lines->n ? (int64_t)lines->n - 1 : to;
    controls->place.chosen = (uint32_t)to;
    controls->item = to == 0 ? MP_NO_ID : lines->list[to].item;
    mp_controls_settle(controls, lines);
}

/* ---------------------------------------------------------------- what is shown */

static enum mp_do
show_by(struct mp_controls *controls, enum mp_by by)
{
    if (by != controls->how.by) {
        controls->how.by = by;
        controls->item = MP_NO_ID;
        controls->place.top = 0;
    }
    return MP_DO_LINES;
}

static enum mp_do
sort_by(struct mp_controls *controls, enum mp_line_sort sort)
{
    controls->how.sort = sort;
    return MP_DO_LINES;
}

static enum mp_do
toggle(bool *what)
{
    *what = !*what;
    return MP_DO_LINES;
}

/* ---------------------------------------------------------------- the tree */

/* Returns the selected line of the tree, or NULL if another list is shown or the tree is empty. */
static const struct mp_line *
chosen_line(const struct mp_controls *controls, const struct mp_screen_lines *lines)
{
    return controls->how.by == MP_BY_TREE && lines->n > 0 ? &lines->list[controls->place.chosen]
                                                         : NULL;
}

static enum mp_do
open_item(struct mp_controls *controls, const struct mp_screen_lines *lines)
{
    const struct mp_line *line = chosen_line(controls, lines);

    if (!line)
        return MP_DO_NOTHING;
    controls->open[line->item] = true;
    return MP_DO_LINES;
}

static enum mp_do
open_below(struct mp_controls *controls, const struct mp_tally *tally, const struct mp_screen_lines *lines)
{
    const struct mp_line *line = chosen_line(controls, lines);
    const struct mp_tally_item *items = tally->lists[MP_BY_TREE].items;
    bool *below;

    if (!line)
        return MP_DO_NOTHING;
    below = mp_need(calloc(controls->n_open, sizeof *below));
    below[line->item] = controls->open[line->item] = true;
    for (uint32_t i = line->item + 1; i < controls->n_open; i++)
        if (items[i].parent != MP_NO_ID && below[items[i].parent])
            below[i] = controls->open[i] = true;
    free(below);
    return MP_DO_LINES;
}

/* Collapses the selected item. If it is already collapsed or a leaf, selects its caller. */
static enum mp_do
close_item(struct mp_controls *controls, const struct mp_tally *tally, const struct mp_screen_lines *lines)
{
    const struct mp_line *line = chosen_line(controls, lines);
    uint32_t parent;

    if (!line)
        return MP_DO_NOTHING;
    parent = tally->lists[MP_BY_TREE].items[line->item].parent;
    if (line->has_more && controls->open[line->item])
        controls->open[line->item] = false;
    else if (parent != MP_NO_ID)
        controls->item = parent;
    return MP_DO_LINES;
}

/* ---------------------------------------------------------------- questions */

static const char *const questions[] = {
    [MP_ASKED_ONLY] = "Only names like (empty: all): ", [MP_ASKED_SEARCH] = "Search for: ",
    [MP_ASKED_INTERVAL] = "Seconds between looks: ", [MP_ASKED_CHECKPOINT] = "Name of the checkpoint: ",
};

static enum mp_do
ask(struct mp_controls *controls, enum mp_asked asked, const char *answer)
{
    controls->asked = asked;
    snprintf(controls->answer, sizeof controls->answer, "%s", answer);
    return MP_DO_NOTHING;
}

bool
mp_controls_interval(const char *text, double *seconds)
{
    char *end;
    double number = strtod(text, &end);

    if (end == text || *end || !(number >= MP_LEAST_INTERVAL && number <= MP_MOST_INTERVAL))
        return false;
    *seconds = number;
    return true;
}

static enum mp_do
set_only(struct mp_controls *controls)
{
    struct mp_pattern pattern;
    char reason[MP_PATTERN_REASON];

    if (*controls->answer && !mp_pattern_compile(&pattern, controls->answer, reason)) {
        say(controls, "No such expression: ", reason);
        return MP_DO_NOTHING;
    }
    if (controls->how.only)
        mp_pattern_free(&controls->pattern);
    controls->how.only = NULL;
    memcpy(controls->only, controls->answer, sizeof controls->only);
    if (*controls->answer) {
        controls->pattern = pattern;
        controls->how.only = &controls->pattern;
    }
    controls->item = MP_NO_ID;
    return MP_DO_LINES;
}

/* Returns the index in ALL of the selected item of LINES, or all->n if it is not there. */
static uint32_t
place_in(const struct mp_controls *controls, const struct mp_screen_lines *lines,
         const struct mp_screen_lines *all)
{
    uint32_t i = 0;

    while (lines->n > 0 && i < all->n &&
           all->list[i].item != lines->list[controls->place.chosen].item)
        i++;
    return i;
}

static bool
is_sought(const struct mp_controls *controls, const struct mp_tally *tally, uint32_t item)
{
    struct mp_arena *arena = mp_arena_new();
    const char *name = mp_lines_name(tally, controls->how.by, item, UINT32_MAX, arena);
    bool found = strcasestr(name, controls->sought) != NULL;

    mp_arena_free(arena);
    return found;
}

/* Selects the next line whose name contains the text. Continues at the beginning after the last line. In the tree,
 * also searches collapsed items and expands their callers. */
static enum mp_do
search(struct mp_controls *controls, const struct mp_tally *tally, const struct mp_screen_lines *lines)
{
    struct mp_lines_options how = controls->how;
    const struct mp_tally_item *items = tally->lists[MP_BY_TREE].items;
    struct mp_screen_lines all;
    uint32_t from, found = MP_NO_ID;

    how.open = NULL;
    all = mp_lines_make(tally, &how);
    from = place_in(controls, lines, &all);
    for (uint32_t i = 1; i <= all.n && found == MP_NO_ID && *controls->sought; i++)
        if (is_sought(controls, tally, all.list[(from + i) % all.n].item))
            found = all.list[(from + i) % all.n].item;
    mp_lines_free(&all);
    if (found == MP_NO_ID) {
        say(controls, "Not found: ", controls->sought);
        return MP_DO_NOTHING;
    }
    controls->item = found;
    for (uint32_t i = found; how.by == MP_BY_TREE && items[i].parent != MP_NO_ID; i = items[i].parent)
        controls->open[items[i].parent] = true;
    return MP_DO_LINES;
}

static enum mp_do
take_answer(struct mp_controls *controls, const struct mp_tally *tally, const struct mp_screen_lines *lines)
{
    enum mp_asked asked = controls->asked;

    controls->asked = MP_ASKED_NOTHING;
    switch (asked) {
    case MP_ASKED_ONLY:
        return set_only(controls);
    case MP_ASKED_SEARCH:
        memcpy(controls->sought, controls->answer, sizeof controls->sought);
        return search(controls, tally, lines);
    case MP_ASKED_CHECKPOINT:
        return MP_DO_CHECKPOINT;
    default:
        if (!mp_controls_interval(controls->answer, &controls->interval))
            say(controls, "Not a number of seconds from 0.1 to 86400: ", controls->answer);
        return MP_DO_NOTHING;
    }
}

/* Encodes CHARACTER as UTF-8 in OUT. Returns the number of bytes, or 0 if it is a control character or invalid. */
static unsigned
encode(uint32_t character, char out[static 4])
{
    if (character < 0x20 || (character >= 0x7f && character < 0xa0) || character >= 0x110000)
        return 0;
    if (character < 0x80) {
        out[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        out[0] = (char)(0xc0 | character >> 6);
        out[1] = (char)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character < 0x10000) {
        out[0] = (char)(0xe0 | character >> 12);
        out[1] = (char)(0x80 | (character >> 6 & 0x3f));
        out[2] = (char)(0x80 | (character & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | character >> 18);
    out[1] = (char)(0x80 | (character >> 12 & 0x3f));
    out[2] = (char)(0x80 | (character >> 6 & 0x3f));
    out[3] = (char)(0x80 | (character & 0x3f));
    return 4;
}

static enum mp_do
answer_key(struct mp_controls *controls, const struct mp_tally *tally, const struct mp_screen_lines *lines,
           uint32_t key)
{
    size_t length = strlen(controls->answer);
    char bytes[4];
    unsigned n = encode(key, bytes);

    if (key == MP_KEY_ENTER)
        return take_answer(controls, tally, lines);
    if (key == MP_KEY_ESCAPE)
        controls->asked = MP_ASKED_NOTHING;
    if (key == MP_KEY_BACKSPACE)
        while (length > 0) {
            bool last = ((unsigned char)controls->answer[--length] & 0xc0) != 0x80;

            controls->answer[length] = '\0';
            if (last)
                break;
        }
    if (n > 0 && length + n < sizeof controls->answer) {
        memcpy(controls->answer + length, bytes, n);
        controls->answer[length + n] = '\0';
    }
    return MP_DO_NOTHING;
}

/* ---------------------------------------------------------------- keys */

static enum mp_do
moving_key(struct mp_controls *controls, const struct mp_screen_lines *lines, uint32_t key)
{
    const int64_t page = mp_picture_room(controls->place.height);

    switch (key) {
    case MP_KEY_UP:
    case 'k':
        move(controls, lines, -1);
        break;
    case MP_KEY_DOWN:
    case 'j':
        move(controls, lines, 1);
        break;
    case MP_KEY_PAGE_UP:
        move(controls, lines, -page);
        break;
    case MP_KEY_PAGE_DOWN:
        move(controls, lines, page);
        break;
    case MP_KEY_HOME:
        move(controls, lines, -(int64_t)lines->n);
        break;
    case MP_KEY_END:
        move(controls, lines, lines->n);
        break;
    default:
        break;
    }
    return MP_DO_NOTHING;
}

/* Handles keys that change what is shown. Returns MP_DO_NOTHING for other keys. */
static enum mp_do
showing_key(struct mp_controls *controls, uint32_t key)
{
    static const char sorts[] = "LBAYN";
    const char *sort = key < 128 && key > 0 ? strchr(sorts, (int)key) : NULL;
    struct mp_lines_options *how = &controls->how;

    if (key >= '1' && key < '1' + MP_BYS)
        return show_by(controls, (enum mp_by)(key - '1'));
    if (sort)
        return sort_by(controls, (enum mp_line_sort)(sort - sorts));
    switch (key) {
    case '\t':
        return show_by(controls, (enum mp_by)((how->by + 1) % MP_BYS));
    case '<':
        return sort_by(controls, (enum mp_line_sort)((how->sort + MP_LINE_SORTS - 1) % MP_LINE_SORTS));
    case '>':
        return sort_by(controls, (enum mp_line_sort)((how->sort + 1) % MP_LINE_SORTS));
    case 'R':
        return toggle(&how->reverse);
    case 'c':
        return toggle(&how->within);
    case 't':
        return toggle(&how->totals);
    default:
        return MP_DO_NOTHING;
    }
}

static enum mp_do
other_key(struct mp_controls *controls, const struct mp_tally *tally, const struct mp_screen_lines *lines,
          uint32_t key)
{
    char seconds[32];

    switch (key) {
    case 'q':
    case MP_KEY_GONE:
        return MP_DO_QUIT;
    case 'u':
        return MP_DO_LOOK;
    case 'w':
        return MP_DO_SNAPSHOT;
    case 'm':
        return ask(controls, MP_ASKED_CHECKPOINT, "");
    case ' ':
        controls->paused = !controls->paused;
        return controls->paused ? MP_DO_NOTHING : MP_DO_LOOK;
    case 'h':
    case '?':
        controls->help = true;
        return MP_DO_NOTHING;
    case 'f':
        return ask(controls, MP_ASKED_ONLY, controls->only);
    case '/':
        return ask(controls, MP_ASKED_SEARCH, "");
    case 'n':
        return search(controls, tally, lines);
    case 'd':
        snprintf(seconds, sizeof seconds, "%g", controls->interval);
        return ask(controls, MP_ASKED_INTERVAL, seconds);
    case MP_KEY_RIGHT:
    case MP_KEY_ENTER:
    case '+':
        return open_item(controls, lines);
    case '*':
        return open_below(controls, tally, lines);
    case MP_KEY_LEFT:
    case '-':
        return close_item(controls, tally, lines);
    default:
        return moving_key(controls, lines, key);
    }
}

enum mp_do
mp_controls_key(struct mp_controls *controls, const struct mp_tally *tally,
                const struct mp_screen_lines *lines, uint32_t key)
{
    enum mp_do what;

    controls->saying[0] = '\0';
    if (controls->asked != MP_ASKED_NOTHING && key != MP_KEY_GONE)
        return answer_key(controls, tally, lines, key);
    if (controls->help) {
        controls->help = false;
        return MP_DO_NOTHING;
    }
    what = showing_key(controls, key);
    return what != MP_DO_NOTHING ? what : other_key(controls, tally, lines, key);
}

/* ---------------------------------------------------------------- texts */

const char *
mp_controls_settings(const struct mp_controls *controls, char out[static 64])
{
    snprintf(out, 64, "every %g s%s", controls->interval, controls->paused ? ", paused" : "");
    return out;
}

const char *
mp_controls_saying(const struct mp_controls *controls, char out[static 256])
{
    if (controls->asked != MP_ASKED_NOTHING)
        snprintf(out, 256, "%s%s_", questions[controls->asked], controls->answer);
    else
        snprintf(out, 256, "%s", controls->help        ? "Any key goes back"
                                 : controls->saying[0] ? controls->saying
                                 : "q quit  ? help  1-5 what  < > sort  / search  f filter  Space pause");
    return out;
}
