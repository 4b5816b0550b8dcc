/* SPDX-License-Identifier: MIT */
/* html_time.c -- writes the time line of the page, and what its largest resident memory consisted of. */
#include "html_parts.h"
#include "reporter/base/arena.h"
#include "reporter/base/json.h"
#include "reporter/profile/resident.h"
#include "reporter/profile/timeline.h"

/* Writes FIGURE, or -1 if it was not observed. */
static void
put(struct mp_buffer *out, uint64_t figure)
{
    if (figure == MP_NOT_SEEN)
        mp_json_signed(out, -1);
    else
        mp_json_number(out, figure);
}

static void
write_points(const struct mp_timeline *line, struct mp_buffer *out)
{
#define COLUMN(key, member)                                                                        \
    mp_json_key(out, key);                                                                         \
    mp_json_open(out, '[');                                                                        \
    for (uint32_t i = 0; i < line->n_points; i++)                                                  \
        put(out, line->points[i].member);                                                          \
    mp_json_close(out, ']')

    mp_json_key_open(out, "points", '{');
    COLUMN("time", time);
    COLUMN("live", live);
    COLUMN("lisp", live_lisp);
    COLUMN("blocks", blocks);
    COLUMN("allocs", allocs);
    COLUMN("bytes", bytes);
    COLUMN("resident", resident);
    mp_json_close(out, '}');
#undef COLUMN
}

static bool
comes_first(const struct mp_change *a, const struct mp_change *b)
{
    return a->context != b->context ? a->context < b->context : a->kind < b->kind;
}

/* Returns the changes from the last earlier moment that has changes until MOMENT, which is the end. Sets *N to their
 * number. The result is allocated in ARENA. The figure of kept Lisp objects is no substitute, because it is unknown
 * whether objects that no collection has examined are alive. */
static const struct mp_change *
changes_until_end(const struct mp_profile *view, uint32_t moment, uint32_t *n, struct mp_arena *arena)
{
    uint32_t before = moment - 1, n_before, n_all, b = 0;
    const struct mp_change *sums;
    struct mp_change *all = mp_timeline_until(view, moment, &n_all, arena);

    while (before > 0 && !view->timeline->moments[before].has_changes)
        before--;
    sums = mp_timeline_until(view, before, &n_before, arena);
    for (uint32_t i = 0; i < n_all; i++) {
        while (b < n_before && comes_first(&sums[b], &all[i]))
            b++;
        if (b < n_before && !comes_first(&all[i], &sums[b])) {
            all[i].allocs -= sums[b].allocs;
            all[i].bytes -= sums[b].bytes;
            all[i].frees -= sums[b].frees;
            all[i].freed -= sums[b].freed;
        }
    }
    *n = n_all;
    return all;
}

static void
write_threads(const struct mp_change *changes, uint32_t n, const struct mp_html_threads *threads,
              struct mp_buffer *out)
{
    if (threads->n < 2)
        return;
    mp_json_key_open(out, "thread", '[');
    for (uint32_t i = 0; i < n; i++)
        mp_json_number(out, threads->of[changes[i].context]);
    mp_json_close(out, ']');
}

static void
write_changes(const struct mp_change *changes, uint32_t n, const struct mp_html_tree *tree,
              const uint32_t *node_of, struct mp_buffer *out)
{
    const struct mp_profile *view = tree->tree->profile;
    uint32_t last = 0;

    mp_json_key_open(out, "node", '[');
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = node_of[changes[i].context];

        mp_json_signed(out, (int64_t)node - (int64_t)last);
        last = node;
    }
    mp_json_close(out, ']');
    mp_json_key_open(out, "kindOf", '[');
    for (uint32_t i = 0; i < n; i++)
        mp_json_number(out, mp_html_kind(view, changes[i].kind));
    mp_json_close(out, ']');
    write_threads(changes, n, &tree->threads, out);
    mp_json_key_open(out, "bytes", '[');
    for (uint32_t i = 0; i < n; i++)
        mp_json_signed(out, (int64_t)(changes[i].bytes - changes[i].freed));
    mp_json_close(out, ']');
    mp_json_key_open(out, "blocks", '[');
    for (uint32_t i = 0; i < n; i++)
        mp_json_signed(out, (int64_t)(changes[i].allocs - changes[i].frees));
    mp_json_close(out, ']');
}

static void
write_collection(const struct mp_moment *moment, struct mp_buffer *out)
{
    mp_json_key_number(out, "pause", moment->pause);
    mp_json_key(out, "before");
    put(out, moment->heap_before);
    mp_json_key(out, "after");
    put(out, moment->heap_after);
}

