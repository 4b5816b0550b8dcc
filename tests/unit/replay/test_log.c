/* The log of a live file, sealed and read again; and heaps and recordings that are simulated from it. */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/replay/log_seal.h"
#include "reporter/replay/log_objects.h"
#include "reporter/replay/simulate.h"
#include "reporter/replay/simulated_heap.h"
#include "tests/unit/folder.h"

#define PID 4711u
#define START UINT64_C(1700000000000000000)
#define ROOM 64u

static const char *path, *log_path;
static struct mp_live_header header;
static struct mp_live_event events[ROOM];
static uint32_t n_events;
static const struct mp_log_of of = {PID, START};

static void
set_up(void)
{
    path = in_folder("data");
    log_path = in_folder("data.log");
    memset(&header, 0, sizeof header);
    memcpy(header.magic, MP_LIVE_MAGIC, 8);
    header.version = MP_LIVE_VERSION;
    header.pid = PID;
    header.start_realtime = START;
    header.state = MP_STATE_EXITED;
    memset(events, 0, sizeof events);
    n_events = 0;
}

static void
add(enum mp_event what, uint64_t value, uint64_t where)
{
    ck_assert_uint_lt(n_events, ROOM);
    events[n_events++] = (struct mp_live_event){value << MP_EVENT_BITS | what, where};
}

/* Writes the live file, with the events in two extents. */
static void
write_live(void)
{
    const uint32_t half = n_events / 2;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

    header.n_extents = n_events > 0 ? 2 : 0;
    header.extents[0] = (struct mp_live_extent){MP_EXT_EVENTS, 4096, half, sizeof *events, MP_HEADER_SIZE};
    header.extents[1] = (struct mp_live_extent){MP_EXT_EVENTS, 4096 + half, ROOM - half, sizeof *events,
                                                MP_HEADER_SIZE + 4096};
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, &header, sizeof header, 0), sizeof header);
    ck_assert_int_eq(pwrite(fd, events, sizeof events, MP_HEADER_SIZE), sizeof events);
    ck_assert_int_eq(pwrite(fd, events + half, (ROOM - half) * sizeof *events, MP_HEADER_SIZE + 4096),
                     (ROOM - half) * sizeof *events);
    close(fd);
}

static bool
seal(struct mp_error *error)
{
    struct mp_file_at file;
    bool ok;

    write_live();
    ck_assert(mp_file_at_find(path, &file));
    ok = mp_log_seal(&file, error);
    mp_file_at_close(&file);
    return ok;
}

static struct mp_objects *
sealed(void)
{
    struct mp_error error = {.code = MP_ERR_NONE};
    struct mp_objects *objects;

    ck_assert_msg(seal(&error), "%s", error.text);
    objects = mp_objects_read(log_path, &of, &error);
    ck_assert_msg(objects != NULL, "%s", error.text);
    return objects;
}

/* Six objects: one is freed, two die in the first collection, one in the second, at the end of a span. */
static void
add_some(void)
{
    add(MP_EVENT_POINTERS, 2, 0x700000000400);
    add(MP_EVENT_POINTERS, 2, 0x700000000420);
    add(MP_EVENT_ATOMIC, 9, 0x700000000000);
    add(MP_EVENT_UNCOLLECTABLE, 300, 0x7f0000000000);
    add(MP_EVENT_POINTERS, 1, 0x7000000007f0);
    add(MP_EVENT_FREE, 0, 0x7f0000000000);
    add(MP_EVENT_DEAD, 0x700000000400 / MP_EVENT_SPAN, 1 | 1 << 2);
    add(MP_EVENT_FIGURE, MP_EVENT_PAUSE, 12345);
    add(MP_EVENT_FIGURE, MP_EVENT_HEAP, 1 << 20);
    add(MP_EVENT_COLLECTED, 3, 0);
    add(MP_EVENT_ATOMIC, 2, 0x700000000400);
    add(MP_EVENT_DEAD, 0x700000000400 / MP_EVENT_SPAN, UINT64_C(1) << 63);
    add(MP_EVENT_COLLECTED, 3, MP_COLLECTOR_INCREMENTAL);
}

