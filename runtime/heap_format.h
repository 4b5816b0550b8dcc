/* SPDX-License-Identifier: MIT */
/*
 * heap_format.h -- the layout of heap snapshots, files NAME.NUMBER.heap.
 *
 * A snapshot is a stream of live objects, or blocks of C, and their references. It is written with bounded memory,
 * usually by a forked copy of the program. The file has a header of MP_HEAP_HEADER bytes and blocks of whole records,
 * each block with a checksum. The last record is MP_HEAP_END; without it the file is incomplete. Records that define
 * texts, types and sites number them from 1 on in the order of the file; 0 means none. A number is defined before it is
 * used. man/mprof-heap-data.5 describes the encoding of the header, the blocks and the fields of each record.
 *
 * The program writes the RAW form. Its sites are contexts of the recording at that time, and its places are addresses.
 * As soon as possible the reporter converts it to the SEALED form, which is compressed, has names, and can be read on
 * other machines. Every command that reads snapshots reads both forms.
 */
#ifndef MP_HEAP_FORMAT_H
#define MP_HEAP_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define MP_HEAP_MAGIC      "MPROFHEA"   /* 8 bytes, no NUL */
#define MP_HEAP_VERSION    1u
#define MP_HEAP_HEADER     16u
#define MP_HEAP_MAX_BLOCK  ((uint32_t)1 << 18)
#define MP_HEAP_MAX_TEXT   ((uint32_t)1 << 12)  /* bytes; longer texts are cut and end with "..." */
#define MP_HEAP_MAX_NUMBER 10000u       /* maximum NUMBER of a recording's snapshots, FILE.NUMBER.heap or
                                           FILE.NUMBER.NAME.heap */
#define MP_HEAP_MAX_NAME   64u          /* maximum bytes of NAME; mp_heap_name_has() accepts each of them */

enum mp_heap_form { MP_HEAP_RAW = 1, MP_HEAP_SEALED };

enum mp_heap_record {
    MP_HEAP_FACT = 1,           /* enum mp_heap_fact with a number */
    MP_HEAP_FACT_TEXT,          /* enum mp_heap_fact with a text */
    MP_HEAP_TEXT,               /* defines a text */
    MP_HEAP_TYPE,               /* defines a type: enum mp_heap_shape, name, names of the first slots */
    MP_HEAP_SITE,               /* defines a site: in RAW a context of the recording; in SEALED a function and the site
                                   of its caller. An object refers to the site of its innermost function */
    MP_HEAP_ROOT,               /* enum mp_heap_root_kind, title (the root's name), group (its package, library or
                                   thread), place of the reference, address in the object to which it refers */
    MP_HEAP_OBJECT,             /* an object with its references; objects have ascending addresses */
    MP_HEAP_BEGINNING,          /* beginning of the text of the object before it */
    MP_HEAP_MORE,               /* further references of the object before it, which has too many for one block */
    MP_HEAP_END,                /* numbers of objects, references and roots; sum of the objects' sizes */
    MP_HEAP_PART,               /* states that each object of one type is part of the object of another type that
                                   refers to it: slots of a structure, data of a vector */
    MP_HEAP_NAME,               /* name of the object before it: a symbol, a function */
    MP_HEAP_KEYS,               /* keys of the hash table whose entries are the object before it, as far as they are
                                   no objects of the heap. Entry N has its key in slot 2 * N and its value in the
                                   next slot */
    MP_HEAP_FREE,               /* number and bytes of free blocks of a size class, or of free places for objects of one
                                   exact size */
    MP_HEAP_RECORDS
};

/* The size of an object is what the collector gave, or what the program requested from malloc. An object is dead if no
 * path of references leads to it, but the collector has not yet found that. Its site is 0 if it was allocated while
 * nothing was recorded. A slot is the index of a machine word in the object. A referenced address may be within an
 * object; if it is in no object, the reader ignores it. Weak references do not keep objects alive. */

enum mp_heap_key_kind { MP_KEY_FIXNUM, MP_KEY_CHARACTER, MP_KEY_SYMBOL, MP_KEY_KINDS };

/* Use of the words in objects of a type. The reporter recognises containers by it. */
enum mp_heap_shape {
    MP_SHAPE_OTHER = 0,
    MP_SHAPE_BLOCK,             /* block of C: any word may be a pointer */
    MP_SHAPE_CONS,              /* slot 0 is the car, slot 1 the cdr */
    MP_SHAPE_VECTOR,            /* slots contain elements of any type; a displaced vector has MP_SHAPE_VECTOR_HEAD */
    MP_SHAPE_VECTOR_HEAD,       /* refers to the block that contains the elements */
    MP_SHAPE_HASH_TABLE,        /* refers to the block that contains the entries */
    MP_SHAPE_ENTRIES,           /* keys in even slots, values in odd slots */
    MP_SHAPE_INSTANCE,          /* named slots: structures, instances of classes */
    MP_SHAPE_CLOSURE,           /* a function and the variables that it closes over */
    MP_SHAPE_SYMBOL,            /* its value, function and property list are roots if it has a package, and slots
                                   otherwise */
    MP_SHAPE_LEAF,              /* has no references: numbers, strings, specialised arrays */
    MP_SHAPES
};

