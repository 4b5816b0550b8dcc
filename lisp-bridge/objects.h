/*
 * objects.h -- the objects of ECL that the bridge reads, as the versions in versions.def lay them out.
 *
 * libmprof is built without ECL's headers, so that one build serves every known version.  Members
 * have the names that ECL's object.h gives them; what nobody here reads is left out or unnamed.  All
 * known versions lay these parts out alike: tests/unit/lisp-bridge/test_ecl_layout.c compares them with the
 * headers of the ECL that is installed, and mp_ecl_find() the sizes with those that libecl tells.
 *
 * This is the layout of 64-bit machines, of an ECL with threads, Unicode, complex floats and conses
 * of two words: mp_ecl_find() looks for functions that only such an ECL has.
 */
#ifndef MP_LISP_OBJECTS_H
#define MP_LISP_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

typedef union mp_lisp_object *cl_object;
typedef size_t cl_index;
typedef int32_t ecl_character;

/* The first byte of every object but conses and immediate ones. */
typedef enum {
    t_list = 1, t_character = 2, t_fixnum = 3, t_bignum = 4, t_ratio, t_singlefloat, t_doublefloat,
    t_longfloat, t_complex, t_csfloat, t_cdfloat, t_clfloat, t_symbol, t_package, t_hashtable,
    t_array, t_vector, t_string, t_base_string, t_bitvector, t_stream, t_random, t_readtable,
    t_pathname, t_bytecodes, t_bclosure, t_cfun, t_cfunfixed, t_cclosure, t_instance, t_process,
    t_lock, t_rwlock, t_condition_variable, t_semaphore, t_barrier, t_mailbox, t_codeblock,
    t_foreign, t_frame, t_weak_pointer, t_end
} cl_type;

/* ------------------------------------------------------------------ immediate objects and conses */

#define OBJNULL           ((cl_object)NULL)
#define ECL_NIL           ((cl_object)t_list)
#define ECL_IMMEDIATE(o)  ((intptr_t)(o) & 3)
#define ECL_FIXNUMP(o)    (ECL_IMMEDIATE(o) == t_fixnum)
#define ecl_fixnum(o)     ((intptr_t)(o) >> 2)
#define ECL_CHAR_CODE(o)  ((intptr_t)(o) >> 2)
#define ECL_CONSP(o)      (ECL_IMMEDIATE(o) == t_list && (o) != ECL_NIL)
#define MP_CONS(o)        ((struct ecl_cons *)((uintptr_t)(o) - t_list))
#define ECL_CONS_CAR(o)   (MP_CONS(o)->car)
#define ECL_CONS_CDR(o)   (MP_CONS(o)->cdr)

struct ecl_cons {
    cl_object car, cdr;
};

/* ------------------------------------------------------------------ other objects */

#define MP_LISP_HEADER int8_t t, m, flag1, flag2

struct ecl_dummy { MP_LISP_HEADER; };

struct ecl_symbol {
    MP_LISP_HEADER;
    cl_object value, gfdef, plist, name, cname, hpack;
    cl_index binding;
};

struct ecl_package {
    MP_LISP_HEADER;
    cl_object name, nicknames, local_nicknames, nicknamedby, shadowings, uses, usedby;
    cl_object internal, external;       /* hash tables of the symbols */
};

struct ecl_hashtable_entry {
    cl_object key, value;
};

struct ecl_hashtable {
    MP_LISP_HEADER;
    struct ecl_hashtable_entry *data;
    cl_object sync_lock, generic_test, generic_hash;
    cl_index entries, size;
};

struct ecl_vector {
    MP_LISP_HEADER;
    cl_object displaced;
    cl_index dim, fillp;
    union { cl_object *t; } self;
    uint8_t offset;
};

struct ecl_string {
    MP_LISP_HEADER;
    cl_object displaced;
    cl_index dim, fillp;
    ecl_character *self;
};

struct ecl_base_string {
    MP_LISP_HEADER;
    cl_object displaced;
    cl_index dim, fillp;
    unsigned char *self;
};