FIXTURE(set_up, NULL)

TEST(what_was_logged_is_read)
{
    static const uint32_t ends[] = {0, 0, MP_OBJECT_LIVES, MP_OBJECT_FREED | 5, 1, MP_OBJECT_LIVES};
    static const uint32_t units[] = {2, 2, 9, 300, 1, 2};
    struct mp_objects *objects;

    add_some();
    objects = sealed();
    ck_assert_uint_eq(objects->n, 6);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(objects->ends[i], ends[i]);
        ck_assert_uint_eq(mp_object_bytes(objects, i), 16 * units[i]);
    }
    ck_assert_uint_eq(objects->sizes[2] % 4, MP_EVENT_ATOMIC);
    ck_assert_uint_eq(objects->sizes[3] % 4, MP_EVENT_UNCOLLECTABLE);
    ck_assert_uint_eq(objects->bytes, 16 * (2 + 2 + 9 + 300 + 1 + 2));
    ck_assert_uint_eq(objects->ended, 4);
    ck_assert_uint_eq(objects->ended_bytes, 16 * (2 + 2 + 300 + 1));
    ck_assert_uint_eq(objects->missing, 0);
    ck_assert_uint_eq(objects->n_freed, 1);
    ck_assert_uint_eq(objects->freed[0], 3);
    ck_assert_uint_eq(objects->n_collections, 2);
    ck_assert_uint_eq(objects->collections[0].at, 5);
    ck_assert_uint_eq(objects->collections[0].figures[MP_EVENT_PAUSE], 12345);
    ck_assert_uint_eq(objects->collections[0].figures[MP_EVENT_HEAP], 1 << 20);
    ck_assert_uint_eq(objects->collections[0].pointers, 16);
    ck_assert_uint_eq(objects->collections[0].atomic, 16 * 9);
    ck_assert_uint_eq(objects->collections[0].divisor, 3);
    ck_assert(!objects->collections[0].incremental);
    ck_assert(objects->collections[1].incremental);
    ck_assert_uint_eq(objects->collections[1].figures[MP_EVENT_PAUSE], 0);
    mp_objects_free(objects);
}

TEST(what_is_missing_is_counted)
{
    struct mp_objects *objects;

    add(MP_EVENT_POINTERS, 2, 0x10000);
    n_events += 2;                      /* the records of two events were not written */
    add(MP_EVENT_POINTERS, 2, 0x10000); /* so this object takes the place of one that seems to live */
    header.events_missing = 40;
    objects = sealed();
    ck_assert_uint_eq(objects->n, 2);
    ck_assert_uint_eq(objects->missing, 42);
    ck_assert_uint_eq(objects->ended, 1);
    ck_assert_uint_eq(objects->ends[1], MP_OBJECT_LIVES);
    mp_objects_free(objects);
}

TEST(a_log_of_another_recording_is_refused)
{
    const struct mp_log_of others[] = {{PID + 1, START}, {PID, START + 1}};
    struct mp_error error = {.code = MP_ERR_NONE};

    add_some();
    mp_objects_free(sealed());
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_null(mp_objects_read(log_path, &others[i], &error));
        ck_assert_ptr_nonnull(strstr(error.text, "is the log of another recording"));
    }
}

/* A recording without events removes the log of an earlier one, but nothing else that has its name. */
TEST(only_logs_are_replaced)
{
    struct mp_error error = {.code = MP_ERR_NONE};
    char text[5] = "";
    int fd;

    add_some();
    mp_objects_free(sealed());
    n_events = 0;
    ck_assert(seal(&error));
    ck_assert_int_ne(access(log_path, F_OK), 0);
    fd = open(log_path, O_RDWR | O_CREAT, 0600);
    ck_assert_int_eq(write(fd, "mine", 4), 4);
    ck_assert(seal(&error));
    add_some();
    ck_assert(!seal(&error));
    ck_assert_ptr_nonnull(strstr(error.text, "data.log exists and is not a log of mprof"));
    ck_assert_int_eq(pread(fd, text, 4, 0), 4);
    ck_assert_str_eq(text, "mine");
    close(fd);
}

