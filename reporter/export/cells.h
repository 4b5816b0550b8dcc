/*
 * cells.h -- a view as a flat list: what each chain allocated of each type, with the figures that are known.
 * What formats for databases are made of.
 */
#ifndef MP_EXPORT_CELLS_H
#define MP_EXPORT_CELLS_H

#include "export.h"
#include "reporter/profile/chain.h"
#include "reporter/profile/lifetimes.h"

/* The figures of a cell, as mprof-json(5) calls them. */
#define MP_CELL_FIGURES 9u
extern const struct mp_cell_figure {
    const char *key;
    enum mp_figure figure;
} mp_cell_figures[MP_CELL_FIGURES];

struct mp_export_cell {
    uint32_t node;              /* of the tree: its chain */
    const char *type;           /* "malloc", or a type of Lisp */
    const char *size_class;     /* of blocks of malloc: "small" ...; NULL: an object */
    const struct mp_export_process *process;    /* whose it is */
    struct mp_counts counts;
    bool has_lifetimes;         /* how long blocks lived is known: */
    struct mp_lifetimes lifetimes;
};

/* One process of a merged file, or all that have the same label; of a file that is not merged its process. */
struct mp_export_process {
    struct mp_meta meta;
    char run[40];               /* names the process among all: the id of its run, and the process */
};

struct mp_export_cells {
    struct mp_tree *tree;       /* with lines and whole paths */
    struct mp_tree_part part;   /* where mp_export_next() is */
    bool known[MP_CELL_FIGURES];        /* of a part of the time less is known */
    uint32_t *label;            /* by node: that its chain begins with, plus 1; 0: none */
    struct mp_export_process *processes;        /* by label, plus 1 */
    struct mp_arena *arena;     /* owns these two */
};

struct mp_export_cells mp_export_cells(const struct mp_export *export);
void mp_export_cells_free(struct mp_export_cells *cells);

/* The next cell, in the order of the tree's nodes; false: there is none. */
bool mp_export_next(struct mp_export_cells *cells, struct mp_export_cell *cell);

#endif
