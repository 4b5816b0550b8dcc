/* SPDX-License-Identifier: MIT */
/*
 * live_parts.h -- the steps that convert the image of a live file to a profile, in the order of their execution.
 *
 * Each step fills its part of the profile. It also fills a map from records, which are indices into the image's
 * tables, to ids in the profile. Only the functions of reader_live.c call the steps.
 */
#ifndef MP_LIVE_PARTS_H
#define MP_LIVE_PARTS_H

#include "live_image.h"
#include "observed.h"
#include "reporter/profile/profile.h"

/* A context in the live file. */
struct mp_live_node {
    uint32_t frame;             /* frame id; 0 = not in use */
    uint32_t parent;            /* record of the parent; n_contexts = the root */
};

/* A string of the live file. */
struct mp_live_string {
    const char *text;           /* printable */
    const char *raw;            /* as in the file, or NULL if it equals `text` */
};

/* The options of reader.h. All zeros requests the whole file without observed data. */
struct mp_live_request {
    const struct mp_observed *observed; /* data of the observer, or NULL */
    uint32_t recorder;          /* id of the recorder whose thread's allocations are wanted; 0 = all threads */
    const uint64_t *ids;        /* context ids of the file; may be NULL if n is 0 */
    uint32_t *contexts;         /* result: the profile's context of each id, or MP_NO_ID */
    uint32_t n;                 /* number of ids */
};

struct mp_live_reading {
    struct mp_image image;
    struct mp_profile *profile;
    struct mp_arena *scratch;   /* memory of the following maps and of single steps */
    const struct mp_live_request *request;
    struct mp_live_marking *marking;    /* state of live_marks.c, or NULL */
    bool *wanted;               /* by record of a context, whether it belongs to the wanted thread; NULL = all do */
    bool peak_now;              /* the present total exceeds the recorded peak, so cells have not saved it yet */
    struct mp_map string_ids;   /* ids of the strings read so far */
    struct mp_live_string *strings;     uint32_t strings_room;      /* these strings, in the order of the map */
    uint32_t *module_of;        /* record -> module; all loads of the same file have one module */
    uint32_t *name_of;          /* record -> name, or MP_NO_ID if no frame uses it */
    uint32_t *frame_of;         /* record -> frame, or MP_NO_ID if no context uses it */
    uint32_t mark_of[MP_FRAME_FIRST];
    struct mp_live_node *contexts;      /* indexed by record */
    size_t n_contexts;          /* number of records */
    uint32_t *context_of;       /* record -> context, or MP_NO_ID if it is not in use */
};

/* Runs all steps. Returns the profile of the live file INPUT, as REQUEST describes it. The caller frees the profile.
 * Returns NULL and sets *ERROR on failure. */
struct mp_profile *mp_read_live(struct mp_input *input, const struct mp_live_request *request,
                                struct mp_error *error);

/* Sets *STRING to string ID, which the profile owns. Copies each string once, however many records refer to it, so that
 * the memory is proportional to the file. Returns false if there is no such string. */
bool mp_live_string(struct mp_live_reading *reading, uint32_t id, struct mp_live_string *string);

/* Each step returns false if the file contradicts itself, with an *ERROR that names the record. */

/* mp_live_part() drops the records of other threads, if only one thread is wanted. mp_live_part_cells() drops the
 * cells of other threads. Call it again whenever cells were copied again. */
bool mp_live_part(struct mp_live_reading *reading, struct mp_error *error);
void mp_live_part_cells(struct mp_live_reading *reading);

/* Reads the modules in the order of their loading. */
bool mp_live_modules(struct mp_live_reading *reading, struct mp_error *error);

/* Reads the records of contexts. */
bool mp_live_contexts(struct mp_live_reading *reading, struct mp_error *error);

/* Reads the frames that contexts use, and frames that only name a function. Marks come first, then frames by module,
 * offset and kind. Each frame occurs once, even if its module was loaded several times. Also reads the names of
 * these frames, in the order of the frames' records. */
bool mp_live_frames(struct mp_live_reading *reading, struct mp_error *error);

