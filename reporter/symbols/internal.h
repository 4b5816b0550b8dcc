/*
 * symbols_internal.h -- what the files of the symboliser share; nobody else includes it.
 *
 * The way of a frame:  symbols.c sorts the frames by module and address and opens each module
 * once (symbols_module.c);  the module's answer for the address (symbols_answer.c) may be known
 * already, from a profile before or from the disk (symbols_cache.c);  else DWARF gives it
 * (symbols_dwarf.c), else an ELF symbol that covers the address (symbols_elf.c), else the function's
 * start from the unwind table (symbols_fde.c).  At the end symbols_unique.c gives each function a
 * name of its own, symbols_types.c each bin its types.
 *
 * Addresses are offsets in the module (ELF p_vaddr space) unless a name says otherwise.  ELF and
 * DWARF are hostile input: no recursion, no loop without a bound by the size of the file.
 */
#ifndef MP_SYMBOLS_INTERNAL_H
#define MP_SYMBOLS_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <sys/types.h>

#include "reporter/base/map.h"
#include "symbols.h"

/* ------------------------------------------------------- symbols_lookup.c: small tables */

/* Strings, each kept once, made fit to be printed (text.h), of MP_TEXT_MAX bytes at most: a longer
 * one ends in MP_TEXT_CUT. */
#define MP_TEXT_MAX 16384u
#define MP_TEXT_CUT "[cut]"
struct mp_texts {
    struct mp_map map;          /* has the texts as its keys */
};
const char *mp_texts_add(struct mp_texts *texts, const char *text);     /* NULL counts as "" */
/* The same for the N > 0 PARTS, with "::" between them. */
const char *mp_texts_join(struct mp_texts *texts, const char *const parts[], size_t n);
/* The same for a path, with "x/../" and "./" taken out (as text: no file is looked at). */
const char *mp_texts_add_path(struct mp_texts *texts, const char *path);

/* Intervals of addresses. */
struct mp_span {
    uint64_t start, end;        /* [start, end) */
    uint32_t value;
};
struct mp_spans {
    struct mp_span *list;
    uint32_t count, room;
};
void mp_spans_add(struct mp_spans *spans, struct mp_arena *arena, uint64_t start, uint64_t end,
                  uint32_t value);
/* Make them sorted and disjoint: where several overlap, the one that starts last counts. */
void mp_spans_flatten(struct mp_spans *spans, struct mp_arena *arena);
uint32_t mp_spans_find(const struct mp_spans *spans, uint64_t address);     /* value or MP_NO_ID */

/* ------------------------------------------------------------------ symbols.c: the driver */

/* A function while names are being collected; its strings live in `scratch`. */
struct mp_symbol_function {
    const char *name;           /* without parameters */
    const char *full;           /* with them; equal to name if there are none */
    const char *file;           /* source file; "" not known */
    uint32_t module;            /* MP_NO_ID: none */
    uint64_t start;             /* 0 not known */
    bool nameless;              /* "libfoo.so+0x1234": the name holds the module already */
    bool wanted;                /* it was copied into others, or a frame of it has no name but this */
    const char *lisp;           /* what the language calls it, NULL: not known */
    bool made;                  /* and that was made of its name in C */
};

struct mp_symboliser {
    struct mp_profile *profile;
    const struct mp_symbol_options *options;
    struct mp_arena *scratch;   /* dies with the symboliser */
    struct mp_texts names;      /* in scratch */
    struct mp_texts files;      /* in the profile's arena */
    struct mp_map keys;         /* identities of functions; a key's number is its function's id */
    struct mp_symbol_function *functions;
    uint32_t functions_room;    /* keys.count of them are in use */
    struct mp_location *locations;
    uint32_t n_locations, locations_room;
    struct mp_types *types;     /* NULL: nobody wants types */
    bool named;                 /* the frame that is looked up has a name of its language's */
    bool closed;                /* only functions that are there already are looked for */
    uint32_t n_made;            /* functions that are `made` */
};

