/* Compares the marks of whole pages that the bridge reads in libgc's memory with GC_is_marked() of each object. Also
 * tests that libgc's entries of finalizers and weak links are found. */
#include "tests/unit/tap.h"

#define GC_THREADS             /* libgc's pthread_create() */
#include <dlfcn.h>
#include <gc.h>
#include <gc/gc_mark.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "lisp-bridge/ecl.h"
#include "lisp-bridge/libgc.h"

#define N       100000u
#define PAGE    4096u
#define WORD    64u

struct mp_ecl mp_ecl;

static void *volatile kept[N];                  /* pointers to the objects; every third is dropped */
static uintptr_t addresses[N];          /* inverted addresses of all objects, which libgc does not see */
static unsigned n_wrong, n_alive, n_dead, n_asked, lie_after;

static int
is_marked(const void *object)
{
    int marked = GC_is_marked(object) != 0;

    n_asked++;
    return lie_after && n_asked > lie_after ? !marked : marked;
}

/* Compares the marks of all objects that follow object I in `addresses` and are in the same page. Returns the index
 * after the last one. */
static unsigned
compare_page(unsigned i)
{
    uintptr_t page = ~addresses[i] & -(uintptr_t)PAGE;
    uint64_t of[4] = { 0 }, marked[4];
    unsigned end = i;

    for (; end < N && (~addresses[end] & -(uintptr_t)PAGE) == page; end++)
        of[~addresses[end] % PAGE / 16 / WORD] |= (uint64_t)1 << ~addresses[end] % PAGE / 16 % WORD;
    mp_gc_find_marked(page, of, marked);
    for (; i < end; i++) {
        unsigned bit = ~addresses[i] % PAGE / 16;
        bool alive = marked[bit / WORD] >> bit % WORD & 1;
        bool right = mp_gc_is_in_use((void *)~addresses[i]) && GC_is_marked((void *)~addresses[i]);

        n_wrong += alive != right;
        n_alive += right;
        n_dead += !right;
    }
    return end;
}

static void
at_event(GC_EventType event)
{
    if (event == GC_EVENT_RECLAIM_END)
        for (unsigned i = 0; i < N;)
            i = compare_page(i);
}

static void
make(size_t size)
{
    GC_disable();                       /* so that no address is used twice */
    for (unsigned i = 0; i < N; i++) {
        kept[i] = GC_MALLOC(size);
        addresses[i] = ~(uintptr_t)kept[i];
        if (i % 3 == 0)
            kept[i] = NULL;
    }
    GC_enable();
}

static void
collect(void)
{
    n_wrong = n_alive = n_dead = n_asked = 0;
    GC_set_on_collection_event(at_event);
    GC_gcollect();
    GC_set_on_collection_event(NULL);
}

static int
find_data(struct dl_phdr_info *library, size_t size, void *data)
{
    (void)size;
    (void)data;
    if (!strstr(library->dlpi_name, "libgc.so"))
        return 0;
    for (unsigned i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_LOAD && library->dlpi_phdr[i].p_flags & PF_W)
            mp_ecl.gc_data = (struct mp_range){ library->dlpi_addr + library->dlpi_phdr[i].p_vaddr,
                                                library->dlpi_phdr[i].p_memsz };
    return 1;
}

