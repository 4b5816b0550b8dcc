/* SPDX-License-Identifier: MIT */
#include "heap_seal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap_files.h"
#include "heap_names.h"
#include "heap_write.h"
#include "reporter/base/progress.h"

#define MOST_REFERENCES 8192u   /* maximum references in one record */
#define MOST_WAITS      6000u   /* maximum pauses of 10 ms, together one minute */

/* The state of sealing. The whole file is written anew from the heap in memory. */
struct sealing {
    const struct mp_heap *heap;
    struct mp_heap_writer *writer;
    struct mp_map texts;
    uint32_t *site_number;      /* by site: its number in the file, where callers come before what they call */
    uint32_t n_sites;
    uint64_t references;        /* number of references written */
};

/* ------------------------------------------------------------------ texts */

/* Returns the number of TEXT, or 0 if it is empty. Writes a text that is new, which ends the current record. */
static uint32_t
text_number(struct sealing *sealing, const char *text)
{
    uint32_t n = sealing->texts.count, id;
    size_t length = strlen(text);
    struct mp_buffer *out;

    if (length == 0)
        return 0;
    id = mp_map_add(&sealing->texts, text, length);
    if (id == n) {
        bool cut = length > MP_HEAP_MAX_TEXT;

        out = mp_heap_record(sealing->writer, MP_HEAP_TEXT);
        mp_buffer_varint(out, cut ? MP_HEAP_MAX_TEXT : length);
        mp_buffer_bytes(out, text, cut ? MP_HEAP_MAX_TEXT - 3 : length);
        if (cut)
            mp_buffer_bytes(out, "...", 3);
    }
    return id + 1;
}

/* ------------------------------------------------------------ definitions */

static void
put_facts(struct sealing *sealing)
{
    const struct mp_heap *heap = sealing->heap;

    for (unsigned i = 0; i < MP_FACTS; i++) {
        uint32_t text = text_number(sealing, heap->texts[i]);
        struct mp_buffer *out;

        if (text == 0 && heap->facts[i] == 0)
            continue;
        out = mp_heap_record(sealing->writer, text > 0 ? MP_HEAP_FACT_TEXT : MP_HEAP_FACT);
        mp_buffer_varint(out, i);
        mp_buffer_varint(out, text > 0 ? text : heap->facts[i]);
    }
}

static void
put_types(struct sealing *sealing)
{
    const struct mp_heap *heap = sealing->heap;

    for (uint32_t i = 1; i < heap->n_types; i++) {
        const struct mp_heap_type *type = &heap->types[i];
        uint32_t name = text_number(sealing, type->name);
        struct mp_buffer *out;

        for (uint32_t k = 0; k < type->n_slots; k++)
            text_number(sealing, type->slots[k]);       /* writes new texts before the record begins */
        out = mp_heap_record(sealing->writer, MP_HEAP_TYPE);
        mp_buffer_varint(out, type->shape);
        mp_buffer_varint(out, name);
        mp_buffer_varint(out, type->n_slots);
        for (uint32_t k = 0; k < type->n_slots; k++)
            mp_buffer_varint(out, text_number(sealing, type->slots[k]));
    }
}

static void
put_parts(struct sealing *sealing)
{
    const struct mp_heap *heap = sealing->heap;

    for (uint32_t i = 1; i < heap->n_types; i++)
        if (heap->types[i].owner > 0) {
            struct mp_buffer *out = mp_heap_record(sealing->writer, MP_HEAP_PART);

            mp_buffer_varint(out, i);
            mp_buffer_varint(out, heap->types[i].owner);
        }
}

static void
put_site(struct sealing *sealing, uint32_t site)
{
    const struct mp_heap_site *at = &sealing->heap->sites[site];
    uint32_t function = text_number(sealing, at->function), file = text_number(sealing, at->file);
    struct mp_buffer *out = mp_heap_record(sealing->writer, MP_HEAP_SITE);

    mp_buffer_varint(out, sealing->site_number[at->caller]);
    mp_buffer_varint(out, function);
    mp_buffer_varint(out, file);
    mp_buffer_varint(out, 2 * (uint64_t)(at->line <= INT32_MAX ? at->line : 0) + at->internal);
    sealing->site_number[site] = ++sealing->n_sites;
}

/* Writes the sites so that each caller precedes the sites that it calls. The sites from OWN on are callers that
 * mp_heap_name() appended. These already have this order, and are written first. */
static void
put_sites(struct sealing *sealing, uint32_t own)
{
    for (uint32_t i = own; i < sealing->heap->n_sites; i++)
        put_site(sealing, i);
    for (uint32_t i = 1; i < own; i++)
        put_site(sealing, i);
}

static void
put_roots(struct sealing *sealing)
{
    const struct mp_heap *heap = sealing->heap;

    for (uint32_t i = 0; i < heap->n_roots; i++) {
        const struct mp_heap_root *root = &heap->roots[i];
        uint32_t title = text_number(sealing, root->title), group = text_number(sealing, root->group);
        struct mp_buffer *out = mp_heap_record(sealing->writer, MP_HEAP_ROOT);

        mp_buffer_varint(out, root->kind);
        mp_buffer_varint(out, title);
        mp_buffer_varint(out, group);
        mp_buffer_varint(out, root->place);
        mp_buffer_varint(out, root->target);
    }
}