/* Merges the context trees of all recorders by path. The contexts are in depth-first order, children sorted by
 * frame. */
void mp_live_tree(struct mp_live_reading *reading);

/* Reads the contexts in which a form of the program, such as MPROF:WITH-PROFILING, began or joined recording. */
bool mp_live_forms(struct mp_live_reading *reading, struct mp_error *error);

/* Reads the counts and places of faulty frees. */
bool mp_live_bad_frees(struct mp_live_reading *reading, struct mp_error *error);

/* Reads what the program mapped. */
bool mp_live_mappings(struct mp_live_reading *reading, struct mp_error *error);

/* Takes over the observer's account of resident memory. Must run after mp_live_mappings(). */
void mp_live_resident(struct mp_live_reading *reading);

/* Reads the kinds of objects and sorts them. */
bool mp_live_kinds(struct mp_live_reading *reading, struct mp_error *error);

/* The time line from the program's marks. mp_live_marks() collects the changes between checkpoints and must run
 * before the following steps, which may copy cells again. mp_live_marks_end() builds the time line when all figures
 * are known. */
bool mp_live_marks(struct mp_live_reading *reading, struct mp_error *error);
bool mp_live_marks_end(struct mp_live_reading *reading, struct mp_error *error);

/* mp_live_cell_context() sets *CONTEXT to the context of cell RECORD, or MP_NO_ID if the cell is not in use.
 * mp_live_cell_kind() returns the kind of the cell that counts records of KIND, that is, without MP_KIND_PAYLOAD. */
bool mp_live_cell_context(struct mp_live_reading *reading, size_t record, uint32_t *context,
                          struct mp_error *error);
uint32_t mp_live_cell_kind(uint32_t kind);

/* Sums the counters by context and kind, and the total at the peak if the peak is the present total. */
bool mp_live_cells(struct mp_live_reading *reading, struct mp_error *error);

/* Replaces counts of samples by estimates in a sampled recording. Must run after mp_live_cells(), which collects the
 * samples, and mp_live_bins(). */
void mp_live_samples(struct mp_live_reading *reading);

/* The counters of one record of a cell. mp_live_key() reads only the key. mp_live_figures() reads everything and fails
 * if the record refers to a missing record. */
struct mp_live_key {
    uint32_t context;           /* context id; 0 = not in use */
    uint16_t kind;              /* see sizeclass.h; may include MP_KIND_PAYLOAD */
    bool uniform;               /* all blocks have one size; the recorders' bins do not count them */
};
struct mp_live_figures {
    struct mp_live_key key;
    uint32_t size;              /* in bytes, of each block of a uniform cell */
    uint64_t allocs, bytes, frees, freed;
    uint64_t temporary, requested;      /* temporary only for C's kinds, requested only for the others */
    uint32_t size_min, size_max;        /* in bytes; min > max if there are no blocks */
    int64_t peak_bytes, peak_blocks;    /* share of the peak, either saved or the present live figures */
    uint64_t larger, most_blocks, most_bytes;   /* of a mixed cell of C's kinds, see struct mp_live_mixed; 0 if
                                                   unknown */
};
struct mp_live_key mp_live_key(const struct mp_live_reading *reading, size_t index);
bool mp_live_figures(struct mp_live_reading *reading, size_t index,
                     struct mp_live_figures *figures, struct mp_error *error);

/* Sets meta.objects_sampled. If it is true, sums the objects that the recorders count by kind. Must run after
 * mp_live_kinds(). */
bool mp_live_objects(struct mp_live_reading *reading, struct mp_error *error);

/* Sums the bins of all recorders and the uniform cells. */
bool mp_live_bins(struct mp_live_reading *reading, struct mp_error *error);

/* Completes the time line with the trace, observed data, the peak and the end. Runs last. */
void mp_live_time(struct mp_live_reading *reading);

/* Fills *ERROR with MP_ERR_DAMAGED and PROBLEM at FIELD_OFFSET of record INDEX of KIND. Returns false. */
bool mp_live_damaged(const struct mp_live_reading *reading, enum mp_extent_kind kind, size_t index,
                     size_t field_offset, const char *problem, struct mp_error *error);

#endif
