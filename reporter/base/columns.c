/* SPDX-License-Identifier: MIT */
#include "columns.h"

#include <string.h>

#include "arena.h"
#include "fit.h"

#define LEAST_WRAPPED 20u       /* minimum columns of wrapped text, even if WIDTH is exceeded */
#define CODE_WANTED 56u         /* spare columns are omitted if code has fewer columns */

struct mp_columns {
    struct mp_arena *arena;     /* memory of everything, including this struct */
    const struct mp_column *columns;
    size_t n;
    unsigned width;
    const char *ellipsis;       /* replaces what is cut from too wide words, or NULL if nothing is cut */
    char **cells;               /* rows of N texts, titles first; NULL is an empty text */
    uint32_t n_cells, room;
};

static void
add_cell(struct mp_columns *self, const char *text)
{
    self->cells = mp_arena_grow(self->arena, self->cells, self->n_cells, &self->room, sizeof *self->cells);
    self->cells[self->n_cells++] = text && *text ? mp_arena_strdup(self->arena, text) : NULL;
}

struct mp_columns *
mp_columns_new(const struct mp_column columns[], size_t n, unsigned width)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_columns *self = mp_arena_alloc(arena, sizeof *self);
    struct mp_column *copy = mp_arena_alloc(arena, n * sizeof *copy);

    memcpy(copy, columns, n * sizeof *copy);
    *self = (struct mp_columns){.arena = arena, .columns = copy, .n = n, .width = width};
    for (size_t i = 0; i < n; i++)
        add_cell(self, columns[i].title);
    return self;
}

void
mp_columns_cut(struct mp_columns *self, const char *ellipsis)
{
    if (self->width > 0)
        self->ellipsis = ellipsis;
}

void
mp_columns_row(struct mp_columns *self, const char *const cells[])
{
    for (size_t i = 0; i < self->n; i++)
        add_cell(self, cells[i]);
}

/* ---------------------------------------------------------------- widths */

static unsigned
width_of(const char *text)
{
    return text ? mp_fit_width(text, strlen(text)) : 0;
}

/* Returns the number of bytes of TEXT that fit into MOST columns, at least one character. Ends at the last
 * blank, else at the last MP_GLUE, else at any character. */
static size_t
fitting(const char *text, unsigned most)
{
    size_t length = 0, blank = 0, glued = 0, bytes;
    unsigned sum = 0, width;

    for (; text[length]; length += bytes, sum += width) {
        bytes = mp_fit_measure(text + length, &width);
        if (text[length] == ' ')
            blank = length;
        else if (text[length] == MP_GLUE)
            glued = length;
        if (sum + width > most)
            return blank > 0 ? blank : glued > 0 ? glued : length > 0 ? length : bytes;
    }
    return length;
}

static void
find_widths(const struct mp_columns *self, unsigned widths[])
{
    memset(widths, 0, self->n * sizeof *widths);
    for (size_t i = 0; i < self->n_cells; i++) {
        unsigned width = width_of(self->cells[i]);

        if (width > widths[i % self->n])
            widths[i % self->n] = width;
    }
}

/* Omits spare columns, rightmost first, as long as the code in the last column needs their space. */
static void
leave_out(const struct mp_columns *self, const unsigned widths[], bool left_out[])
{
    size_t last = self->n - 1;
    unsigned needed = widths[last] < CODE_WANTED ? widths[last] : CODE_WANTED;

    for (size_t i = 0; i < last; i++)
        needed += widths[i] + 1;
    for (size_t i = last; self->columns[last].align == MP_CODE && i-- > 0 && self->width > 0 && needed > self->width;) {
        left_out[i] = self->columns[i].align == MP_SPARE;
        needed -= left_out[i] ? widths[i] + 1 : 0;
    }
}

/* ---------------------------------------------------------------- output */

/* Returns the number of columns from START to the end of the line. */
static unsigned
room_from(const struct mp_columns *self, unsigned start)
{
    return self->width >= start + LEAST_WRAPPED ? self->width - start : LEAST_WRAPPED;
}

static void
print_wrapped(const struct mp_columns *self, const char *text, unsigned start, FILE *out)
{
    static const char blanks[] = {' ', MP_GLUE, '\0'};
    unsigned most = room_from(self, start);

    for (;;) {
        size_t length = fitting(text, most), word = strspn(text, " ");

        word += strcspn(text + word, " ");
        if (self->ellipsis && word > length)
            length = word;
        mp_fit_print(text, length, most, self->ellipsis, out);
        text += length + strspn(text + length, blanks);
        if (*text == '\0')
            return;
        fprintf(out, "\n%*s", (int)start, "");
    }
}

static void
print_cell(const struct mp_columns *self, size_t column, const char *text, unsigned start, FILE *out)
{
    bool last = column + 1 == self->n;

    if (self->columns[column].align == MP_CODE)
        mp_fit_print_head(text, strlen(text), room_from(self, start), self->ellipsis, out);
    else if (self->columns[column].align == MP_WRAP && self->width > 0)
        print_wrapped(self, text, start, out);
    else
        mp_fit_print(text, strlen(text), room_from(self, start), last ? self->ellipsis : NULL, out);
}

/* Prints blanks only before the next text, so that lines have no trailing blanks. */
static void
print_row(const struct mp_columns *self, char *const cells[], const unsigned widths[], const bool left_out[],
          FILE *out)
{
    unsigned start = 0, at = 0;

    for (size_t i = 0; i < self->n; start += left_out[i] ? 0 : widths[i] + 1, i++) {
        const struct mp_column *column = &self->columns[i];
        unsigned width = width_of(cells[i]), before = start;

        if (!cells[i] || left_out[i])
            continue;
        if (column->align == MP_RIGHT || column->align == MP_SPARE)
            before += widths[i] - width;
        fprintf(out, "%*s", (int)(before - at), "");
        at = before + width;
        print_cell(self, i, cells[i], start, out);
    }
    fputc('\n', out);
}

static bool
has_titles(const struct mp_columns *self)
{
    for (size_t i = 0; i < self->n; i++)
        if (self->cells[i])
            return true;
    return false;
}

void
mp_columns_print(struct mp_columns *self, FILE *out)
{
    const struct mp_fit fit = mp_fit_begin();
    unsigned *widths = mp_arena_alloc(self->arena, self->n * sizeof *widths);
    bool *left_out = mp_arena_alloc(self->arena, self->n * sizeof *left_out);

    find_widths(self, widths);
    leave_out(self, widths, left_out);
    for (size_t i = has_titles(self) ? 0 : self->n; i < self->n_cells; i += self->n)
        print_row(self, self->cells + i, widths, left_out, out);
    mp_fit_end(&fit);
    mp_arena_free(self->arena);
}

void
mp_columns_title(FILE *out, const char *title, bool color)
{
    fprintf(out, "%s%s%s\n\n", color ? "\033[1m" : "", title, color ? "\033[0m" : "");
}