/* A frame on its way to a name. */
struct mp_symbol_frame {
    uint32_t module;            /* first one that is the same file */
    uint32_t frame;
    uint64_t address;           /* of the instruction */
    bool entry;                 /* no context has it: it names the function that starts there */
};

/* The function with identity KEY in MODULE; *FUNCTION is new if its name is NULL: fill it then.
 * MP_NO_ID: it is new, and the symboliser is closed. */
uint32_t mp_symbols_function(struct mp_symboliser *symboliser, uint32_t module, const char *key,
                             struct mp_symbol_function **function);

/* Append LOCATION to the frame that is being looked up. */
void mp_symbols_locate(struct mp_symboliser *symboliser, struct mp_location location);

/* ------------------------------------------------- symbols_unique.c: one name, one function */

void mp_symbols_unique(struct mp_symboliser *symboliser);

/* ---------------------------------------------------- symbols_answer.c: what files tell */

/* A type that a function mentions. */
struct mp_mention {
    const char *name;           /* with namespaces */
    uint32_t size;              /* bytes; 0: it is only declared there */
};

/* A function, as its file tells it; strings are in the binary's arena. */
struct mp_known {
    const char *key;            /* what makes it itself, in its module */
    const char *name;           /* without parameters */
    const char *full;           /* with them; NULL: the same */
    const char *alias;          /* NULL, or what it is called rather */
    const char *file;           /* source file; "" not known */
    uint64_t start;             /* 0 not known */
    uint32_t id;                /* function of the present profile; MP_NO_ID: not taken yet */
    Dwarf_Die die;              /* addr NULL: there is none, or the file is not loaded */
    bool mentions_read;
    uint32_t n_mentions;
    struct mp_mention *mentions;
};

/* A call, inlined or not. */
struct mp_place {
    uint32_t known;
    uint32_t line;              /* 0 not known */
    const char *file;           /* of the line */
};

/* Places of an address, innermost first, the last one is not inlined.  None: it has no name. */
struct mp_answer {
    uint64_t address;
    uint64_t start;             /* of the function, by unwind tables, or MP_NO_START */
    uint32_t first, count;      /* of places */
    const char *file;           /* of the line of a frame without places */
    uint32_t line;
};

struct mp_answers {
    struct mp_map addresses;    /* a key's number is the index of its answer */
    struct mp_answer *list;
    struct mp_known *knowns;
    struct mp_place *places;
    uint32_t room, n_knowns, knowns_room, n_places, places_room;
    bool changed;               /* there is more than in the cache */
};

/* Types by name and size, of a module. */
struct mp_catalog {
    bool read;
    struct mp_map map;          /* keys: "SIZE NAME" */
    struct mp_mention *list;
    uint32_t room;
};

/* Line tables that are read: see symbols_lines.c. */
struct mp_lines {
    Dwarf *dwarf;               /* a second handle of the same file */
    uint64_t rows;              /* in there */
    const void *last;           /* address of the unit that was asked for last */
};

/* ------------------------------------------------------- symbols_module.c: an open module */

struct mp_binary {
    uint32_t module;            /* id; the first one of those that are the same file */
    const char *name;           /* of the module */
    bool program;               /* the program itself, not a library */
    struct mp_arena *arena;     /* of everything that is read from the file */
    const char *problem;        /* "" or why its debug information could not be read, or not all */
    struct mp_texts texts;      /* names, in the arena */
    struct mp_answers answers;
    struct mp_catalog catalog;
    int fd;                     /* the file, until it is loaded; -1 */
    int debug_fd;               /* its debug file, until it is loaded; -1 */
    enum { MP_NOT_LOADED, MP_LOADED, MP_NOT_LOADABLE } state;   /* all below is there, or not */
    bool is_split;              /* part of it is in .dwo files */
    const char *cache_name;     /* of the answers' file in the cache; NULL: there is no cache */
    bool has_debug, zstd;       /* there is some, readable or not; it is compressed so */
    dev_t device;               /* of the file */
    ino_t inode;
    Dwfl *dwfl;
    Dwfl_Module *dwfl_module;
    Elf *elf;                   /* main file, when it is loaded */
    struct mp_spans code;       /* executable segments; value: index of the program header */
    struct mp_elf *symbols;     /* loaded: never NULL */
    struct mp_fdes *fdes;       /* loaded: never NULL */
    struct mp_dwarf *dwarf;     /* NULL: no debug information */
    int common_fd;              /* copy of dwz's common file; -1: there is none, or `common` has it */
    Dwarf *common;
    struct mp_lines lines;

