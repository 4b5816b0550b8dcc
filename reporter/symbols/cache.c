/* SPDX-License-Identifier: MIT */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "binary.h"
#include "reporter/base/cursor.h"
#include "reporter/base/fnv.h"
#include "reporter/base/open_file.h"
#include "reporter/base/text.h"
#include "reporter/base/write_file.h"
#include "runtime/format.h"

#define MOST_FILE   ((off_t)4 << 20)        /* in bytes, of one file */
#define MOST_BYTES  ((uint64_t)64 << 20)    /* in bytes, of all files together */
#define MOST_FILES  4096u
#define NAME_SIZE   128u

/* The format of a file is a head (magic, version, CRC-32 of the rest), followed by numbers as LEB128:
 *
 *     strings     their number, then each string with a NUL.  Elsewhere a string is written as its index + 1 here,
 *                 or as 0 for NULL
 *     functions   their number, then for each one key, name, parameters, alias, file, line, language, clone, start,
 *                 (declared + 2 * types read + 4 * lambda), and the number of its types with name and size of each
 *     answers     their number, then for each one address, start + 1, file, line, target, and the number of its
 *                 places with function, file and line of each
 *     catalog     (whole + 2 * has the first types of each size); the number of names that were asked for, and the
 *                 names; the number of names whose types are known; the number of types, with name and size of each
 */
#define HEAD_SIZE   16u

static const uint8_t magic[8] = { 'm', 'p', 'r', 'o', 'f', 's', 'y', 'm' };

/* -------------------------------------------------------------------- encoding answers */

struct writer {
    const struct mp_answers *answers;
    struct mp_buffer *to;
    struct mp_map strings;
};

/* Returns the reference to TEXT, which may be NULL. */
static uint32_t
refer(struct writer *writer, const char *text)
{
    return text == NULL ? 0 : mp_map_add(&writer->strings, text, strlen(text)) + 1;
}

static void
put_text(struct writer *writer, const char *text)
{
    mp_buffer_varint(writer->to, refer(writer, text));
}

static void
put_mentions(struct writer *writer, const struct mp_mention *mentions, uint32_t n)
{
    mp_buffer_varint(writer->to, n);
    for (uint32_t i = 0; i < n; i++) {
        put_text(writer, mentions[i].name);
        mp_buffer_varint(writer->to, mentions[i].size);
    }
}

static void
put_known(struct writer *writer, const struct mp_known_function *known)
{
    put_text(writer, known->key);
    put_text(writer, known->name);
    put_text(writer, known->parameters);
    put_text(writer, known->alias);
    put_text(writer, known->file);
    mp_buffer_varint(writer->to, known->line);
    mp_buffer_varint(writer->to, known->language);
    mp_buffer_varint(writer->to, known->clone);
    mp_buffer_varint(writer->to, known->start);
    mp_buffer_varint(writer->to, known->declared + 2u * known->mentions_read + 4u * known->lambda);
    put_mentions(writer, known->mentions, known->n_mentions);
}

static void
put_answer(struct writer *writer, const struct mp_answer *answer)
{
    mp_buffer_varint(writer->to, answer->address);
    mp_buffer_varint(writer->to, answer->start == MP_NO_START ? 0 : answer->start + 1);
    put_text(writer, answer->file);
    mp_buffer_varint(writer->to, answer->line);
    mp_buffer_varint(writer->to, answer->target);
    mp_buffer_varint(writer->to, answer->count);
    for (uint32_t i = 0; i < answer->count; i++) {
        const struct mp_place *place = &writer->answers->places[answer->first + i];

        mp_buffer_varint(writer->to, place->known);
        put_text(writer, place->file);
        mp_buffer_varint(writer->to, place->line);
    }
}

