/*
 * live_parts.h -- the steps from the image of a live file to a profile, in their order.
 *
 * Each step fills its part of the profile and a map from records (indices into the image's
 * tables) to what the profile has for them.  Only mp_read_live() calls these.
 */
#ifndef MP_LIVE_PARTS_H
#define MP_LIVE_PARTS_H

#include "live_image.h"
#include "observed.h"
#include "reporter/profile/profile.h"

/* A context of the file. */
struct mp_live_node {
    uint32_t frame;             /* id; 0: not in use */
    uint32_t parent;            /* record; as many as there are: the root */
};

struct mp_live_reading {
    struct mp_image image;
    struct mp_profile *profile;
    const struct mp_observed *observed; /* or NULL */
    struct mp_live_marking *marking;    /* of live_marks.c; or NULL */
    uint32_t recorder;          /* only what the thread with this recorder allocated is wanted; 0: all */
    bool *wanted;               /* by record of a context, whether it is that thread's; NULL: all are */
    bool peak_now;              /* the largest total is the present one: nothing saved it yet */
    uint32_t *module_of;        /* record -> module that stands for all loads of the same file */
    uint32_t *name_of;          /* record -> name, or MP_NO_ID: not used by a frame */
    uint32_t *frame_of;         /* record -> frame, or MP_NO_ID: not used by a context */
    uint32_t mark_of[MP_FRAME_FIRST];
    struct mp_live_node *contexts;      /* of each record */
    size_t n_contexts;          /* records */
    uint32_t *context_of;       /* record -> context, or MP_NO_ID: not in use */
};

/* All steps: the profile of the live file INPUT, with what was OBSERVED of it (may be NULL), which the caller
 * frees; NULL and *ERROR. */
struct mp_profile *mp_read_live(struct mp_input *input, const struct mp_observed *observed,
                                struct mp_error *error);

/* The same without what was observed, for mp_read_contexts(). */
struct mp_profile *mp_read_live_contexts(struct mp_input *input, const uint64_t *ids, uint32_t *contexts, uint32_t n,
                                         struct mp_error *error);

/* The same of what the thread with the recorder RECORDER allocated, for mp_read_thread(). */
struct mp_profile *mp_read_live_thread(struct mp_input *input, uint32_t recorder, struct mp_error *error);

/* Each step: false and *ERROR, which names the record, if the file contradicts itself. */

/* Drops the records of other threads, if only one is wanted.  Cells that are copied again have to be dropped again. */
bool mp_live_part(struct mp_live_reading *reading, struct mp_error *error);
void mp_live_part_cells(struct mp_live_reading *reading);

/* The contexts' records, of whichever version. */
bool mp_live_contexts(struct mp_live_reading *reading, struct mp_error *error);

/* Modules, in the order of their loading. */
bool mp_live_modules(struct mp_live_reading *reading, struct mp_error *error);

/* Frames that contexts use, and those that only name a function: marks first, then by module, offset
 * and kind; each once, also when its module was loaded several times.  Names that those frames have,
 * in the order of frames' records. */
bool mp_live_frames(struct mp_live_reading *reading, struct mp_error *error);

/* The name of the frame with FLAGS in record FRAME, in *ID; MP_NO_ID if it has none. */
bool mp_live_name(struct mp_live_reading *reading, size_t frame, uint32_t flags, uint32_t *id,
                  struct mp_error *error);

/* Kinds of objects, sorted. */
bool mp_live_kinds(struct mp_live_reading *reading, struct mp_error *error);

/* The trees of all recorders merged by path, in depth-first order, children by frame. */
bool mp_live_tree(struct mp_live_reading *reading, struct mp_error *error);

/* The contexts of forms. */
bool mp_live_forms(struct mp_live_reading *reading, struct mp_error *error);

/* How deep the stacks of threads were. */
bool mp_live_stacks(struct mp_live_reading *reading, struct mp_error *error);

/* Frees that are faults of the program. */
bool mp_live_bad_frees(struct mp_live_reading *reading, struct mp_error *error);

/* What happened between the program's checkpoints; before the following, which may copy cells once more.
 * Then, when all figures are known, the time line of it; and at last, whatever failed, what is left of it. */
void mp_live_collections(struct mp_live_reading *reading, const uint32_t *marks, uint32_t n);    /* of N records */
bool mp_live_marks(struct mp_live_reading *reading, struct mp_error *error);
bool mp_live_marks_end(struct mp_live_reading *reading, struct mp_error *error);
void mp_live_marks_free(struct mp_live_reading *reading);

/* Part of these two: the context of cell RECORD in *CONTEXT; MP_NO_ID if the cell is not in use.  And: the
 * kind of the cell that a record of KIND is a part of. */
bool mp_live_cell_context(struct mp_live_reading *reading, size_t record, uint32_t *context,
                          struct mp_error *error);
uint32_t mp_live_cell_kind(uint32_t kind);

/* Counters summed by context and kind; the peak's total too if it is now. */
bool mp_live_cells(struct mp_live_reading *reading, struct mp_error *error);

/* Of a sampled recording, after these two: estimates instead of the counts of samples. */
bool mp_live_samples(struct mp_live_reading *reading, struct mp_error *error);

/* Part of that: what a record of a cell says, of whatever version; false if it refers to what is not there.
 * Its key is to be had alone, too. */
struct mp_live_key {
    uint32_t context;           /* id; 0: not in use */
    uint16_t kind;              /* sizeclass.h, with MP_KIND_PAYLOAD */
    bool uniform;               /* all blocks have one size: bins do not count them */
};
struct mp_live_figures {
    struct mp_live_key key;
    uint32_t size;              /* of each block, if it is uniform */
    uint64_t allocs, bytes, frees, freed;
    uint64_t temporary, requested;      /* of C's kinds, of others */
    uint32_t size_min, size_max;        /* min > max: none */
    int64_t peak_bytes, peak_blocks;    /* the share of the peak: as saved, or what lives now */
};
struct mp_live_key mp_live_key(const struct mp_live_reading *reading, size_t index);
bool mp_live_figures(struct mp_live_reading *reading, size_t index,
                     struct mp_live_figures *figures, struct mp_error *error);

/* Part of that: add FIGURES, whose kind is one of a cell's languages, to SUM; false if that leaves
 * the range.  Then make ages fit, see struct mp_counts: what does not is damage (false), or, with
 * ALIVE, a moment between two copies. */
bool mp_live_figures_add(struct mp_counts *sum, const struct mp_live_figures *figures);
bool mp_live_ages_add(struct mp_counts *sum, const struct mp_live_ages *record);
bool mp_live_cell_settle(struct mp_counts *counts, bool alive);

/* Bins summed over the recorders, and over uniform cells. */
bool mp_live_bins(struct mp_live_reading *reading, struct mp_error *error);

/* At the end: the time line, if anybody observed. */
void mp_live_time(struct mp_live_reading *reading);

/* calloc() for COUNT things (at least one) of SIZE bytes. */
void *mp_live_array(struct mp_live_reading *reading, size_t count, size_t size,
                    struct mp_error *error);

/* DAMAGED, at FIELD_OFFSET in record INDEX of KIND. */
bool mp_live_damaged(const struct mp_live_reading *reading, enum mp_extent_kind kind, size_t index,
                     size_t field_offset, const char *problem, struct mp_error *error);

#endif