    /* for files that are kept open, see mp_symbols_keep_files() */
    struct mp_binary *next;
    const char *path;           /* as it was opened */
    uint32_t build_id_size;
    uint8_t build_id[32];
};

/* Open the file of MODULE and see that it is what was recorded: by build-id, or, if none was
 * recorded, that its code is where the N_ADDRESSES (sorted) are.  NULL: *PROBLEM (in the
 * profile's arena) says why. */
struct mp_binary *mp_binary_open(struct mp_symboliser *symboliser, uint32_t module,
                                 const uint64_t *addresses, uint32_t n_addresses,
                                 const char **problem);
void mp_binary_close(struct mp_binary *binary);
/* Read symbols and debug information, once; false: that is not possible, and `problem` says why. */
bool mp_binary_load(struct mp_binary *binary);

uint32_t mp_known_add(struct mp_binary *binary, const struct mp_known *known);     /* its index */
void mp_place_add(struct mp_binary *binary, const struct mp_place *place);
/* The answer for ADDRESS, without places; it takes those that are added next. */
struct mp_answer *mp_answer_add(struct mp_binary *binary, uint64_t address);

/* What BINARY tells of ADDRESS, with the types that are mentioned there if MENTIONS; loads it if
 * need be.  NULL: it could not be loaded. */
const struct mp_answer *mp_answer_of(struct mp_binary *binary, uint64_t address, bool mentions);

/* An address that will be asked for. */
struct mp_question {
    uint64_t address;
    bool mentions;
    uint32_t unit;              /* not to be filled in */
};
/* Ask the N QUESTIONS that have no answer yet unit by unit, so that nothing of a unit is needed for
 * long: code of one unit may lie in many places.  Sorts them. */
void mp_answers_prepare(struct mp_binary *binary, struct mp_question *questions, uint32_t n);

/* The function INDEX of BINARY in the profile, or MP_NO_ID, see mp_symbols_function(). */
uint32_t mp_known_take(struct mp_symboliser *symboliser, struct mp_binary *binary, uint32_t index);
/* Append the places of ANSWER, which has some, to FRAME, and note their types. */
void mp_answer_take(struct mp_symboliser *symboliser, struct mp_binary *binary,
                    const struct mp_answer *answer, uint32_t frame);
void mp_answers_forget_ids(struct mp_answers *answers);     /* another profile begins */

/* A file descriptor, or -1 and *PROBLEM (in ARENA). */
int mp_file_open(const char *path, struct mp_arena *arena, const char **problem);

/* ---------------------------------------------- symbols_copy.c: files that do not change */

struct mp_copy {
    int fd;                     /* -1: none */
    uint64_t bytes;             /* that were needed; the rest reads as zeros */
    bool is_split;              /* part of it is in .dwo files */
    const char *cache_name;     /* of the answers' file in the cache; NULL: there is no cache */
    bool has_debug, zstd;       /* is there debug information?  Is it compressed so? */
    uint64_t common_place, common_offset, common_size;  /* .gnu_debugaltlink: see below */
};

/* Copy what the symboliser needs of the ELF file FD: "" or the problem, in ARENA. */
const char *mp_copy_make(int fd, struct mp_arena *arena, struct mp_copy *copy);
/* Name and build-id of the common file of dwz that it refers to, in ARENA; NULL: to none. */
const char *mp_copy_common(const struct mp_copy *copy, struct mp_arena *arena, const uint8_t **id,
                           size_t *size);