/* Writes the catalog. If it is too large, leaves its types out, so that they count as not yet read. */
static void
put_catalog(struct writer *writer, const struct mp_catalog *catalog)
{
    const bool small = catalog->bytes <= 2 * (uint64_t)MP_CATALOG_MOST;

    mp_buffer_varint(writer->to, small ? catalog->whole + 2u * catalog->has_first : 0);
    mp_buffer_varint(writer->to, catalog->names.count);
    for (uint32_t i = 0; i < catalog->names.count; i++)
        put_text(writer, mp_map_key(&catalog->names, i));
    mp_buffer_varint(writer->to, small ? catalog->n_known : 0);
    put_mentions(writer, catalog->list, small ? catalog->map.count : 0);
}

static void
put_tails(struct writer *writer)
{
    const struct mp_answers *answers = writer->answers;

    mp_buffer_varint(writer->to, answers->tail_keys.count);
    for (uint32_t i = 0; i < answers->tail_keys.count; i++) {
        const uint64_t *key = (const uint64_t *)(const void *)mp_map_key(&answers->tail_keys, i);

        mp_buffer_varint(writer->to, key[0]);
        mp_buffer_varint(writer->to, key[1] == MP_NO_START ? 0 : key[1] + 1);
        mp_buffer_varint(writer->to, answers->tails[i].count);
        for (uint32_t k = 0; k < answers->tails[i].count; k++)
            mp_buffer_varint(writer->to, answers->tail_ends[answers->tails[i].first + k]);
    }
}

static void
put_all(struct writer *writer)
{
    const struct mp_answers *answers = writer->answers;

    mp_buffer_varint(writer->to, answers->n_knowns);
    for (uint32_t i = 0; i < answers->n_knowns; i++)
        put_known(writer, &answers->knowns[i]);
    mp_buffer_varint(writer->to, answers->addresses.count);
    for (uint32_t i = 0; i < answers->addresses.count; i++)
        put_answer(writer, &answers->list[i]);
    put_catalog(writer, &answers->catalog);
    put_tails(writer);
}

void
mp_stored_write(const struct mp_answers *answers, struct mp_buffer *buffer)
{
    struct mp_buffer numbers = { 0 }, content = { 0 };
    struct writer writer = { .answers = answers, .to = &numbers,
                             .strings.arena = mp_arena_new() };

    put_all(&writer);
    mp_buffer_varint(&content, writer.strings.count);
    for (uint32_t i = 0; i < writer.strings.count; i++)
        mp_buffer_bytes(&content, mp_map_key(&writer.strings, i),
                        strlen(mp_map_key(&writer.strings, i)) + 1);
    mp_buffer_bytes(&content, numbers.bytes, numbers.size);
    mp_buffer_bytes(buffer, magic, sizeof magic);
    mp_buffer_u32(buffer, MP_STORED_VERSION);
    mp_buffer_u32(buffer, (uint32_t)crc32_z(0, content.bytes, content.size));
    mp_buffer_bytes(buffer, content.bytes, content.size);
    mp_buffer_free(&numbers);
    mp_buffer_free(&content);
    mp_arena_free(writer.strings.arena);
}

/* -------------------------------------------------------------------- decoding answers */

struct taker {
    struct mp_answers *answers;
    struct mp_cursor from;
    const char **strings;
    uint32_t n_strings;
};

static void
take_strings(struct taker *taker)
{
    size_t length;

    taker->n_strings = mp_cursor_count(&taker->from, 1);
    taker->strings = mp_arena_alloc(taker->answers->arena,
                                    (taker->n_strings + (size_t)1) * sizeof *taker->strings);
    for (uint32_t i = 0; i < taker->n_strings; i++)
        taker->strings[i] = mp_cursor_string(&taker->from, &length);
}

/* Reads a string. NULL is allowed only if NONE. */
static const char *
take_text(struct taker *taker, bool none)
{
    uint32_t number = mp_cursor_below(&taker->from, taker->n_strings + 1);

    if (number > 0)
        return taker->strings[number - 1];
    if (!none)
        mp_cursor_fail(&taker->from, MP_ERR_DAMAGED, "no string");
    return none ? NULL : "";
}

/* Reads the name of a type, whose length is limited. */
static const char *
take_name(struct taker *taker)
{
    const char *name = take_text(taker, false);

    if (strlen(name) <= MP_TEXT_MAX)
        return name;
    mp_cursor_fail(&taker->from, MP_ERR_DAMAGED, "long name");
    return "";
}

