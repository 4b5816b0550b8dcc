/* sqlite_names.h -- what runs share in a database: names, places and chains, each there once. */
#ifndef MP_EXPORT_SQLITE_NAMES_H
#define MP_EXPORT_SQLITE_NAMES_H

#include "reporter/profile/chain.h"
#include "sqlite_db.h"

/* A table of names: how a row is found, and made if there is none. */
struct mp_db_names {
    sqlite3_stmt *find, *add;
};

/* Ids in the database, or -1: not asked for yet. */
struct mp_db_ids {
    struct mp_db *db;
    const struct mp_tree *tree;
    struct mp_db_names modules, files, functions, frames, contexts, types;
    int64_t *function_ids;      /* by function of the view */
    int64_t *context_ids;       /* by node of the tree */
    const char *file;           /* the last that was asked for, and its id: calls of a function have one file */
    int64_t file_id;
};

/* In ARENA; mp_db_ids_end() before DB's transaction ends. */
struct mp_db_ids mp_db_ids(struct mp_db *db, const struct mp_tree *tree, struct mp_arena *arena);
void mp_db_ids_end(struct mp_db_ids *ids);

int64_t mp_db_module(struct mp_db_ids *ids, const char *path);
int64_t mp_db_function(struct mp_db_ids *ids, uint32_t function);
int64_t mp_db_type(struct mp_db_ids *ids, const char *name, const char *size_class);

/* The chain that NODE is the end of; of the root 0.  Ask for callers first: nodes in ascending order. */
int64_t mp_db_context(struct mp_db_ids *ids, uint32_t node);

#endif
