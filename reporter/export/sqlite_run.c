#include "sqlite_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "remark.h"
#include "reporter/output/said_part.h"

/* ---------------------------------------------------------------- which run it is */

struct hash {
    uint64_t value;             /* FNV-1a */
};

static void
hash_bytes(struct hash *hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;

    for (size_t i = 0; i < size; i++)
        hash->value = (hash->value ^ b[i]) * UINT64_C(0x100000001b3);
}

static void
hash_text(struct hash *hash, const char *text)
{
    hash_bytes(hash, text, strlen(text) + 1);
}

static void
hash_number(struct hash *hash, uint64_t number)
{
    hash_bytes(hash, &number, sizeof number);
}

/* Returns a hash of PROFILE. It identifies merged profiles and profiles of other tools, which have no run id. */
static uint64_t
content(const struct mp_profile *profile)
{
    const struct mp_processes *processes = profile->processes;
    struct hash hash = {UINT64_C(0xcbf29ce484222325)};

    for (uint32_t i = 0; processes && i < processes->n; i++) {
        const struct mp_member *member = &processes->list[i];

        hash_text(&hash, member->meta.program);
        hash_text(&hash, member->meta.host);
        hash_number(&hash, member->meta.pid);
        hash_number(&hash, member->meta.start_realtime);
        hash_number(&hash, member->sums.bytes);
    }
    for (uint32_t i = 0; i < profile->n_functions; i++)
        hash_text(&hash, profile->functions[i].name);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];

        hash_number(&hash, cell->kind);
        hash_number(&hash, cell->counts.allocs);
        hash_number(&hash, cell->counts.bytes);
        hash_number(&hash, cell->counts.freed);
        hash_number(&hash, (uint64_t)cell->counts.peak_bytes);
    }
    return hash.value;
}

/* Returns the name that identifies the run. It contains the start time, because a process that replaces its program
 * by exec keeps its pid but has two recordings. */
static const char *
name_of(const struct mp_profile *profile, const char *process, struct mp_arena *arena)
{
    const struct mp_meta *meta = &profile->meta;

    if (!profile->processes && (meta->run_id[0] || meta->run_id[1] || meta->start_realtime > 0))
        return mp_arena_printf(arena, "%s-%" PRIu64, process, meta->start_realtime);
    return mp_arena_printf(arena, "=%016" PRIx64, content(profile));
}

/* Returns the description of the part of the run that is exported, or "" if it is the whole run. */
static const char *
part_of(const struct mp_export *export, struct mp_arena *arena)
{
    const struct mp_said_part part = {
        .profile = export->profile, .view = export->view, .focus = export->focus,
        .filters = export->filters, .lisp = export->lisp};
    char *text, *copy;
    size_t size;
    FILE *out = mp_need(open_memstream(&text, &size));

    mp_said_part_print(&part, out);
    if (fclose(out) != 0)
        mp_no_memory();
    while (size > 0 && text[size - 1] == '\n')
        text[--size] = '\0';
    copy = mp_arena_strdup(arena, text + strspn(text, "\n"));
    free(text);
    return copy;
}

static bool
is_there(struct mp_db *db, const char *name, const char *part)
{
    sqlite3_stmt *find = mp_db_prepare(db, "SELECT id FROM runs WHERE name = ? AND part = ?");
    int64_t id;

    mp_db_text(find, 1, name);
    mp_db_text(find, 2, part);
    id = mp_db_run(db, find);
    mp_db_done(find);
    return id >= 0;
}

/* ---------------------------------------------------------------- its rows */

static bool
knows(const struct mp_export *export, enum mp_figure figure)
{
    return !mp_is_unknown(export->profile, figure);
}

static int64_t
put_run(struct mp_db *db, const struct mp_export *export, const char *name, const char *part)
{
    const struct mp_meta *meta = &export->profile->meta;
    char *command = mp_export_command(export), *head = mp_export_remark(export);
    sqlite3_stmt *row = mp_db_prepare(
        db, "INSERT INTO runs (name, part, program, command, host, pid, started_ns, duration_ns, language, source,"
            " monitor, sample_period, head, allocs, bytes, peak_bytes, lifetimes)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id");
    struct mp_totals totals;
    int64_t id;

    mp_profile_totals(export->profile, &totals);
    mp_db_text(row, 1, name);
    mp_db_text(row, 2, part);
    mp_db_text_known(row, 3, meta->program);
    mp_db_text_known(row, 4, command);
    mp_db_text_known(row, 5, meta->host);
    mp_db_known(row, 6, meta->pid > 0, meta->pid);
    mp_db_known(row, 7, meta->start_realtime > 0, meta->start_realtime);
    mp_db_known(row, 8, meta->duration > 0, meta->duration);
    mp_db_text_known(row, 9, meta->language);
    mp_db_text_known(row, 10, meta->source);
    mp_db_text_known(row, 11, meta->monitor);
    mp_db_known(row, 12, mp_is_estimated(meta),
                meta->sample_period > 0 ? meta->sample_period : meta->foreign_period);
    mp_db_text(row, 13, head);
    mp_db_known(row, 14, knows(export, MP_FIGURE_ALLOCS), totals.allocs);
    mp_db_known(row, 15, knows(export, MP_FIGURE_BYTES), totals.bytes);
    mp_db_known(row, 16, knows(export, MP_FIGURE_PEAK_BYTES) && !meta->damaged, (uint64_t)meta->peak_bytes);
    mp_db_number(row, 17, export->view->lifetimes);
    id = mp_db_run(db, row);
    mp_db_done(row);
    free(command);
    free(head);
    return id;
}