static void
take_known(struct taker *taker)
{
    struct mp_known_function known = { .key = take_text(taker, false), .name = take_text(taker, false) };
    uint32_t flags;

    known.parameters = take_text(taker, true);
    known.alias = take_text(taker, true);
    known.file = take_text(taker, false);
    known.line = mp_cursor_varint32(&taker->from);
    known.language = mp_cursor_below(&taker->from, UINT16_MAX + 1);
    known.clone = mp_cursor_below(&taker->from, (uint32_t)strlen(known.name) + 1);
    known.start = mp_cursor_varint(&taker->from);
    flags = mp_cursor_below(&taker->from, 8);
    known.declared = (flags & 1) != 0;
    known.mentions_read = (flags & 2) != 0;
    known.lambda = (flags & 4) != 0;
    known.n_mentions = mp_cursor_count(&taker->from, 2);
    known.mentions = mp_arena_alloc(taker->answers->arena,
                                    (known.n_mentions + (size_t)1) * sizeof *known.mentions);
    for (uint32_t i = 0; i < known.n_mentions; i++) {
        known.mentions[i].name = take_name(taker);
        known.mentions[i].size = mp_cursor_below(&taker->from, MP_BIN_LARGE);
    }
    mp_known_add(taker->answers, &known);
}

static void
take_answer(struct taker *taker)
{
    uint64_t address = mp_cursor_varint(&taker->from), start = mp_cursor_varint(&taker->from);
    struct mp_answer *answer = mp_answer_add(taker->answers, address);

    answer->start = start == 0 ? MP_NO_START : start - 1;
    answer->file = take_text(taker, false);
    answer->line = mp_cursor_varint32(&taker->from);
    answer->target = mp_cursor_varint(&taker->from);
    answer->count = mp_cursor_count(&taker->from, 3);
    for (uint32_t i = 0; i < answer->count; i++) {
        struct mp_place place = { .known = mp_cursor_below(&taker->from,
                                                           taker->answers->n_knowns) };

        place.file = take_text(taker, false);
        place.line = mp_cursor_varint32(&taker->from);
        mp_place_add(taker->answers, &place);
    }
}

static void
take_catalog(struct taker *taker)
{
    struct mp_catalog *catalog = &taker->answers->catalog;
    const uint32_t flags = mp_cursor_below(&taker->from, 4);
    uint32_t n = mp_cursor_count(&taker->from, 1);

    catalog->whole = (flags & 1) != 0;
    catalog->has_first = (flags & 2) != 0;
    for (uint32_t i = 0; i < n; i++)
        mp_catalog_ask(taker->answers, take_name(taker));
    catalog->n_known = mp_cursor_below(&taker->from, catalog->names.count + 1);
    n = mp_cursor_count(&taker->from, 2);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = take_name(taker);

        mp_catalog_add(taker->answers, name, mp_cursor_below(&taker->from, MP_BIN_LARGE));
    }
}

static void
take_tails(struct taker *taker)
{
    uint32_t n = mp_cursor_count(&taker->from, 3);

    for (uint32_t i = 0; i < n; i++) {
        const uint64_t address = mp_cursor_varint(&taker->from), goal = mp_cursor_varint(&taker->from);
        const uint32_t path = mp_tail_path_add(taker->answers, address, goal == 0 ? MP_NO_START : goal - 1);
        const uint32_t count = mp_cursor_count(&taker->from, 1);

        for (uint32_t k = 0; k < count; k++)
            mp_tail_end_add(taker->answers, mp_cursor_varint(&taker->from));
        taker->answers->tails[path].count = count;
    }
}

static void
take_all(struct taker *taker)
{
    uint32_t n;

    take_strings(taker);
    n = mp_cursor_count(&taker->from, 11);
    for (uint32_t i = 0; i < n; i++)
        take_known(taker);
    n = mp_cursor_count(&taker->from, 5);
    for (uint32_t i = 0; i < n && taker->from.problem == NULL; i++)
        take_answer(taker);
    take_catalog(taker);
    take_tails(taker);
    if (mp_cursor_left(&taker->from) > 0)
        mp_cursor_fail(&taker->from, MP_ERR_DAMAGED, "more bytes");
}