/* ---------------------------------------------------------------- objects */

/* Writes the references of OBJECT. A reference to the inside of an object is written as one to its second byte,
 * because the exact place is not used. */
static void
put_references(struct sealing *sealing, uint32_t object, struct mp_buffer *out)
{
    const struct mp_heap *heap = sealing->heap;
    uint32_t left = heap->first[object + 1] - heap->first[object], in_record = 0;
    uint64_t address = mp_heap_address(heap, object), next_slot = 0;
    struct mp_heap_walk walk = mp_heap_walk(heap, object);

    mp_buffer_varint(out, left < MOST_REFERENCES ? left : MOST_REFERENCES);
    while (mp_heap_next(heap, &walk)) {
        if (in_record == MOST_REFERENCES) {
            out = mp_heap_record(sealing->writer, MP_HEAP_MORE);
            mp_buffer_varint(out, left < MOST_REFERENCES ? left : MOST_REFERENCES);
            in_record = 0;
        }
        mp_buffer_varint(out, 2 * (walk.slot - next_slot) + walk.weak);
        mp_buffer_signed(out, (int64_t)(mp_heap_address(heap, walk.to) + walk.inside - address));
        next_slot = walk.slot + 1;
        left--;
        in_record++;
        sealing->references++;
    }
}

static void
put_objects(struct sealing *sealing)
{
    const struct mp_heap *heap = sealing->heap;
    uint64_t end = 0;
    uint32_t keys = 0;

    for (uint32_t i = 0; i < heap->n_objects; i++) {
        const struct mp_heap_class *class = mp_heap_class(heap, i);
        const struct mp_heap_beginning *text = mp_heap_beginning(heap, i);
        struct mp_buffer *out = mp_heap_record(sealing->writer, MP_HEAP_OBJECT);

        mp_buffer_varint(out, mp_heap_address(heap, i) - end);
        mp_buffer_varint(out, class->size);
        mp_buffer_varint(out, 2ull * class->type + class->dead);
        mp_buffer_varint(out, sealing->site_number[class->site]);
        put_references(sealing, i, out);
        end = mp_heap_address(heap, i) + class->size;
        if (text) {
            size_t length = strnlen(text->text, MP_HEAP_MAX_TEXT);

            out = mp_heap_record(sealing->writer, text->is_name ? MP_HEAP_NAME : MP_HEAP_BEGINNING);
            mp_buffer_varint(out, length);
            mp_buffer_bytes(out, text->text, length);
        }
        for (; keys < heap->n_keys && heap->keys[keys].object == i; keys++) {
            out = mp_heap_record(sealing->writer, MP_HEAP_KEYS);
            mp_buffer_varint(out, heap->keys[keys].size);
            mp_buffer_bytes(out, heap->keys[keys].bytes, heap->keys[keys].size);
        }
    }
}

static void
put_free(struct sealing *sealing)
{
    const struct mp_heap *heap = sealing->heap;

    for (uint32_t i = 0; i < heap->n_free; i++) {
        struct mp_buffer *out = mp_heap_record(sealing->writer, MP_HEAP_FREE);

        mp_buffer_varint(out, heap->free[i].number);
        mp_buffer_varint(out, 2 * heap->free[i].size + heap->free[i].places);
        mp_buffer_varint(out, heap->free[i].bytes);
    }
}

static void
put_all(struct sealing *sealing, uint32_t own_sites)
{
    const struct mp_heap *heap = sealing->heap;
    struct mp_buffer *out;

    put_facts(sealing);
    put_types(sealing);
    put_parts(sealing);
    put_sites(sealing, own_sites);
    put_roots(sealing);
    put_objects(sealing);
    put_free(sealing);
    out = mp_heap_record(sealing->writer, MP_HEAP_END);
    mp_buffer_varint(out, heap->n_objects);
    mp_buffer_varint(out, sealing->references);
    mp_buffer_varint(out, heap->n_roots);
    mp_buffer_varint(out, heap->bytes);
}

/* Writes HEAP to WRITER and ends WRITER. WRITER may be NULL if *ERROR is filled. OWN_SITES is the number of sites
 * before mp_heap_name(). If IN_PLACE is not NULL, fails unless its name still leads to the same file. */
static bool
write_heap(const struct mp_heap *heap, struct mp_heap_writer *writer, uint32_t own_sites,
           const struct mp_file_at *in_place, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct sealing sealing = {.heap = heap, .texts = {.arena = arena}, .writer = writer};
    bool ok = writer != NULL;

    if (ok) {
        sealing.site_number = mp_arena_alloc(arena, ((size_t)heap->n_sites + 1) * sizeof *sealing.site_number);
        put_all(&sealing, own_sites);
        if (in_place && !mp_file_at_stands(in_place))
            ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s has been replaced while it was read", in_place->path);
        ok = mp_heap_write_end(writer, ok, NULL, error) && ok;
    }
    mp_arena_free(arena);
    return ok;
}

