#include "columns.h"

#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

struct mp_columns {
    struct libscols_table *table;
    size_t n;
    bool failed;
    bool ascii;                 /* all texts are */
};

static bool
set_up(struct libscols_table *table, const struct mp_column columns[], size_t n, unsigned width)
{
    static const int flags[] = {
        [MP_LEFT] = 0,
        [MP_RIGHT] = SCOLS_FL_RIGHT,
        [MP_WRAP] = SCOLS_FL_WRAP,
    };

    for (size_t i = 0; i < n; i++)
        if (!scols_table_new_column(table, columns[i].title, 0, flags[columns[i].align]))
            return false;
    if (width == 0)
        return scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER) == 0;
    return scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS) == 0 &&
           scols_table_set_termwidth(table, width) == 0;
}

struct mp_columns *
mp_columns_new(const struct mp_column columns[], size_t n, unsigned width)
{
    struct mp_columns *self = calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->n = n;
    self->ascii = true;
    self->table = scols_new_table();
    self->failed = !self->table || !set_up(self->table, columns, n, width);
    return self;
}

static bool
is_ascii(const char *text)
{
    while (*text && !(*text & 0x80))
        text++;
    return *text == '\0';
}

void
mp_columns_row(struct mp_columns *self, const char *const cells[])
{
    struct libscols_line *line;

    if (!self || self->failed)
        return;
    line = scols_table_new_line(self->table, NULL);
    self->failed = !line;
    for (size_t i = 0; i < self->n && !self->failed; i++)
        if (cells[i] && cells[i][0] != '\0') {
            self->failed = scols_line_set_data(line, i, cells[i]) != 0;
            self->ascii &= is_ascii(cells[i]);
        }
}

/* libsmartcols pads empty cells at the end of a line. */
static void
print_trimmed(const char *text, FILE *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n"), used = length;

        while (used > 0 && text[used - 1] == ' ')
            used--;
        fwrite(text, 1, used, out);
        fputc('\n', out);
        text += length + (text[length] == '\n');
    }
}

bool
mp_columns_print(struct mp_columns *self, FILE *out, struct mp_error *error)
{
    char *text = NULL;
    /* Texts are fit to be printed (text.h), but libsmartcols turns "\\x1b" into "\\x5cx1b".  It does
     * not end if it must lay out letters that the locale does not have without doing so. */
    bool ok = self && !self->failed &&
              (!self->ascii || scols_table_enable_noencoding(self->table, 1) == 0) &&
              scols_print_table_to_string(self->table, &text) == 0;

    if (ok)
        print_trimmed(text, out);
    free(text);
    if (self)
        scols_unref_table(self->table);
    free(self);
    return ok || mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "cannot lay out a table");
}

void
mp_columns_title(FILE *out, const char *title, bool color)
{
    fprintf(out, "%s%s%s\n\n", color ? "\033[1m" : "", title, color ? "\033[0m" : "");
}