bool
mp_stored_read(struct mp_answers *answers, const uint8_t *bytes, size_t size)
{
    struct taker taker = { .answers = answers };
    const uint8_t *start;

    if (size < HEAD_SIZE)
        return false;
    mp_cursor_init(&taker.from, bytes, size, 0);
    start = mp_cursor_bytes(&taker.from, sizeof magic);
    if (start == NULL || memcmp(start, magic, sizeof magic) != 0 ||
        mp_cursor_u32(&taker.from) != MP_STORED_VERSION ||
        mp_cursor_u32(&taker.from) != (uint32_t)crc32_z(0, bytes + HEAD_SIZE, size - HEAD_SIZE))
        return false;
    take_all(&taker);
    if (taker.from.problem == NULL)
        return true;
    mp_answers_init(answers, answers->arena);
    return false;
}

/* ----------------------------------------------------------------------------- the folder */

/* Returns the path of the folder, which the caller frees, or NULL. Sets *NAMED to the length of the part that the user
 * chose. */
static char *
find_folder(size_t *named)
{
    const char *own = getenv("MPROF_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *base = home, *below = "/.cache/mprof/symbols";
    char *folder;

    if (own != NULL) {
        base = own;
        below = "";
    } else if (cache != NULL && *cache == '/') {
        base = cache;
        below = "/mprof/symbols";
    }
    if (base == NULL || *base != '/')
        return NULL;
    *named = strlen(base);
    return asprintf(&folder, "%s%s", base, below) < 0 ? NULL : folder;
}

static int
use_folder(bool make)
{
    size_t named;
    char *path = find_folder(&named);
    int fd = path == NULL ? -1 : mp_open_own_folder(path, named, make);

    free(path);
    return fd;
}

/* --------------------------------------------------------------------------- the file name */

/* Adds to HASH what identifies a state of the file FD: device, inode, size, modification time. FD is -1 if there is
 * no file. */
static uint64_t
mix_file(uint64_t hash, int fd)
{
    struct stat status;
    uint64_t all[5] = { 0 };

    if (fd >= 0 && fstat(fd, &status) == 0) {
        all[0] = status.st_dev;
        all[1] = status.st_ino;
        all[2] = (uint64_t)status.st_size;
        all[3] = (uint64_t)status.st_mtim.tv_sec;
        all[4] = (uint64_t)status.st_mtim.tv_nsec;
    }
    return mp_fnv(hash, all, sizeof all);
}

/* Sets NAME to the name of BINARY's file in the cache, or "" if BINARY has no usable build-id. */
static void
name_of(const struct mp_binary *binary, char name[NAME_SIZE])
{
    const char *version = dwfl_version(NULL);
    uint64_t hash = MP_FNV_BEGIN;
    char *to;

    *name = '\0';
    if (binary->build_id_size < 8 || binary->build_id_size > sizeof binary->build_id)
        return;
    to = mp_text_put_hex(name, name + NAME_SIZE, binary->build_id, binary->build_id_size);
    hash = mp_fnv(hash, version, strlen(version));
    hash = mix_file(hash, binary->fd);
    hash = mix_file(hash, binary->debug_fd);
    snprintf(to, NAME_SIZE - (size_t)(to - name), "-%016llx", (unsigned long long)hash);
}

/* ----------------------------------------------------------------------- loading a file */

/* Returns the content of the file NAME in FOLDER, allocated in ARENA, or NULL if it is missing or belongs to
 * another user. */
static uint8_t *
read_file(int folder, const char *name, struct mp_arena *arena, size_t *size)
{
    int fd = mp_open_at(folder, name, O_RDONLY | O_NOFOLLOW);
    uint8_t *bytes = NULL;
    struct stat status;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
        status.st_size > 0 && status.st_size <= MOST_FILE) {
        *size = (size_t)status.st_size;
        bytes = mp_arena_alloc(arena, *size);
        if (pread(fd, bytes, *size, 0) != status.st_size)
            bytes = NULL;
    }
    close(fd);
    return bytes;
}

