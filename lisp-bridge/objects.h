/* SPDX-License-Identifier: MIT */
/*
 * objects.h -- the parts of ECL's objects and records that the bridge reads.
 *
 * libmprof is built without ECL's headers, so that one build works with every known ECL. Members are named as in
 * ECL's object.h. Unused members are omitted or unnamed. The members declared here have the same place in all known
 * builds. A struct here ends before the first member whose place differs; member_places.h has the places of such
 * members. tests/unit/lisp-bridge/test_ecl_layout.c compares both files with the headers of the installed ECL, and
 * layout.c compares them with objects of the running ECL.
 *
 * This is the layout on 64-bit machines of an ECL with threads, Unicode, complex floats and conses of two words.
 * mp_ecl_find() requires functions that only such an ECL has. It does not compare sizes; layout.c does.
 */
#ifndef MP_LISP_OBJECTS_H
#define MP_LISP_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

typedef union mp_lisp_object *cl_object;
typedef size_t cl_index;
typedef int32_t ecl_character;

/* Type tags. The tag is the first byte of every object except conses and immediate objects. */
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

/* The first word of an object: tag, mark, and two more bytes, which some types use. */
#define MP_LISP_HEADER2(first, second) int8_t t, m, first, second
#define MP_LISP_HEADER MP_LISP_HEADER2(unused1, unused2)

struct ecl_dummy { MP_LISP_HEADER; };

struct ecl_ratio {
    MP_LISP_HEADER;
    cl_object den, num;
};

struct ecl_complex {
    MP_LISP_HEADER;
    cl_object real, imag;
};

struct ecl_symbol {
    MP_LISP_HEADER;
    cl_object value, gfdef;             /* further members: MP_MEMBER(symbol, symbol_plist) and so on */
};

struct ecl_package {
    MP_LISP_HEADER;
    cl_object name, nicknames, local_nicknames, nicknamedby, shadowings, uses, usedby;
    cl_object internal, external;       /* hash tables of symbols */
};

struct ecl_hashtable_entry {
    cl_object key, value;
};

enum ecl_httest { ecl_htt_eq, ecl_htt_eql, ecl_htt_equal, ecl_htt_equalp, ecl_htt_pack, ecl_htt_generic };
enum ecl_htweak {
    ecl_htt_not_weak, ecl_htt_weak_key, ecl_htt_weak_value, ecl_htt_weak_key_and_value, ecl_htt_weak_key_or_value
};

struct ecl_hashtable {
    MP_LISP_HEADER2(test, weak);
    struct ecl_hashtable_entry *data;
    cl_object sync_lock, generic_test, generic_hash;
    cl_index entries, size, limit;
    cl_object rehash_size, threshold;
};

/* Types of the elements of arrays. */
typedef enum {
    ecl_aet_object, ecl_aet_sf, ecl_aet_df, ecl_aet_lf, ecl_aet_csf, ecl_aet_cdf, ecl_aet_clf, ecl_aet_bit,
    ecl_aet_fix, ecl_aet_index, ecl_aet_b8, ecl_aet_i8, ecl_aet_b16, ecl_aet_i16, ecl_aet_b32, ecl_aet_i32,
    ecl_aet_b64, ecl_aet_i64, ecl_aet_ch, ecl_aet_bc
} cl_elttype;

struct ecl_array {
    MP_LISP_HEADER2(elttype, flags);
    cl_object displaced;
    cl_index dim;
    cl_index *dims;
    union { cl_object *t; } self;
};

struct ecl_vector {
    MP_LISP_HEADER2(elttype, flags);
    cl_object displaced;
    cl_index dim, fillp;
    union { cl_object *t; } self;
    uint8_t offset;
};

struct ecl_string {
    MP_LISP_HEADER2(elttype, flags);
    cl_object displaced;
    cl_index dim, fillp;
    ecl_character *self;
};

struct ecl_base_string {
    MP_LISP_HEADER2(elttype, flags);
    cl_object displaced;
    cl_index dim, fillp;
    unsigned char *self;
};

struct ecl_pathname {
    MP_LISP_HEADER2(logical, unused);   /* logical: whether it is a logical pathname */
    cl_object host, device, directory, name, type, version;
};

/* An interpreted function. */
struct ecl_bytecodes {
    MP_LISP_HEADER;
    cl_object name, definition;
    void *entry;
    cl_index code_size;
    char *code;
    cl_object data;                     /* further members: MP_MEMBER(bytecodes, bytecodes_file) and so on */
};

/* An interpreted function with its environment. */
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

/* Begins like ecl_cfun. */
struct ecl_cfunfixed {
    MP_LISP_HEADER;
    cl_object name, block;
    void *entry, *entry_fixed;
    cl_object file, file_position;
};

/* Has `block` and `entry` at the same offsets as ecl_cfun. */
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
    cl_object *data;                    /* constants of its functions */
    int data_size;
    cl_object *temp_data;               /* constants of its top-level forms while they run */
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

struct ecl_weak_pointer {
    MP_LISP_HEADER;
    cl_object value;
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

/* Slots of the classes defined in ECL's clos/hierarchy.lsp: SPECIALIZER and CLASS, SLOT-DEFINITION, GENERIC-FUNCTION,
 * STANDARD-METHOD. */
enum { MP_SPECIALIZER_FLAG, MP_SPECIALIZER_HOLDER, MP_SPECIALIZER_OBJECT };
enum { MP_CLASS_NAME = 3, MP_CLASS_SUPERIORS, MP_CLASS_INFERIORS, MP_CLASS_SLOTS };
enum { MP_SLOT_NAME, MP_SLOT_LOCATION = 9 };
enum { MP_GENERIC_NAME };
enum { MP_METHOD_GENERIC, MP_METHOD_LAMBDA_LIST, MP_METHOD_SPECIALIZERS, MP_METHOD_QUALIFIERS, MP_METHOD_FUNCTION,
       MP_METHOD_SLOTS };

#define ECL_CLASS_OF(o)        ((o)->instance.clas)
#define ECL_CLASS_NAME(o)      ((o)->instance.slots[MP_CLASS_NAME])
#define ECL_CLASS_SUPERIORS(o) ((o)->instance.slots[MP_CLASS_SUPERIORS])

/* ------------------------------------------------------------------ records of the runtime */

/* The record that the interpreter puts on the stack for each function that it runs. */
struct ecl_ihs_frame {
    struct ecl_ihs_frame *next;
    cl_object function, lex_env;        /* one of the words after these is the record's index */
};
#define MP_IHS_WORDS 8u         /* the index is before this word */

struct ecl_bds_frame {
    cl_object symbol, value;
};
#define MP_BDS_FRAME sizeof(struct ecl_bds_frame)
#define MP_FRS_FRAME 256u       /* maximum size in bytes of a frame to which control may return */

/* Arguments of ecl_get_option(). ECL sets the first one when it has started. */
enum { ECL_OPT_BOOTED = 10, ECL_OPT_THREAD_INTERRUPT_SIGNAL = 21 };

/* One of the first MP_PROCESS_WORDS words of a process points to its environment. */
#define MP_PROCESS_WORDS 16u

/* The first members of cl_core. */
struct cl_core_struct {
    cl_object packages, lisp_package, user_package, keyword_package;
};

#endif
