/* SPDX-License-Identifier: MIT */
/*
 * sealed_tree.c -- encodes and decodes the contexts of a sealed file.
 *
 * A depth-first walk through the tree is a sequence of steps. Each step enters the next child of the current context,
 * or returns to its caller after the last child. The result of a step mostly depends on two frames: that of the
 * current context, and that of the child that was left last. For each such pair the latest results are remembered, the
 * newest first. A step is stored as the position of its result among the remembered ones, which is mostly 0. A result
 * that is not remembered is stored in a second column.
 */
#include <string.h>

#include "sealed_parts.h"

#define LATEST  4u              /* maximum number of results that are remembered */

struct latest {
    uint32_t n;                 /* number of results; also the position that stands for any other result */
    uint32_t results[LATEST];   /* frame of the entered child, or MP_NO_ID for a return */
};

/* State of the walk, which encoding and decoding change in the same way. */
struct walk {
    const struct mp_context *contexts;
    uint32_t n_frames;
    struct mp_map pairs;        /* of frames, see latest_of() */
    struct latest *latest;      /* indexed by pair */
    uint32_t room;
    struct newest {
        uint32_t child, pair;
    } *newest;                  /* by frame of a context, as below: the child with which it was sought last, and that
                                   pair + 1, or 0 before the first; a second list for contexts that were just entered
                                   follows */
    uint32_t *first;            /* by frame of a context, n_frames for the root: frame of the first child of the latest
                                   such context that has children */
    uint32_t entered;           /* frame of the first child of the latest context that has children */
    uint32_t at;                /* current context */
    uint32_t child;             /* frame of the child that was left last, or MP_NO_ID if AT was entered just now */
};

static void
begin(struct walk *walk, const struct mp_profile *profile, struct mp_arena *arena)
{
    size_t n_first = profile->n_frames + (size_t)1;

    *walk = (struct walk){.contexts = profile->contexts, .n_frames = profile->n_frames, .pairs.arena = arena,
                          .newest = mp_arena_alloc(arena, 2 * n_first * sizeof *walk->newest),
                          .first = mp_arena_alloc(arena, n_first * sizeof *walk->first), .child = MP_NO_ID};
    memset(walk->first, 0xff, n_first * sizeof *walk->first);
}

/* Returns the frame of the current context, or n_frames for the root. */
static uint32_t
frame_of(const struct walk *walk)
{
    return walk->at > 0 ? walk->contexts[walk->at].frame : walk->n_frames;
}

/* Returns the latest results of steps like the next one. */
static struct latest *
latest_of(struct walk *walk)
{
    const uint32_t frame = frame_of(walk), n = walk->pairs.count;
    struct newest *newest = &walk->newest[frame + (walk->child == MP_NO_ID ? walk->n_frames + (size_t)1 : 0)];

    if (newest->pair == 0 || newest->child != walk->child)
        *newest = (struct newest){walk->child,
                                  mp_map_add_u64(&walk->pairs, (uint64_t)frame << 32 | walk->child) + 1};
    if (newest->pair > n)
        walk->latest = mp_arena_grow(walk->pairs.arena, walk->latest, n, &walk->room, sizeof *walk->latest);
    return &walk->latest[newest->pair - 1];
}

/* Returns the frame to which a result in the second column is relative. It is likely to be in the same function. */
static uint32_t
near(const struct walk *walk)
{
    uint32_t first = walk->first[frame_of(walk)];

    return walk->child != MP_NO_ID ? walk->child : first != MP_NO_ID ? first : walk->entered;
}

/* Makes the step with RESULT, which is at POSITION of LATEST. A new child is context ID. */
static void
step(struct walk *walk, struct latest *latest, unsigned position, uint32_t result, uint32_t id)
{
    if (position == latest->n && latest->n < LATEST)
        latest->n++;
    else if (position == LATEST)
        position--;
    for (; position > 0; position--)
        latest->results[position] = latest->results[position - 1];
    latest->results[0] = result;
    if (result == MP_NO_ID) {
        walk->child = frame_of(walk);
        walk->at = walk->contexts[walk->at].parent;
        return;
    }
    if (walk->child == MP_NO_ID)
        walk->first[frame_of(walk)] = walk->entered = result;
    walk->at = id;
    walk->child = MP_NO_ID;
}

/* --------------------------------------------------------------- encoding */

/* Returns whether a depth-first walk meets the contexts in the order of their ids. Each context is left upwards at
 * most once, so the work is linear. */