/* Changes each byte of a log, and cuts it at each length. */
TEST(damage_is_noticed)
{
    struct mp_error error = {.code = MP_ERR_NONE};
    uint8_t bytes[1024];
    ssize_t size;
    int fd;

    add_some();
    mp_objects_free(sealed());
    fd = open(log_path, O_RDWR);
    size = pread(fd, bytes, sizeof bytes, 0);
    ck_assert_int_gt(size, MP_LOG_HEADER);
    ck_assert_int_lt(size, sizeof bytes);
    for (ssize_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        ck_assert_int_eq(pwrite(fd, bytes, (size_t)size, 0), size);
        ck_assert_msg(mp_objects_read(log_path, &of, &error) == NULL, "byte %zd", i);
        bytes[i] ^= 0x10;
    }
    for (ssize_t length = size - 1; length >= 0; length--) {
        ck_assert_int_eq(ftruncate(fd, length), 0);
        ck_assert_msg(mp_objects_read(log_path, &of, &error) == NULL, "%zd bytes", length);
    }
    close(fd);
}

/* A program may be killed while a collection runs. Its dead objects are known, but its end is not. */
TEST(a_log_may_end_during_a_collection)
{
    const struct mp_replay replay = {.fixed = 1};
    const struct mp_replay_setting setting = {.divisor = 1, .most_heap = 16 * MP_PAGE};
    struct mp_simulation simulation;
    struct mp_replay_result result;
    struct mp_objects *objects;

    add(MP_EVENT_POINTERS, 16 * MP_PAGE / MP_LOG_UNIT, 0x10000);
    add(MP_EVENT_POINTERS, 16 * MP_PAGE / MP_LOG_UNIT, 0x20000);
    add(MP_EVENT_DEAD, 0x10000 / MP_EVENT_SPAN, 1);
    objects = sealed();
    ck_assert_uint_eq(objects->n_collections, 0);
    ck_assert_uint_eq(objects->ends[0], 0);
    mp_simulation_learn(&simulation, objects, 1);
    mp_simulate(&simulation, &replay, &setting, &result);
    ck_assert_uint_eq(result.ends_at, 0);       /* the second object gets the space of the first one */
    ck_assert_uint_eq(result.collections, 1);
    mp_simulation_free(&simulation);
    mp_objects_free(objects);
}

/* ------------------------------------------------------------------ heaps */

static uint32_t modulus, rest;

static bool
all_but_some(const void *data, uint32_t object)
{
    (void)data;
    return modulus == 0 || object % modulus != rest;
}

static bool
some(const void *data, uint32_t object)
{
    return !all_but_some(data, object);
}

/* Puts objects of UNITS units into HEAP until it is full, numbered from *NEXT on. Returns their number. */
static uint32_t
fill(struct mp_simulated_heap *heap, uint32_t *next, uint32_t units)
{
    const uint32_t first = *next;

    while (mp_simulated_heap_put(heap, *next, units, MP_EVENT_POINTERS, false))
        ++*next;
    return *next - first;
}

TEST(a_page_has_objects_of_one_size)
{
    struct mp_simulated_heap *heap = mp_simulated_heap_new(100000);
    uint32_t next = 0;

    mp_simulated_heap_grow(heap, 10);
    ck_assert(mp_simulated_heap_put(heap, next++, 3, MP_EVENT_POINTERS, false));
    ck_assert(mp_simulated_heap_put(heap, next++, 3, MP_EVENT_ATOMIC, false));
    ck_assert_uint_eq(fill(heap, &next, 1), 8 * 256);
    ck_assert_uint_eq(fill(heap, &next, 3), 256 / 3 - 1);
    ck_assert_uint_eq(mp_simulated_heap_figures(heap).free, 0);
    ck_assert_uint_eq(mp_simulated_heap_figures(heap).size, 10 * MP_PAGE);
    mp_simulated_heap_free(heap);
}

