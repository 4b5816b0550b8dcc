/*
 * heap_format.h -- a snapshot of a heap with its graph, NAME.NUMBER.heap: the only definition of it.
 *
 * It is a stream, written with bounded memory, most often by a forked copy of the program:
 *
 *   byte 0   magic             8 bytes
 *        8   version           u32, little-endian as every number here
 *       12   form              u32: enum mp_heap_form
 *            blocks, one after the other:
 *              size            u32: of the content, 1 to MP_HEAP_MAX_BLOCK
 *              stored size     u32: the same: the content as it is; less: a Zstandard frame (RFC 8878)
 *              content
 *              CRC-32          u32, of size, stored size and what stands behind them
 *
 * The contents, one after the other, are records: a tag, a byte of enum mp_heap_record, and its fields.  None
 * reaches over the end of a block.  The last one of the file is MP_HEAP_END; without it the file is not whole.
 * Fields are varints (LEB128); "signed" ones are zigzag-coded first.  Records that define texts, types and sites
 * number them, each from 1 on in the order of the file; 0 is none.  What is referred to by number comes before.
 *
 * RAW form: what the program writes; a copy of it compresses, too.  Sites are contexts of the recording that it made
 * at that time, places are addresses.  SEALED form: what the reporter makes of it as soon as it can: with names, so
 * that it can be read on another machine.  Both are read everywhere.
 */
#ifndef MP_HEAP_FORMAT_H
#define MP_HEAP_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define MP_HEAP_MAGIC      "MPROFHEA"   /* 8 bytes, no NUL */
#define MP_HEAP_VERSION    1u           /* of RAW snapshots; SEALED ones have */
#define MP_HEAP_VERSION_SEALED 2u       /* 1: their sites do not say whether they are internal */
#define MP_HEAP_HEADER     16u
#define MP_HEAP_MAX_BLOCK  ((uint32_t)1 << 18)
#define MP_HEAP_MAX_TEXT   ((uint32_t)1 << 12)  /* bytes; longer ones are cut, and end with "..." */
#define MP_HEAP_MAX_NUMBER 10000u       /* of the snapshots of a recording, FILE.NUMBER.heap or FILE.NUMBER.NAME.heap */
#define MP_HEAP_MAX_NAME   64u          /* bytes of NAME, each one that mp_heap_name_has() accepts */

enum mp_heap_form { MP_HEAP_RAW = 1, MP_HEAP_SEALED };

enum mp_heap_record {
    MP_HEAP_FACT = 1,           /* enum mp_heap_fact, value */
    MP_HEAP_FACT_TEXT,          /* enum mp_heap_fact, text */
    MP_HEAP_TEXT,               /* length, so many bytes of UTF-8; defines a text */
    MP_HEAP_TYPE,               /* enum mp_heap_shape, name (text), number of slots that have names, their names
                                   (texts, by slot from 0 on); defines a type */
    MP_HEAP_SITE,               /* RAW: context of the recording.  SEALED: the site that called it (0: none known),
                                   function, file (texts), 2 * line + internal: it is the runtime's own, or an
                                   allocation wrapper (version 1: line); the object's site is the innermost
                                   function.  Defines a site */
    MP_HEAP_ROOT,               /* enum mp_heap_root_kind, title, group (texts: what it is called; the package,
                                   library or thread that it belongs to), place: address of the word that holds it,
                                   or 0; target: address of or within an object */
    MP_HEAP_OBJECT,             /* see below */
    MP_HEAP_BEGINNING,          /* length, bytes of UTF-8: how the text of the object before it begins */
    MP_HEAP_MORE,               /* number of references; each as below: more of the object before it, which has too
                                   many for a block.  The slot of the first is told from the last one before it */
    MP_HEAP_END,                /* number of objects, of references, of roots; sum of the objects' sizes */
    MP_HEAP_PART,               /* type, owner (a type): each object of the type is a part of one of the owner's, which
                                   refers to it: the block with the slots of a structure, the data of a vector */
    MP_HEAP_NAME,               /* length, bytes of UTF-8: what the object before it is called: a symbol, a function */
    MP_HEAP_KEYS,               /* length, so many bytes, see below: keys of entries that the object before it has */
    MP_HEAP_FREE,               /* number, size, bytes of all: free blocks of at least that size, and less than twice;
                                   size 2 * bytes + 1: free places for objects of exactly so many bytes, whose
                                   neighbours are in use; else 2 * bytes */
    MP_HEAP_RECORDS
};

/* An object, in the ascending order of addresses:
 *
 *   gap            its address less the end of the object before it (the first: less 0), bytes
 *   size           bytes that it takes: of a collected heap what the collector gave, of C what was asked for
 *   2 * type + dead
 *                  dead: nothing that the writer knew of leads to it (a collector has not yet found it)
 *   site           0: it was made while nothing was recorded
 *   references     their number; each: 2 * (slot less the last one's, less 1; the first: slot) + weak, and signed:
 *                  the address that is held less the object's own
 *
 * An object with more references than a block has room for has the first of them, and records MP_HEAP_MORE follow it.
 * A slot is below 2^32.  Their number in MP_HEAP_END is of all that are written.
 *
 * Records MP_HEAP_KEYS follow the object that has the entries of a hash table.  They have its keys that are no objects
 * of the heap: fixnums, characters, and symbols that the Lisp has by itself.  Each record has whole keys in the
 * ascending order of entries.  Entry N has its key in slot 2 * N and its value in slot 2 * N + 1.  A key is
 *
 *   4 * (entry less the one before it in the record, less 1; the first: entry) + enum mp_heap_key_kind
 *   of MP_KEY_FIXNUM the number, signed; of other keys the length and so many bytes of UTF-8: how it is printed
 *
 * A slot is the number of the machine word in the object.  An address that is held may be within an object, and
 * may be of none: then the reader leaves it out.  Weak references keep nothing alive. */