static void
put_labels(struct mp_db *db, const struct mp_export *export, uint64_t run)
{
    sqlite3_stmt *row = mp_db_prepare(db, "INSERT INTO labels VALUES (?, ?, ?)");

    for (uint32_t i = 0; i < export->n_labels; i++) {
        mp_db_number(row, 1, run);
        mp_db_text(row, 2, export->labels[i].name);
        mp_db_text(row, 3, export->labels[i].value);
        mp_db_run(db, row);
    }
    mp_db_done(row);
}

static void
put_processes(struct mp_db *db, const struct mp_export *export, uint64_t run)
{
    const struct mp_member one = mp_member_of(export->profile, export->file);
    const struct mp_processes *processes = export->profile->processes;
    sqlite3_stmt *row = mp_db_prepare(
        db, "INSERT INTO processes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");

    for (uint32_t i = 0; i < (processes ? processes->n : 1); i++) {
        const struct mp_member *member = processes ? &processes->list[i] : &one;
        const struct mp_meta *meta = &member->meta;

        mp_db_number(row, 1, run);
        mp_db_number(row, 2, i);
        mp_db_text_known(row, 3, meta->program);
        mp_db_known(row, 4, meta->pid > 0, meta->pid);
        mp_db_known(row, 5, meta->ppid > 0, meta->ppid);
        mp_db_text_known(row, 6, meta->host);
        mp_db_known(row, 7, meta->start_realtime > 0, meta->start_realtime);
        mp_db_known(row, 8, meta->duration > 0, meta->duration);
        mp_db_text_known(row, 9, member->file);
        mp_db_known(row, 10, knows(export, MP_FIGURE_ALLOCS), member->sums.allocs);
        mp_db_known(row, 11, knows(export, MP_FIGURE_BYTES), member->sums.bytes);
        mp_db_known(row, 12, knows(export, MP_FIGURE_KEPT_BLOCKS), member->sums.kept_blocks);
        mp_db_known(row, 13, knows(export, MP_FIGURE_KEPT), member->sums.kept);
        mp_db_known(row, 14, knows(export, MP_FIGURE_PEAK_BYTES) && !meta->damaged, (uint64_t)meta->peak_bytes);
        mp_db_run(db, row);
    }
    mp_db_done(row);
}

/* Sets columns 7 and 8 of ROW to what lived at MOMENT, a moment whose live blocks are known. */
static void
put_live(const struct mp_profile *view, uint32_t moment, sqlite3_stmt *row)
{
    struct mp_arena *arena = mp_arena_new();
    uint32_t n;
    const struct mp_live *live = mp_timeline_live(view, moment, &n, arena);
    int64_t bytes = 0, blocks = 0;

    for (uint32_t i = 0; i < n; i++) {
        bytes = mp_plus_signed(bytes, live[i].bytes);
        blocks = mp_plus_signed(blocks, live[i].blocks);
    }
    mp_db_number(row, 7, (uint64_t)bytes);
    mp_db_number(row, 8, (uint64_t)blocks);
    mp_arena_free(arena);
}

static void
put_marks(struct mp_db *db, const struct mp_profile *view, uint64_t run)
{
    const struct mp_timeline *line = view->timeline;
    sqlite3_stmt *row = mp_db_prepare(db, "INSERT INTO marks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");

    for (uint32_t i = 0; line && i < line->n_moments; i++) {
        const struct mp_moment *moment = &line->moments[i];
        bool collection = moment->kind == MP_MOMENT_COLLECTION;

        mp_db_number(row, 1, run);
        mp_db_number(row, 2, i);
        mp_db_text(row, 3, mp_moment_names[moment->kind]);
        mp_db_text_known(row, 4, moment->name);
        mp_db_number(row, 5, moment->time);
        mp_db_number(row, 6, moment->exact);
        if (mp_moment_is_known(moment))
            put_live(view, i, row);
        mp_db_known(row, 9, collection && moment->pause != MP_NOT_SEEN, moment->pause);
        mp_db_known(row, 10, collection && moment->heap_before != MP_NOT_SEEN, moment->heap_before);
        mp_db_known(row, 11, collection && moment->heap_after != MP_NOT_SEEN, moment->heap_after);
        mp_db_run(db, row);
    }
    mp_db_done(row);
}

/* Inserts the points of the time line. They are of the whole process, even if a part of the run is exported. */
static void
put_points(struct mp_db *db, const struct mp_profile *profile, uint64_t run)
{
    const struct mp_timeline *line = profile->timeline;
    sqlite3_stmt *row = mp_db_prepare(db, "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");

    for (uint32_t i = 0; line && i < line->n_points; i++) {
        const struct mp_point *point = &line->points[i];
        const uint64_t values[] = {run, i, point->time, point->live, point->live_lisp, point->blocks,
                                   point->allocs, point->bytes, point->resident};

        for (int k = 0; k < (int)(sizeof values / sizeof *values); k++)
            mp_db_known(row, k + 1, values[k] != MP_NOT_SEEN, values[k]);
        mp_db_run(db, row);
    }
    mp_db_done(row);
}

int64_t
mp_sqlite_run(struct mp_db *db, const struct mp_export *export, const char *process, bool *whole,
              struct mp_arena *arena)
{
    const char *name = name_of(export->profile, process, arena), *part = part_of(export, arena);
    int64_t run = is_there(db, name, part) ? -1 : put_run(db, export, name, part);

    *whole = !part[0];
    if (run < 0)
        return -1;
    put_labels(db, export, (uint64_t)run);
    put_processes(db, export, (uint64_t)run);
    put_marks(db, export->view, (uint64_t)run);
    put_points(db, export->profile, (uint64_t)run);
    return run;
}