/* Make the copy refer to none. */
bool mp_copy_hide_common(const struct mp_copy *copy);
void mp_copy_close(struct mp_copy *copy);

/* ------------------------------------------- symbols_debug.c: what was taken out of a file */

/* The debug file of BINARY, whose file is ELF, to be closed; -1: there is none, or it needs none. */
int mp_debug_find(const struct mp_binary *binary, Elf *elf);
/* dwz's common file NAME with build-id ID, to which FILE refers. */
int mp_debug_find_common(const struct mp_binary *binary, const char *file, const char *name,
                         const uint8_t *id, size_t id_size);

/* ------------------------------------------------------------- symbols_split.c: .dwo files */

/* Open the .dwo files of DWARF, so that libdw need not; what is missing is BINARY's `problem`. */
void mp_split_link(struct mp_binary *binary, Dwarf *dwarf);

/* ---------------------------------------------------------- symbols_elf.c, symbols_fde.c */

struct mp_elf *mp_elf_open(struct mp_binary *binary);

/* Add the function at ADDRESS by the ELF symbol that covers it, or the one at FUNCTION_START
 * (where the unwind table says that the function begins; MP_NO_START: it does not say), to the
 * places of the answer being made; returns how many: 0 or 1. */
#define MP_NO_START UINT64_MAX
uint32_t mp_elf_answer(struct mp_binary *binary, uint64_t address, uint64_t function_start);

/* The best symbol that begins at START and is not local, NULL if none. */
const char *mp_elf_name_at(struct mp_binary *binary, uint64_t start);

struct mp_fdes *mp_fdes_open(struct mp_binary *binary);
uint64_t mp_fdes_find(const struct mp_fdes *fdes, uint64_t address);    /* start or MP_NO_START */

/* -------------------------------------------------------------------------- symbols_die.c */

#define MP_DIE_DEPTH 128        /* levels of a DIE tree that are looked at */

/* Walk the tree below a DIE, in the order of the file.  Each DIE is farther on in the file than
 * the one before, or the walk ends: a damaged tree cannot make it run in circles. */
struct mp_die_walk {
    Dwarf_Die stack[MP_DIE_DEPTH];
    int depth;                  /* -1: before the first */
    const void *last;           /* address of the DIE visited last */
};
void mp_die_walk_begin(struct mp_die_walk *walk, Dwarf_Die *top);
/* Next DIE, NULL at the end.  DESCEND: first into the children of the present one. */
Dwarf_Die *mp_die_walk_next(struct mp_die_walk *walk, bool descend);

/* Next unit after *CU (NULL: the first) that has a DIE; *TOP is its tree (in the .dwo file if it is
 * split), *CODE what has its ranges and line table. */
bool mp_die_next_unit(Dwarf *dwarf, Dwarf_CU **cu, uint8_t *kind, Dwarf_Die *top, Dwarf_Die *code);

/* DIE that ATTRIBUTE (reference) of DIE names, through abstract origins; false if none. */
bool mp_die_reference(Dwarf_Die *die, unsigned int attribute, Dwarf_Die *result);

/* What DIE, a copy of a function or a definition outside of its class, was declared as first. */
Dwarf_Die mp_die_declaration(Dwarf_Die *die);

/* Name with the namespaces and classes around it, found by a walk of its unit. */
const char *mp_die_qualified_name(struct mp_texts *texts, Dwarf_Die *die);
/* Its own name; "(anonymous namespace)" for such a one, NULL if it has none. */
const char *mp_die_own_name(Dwarf_Die *die);
/* Is function DIE the body of a lambda without a name of its own?  *CLOSURE is its type then. */
bool mp_die_closure(Dwarf_Die *die, Dwarf_Die *closure);
/* Does its language have namespaces, which make a name part of a longer one? */
bool mp_die_has_scopes(Dwarf_Die *die);