enum mp_heap_key_kind { MP_KEY_FIXNUM, MP_KEY_CHARACTER, MP_KEY_SYMBOL, MP_KEY_KINDS };

/* How the words of a type's objects are used: what containers are told by. */
enum mp_heap_shape {
    MP_SHAPE_OTHER = 0,
    MP_SHAPE_BLOCK,             /* of C: any word may be a pointer */
    MP_SHAPE_CONS,              /* slot 0 is the car, 1 the cdr */
    MP_SHAPE_VECTOR,            /* slots hold elements of any type; displaced: MP_SHAPE_VECTOR_HEAD, too */
    MP_SHAPE_VECTOR_HEAD,       /* refers to the block with the elements */
    MP_SHAPE_HASH_TABLE,        /* refers to the block with its entries */
    MP_SHAPE_ENTRIES,           /* keys in even, values in odd slots */
    MP_SHAPE_INSTANCE,          /* slots with names: structures, instances of classes */
    MP_SHAPE_CLOSURE,           /* a function and what it has closed over */
    MP_SHAPE_SYMBOL,            /* its value, function and property list are roots if it has a package, else slots */
    MP_SHAPE_LEAF,              /* no references: numbers, strings, specialised arrays */
    MP_SHAPES
};

enum mp_heap_root_kind {
    MP_ROOT_OTHER = 0,          /* what the collector looks at, and nobody named */
    MP_ROOT_VALUE,              /* a symbol's value; group: package, or the thread that has bound it */
    MP_ROOT_FUNCTION,           /* its function */
    MP_ROOT_PLIST,              /* its property list */
    MP_ROOT_CONSTANT,           /* constants of compiled code; title: the file it was compiled from */
    MP_ROOT_STACK,              /* a thread's stack and its registers; group: the thread */
    MP_ROOT_THREAD,             /* thread-local storage, and what a Lisp keeps for each thread (frames, values) */
    MP_ROOT_GLOBAL,             /* variables of C; title: the variable, group: the library */
    MP_ROOT_FOREIGN,            /* foreign data, blocks that are never collected */
    MP_ROOT_FINALIZER,          /* what waits for its finalizer, or has one */
    MP_ROOT_WEAK,               /* weak tables and pointers themselves */
    MP_ROOT_CORE,               /* the Lisp's own */
    MP_ROOT_KINDS
};

enum mp_heap_fact {
    MP_FACT_LANGUAGE = 1,       /* text: "C", "ECL 21.2.1" */
    MP_FACT_NAME,               /* text: what the user called it */
    MP_FACT_NUMBER,             /* of the process's snapshots, from 1 on */
    MP_FACT_TRIGGER,            /* enum mp_heap_trigger */
    MP_FACT_PID,
    MP_FACT_PROGRAM,            /* text: path */
    MP_FACT_DATA_FILE,          /* text: path of the recording */
    MP_FACT_RUN_1, MP_FACT_RUN_2,       /* run_id of struct mp_live_header */
    MP_FACT_REALTIME,           /* ns since 1970, of the snapshot */
    MP_FACT_SINCE_START,        /* ns since the recording began */
    MP_FACT_STOPPED,            /* ns that the program's thread was held up */
    MP_FACT_WRITING,            /* ns that the writer took */
    MP_FACT_FORKED,             /* 1: a copy of the process wrote it */
    MP_FACT_WORD,               /* bytes of a machine word */
    MP_FACT_HEAP,               /* bytes that the heap takes of the system */
    MP_FACT_FREE,               /* bytes of them that are free */
    MP_FACT_LIVE,               /* bytes live after the last collection */
    MP_FACT_ALLOCATED,          /* bytes allocated since the process began */
    MP_FACT_SINCE_COLLECTION,   /* bytes allocated since the last one */
    MP_FACT_COLLECTIONS,
    MP_FACT_MISSING_SITES,      /* objects without one */
    MP_FACT_THREADS_WITHOUT_REGISTERS,  /* threads whose registers could not be read */
    MP_FACT_RESIZED,            /* blocks that realloc was just making another one of: they are not there */
    MP_FACT_USABLE,             /* bytes that malloc has for blocks of the first size class (sizeclass.h), */
    MP_FACT_USABLE_LAST = MP_FACT_USABLE + 3,   /* and so on; 0 of all: not known */
    MP_FACT_UNSEEN,             /* bits 1 << enum mp_missing: why not all blocks of C were seen that the heap has;
                                   and MP_UNSEEN_MAPPED: nor all memory that the program mapped */
    MP_FACTS
};

#define MP_UNSEEN_MAPPED (UINT64_C(1) << 32)

enum mp_heap_trigger {
    MP_TRIGGER_CALL = 1, MP_TRIGGER_REQUEST, MP_TRIGGER_SIGNAL, MP_TRIGGER_COLLECTION, MP_TRIGGER_EXIT
};

/* Returns whether C may be part of the NAME in a file's name, at its beginning if FIRST.  A name that began with a
 * digit could be the number of a snapshot of the data file FILE.NUMBER. */
static inline bool
mp_heap_name_has(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && ((c >= '0' && c <= '9') || c == '-'));
}

#endif