/* Writes the changes of moment I, if they are known. Writes none for the end of a profile without Lisp objects, because
 * the page takes them from the kept figures of cells. */
static void
write_breakdown(const struct mp_html_tree *tree, uint32_t i, const uint32_t *node_of,
                struct mp_buffer *out, struct mp_arena *arena)
{
    const struct mp_profile *view = tree->tree->profile;
    const struct mp_timeline *line = view->timeline;
    const struct mp_moment *moment = &line->moments[i];
    const struct mp_change *changes = NULL;
    uint32_t n = moment->n_changes;

    if (!moment->has_changes || (moment->kind == MP_MOMENT_END && !mp_profile_has_objects(view)))
        return;
    if (moment->kind == MP_MOMENT_END)
        changes = changes_until_end(view, i, &n, arena);
    else if (n > 0)
        changes = line->changes + moment->first_change;
    write_changes(changes, n, tree, node_of, out);
}

/* Writes how many temporary blocks there were since the last exact moment, if that is known of moment I. The page
 * computes the number of the end, whose changes are in the cells. */
static void
write_temporary(const struct mp_timeline *line, uint32_t i, struct mp_buffer *out)
{
    const struct mp_moment *moment = &line->moments[i];
    uint64_t sum = 0;

    if (!line->temporary || !moment->exact || !moment->has_changes || moment->kind == MP_MOMENT_END)
        return;
    for (uint32_t c = 0; c < moment->n_changes; c++)
        sum += line->changes[moment->first_change + c].temporary;
    mp_json_key_number(out, "temporary", sum);
}

static void
write_moments(const struct mp_html_model *model, const struct mp_timeline *line,
              struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();
    const uint32_t *node_of = mp_html_nodes_of_contexts(model->tree, arena);

    mp_json_key_open(out, "moments", '[');
    for (uint32_t i = 0; i < line->n_moments; i++) {
        const struct mp_moment *moment = &line->moments[i];

        mp_json_open(out, '{');
        mp_json_key_text(out, "kind", mp_moment_names[moment->kind]);
        mp_json_key_number(out, "time", moment->time);
        mp_json_key_text(out, "name", moment->name);
        mp_json_key_bool(out, "exact", moment->exact);
        if (moment->kind == MP_MOMENT_COLLECTION)
            write_collection(moment, out);
        write_temporary(line, i, out);
        if (!model->no_room_for_moments)
            write_breakdown(model->tree, i, node_of, out, arena);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
    mp_arena_free(arena);
}

void
mp_html_time_write(const struct mp_html_model *model, struct mp_buffer *out)
{
    const struct mp_timeline *line = model->tree->tree->profile->timeline;

    if (!line)
        return;
    mp_json_key_open(out, "time", '{');
    if (line->n_points > 0)
        write_points(line, out);
    write_moments(model, line, out);
    mp_json_key_number(out, "interval", line->interval);
    mp_json_key_number(out, "leftOut", line->left_out);
    mp_json_close(out, '}');
}

/* Writes ACCOUNT as an object. */
static void
write_account(const struct mp_profile *view, const struct mp_resident *account, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();
    uint32_t n;
    const struct mp_resident_share *shares = mp_resident_shares(view, account, arena, &n);

    mp_json_open(out, '{');
    mp_json_key_number(out, "bytes", account->resident);
    mp_json_key_number(out, "time", account->time);
    if (account->checkpoint) {
        mp_json_key_text(out, "checkpoint", account->checkpoint);
        mp_json_key_number(out, "late", account->time > account->checkpoint_time
                                            ? account->time - account->checkpoint_time : 0);
    }
    mp_json_key_number(out, "missing", account->missing);
    mp_json_key_open(out, "parts", '[');
    for (uint32_t i = 0; i < n; i++) {
        mp_json_open(out, '[');
        mp_json_text(out, shares[i].text);
        mp_json_number(out, shares[i].bytes);
        mp_json_close(out, ']');
    }
    mp_json_close(out, ']');
    mp_json_close(out, '}');
    mp_arena_free(arena);
}

void
mp_html_resident_write(const struct mp_profile *view, struct mp_buffer *out)
{
    if (!view->account)
        return;
    mp_json_key_open(out, "resident", '[');
    for (const struct mp_resident *each = view->account; each; each = each->next)
        write_account(view, each, out);
    mp_json_close(out, ']');
}