struct ecl_pathname {
    MP_LISP_HEADER;                     /* flag1: is it a logical one? */
    cl_object host, device, directory, name, type, version;
};

/* An interpreted function. */
struct ecl_bytecodes {
    MP_LISP_HEADER;
    cl_object name, definition;
    void *entry;
    cl_index code_size;
    char *code;
    cl_object data, file, file_position;
};

/* ... with its environment. */
struct ecl_bclosure {
    MP_LISP_HEADER;
    cl_object code, lex;
    void *entry;
};

struct ecl_cfun {
    MP_LISP_HEADER;
    cl_object name, block;
    void *entry;
    cl_object file, file_position;
};

struct ecl_cfunfixed {
    MP_LISP_HEADER;
    cl_object name, block;
    void *entry, *entry_fixed;
    cl_object file, file_position;
};

struct ecl_cclosure {
    MP_LISP_HEADER;
    cl_object env, block;
    void *entry;
    cl_object file, file_position;
};

/* A compiled file. */
struct ecl_codeblock {
    MP_LISP_HEADER;
    void *handle, *entry;
    cl_object *data;                    /* what its functions refer to */
    int data_size;
    cl_object *temp_data;               /* what its top-level forms refer to, while they run */
    int temp_data_size;
    const cl_object *data_text;
    cl_object next, name, links;
    cl_index cfuns_size;
    const void *cfuns;
    cl_object source, refs, error;
};

struct ecl_instance {
    MP_LISP_HEADER;
    cl_index length;
    cl_object clas;
    void *entry;
    cl_object slotds;
    cl_object *slots;
    cl_index stamp, class_stamp;
};

/* A thread. */
struct ecl_process {
    MP_LISP_HEADER;
    cl_object name;
};

union mp_lisp_object {
    struct ecl_dummy d;
    struct ecl_symbol symbol;
    struct ecl_package pack;
    struct ecl_hashtable hash;
    struct ecl_vector vector;
    struct ecl_string string;
    struct ecl_base_string base_string;
    struct ecl_pathname pathname;
    struct ecl_bytecodes bytecodes;
    struct ecl_bclosure bclosure;
    struct ecl_cfun cfun;
    struct ecl_cfunfixed cfunfixed;
    struct ecl_cclosure cclosure;
    struct ecl_codeblock cblock;
    struct ecl_instance instance;
    struct ecl_process process;
};

/* Slots of a class, and of its class. */
#define ECL_CLASS_OF(o)        ((o)->instance.clas)
#define ECL_CLASS_NAME(o)      ((o)->instance.slots[3])
#define ECL_CLASS_SUPERIORS(o) ((o)->instance.slots[4])

/* ------------------------------------------------------------------ the runtime's own records */

/* What the interpreter puts on the stack for each function that it runs. */
struct ecl_ihs_frame {
    struct ecl_ihs_frame *next;
    cl_object function, lex_env;
    cl_index index, bds;
};

/* A thread's environment, as far as its process. */
struct cl_env_struct {
    volatile int disable_interrupts;
    cl_index nvalues;
    cl_object values[64];
    cl_object function, stack_frame;
    cl_index stack_size, stack_limit_size;
    cl_object *stack, *stack_top, *stack_limit;
    cl_index thread_local_bindings_size;
    cl_object *thread_local_bindings, bindings_array;
    cl_index bds_size, bds_limit_size;
    void *bds_org, *bds_top, *bds_limit;
    struct ecl_ihs_frame *ihs_top;
    cl_index frs_size, frs_limit_size;
    void *frs_org, *frs_top, *frs_limit, *nlj_fr;
    cl_index frame_id, cs_size, cs_limit_size, cs_max_size;
    char *cs_org, *cs_limit, *cs_barrier;
    cl_object string_pool;
    void *c_env;
    cl_object big_register[3];
    cl_object own_process;
};

/* The first members of cl_core. */
struct cl_core_struct {
    cl_object packages, lisp_package, user_package, keyword_package;
};

#endif
