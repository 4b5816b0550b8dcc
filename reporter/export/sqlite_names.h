/* sqlite_names.h -- stores names, places and chains in a database, where all runs share them, and returns their
 * ids. */
#ifndef MP_EXPORT_SQLITE_NAMES_H
#define MP_EXPORT_SQLITE_NAMES_H

#include "reporter/profile/chain.h"
#include "sqlite_db.h"

/* The statements that find a row of a table of names, and add one. */
struct mp_db_names {
    sqlite3_stmt *find, *add;
};

/* Ids in the database of what has been looked up so far. */
struct mp_db_ids {
    struct mp_db *db;
    const struct mp_tree *tree;
    struct mp_db_names modules, files, functions, frames, contexts, types;
    int64_t *function_ids;      /* by function of the view; -1 if not requested yet */
    int64_t *context_ids;       /* by node of the tree; 0 if not requested yet */
    const char *file;           /* the last file requested, because consecutive calls often have the same file */
    int64_t file_id;
};

/* Prepares the statements. The result is allocated in ARENA. Call mp_db_ids_end() before the end of DB's
 * transaction. */
struct mp_db_ids mp_db_ids(struct mp_db *db, const struct mp_tree *tree, struct mp_arena *arena);
void mp_db_ids_end(struct mp_db_ids *ids);

int64_t mp_db_module(struct mp_db_ids *ids, const char *path);
int64_t mp_db_function(struct mp_db_ids *ids, uint32_t function);
int64_t mp_db_type(struct mp_db_ids *ids, const char *name, const char *size_class);

/* Returns the id of the chain that ends at NODE, which is 0 for the root. To limit recursion, request callers first,
 * that is, nodes in ascending order. */
int64_t mp_db_context(struct mp_db_ids *ids, uint32_t node);

#endif
