/* The head of the report as text. */
#include <inttypes.h>
#include <string.h>

#include "head.h"
#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"

enum { LABEL_WIDTH = 17, LINE_WIDTH = 80 };

/* Prints names on one line. Unless the report is verbose, prints as many as fit, and counts the others. */
static void
print_names(const struct mp_head_row *row, const struct mp_print_options *options, FILE *out)
{
    size_t width = options->width > 0 ? options->width : LINE_WIDTH, used = LABEL_WIDTH + 1 + strlen(row->text);
    bool all = options->verbosity == MP_VERBOSE;
    uint32_t shown = 0;

    for (; shown < row->n_names; shown++) {
        used += strlen(row->names[shown]) + strlen(", ");
        if (shown > 0 && !all && used + strlen("and 12345 more") > width)
            break;
        fprintf(out, "%s%s", shown > 0 ? ", " : "", row->names[shown]);
    }
    if (shown < row->n_names)
        fprintf(out, ", and %" PRIu32 " more", row->n_names - shown);
}

static void
print_figures(const struct mp_head_row *row, FILE *out)
{
    char number[2][MP_NUMBER_SIZE];

    fprintf(out, "%15s", row->has == MP_HEAD_BYTES ? "" : mp_number_grouped(row->blocks, number[0]));
    if (row->has != MP_HEAD_BLOCKS)
        fprintf(out, "  %19s byte%s  (%s)", mp_number_grouped(row->bytes, number[0]),
                mp_plural(row->bytes), mp_number_bytes(row->bytes, number[1]));
    if (row->text[0])
        fputs(row->close ? " " : "  ", out);
}

void
mp_head_print(const struct mp_head *head, const struct mp_print_options *options, FILE *out)
{
    mp_columns_title(out, "MPROF: DYNAMIC MEMORY ALLOCATION", options->color);
    for (uint32_t i = 0; i < head->n_rows; i++) {
        const struct mp_head_row *row = &head->rows[i];

        fprintf(out, "%-*s ", LABEL_WIDTH, row->label);
        if (row->has == MP_HEAD_NAMES)
            print_names(row, options, out);
        else if (row->has != MP_HEAD_TEXT)
            print_figures(row, out);
        fprintf(out, "%s\n", row->text);
    }
}