void
mp_cache_load(struct mp_binary *binary)
{
    char name[NAME_SIZE];
    int folder = use_folder(false);
    uint8_t *bytes;
    size_t size;

    name_of(binary, name);
    binary->cache_name = mp_arena_strdup(binary->arena, name);
    if (folder < 0)
        return;
    bytes = *name == '\0' ? NULL : read_file(folder, name, binary->arena, &size);
    if (bytes != NULL)
        mp_stored_read(&binary->answers, bytes, size);
    close(folder);
}

/* ------------------------------------------------------------------------ saving a file */

/* A file of the cache, sorted by age. */
struct entry {
    char name[NAME_SIZE];
    struct timespec time;
    uint64_t size;
};

static int
compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->time.tv_sec != b->time.tv_sec)
        return a->time.tv_sec < b->time.tv_sec ? -1 : 1;
    return (a->time.tv_nsec > b->time.tv_nsec) - (a->time.tv_nsec < b->time.tv_nsec);
}

/* Returns whether NAME has the form that name_of() or mp_write_file() creates. The folder may contain other files. */
static bool
is_ours(const char *name)
{
    static const char digits[] = "0123456789abcdef";
    size_t id = strspn(name, digits), hash, suffix = strlen(MP_WRITE_SUFFIX);

    if (id < 16 || name[id] != '-')
        return false;
    name += id + 1;
    hash = strspn(name, digits);
    name += hash;
    if (strncmp(name, MP_WRITE_SUFFIX, suffix) == 0)
        name += suffix + strspn(name + suffix, "0123456789");
    return hash == 16 && *name == '\0';
}

/* Lists the cache's files in FOLDER. Returns their number and sets *SUM to their bytes. */
static uint32_t
list_entries(int folder, struct entry *entries, uint64_t *sum)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    struct stat status;
    uint32_t n = 0;

    *sum = 0;
    for (struct dirent *at; stream != NULL && n < MOST_FILES && (at = readdir(stream)) != NULL;) {
        size_t length = strlen(at->d_name);

        if (!is_ours(at->d_name) || length >= NAME_SIZE ||
            fstatat(folder, at->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        memcpy(entries[n].name, at->d_name, length + 1);
        entries[n].time = status.st_mtim;
        entries[n].size = (uint64_t)status.st_size;
        *sum += entries[n++].size;
    }
    if (stream != NULL)
        closedir(stream);
    return n;
}

/* If there are too many bytes or files, removes files, oldest first, until at most three quarters of the limits are
 * used. */
static void
drop_oldest(int folder)
{
    struct entry *entries = calloc(MOST_FILES, sizeof *entries);
    uint64_t sum = 0;
    uint32_t n = entries == NULL ? 0 : list_entries(folder, entries, &sum);

    if (sum > MOST_BYTES || n == MOST_FILES) {
        qsort(entries, n, sizeof *entries, compare_entries);
        for (uint32_t i = 0;
             i < n && (sum > MOST_BYTES / 4 * 3 || n - i > MOST_FILES / 4 * 3); i++) {
            unlinkat(folder, entries[i].name, 0);
            sum -= entries[i].size;
        }
    }
    free(entries);
}

void
mp_cache_save(struct mp_binary *binary)
{
    struct mp_buffer buffer = { 0 };
    int folder;

    if (binary->cache_name == NULL || *binary->cache_name == '\0' || !binary->answers.changed ||
        binary->is_split || *binary->problem != '\0' || binary->account.refused)
        return;
    folder = use_folder(true);
    if (folder < 0)
        return;
    mp_stored_write(&binary->answers, &buffer);
    if (buffer.size <= (size_t)MOST_FILE &&
        mp_write_file(folder, binary->cache_name, 0600, buffer.bytes, buffer.size))
        drop_oldest(folder);
    mp_buffer_free(&buffer);
    close(folder);
}