enum mp_heap_root_kind {
    MP_ROOT_OTHER = 0,          /* scanned by the collector, but without a name */
    MP_ROOT_VALUE,              /* value of a symbol; group: its package, or the thread that has bound it */
    MP_ROOT_FUNCTION,           /* function of a symbol */
    MP_ROOT_PLIST,              /* property list of a symbol */
    MP_ROOT_CONSTANT,           /* constants of compiled code; title: the source file */
    MP_ROOT_STACK,              /* stack and registers of a thread; group: the thread */
    MP_ROOT_THREAD,             /* thread-local storage, and a Lisp's data of each thread (frames, values) */
    MP_ROOT_GLOBAL,             /* C variables; title: the variable, group: the library */
    MP_ROOT_FOREIGN,            /* foreign data: blocks that are never collected */
    MP_ROOT_FINALIZER,          /* objects that have a finalizer or wait for it */
    MP_ROOT_WEAK,               /* weak tables and weak pointers themselves */
    MP_ROOT_CORE,               /* the Lisp system's own data */
    MP_ROOT_KINDS
};

enum mp_heap_fact {
    MP_FACT_LANGUAGE = 1,       /* text: "C", "ECL 21.2.1" */
    MP_FACT_NAME,               /* text: name given by the user */
    MP_FACT_NUMBER,             /* number among the process's snapshots, from 1 on */
    MP_FACT_TRIGGER,            /* enum mp_heap_trigger */
    MP_FACT_PID,
    MP_FACT_PROGRAM,            /* text: path of the program */
    MP_FACT_DATA_FILE,          /* text: path of the recording */
    MP_FACT_RUN_1, MP_FACT_RUN_2,       /* run_id of struct mp_live_header */
    MP_FACT_REALTIME,           /* ns since 1970, when the snapshot was made */
    MP_FACT_SINCE_START,        /* ns since the recording began */
    MP_FACT_STOPPED,            /* ns for which the program's thread was stopped */
    MP_FACT_WRITING,            /* ns that writing took */
    MP_FACT_FORKED,             /* 1 if a forked copy of the process wrote the snapshot */
    MP_FACT_WORD,               /* bytes of a machine word */
    MP_FACT_HEAP,               /* bytes that the heap has taken from the system */
    MP_FACT_FREE,               /* bytes of MP_FACT_HEAP that are free */
    MP_FACT_LIVE,               /* bytes live after the last collection */
    MP_FACT_ALLOCATED,          /* bytes allocated since the process began */
    MP_FACT_SINCE_COLLECTION,   /* bytes allocated since the last collection */
    MP_FACT_COLLECTIONS,
    MP_FACT_MISSING_SITES,      /* objects without a site, and their parts */
    MP_FACT_THREADS_WITHOUT_REGISTERS,  /* threads whose registers could not be read */
    MP_FACT_RESIZED,            /* blocks missing because realloc was replacing them */
    MP_FACT_USABLE,             /* usable bytes of blocks of the first size class (sizeclass.h) */
    MP_FACT_USABLE_LAST = MP_FACT_USABLE + 3,   /* usable bytes of blocks of the last size class; the numbers of the
                                                   others are in between; all are 0 if unknown */
    MP_FACT_UNSEEN,             /* bits 1 << enum mp_missing: reasons why some blocks of C are missing;
                                   MP_UNSEEN_MAPPED if some mappings of the program are missing, MP_UNSEEN_ABSENT
                                   if memory that a copy of the process lacks could not be read */
    MP_FACTS
};

#define MP_UNSEEN_MAPPED (UINT64_C(1) << 32)
#define MP_UNSEEN_ABSENT (UINT64_C(1) << 33)

enum mp_heap_trigger {
    MP_TRIGGER_CALL = 1, MP_TRIGGER_REQUEST, MP_TRIGGER_SIGNAL, MP_TRIGGER_COLLECTION, MP_TRIGGER_EXIT
};

/* Returns whether C may occur in the NAME of a file name, at its beginning if FIRST. A name that begins with a
 * digit would be mistaken for a snapshot's number of the data file FILE.NUMBER. */
static inline bool
mp_heap_name_has(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && ((c >= '0' && c <= '9') || c == '-'));
}

#endif