bool mp_die_is_aggregate(int tag);      /* struct, class or union */
/* Bytes of the struct, or of the array of structs, that type DIE stands for behind typedefs; 0 if
 * it is nothing of the kind, its size is not known here, or its elements come to LIMIT. */
uint64_t mp_die_size(Dwarf_Die die, uint64_t limit);

/* ------------------------------------------------------------------------ symbols_dwarf.c */

struct mp_dwarf *mp_dwarf_open(struct mp_binary *binary);   /* NULL: no debug information */
Dwarf *mp_dwarf_handle(struct mp_dwarf *dwarf);

/* Gives pages back while units are walked: what libdw maps of a large program would else all be in
 * memory at once. */
struct mp_trim {
    Dwarf *dwarf;
    Dwarf_Off last;             /* unit that was walked last */
    Dwarf_Off walked;           /* bytes since pages were given back */
};
/* The walk has come to UNIT. */
void mp_trim_at(struct mp_trim *trim, Dwarf_Die *unit);

/* Add the function at ADDRESS, after those inlined there, to the places; false: none is known. */
bool mp_dwarf_answer(struct mp_binary *binary, uint64_t address);

/* The function whose code is at ADDRESS, or MP_NO_ID. */
uint32_t mp_dwarf_function(struct mp_symboliser *symboliser, struct mp_binary *binary,
                           uint64_t address);

/* A number for the unit that has ADDRESS, MP_NO_ID: none. */
uint32_t mp_dwarf_unit_number(const struct mp_binary *binary, uint64_t address);

/* The unit that has ADDRESS, NULL: none.  There is debug information. */
Dwarf_Die *mp_dwarf_unit(struct mp_binary *binary, uint64_t address);

/* Source line of ADDRESS, for what ELF named: the compiler leaves functions out of DWARF that it
 * found to be twins of others, and assemblers write lines only. */
void mp_dwarf_line(struct mp_binary *binary, uint64_t address, const char **file, uint32_t *line);

void mp_dwarf_close(struct mp_binary *binary);

/* ------------------------------------------------------------------------ symbols_lines.c */

/* UNIT in a handle whose line tables do not stay: what is read of it lasts until the next call. */
Dwarf_Die mp_lines_unit(struct mp_binary *binary, Dwarf_Die *unit);
void mp_lines_close(struct mp_lines *lines);

/* ----------------------------------------------------------------------- symbols_copies.c */

/* Name the copies of functions of ECL's in BINARY that are inlined in FRAMES, of which some only
 * name a function; all are located but these. */
void mp_symbols_copies(struct mp_symboliser *symboliser, struct mp_binary *binary,
                       const struct mp_symbol_frame *frames, uint32_t count);

/* At the end: what names functions that were copied is frames of its own in the profile, and those
 * that name no such function are gone, with their names. */
void mp_symbols_keep_copies(struct mp_symboliser *symboliser);

/* ------------------------------------------------------------------------ symbols_types.c */

struct mp_types *mp_types_new(const struct mp_profile *profile, struct mp_arena *arena);

/* Does FRAME allocate, or what it calls?  Only then its functions' types matter. */
bool mp_types_wanted(const struct mp_types *types, uint32_t frame);

/* FRAME of BINARY lies in the function KNOWN; INNERMOST: and not in one that is inlined there. */
void mp_types_note(struct mp_types *types, struct mp_binary *binary, uint32_t frame,
                   bool innermost, uint32_t known);

/* All frames of BINARY are noted: the program's other types follow. */
void mp_types_collect(struct mp_types *types, struct mp_binary *binary);

/* Read the types that KNOWN mentions, if that was not done and its file is loaded. */
void mp_types_mentions(struct mp_binary *binary, struct mp_known *known);
void mp_catalog_add(struct mp_binary *binary, const char *name, uint32_t size);

/* All binaries are collected: fill the bins of the profile. */
void mp_types_finish(struct mp_symboliser *symboliser);

#endif