/* Places in a page are used again if an eighth of it is free, and the page itself if nothing in it lives. */
TEST(what_dies_leaves_space)
{
    struct mp_simulated_heap *heap = mp_simulated_heap_new(100000);
    uint32_t next = 0;

    mp_simulated_heap_grow(heap, 10);
    ck_assert_uint_eq(fill(heap, &next, 1), 2560);
    modulus = 16;                       /* a 16th dies */
    mp_simulated_heap_collect(heap, false, some, NULL);
    ck_assert_uint_eq(fill(heap, &next, 1), 0);
    ck_assert_uint_eq(mp_simulated_heap_figures(heap).pointers, 16 * 2400);
    modulus = 4;
    rest = 1;                           /* and a quarter */
    mp_simulated_heap_collect(heap, false, some, NULL);
    ck_assert_uint_eq(fill(heap, &next, 1), 2560 / 16 + 2560 / 4);
    modulus = 0;                        /* and all */
    mp_simulated_heap_collect(heap, true, all_but_some, NULL);
    ck_assert_uint_eq(mp_simulated_heap_figures(heap).free, 0);         /* what is old stays in a partial one */
    mp_simulated_heap_collect(heap, false, all_but_some, NULL);
    ck_assert_uint_eq(mp_simulated_heap_figures(heap).free, 10 * MP_PAGE);
    ck_assert_uint_eq(fill(heap, &next, 10 * 256), 1);
    mp_simulated_heap_free(heap);
}

TEST(free_runs_are_joined)
{
    struct mp_simulated_heap *heap = mp_simulated_heap_new(1000);
    uint32_t next = 0;

    mp_simulated_heap_grow(heap, 4);
    mp_simulated_heap_grow(heap, 6);
    ck_assert_uint_eq(fill(heap, &next, 2 * 256), 5);
    ck_assert(mp_simulated_heap_take(heap, 1));
    ck_assert(!mp_simulated_heap_take(heap, 1));
    ck_assert(mp_simulated_heap_take(heap, 3));
    ck_assert_uint_eq(fill(heap, &next, 3 * 256), 0);
    ck_assert(mp_simulated_heap_take(heap, 2));
    ck_assert_uint_eq(fill(heap, &next, 6 * 256), 1);
    ck_assert(mp_simulated_heap_take(heap, 0));
    ck_assert_uint_eq(fill(heap, &next, 200), 2);       /* more than half a page has a page of its own */
    mp_simulated_heap_free(heap);
}

TEST(a_place_that_was_freed_is_used_once)
{
    struct mp_simulated_heap *heap = mp_simulated_heap_new(1000);
    uint32_t next = 0;

    mp_simulated_heap_grow(heap, 1);
    ck_assert_uint_eq(fill(heap, &next, 4), 64);
    modulus = 2;
    rest = 0;
    mp_simulated_heap_collect(heap, false, all_but_some, NULL);
    ck_assert(mp_simulated_heap_put(heap, next++, 4, MP_EVENT_POINTERS, false));        /* slot 1 */
    ck_assert(mp_simulated_heap_take(heap, 62));
    ck_assert_uint_eq(fill(heap, &next, 4), 32);
    mp_simulated_heap_free(heap);
}

/* ------------------------------------------------------------------ recordings */

#define LIVE 20000u             /* objects of 64 bytes that always live */
#define EACH 10000u             /* objects allocated before each collection, all of which die */
#define COLLECTIONS 30u

static uint32_t sizes[LIVE + EACH * COLLECTIONS], ends[LIVE + EACH * COLLECTIONS];
static struct mp_logged_collection collections[COLLECTIONS];
static struct mp_objects objects;

static void
set_up_recording(void)
{
    objects = (struct mp_objects){.n = LIVE + EACH * COLLECTIONS, .sizes = sizes, .ends = ends,
                                  .collections = collections, .n_collections = COLLECTIONS};
    for (uint32_t i = 0; i < objects.n; i++) {
        sizes[i] = 4 * 4 + MP_EVENT_POINTERS;
        ends[i] = i < LIVE ? MP_OBJECT_LIVES : (i - LIVE) / EACH;
    }
    for (uint32_t k = 0; k < COLLECTIONS; k++)
        collections[k] = (struct mp_logged_collection){
            .at = LIVE + (k + 1) * EACH, .bytes = 64 * (LIVE + (k + 1) * EACH), .pointers = 64 * LIVE, .divisor = 3};
}