static bool
is_depth_first(const struct mp_profile *profile)
{
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        uint32_t parent = profile->contexts[i].parent, at = i - 1;

        while (at > parent)
            at = profile->contexts[at].parent;
        if (at != parent)
            return false;
    }
    return true;
}

/* Writes RESULT, which is not among the latest ones. A return is 0. A frame is the difference to BASE, plus 1 unless it
 * is negative. */
static void
put_other(struct mp_buffer *to, uint32_t base, uint32_t result)
{
    int64_t difference = (int64_t)result - base;

    mp_buffer_signed(to, result == MP_NO_ID ? 0 : difference + (difference >= 0));
}

static void
put_walk(const struct mp_profile *profile, struct mp_buffer *to)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_buffer others = {0};
    struct walk walk;
    uint32_t next = 1;

    begin(&walk, profile, arena);
    for (size_t n = 2 * (size_t)profile->n_contexts - 1; n > 0; n--) {
        bool enters = next < profile->n_contexts && profile->contexts[next].parent == walk.at;
        uint32_t result = enters ? profile->contexts[next].frame : MP_NO_ID;
        struct latest *latest = latest_of(&walk);
        unsigned position = 0;

        while (position < latest->n && latest->results[position] != result)
            position++;
        mp_buffer_varint(to, position);
        if (position == latest->n)
            put_other(&others, near(&walk), result);
        step(&walk, latest, position, result, next);
        next += enters;
    }
    mp_buffer_bytes(to, others.bytes, others.size);
    mp_buffer_free(&others);
    mp_arena_free(arena);
}

/* --------------------------------------------------------------- decoding */

static uint32_t
take_other(struct mp_cursor *from, uint32_t base, uint32_t n_frames)
{
    int64_t difference = mp_cursor_signed(from), frame;

    if (difference == 0)
        return MP_NO_ID;
    if (__builtin_add_overflow((int64_t)base - (difference > 0), difference, &frame) || frame < 0 ||
        frame >= n_frames) {
        mp_cursor_fail(from, MP_ERR_DAMAGED, "a context has a frame that is not there");
        return MP_NO_ID;
    }
    return (uint32_t)frame;
}

static void
take_walk(struct mp_profile *profile, struct mp_cursor *from)
{
    size_t n_steps = 2 * (size_t)profile->n_contexts - 1;
    const uint8_t *positions = mp_cursor_bytes(from, n_steps);
    struct mp_arena *arena = mp_arena_new();
    struct walk walk;
    uint32_t next = 1;

    begin(&walk, profile, arena);
    for (size_t i = 0; positions && i < n_steps && !from->problem; i++) {
        struct latest *latest = latest_of(&walk);
        uint32_t result;

        if (positions[i] > latest->n)
            mp_cursor_fail(from, MP_ERR_DAMAGED, "a step of the walk is unknown");
        result = positions[i] < latest->n ? latest->results[positions[i]]
                                          : take_other(from, near(&walk), profile->n_frames);
        if (result == MP_NO_ID ? walk.at == 0 && i + 1 < n_steps : next == profile->n_contexts)
            mp_cursor_fail(from, MP_ERR_DAMAGED, "the walk does not fit the number of contexts");
        if (from->problem)
            break;
        if (result != MP_NO_ID)
            profile->contexts[next] = (struct mp_context){.parent = walk.at, .frame = result};
        step(&walk, latest, positions[i], result, next);
        next += result != MP_NO_ID;
    }
    mp_arena_free(arena);
}

/* ------------------------------------------------------------ both directions */

void
mp_code_contexts(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_context *contexts;
    uint32_t n = profile->n_contexts - 1, order = is_depth_first(profile) ? MP_ORDER_DEPTH_FIRST : MP_ORDER_ANY;

    mp_code_count(codec, &n, 2);
    mp_code_below(codec, &order, MP_ORDER_ANY + 1);
    profile->n_contexts = n + 1;
    contexts = profile->contexts = mp_code_array(codec, profile->contexts, n + 1, sizeof *contexts);
    contexts[0].frame = MP_NO_ID;
    if (order == MP_ORDER_DEPTH_FIRST) {
        if (codec->from)
            take_walk(profile, codec->from);
        else
            put_walk(profile, codec->to);
        return;
    }
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t before = i - 1 - contexts[i].parent;

        mp_code_below(codec, &before, i);
        contexts[i].parent = i - 1 - before;
    }
    for (uint32_t i = 1; i <= n; i++)
        mp_code_below(codec, &contexts[i].frame, profile->n_frames);
}