bool
mp_heap_seal_into(struct mp_heap *heap, const char *recording, const struct mp_file_at *file, struct mp_error *error)
{
    const uint32_t own_sites = heap->n_sites;

    mp_heap_name(heap, recording);
    return write_heap(heap, mp_heap_write_into(file->fd, file->path, MP_HEAP_SEALED, error), own_sites, NULL, error);
}

/* Seals FILE in place. If it was reached by a link (LINKED) and is not from RECORDING, it is not changed. */
static bool
seal_file(const struct mp_file_at *file, const char *recording, bool linked, struct mp_error *error)
{
    const int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    struct mp_heap *heap = mp_heap_load_open(fd, file->path, error);
    uint32_t own_sites;
    bool ok = true;

    if (!heap)
        return false;
    own_sites = heap->n_sites;
    if (heap->form == MP_HEAP_RAW && (mp_heap_name(heap, recording) || !linked))
        ok = write_heap(heap, mp_heap_write_begin(file->folder, file->name, MP_HEAP_SEALED, error), own_sites, file,
                        error);
    mp_heap_free(heap);
    return ok;
}

/* Opens the file that the link NAME in FOLDER leads to. Returns false if its owner is not OWNER, the owner of the
 * link, so that nobody can have other users' files rewritten. */
static bool
follow(int folder, const char *name, uid_t owner, struct mp_file_at *file)
{
    char path[PATH_MAX];
    const ssize_t n = readlinkat(folder, name, path, sizeof path - 1);

    path[n > 0 ? n : 0] = '\0';
    if (*path != '/' || !mp_file_at_find(path, file))
        return false;
    if (file->owner == owner)
        return true;
    mp_file_at_close(file);
    return false;
}

/* Waits until FILE is complete, but at most a minute. The copy of the program that writes FILE locks it, and may still
 * be writing when the program has ended. */
static void
wait_until_complete(const struct mp_file_at *file)
{
    for (unsigned i = 0; i < MOST_WAITS && flock(file->fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK; i++)
        usleep(10000);
    flock(file->fd, LOCK_UN);
}

/* Seals the snapshot NAME in the directory of RECORDING. PATH is used in messages. Prints errors. Returns false if no
 * such file exists. */
static bool
seal_beside(const struct mp_file_at *recording, const char *name, const char *path)
{
    struct mp_error error = {0};
    struct mp_file_at file;
    struct stat status;
    bool linked, found;

    if (fstatat(recording->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    linked = S_ISLNK(status.st_mode);
    found = linked ? follow(recording->folder, name, status.st_uid, &file)
                   : mp_file_at_in(recording->folder, name, path, &file);
    if (found)
        wait_until_complete(&file);
    if (found && !seal_file(&file, recording->path, linked, &error))
        mp_error_print(&error);
    if (found)
        mp_file_at_close(&file);
    return true;
}

/* Returns the paths of the snapshots RECORDING.NUMBER.NAME.heap with a number up to MOST. Sets *N to their count. */
static char **
list_snapshots(const struct mp_file_at *recording, uint32_t most, struct mp_arena *arena, uint32_t *n)
{
    const int fd = openat(recording->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    const size_t length = strlen(recording->name);
    const struct dirent *entry;
    char **paths = NULL;
    uint32_t room = 0;

    *n = 0;
    while (directory && (entry = readdir(directory))) {
        const uint32_t number = strncmp(entry->d_name, recording->name, length) == 0
                                    ? mp_heap_file_number(entry->d_name + length) : 0;

        if (number == 0 || number > most || strchr(entry->d_name + length + 1, '.') == strrchr(entry->d_name, '.'))
            continue;
        paths = mp_arena_grow(arena, paths, *n, &room, sizeof *paths);
        paths[(*n)++] = mp_arena_printf(arena, "%.*s%s", (int)(recording->name - recording->path), recording->path,
                                        entry->d_name);
    }
    if (directory)
        closedir(directory);
    else if (fd >= 0)
        close(fd);
    return paths;
}

void
mp_heap_seal_all(const struct mp_file_at *recording, uint32_t most)
{
    struct mp_arena *arena = mp_arena_new();
    const ptrdiff_t prefix = recording->name - recording->path;      /* length of the directory's name with its '/' */
    char **paths;
    uint32_t n = 0;
    bool all = true;

    if (most > MP_HEAP_MAX_NUMBER)
        most = MP_HEAP_MAX_NUMBER;
    if (most > 1)
        mp_progress_begin("snapshots of the heap");
    for (uint32_t number = 1; number <= most; number++) {
        const char *path = mp_arena_printf(arena, "%s.%" PRIu32 ".heap", recording->path, number);

        all &= seal_beside(recording, path + prefix, path);
        mp_progress(number, most);
    }
    paths = all || recording->folder < 0 ? NULL : list_snapshots(recording, most, arena, &n);
    for (uint32_t i = 0; i < n; i++)
        seal_beside(recording, paths[i] + prefix, paths[i]);
    if (most > 1)
        mp_progress_end();
    mp_arena_free(arena);
}
