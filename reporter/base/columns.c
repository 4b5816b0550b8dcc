#include "columns.h"

#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define LEAST_WRAPPED 20u       /* columns that what is wrapped has, also where WIDTH has no room */

struct mp_columns {
    const struct mp_column *columns;
    size_t n;
    unsigned width;
    char **cells;               /* rows of N texts, the titles first; NULL: none */
    size_t n_cells, room;
    bool failed;
};

static void
add_cell(struct mp_columns *self, const char *text)
{
    if (self->n_cells == self->room) {
        char **more = reallocarray(self->cells, self->room = self->room * 2 + 64, sizeof *more);

        if (!more) {
            self->failed = true;
            return;
        }
        self->cells = more;
    }
    self->cells[self->n_cells] = text && *text ? strdup(text) : NULL;
    self->failed |= text && *text && !self->cells[self->n_cells];
    self->n_cells++;
}

struct mp_columns *
mp_columns_new(const struct mp_column columns[], size_t n, unsigned width)
{
    struct mp_columns *self = calloc(1, sizeof *self);
    struct mp_column *copy = reallocarray(NULL, n, sizeof *copy);

    if (!self || !copy) {
        free(self);
        free(copy);
        return NULL;
    }
    memcpy(copy, columns, n * sizeof *copy);
    *self = (struct mp_columns){.columns = copy, .n = n, .width = width};
    for (size_t i = 0; i < n && !self->failed; i++)
        add_cell(self, columns[i].title);
    return self;
}

void
mp_columns_row(struct mp_columns *self, const char *const cells[])
{
    for (size_t i = 0; self && i < self->n && !self->failed; i++)
        add_cell(self, cells[i]);
}

/* ---------------------------------------------------------------- widths */

/* Bytes of the character at TEXT, which is not its end, and in *WIDTH its columns.  Of the locale
 * that mp_columns_print() sets. */
static size_t
measure(const char *text, unsigned *width)
{
    mbstate_t state = {0};
    size_t bytes;
    wchar_t c;
    int columns;

    *width = 1;
    if ((unsigned char)*text < 0x80)
        return 1;
    bytes = mbrtowc(&c, text, MB_LEN_MAX, &state);
    if (bytes == 0 || bytes > MB_LEN_MAX)
        return 1;               /* no character of this locale */
    columns = wcwidth(c);
    *width = columns < 0 ? 1 : (unsigned)columns;
    return bytes;
}

static unsigned
width_of(const char *text)
{
    unsigned sum = 0, width;

    for (; text && *text; sum += width)
        text += measure(text, &width);
    return sum;
}

/* How many bytes of TEXT fit into MOST columns, at least one character: up to a blank, if there is
 * one. */
static size_t
fitting(const char *text, unsigned most)
{
    size_t length = 0, blank = 0, bytes;
    unsigned sum = 0, width;

    for (; text[length]; length += bytes, sum += width) {
        bytes = measure(text + length, &width);
        if (text[length] == ' ')
            blank = length;
        if (sum + width > most)
            return blank > 0 ? blank : length > 0 ? length : bytes;
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

/* ---------------------------------------------------------------- output */

static void
print_wrapped(const char *text, unsigned start, unsigned most, FILE *out)
{
    for (;;) {
        size_t length = fitting(text, most);

        fwrite(text, 1, length, out);
        text += length + strspn(text + length, " ");
        if (*text == '\0')
            return;
        fprintf(out, "\n%*s", (int)start, "");
    }
}

/* Blanks are printed before the next text only, so that none end a line. */
static void
print_row(const struct mp_columns *self, char *const cells[], const unsigned widths[], FILE *out)
{
    unsigned start = 0, at = 0;

    for (size_t i = 0; i < self->n; start += widths[i++] + 1) {
        const struct mp_column *column = &self->columns[i];
        unsigned width = width_of(cells[i]), before = start;

        if (!cells[i])
            continue;
        if (column->align == MP_RIGHT)
            before += widths[i] - width;
        fprintf(out, "%*s", (int)(before - at), "");
        at = before + width;
        if (column->align == MP_WRAP && self->width > 0)
            print_wrapped(cells[i], start,
                          self->width >= start + LEAST_WRAPPED ? self->width - start : LEAST_WRAPPED,
                          out);
        else
            fputs(cells[i], out);
    }
    fputc('\n', out);
}

static void
print_all(const struct mp_columns *self, unsigned widths[], FILE *out)
{
    /* The locale's own encoding is of no interest: names are UTF-8, and have the width that they
     * have.  Where there is no such locale, they have a column for each byte. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL), before = uselocale(utf8);

    find_widths(self, widths);
    for (size_t i = 0; i < self->n_cells; i += self->n)
        print_row(self, self->cells + i, widths, out);
    uselocale(before);
    if (utf8)
        freelocale(utf8);
}

static void
free_all(struct mp_columns *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->n_cells; i++)
        free(self->cells[i]);
    free(self->cells);
    free((void *)self->columns);
    free(self);
}

bool
mp_columns_print(struct mp_columns *self, FILE *out, struct mp_error *error)
{
    unsigned *widths = self && !self->failed ? calloc(self->n, sizeof *widths) : NULL;

    if (widths)
        print_all(self, widths, out);
    free(widths);
    free_all(self);
    return widths || mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "cannot lay out a table");
}

void
mp_columns_title(FILE *out, const char *title, bool color)
{
    fprintf(out, "%s%s%s\n\n", color ? "\033[1m" : "", title, color ? "\033[0m" : "");
}
