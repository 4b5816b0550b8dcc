#include "sqlite_names.h"

#include <string.h>

/* ---------------------------------------------------------------- tables of names */

static struct mp_db_names
names(struct mp_db *db, const char *find, const char *add)
{
    return (struct mp_db_names){mp_db_prepare(db, find), mp_db_prepare(db, add)};
}

static void
names_done(struct mp_db_names *names)
{
    mp_db_done(names->find);
    mp_db_done(names->add);
}

struct mp_db_ids
mp_db_ids(struct mp_db *db, const struct mp_tree *tree, struct mp_arena *arena)
{
    uint32_t n_functions = tree->profile->n_functions;
    struct mp_db_ids ids = {
        .db = db, .tree = tree,
        .function_ids = mp_arena_alloc(arena, n_functions * sizeof(int64_t)),
        .context_ids = mp_arena_alloc(arena, tree->n_nodes * sizeof(int64_t)),
        .modules = names(db, "SELECT id FROM modules WHERE path = ?",
                         "INSERT INTO modules (path) VALUES (?) RETURNING id"),
        .files = names(db, "SELECT id FROM files WHERE path = ?",
                       "INSERT INTO files (path) VALUES (?) RETURNING id"),
        .functions = names(db,
                           "SELECT id FROM functions WHERE name = ? AND module IS ? AND file IS ? AND plain = ?",
                           "INSERT INTO functions (name, module, file, plain) VALUES (?, ?, ?, ?) RETURNING id"),
        .frames = names(db,
                        "SELECT id FROM frames WHERE function = ? AND line IS ? AND file IS ? AND inlined = ?",
                        "INSERT INTO frames (function, line, file, inlined) VALUES (?, ?, ?, ?) RETURNING id"),
        .contexts = names(db, "SELECT id FROM contexts WHERE parent = ? AND frame = ?",
                          "INSERT INTO contexts (parent, frame) VALUES (?, ?) RETURNING id"),
        .types = names(db, "SELECT id FROM types WHERE name = ? AND size_class IS ?",
                       "INSERT INTO types (name, size_class) VALUES (?, ?) RETURNING id")};

    memset(ids.function_ids, 0xff, n_functions * sizeof(int64_t));
    return ids;
}

void
mp_db_ids_end(struct mp_db_ids *ids)
{
    names_done(&ids->modules);
    names_done(&ids->files);
    names_done(&ids->functions);
    names_done(&ids->frames);
    names_done(&ids->contexts);
    names_done(&ids->types);
}

/* A value of a key: a text, or, if `text` is NULL, a number, which is not known if negative. */
struct value {
    const char *text;
    int64_t number;
};

static void
bind(sqlite3_stmt *statement, const struct value values[], int n)
{
    for (int i = 0; i < n; i++) {
        mp_db_text(statement, i + 1, values[i].text);
        if (!values[i].text)
            mp_db_known(statement, i + 1, values[i].number >= 0, (uint64_t)values[i].number);
    }
}

static int64_t
id_of(struct mp_db *db, const struct mp_db_names *names, const struct value values[], int n)
{
    int64_t id;

    bind(names->find, values, n);
    id = mp_db_run(db, names->find);
    if (id >= 0)
        return id;
    bind(names->add, values, n);
    return mp_db_run(db, names->add);
}

/* ---------------------------------------------------------------- what is named */

int64_t
mp_db_module(struct mp_db_ids *ids, const char *path)
{
    return id_of(ids->db, &ids->modules, &(struct value){path, 0}, 1);
}

/* Returns the id of FILE, or -1 if FILE is "" or NULL, which means not known. */
static int64_t
file_id(struct mp_db_ids *ids, const char *file)
{
    if (!file || !*file)
        return -1;
    if (!ids->file || strcmp(file, ids->file) != 0) {
        ids->file_id = id_of(ids->db, &ids->files, &(struct value){file, 0}, 1);
        ids->file = file;
    }
    return ids->file_id;
}

int64_t
mp_db_function(struct mp_db_ids *ids, uint32_t function)
{
    const struct mp_profile *view = ids->tree->profile;
    const struct mp_function *f = &view->functions[function];
    int64_t *id = &ids->function_ids[function];

    if (*id < 0) {
        const struct value values[] = {
            {f->name, 0},
            {NULL, f->module < view->n_modules ? mp_db_module(ids, view->modules[f->module].path) : -1},
            {NULL, file_id(ids, f->file)},
            {f->plain ? f->plain : f->name, 0}};

        *id = id_of(ids->db, &ids->functions, values, 4);
    }
    return *id;
}

int64_t
mp_db_type(struct mp_db_ids *ids, const char *name, const char *size_class)
{
    const struct value values[] = {{name, 0}, {size_class, -1}};

    return id_of(ids->db, &ids->types, values, 2);
}

static int64_t
frame_id(struct mp_db_ids *ids, uint32_t node)
{
    const struct mp_call call = mp_chain_call(ids->tree, node);
    const struct value values[] = {
        {NULL, mp_db_function(ids, call.function)},
        {NULL, call.line > 0 ? (int64_t)call.line : -1},
        {NULL, file_id(ids, call.file)},
        {NULL, call.inlined}};

    return id_of(ids->db, &ids->frames, values, 4);
}

int64_t
mp_db_context(struct mp_db_ids *ids, uint32_t node)
{
    if (node == 0)
        return 0;
    if (ids->context_ids[node] == 0) {
        const struct value values[] = {
            {NULL, mp_db_context(ids, ids->tree->nodes[node].parent)}, {NULL, frame_id(ids, node)}};

        ids->context_ids[node] = id_of(ids->db, &ids->contexts, values, 2);
    }
    return ids->context_ids[node];
}
