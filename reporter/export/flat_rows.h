/* SPDX-License-Identifier: MIT */
/*
 * flat_rows.h -- a view as a flat list of rows, one for each chain and type, with the figures that are known. Exporters
 * for databases use it.
 */
#ifndef MP_EXPORT_CELLS_H
#define MP_EXPORT_CELLS_H

#include "export.h"
#include "reporter/graph/node_chain.h"
#include "reporter/profile/lifetimes.h"

struct mp_export_cell {
    uint32_t node;              /* tree node at which the cell's chain ends */
    uint64_t number;            /* number within its process, from 1; the same whenever the file is exported */
    const char *type;           /* "malloc", or a type of Lisp */
    const char *size_class;     /* size class of malloc's blocks, such as "small"; NULL for objects of Lisp */
    const struct mp_export_process *process;    /* the process that allocated it */
    struct mp_counts counts;
    bool has_lifetimes;         /* lifetimes of blocks are known, and are in `lifetimes` */
    struct mp_lifetimes lifetimes;
};

/* A process, or all processes of a merged file that have the same label. */
struct mp_export_process {
    struct mp_meta meta;
    const char *run;            /* unique name of the recording, the same whenever it is exported */
    uint64_t n_cells;           /* number of cells that mp_export_next() has returned */
    const char *command;        /* command line as it could be typed in a shell, or "" */
    char build_id[MP_BUILD_ID_TEXT];    /* build-id of the program, or "" */
    int64_t exit_status;        /* as in a shell: 128 plus the signal's number if a signal ended the process; -1 if
                                   unknown */
    struct mp_label labels[MP_LABELS_MOST];     /* labels of the export, followed by those of the recording */
    uint32_t n_labels;
};

struct mp_export_cells {
    struct mp_tree *tree;       /* with lines and whole paths */
    struct mp_tree_part part;   /* position of mp_export_next() */
    bool known[MP_FIGURES];        /* whether a figure is known; fewer are known for a part of the time */
    uint32_t *label;            /* by node: 1 plus the label at the beginning of its chain, or 0 if it has none */
    struct mp_export_process *processes;        /* indexed by label plus 1; [0] has no label */
    struct mp_arena *arena;     /* owns `label` and `processes` */
};

struct mp_export_cells mp_export_cells(const struct mp_export *export);
void mp_export_cells_free(struct mp_export_cells *cells);

/* Sets *CELL to the next cell, in the order of the tree's nodes. Returns false if there are no more. */
bool mp_export_next(struct mp_export_cells *cells, struct mp_export_cell *cell);

#endif
