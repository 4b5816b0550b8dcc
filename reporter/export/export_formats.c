/* SPDX-License-Identifier: MIT */
#include "export_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "reporter/base/text.h"
#include "reporter/table/head.h"
#include "reporter/table/said_part.h"

/* ---------------------------------------------------------------- remarks */

static void
print_remark(const struct mp_export *export, FILE *out)
{
    const struct mp_print_options plain = MP_PRINT_DEFAULT;
    const struct mp_said_part part = {
        .profile = export->profile, .view = export->view, .focus = export->focus,
        .filters = export->filters, .lisp = export->lisp};
    struct mp_head *head = mp_head(export->profile, export->view, export->lisp);

    fputs(PACKAGE_STRING "\n", out);
    mp_said_part_print(&part, out);
    mp_head_print(head, &plain, out);
    mp_head_free(head);
}

static void
drop_empty_lines(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++)
        if (*from != '\n' || (to > text && to[-1] != '\n'))
            *to++ = *from;
    *to = '\0';
}

char *
mp_export_remark(const struct mp_export *export)
{
    struct mp_text_stream remark;
    char *text;

    print_remark(export, mp_text_open(&remark));
    text = mp_text_close(&remark);
    drop_empty_lines(text);
    return text;
}

void
mp_export_put_uncommented(const char *text, FILE *out)
{
    for (;; text++) {
        size_t plain = strcspn(text, "#");

        fwrite(text, 1, plain, out);
        text += plain;
        if (*text == '\0')
            return;
        fputs("\\x23", out);
    }
}

void
mp_export_put_remark(const struct mp_export *export, const char *prefix, FILE *out)
{
    char *remark = mp_export_remark(export), *rest = remark, *line;

    while ((line = strsep(&rest, "\n")) != NULL && rest) {
        fputs(prefix, out);
        mp_export_put_uncommented(line, out);
        fputc('\n', out);
    }
    free(remark);
}

char *
mp_export_command(const struct mp_meta *meta)
{
    struct mp_text_stream command;
    FILE *out = mp_text_open(&command);

    if (meta->n_arguments == 0)
        mp_text_print(out, meta->program);
    for (uint32_t i = 0; i < meta->n_arguments; i++) {
        fputs(i > 0 ? " " : "", out);
        mp_text_shell(out, meta->arguments[i]);
    }
    return mp_text_close(&command);
}

uint32_t
mp_export_labels(const struct mp_export *export, const struct mp_meta *meta, struct mp_label list[],
                 struct mp_arena *arena)
{
    for (uint32_t i = 0; i < export->n_labels; i++)
        list[i] = export->labels[i];
    return mp_labels_list(meta->labels, list, export->n_labels, arena);
}

uint32_t
mp_export_period(const struct mp_meta *meta)
{
    return meta->sample_period > 0 ? meta->sample_period : meta->foreign_period;
}

bool
mp_export_knows(const struct mp_profile *view, enum mp_figure figure)
{
    const struct mp_window *window = view->window;

    if (mp_is_unknown(view, figure))
        return false;
    if (!window || mp_figure_is_kept(figure))
        return true;
    if (figure == MP_FIGURE_TEMPORARY)
        return !mp_window_lacks_temporary(window);
    if (figure == MP_FIGURE_FREES || figure == MP_FIGURE_FREED)
        return !window->alive && !window->net;
    return !window->alive && (figure == MP_FIGURE_ALLOCS || figure == MP_FIGURE_BYTES);
}

/* ---------------------------------------------------------------- calls, as the tools of valgrind write them */

const char *
mp_export_frame_text(const struct mp_tree *tree, uint32_t node, struct mp_arena *arena)
{
    const struct mp_profile *view = tree->profile;
    const struct mp_location *at = &view->locations[tree->nodes[node].location];
    const struct mp_function *function = &view->functions[at->function];
    const struct mp_frame *frame = &view->frames[tree->nodes[node].frame];
    uint64_t address = frame->module < view->n_modules ? frame->offset : 0;

    if (at->line > 0)
        return mp_arena_printf(arena, "0x%" PRIX64 ": %s (%s:%" PRIu32 ")", address, function->text,
                               at->file, at->line);
    if (function->module < view->n_modules)
        return mp_arena_printf(arena, "0x%" PRIX64 ": %s (in %s)", address, function->text,
                               view->modules[function->module].path);
    return mp_arena_printf(arena, "0x%" PRIX64 ": %s", address, function->text);
}

const char *
mp_export_kind_text(const struct mp_tree *tree, uint32_t kind, struct mp_arena *arena)
{
    return mp_arena_printf(arena, "[%s]", mp_profile_kind(tree->profile, kind)->name);
}