static void
set_up(void)
{
    void *library = dlopen("libgc.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *variables = library ? dlsym(library, "GC_arrays") : NULL;
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    GC_INIT();
    mp_ecl.gc_base = GC_base;
    mp_ecl.gc_size = GC_size;
    mp_ecl.gc_kind = GC_get_kind_and_size;
    mp_ecl.gc_with_lock = GC_call_with_alloc_lock;
    dl_iterate_phdr(find_data, NULL);
    mp_ecl.gc_is_marked = is_marked;
    lie_after = 0;
    if (variables && dladdr1(variables, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol)
        mp_ecl.gc_variables = (struct mp_range){ (uintptr_t)variables, symbol->st_size };
}

static void
compare(size_t size)
{
    make(size);
    collect();
    ck_assert_uint_eq(n_wrong, 0);
    ck_assert_uint_ge(n_alive, N / 2);
    ck_assert_uint_ge(n_dead, N / 4);
}

FIXTURE(set_up, NULL)

TEST(are_those_of_each_object)
{
    compare(16);
    compare(40);
    compare(1000);
    compare(16);
}

/* The bridge knows where libgc 8.2 keeps its marks, and reads them instead of calling is_marked() for each object. */
TEST(are_not_asked_for_one_by_one)
{
    const bool known = GC_get_version() >> 8 == 0x802;

    compare(16);
    collect();
    ck_assert(mp_gc_marks_are_read() || !known);
    ck_assert_uint_le(n_asked, mp_gc_marks_are_read() ? N / 100 : N);
}

TEST(are_not_believed_without_the_variables)
{
    mp_ecl.gc_variables.size = 0;
    compare(16);
    ck_assert(!mp_gc_marks_are_read());
    ck_assert_uint_ge(n_asked, N / 2);
}

/* The bridge searches libgc's variables for a way to the header of a page. Here another way leads to a similar header,
 * whose marks are wrong. */
TEST(are_not_looked_for_by_a_way_that_only_seems_to_be_one)
{
    enum { TOP = 2048, KEY = 0x2010 / 8, PAGE_OF_HEADER = 2, MARKS = 8 };
    static uintptr_t words[3 * TOP], index[N], header[64];
    static void *volatile object;       /* is kept */
    uintptr_t page, key;

    object = GC_MALLOC(16);
    page = (uintptr_t)object & -(uintptr_t)PAGE;
    key = page >> 22;
    for (size_t i = 0; i < 3 * TOP; i++)
        words[i] = 8;
    words[TOP + key % TOP] = (uintptr_t)index;
    index[KEY] = key;
    index[page / PAGE % 1024] = (uintptr_t)header;
    header[PAGE_OF_HEADER] = page;
    ((uint8_t *)&header[MARKS])[(uintptr_t)object % PAGE / 16] = 1;
    mp_ecl.gc_variables = (struct mp_range){ (uintptr_t)words, sizeof words };
    make(256);                          /* large objects are far apart */
    addresses[0] = ~(uintptr_t)object;  /* the object whose mark is read first */
    collect();
    ck_assert_uint_eq(n_wrong, 0);
    ck_assert(!mp_gc_marks_are_read());
}

/* After the first difference between marks and is_marked(), is_marked() is called for each object. */
TEST(are_given_up_at_the_first_difference)
{
    compare(16);
    lie_after = 1;
    collect();
    ck_assert(!mp_gc_marks_are_read());
    ck_assert_uint_ge(n_asked, N / 2);
    lie_after = 0;
    collect();
    ck_assert_uint_eq(n_wrong, 0);
    ck_assert_uint_ge(n_asked, N / 2);
}

/* ------------------------------------------------------------------ entries of finalizers and weak links */

static void
finalize(void *object, void *data)
{
    (void)object;
    (void)data;
}

static unsigned
find_finalizers(unsigned n)
{
    unsigned found = 0;

    for (unsigned i = 0; i < n; i++) {
        void *object = GC_MALLOC(16);
        const struct mp_gc_entry *entry;
        const void *table = NULL;

        GC_register_finalizer_no_order(object, finalize, NULL, NULL, NULL);
        entry = mp_gc_find_entry(MP_GC_FINALIZERS, (uintptr_t)object, (uintptr_t)finalize, &table);
        found += entry && entry->hidden == ~(uintptr_t)object && GC_base((void *)(uintptr_t)table) == table;
    }
    return found;
}

static void *
in_thread(void *found)
{
    *(unsigned *)found = find_finalizers(20000);
    return NULL;
}

/* This thread and another one enlarge the tables while both search them. */
TEST(finalizers_are_found)
{
    unsigned found = 0;
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, in_thread, &found), 0);
    ck_assert_uint_eq(find_finalizers(20000), 20000);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(found, 20000);
}

TEST(links_are_found)
{
    static void *links[2000];
    unsigned found = 0;

    for (unsigned i = 0; i < 2000; i++) {
        void *object = GC_MALLOC(16);
        const struct mp_gc_entry *entry;
        const void *table;

        GC_general_register_disappearing_link(&links[i], object);
        entry = mp_gc_find_entry(MP_GC_LINKS, (uintptr_t)&links[i], (uintptr_t)object, &table);
        found += entry && entry->hidden_object == ~(uintptr_t)object && mp_gc_entries(MP_GC_LINKS) == table;
    }
    ck_assert_uint_eq(found, 2000);
}

TEST(what_has_no_entry_is_not_found)
{
    static int variable;
    const void *table;
    void *object = GC_MALLOC(16);

    ck_assert_uint_eq(find_finalizers(1), 1);
    ck_assert_ptr_null(mp_gc_find_entry(MP_GC_FINALIZERS, (uintptr_t)object, (uintptr_t)finalize, &table));
    GC_register_finalizer_no_order(&variable, finalize, NULL, NULL, NULL);
    ck_assert_ptr_null(mp_gc_find_entry(MP_GC_FINALIZERS, (uintptr_t)&variable, (uintptr_t)finalize, &table));
    ck_assert_ptr_null(mp_gc_find_entry(MP_GC_LINKS, (uintptr_t)&variable, (uintptr_t)object, &table));
}
/* SPDX-License-Identifier: MIT */