static struct mp_replay_result
with(const struct mp_simulation *simulation, const struct mp_replay_setting *setting)
{
    const struct mp_replay replay = {.fixed = 1000, .each = 1};
    struct mp_replay_result result;

    mp_simulate(simulation, &replay, setting, &result);
    return result;
}

/* With the divisor 4, a collection is due after 2 * 64 * LIVE / 4 bytes, which is EACH objects. */
TEST(collections_come_when_enough_was_allocated)
{
    struct mp_simulation simulation;
    struct mp_replay_result three, one, first;

    set_up_recording();
    mp_simulation_learn(&simulation, &objects, 4);
    ck_assert_uint_eq(simulation.roots, 0);
    ck_assert_uint_eq(simulation.n_requested, 0);
    three = with(&simulation, &(struct mp_replay_setting){.divisor = 4});
    one = with(&simulation, &(struct mp_replay_setting){.divisor = 1});
    /* Each collection needs EACH objects with the divisor 4, 4 * EACH with 1. The heap, full pages of 64 objects,
     * has space for what lives and as many, rounded up to what it grows by. */
    ck_assert_uint_ge(three.collections, COLLECTIONS / 2);
    ck_assert_uint_le(three.collections, COLLECTIONS + 2);
    ck_assert_uint_ge(three.heap, 64 * (LIVE + EACH));
    ck_assert_uint_le(three.heap, 64 * (LIVE + EACH) * 5 / 4 * 5 / 4);
    ck_assert_uint_le(one.collections, COLLECTIONS / 2);
    ck_assert_uint_ge(one.heap, 64 * (LIVE + 4 * EACH));
    ck_assert_uint_ge(one.pauses, one.collections * 1000 + 64 * LIVE);
    /* A first heap that has space for all is never collected. */
    first = with(&simulation, &(struct mp_replay_setting){.divisor = 4, .first_heap = UINT64_C(32) << 20});
    ck_assert_uint_eq(first.collections, 0);
    ck_assert_uint_eq(first.heap, UINT64_C(32) << 20);
    mp_simulation_free(&simulation);
}

TEST(too_small_a_heap_runs_out_of_memory)
{
    struct mp_simulation simulation;
    struct mp_replay_result result;

    set_up_recording();
    mp_simulation_learn(&simulation, &objects, 4);
    result = with(&simulation, &(struct mp_replay_setting){.divisor = 4, .most_heap = 64 * LIVE / 2});
    ck_assert_uint_gt(result.ends_at, 64 * LIVE / 4);
    ck_assert_uint_le(result.ends_at, 64 * LIVE / 2);
    result = with(&simulation, &(struct mp_replay_setting){.divisor = 4, .most_heap = 64 * (LIVE + EACH)});
    ck_assert_uint_eq(result.ends_at, 0);
    ck_assert_uint_le(result.heap, 64 * (LIVE + EACH));
    mp_simulation_free(&simulation);
}

/* Collections that came before the live objects allow them are repeated whatever the setting is. */
TEST(requested_collections_are_repeated)
{
    struct mp_simulation simulation;

    set_up_recording();
    for (uint32_t k = 1; k < COLLECTIONS; k++)
        collections[k].bytes = collections[k - 1].bytes + 64;
    mp_simulation_learn(&simulation, &objects, 3);
    ck_assert_uint_eq(simulation.n_requested, COLLECTIONS - 1);
    ck_assert_uint_eq(with(&simulation, &(struct mp_replay_setting){.divisor = 3,
                                                                    .first_heap = UINT64_C(64) << 20}).collections,
                      COLLECTIONS - 1);
    mp_simulation_free(&simulation);
}
/* SPDX-License-Identifier: MIT */
