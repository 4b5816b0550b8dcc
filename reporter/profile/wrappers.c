#include "wrappers.h"

/* A function belongs here if it returns a new block or one of another size, and if its callers decide when to
 * call it and how large the block is. A function that makes something of the block (an object, a string built of
 * several, a larger table) does not belong here, because it allocates on its own account. */
const char *const mp_wrappers[] = {
    /* the C library's allocators, including functions that call other allocators */
    "malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "posix_memalign",
    "valloc", "pvalloc", "strdup", "strndup", "__strdup", "__strndup", "wcsdup",

    /* C++: operators; allocators of libstdc++ and libc++, and how containers call them */
    "operator new", "operator new[]",
    "std::__new_allocator<...>::allocate", "std::__new_allocator<...>::_M_allocate",
    "std::allocator<...>::allocate", "std::allocator_traits<...>::allocate",
    "std::__allocate_guarded<...>", "std::__allocate_guarded_obj<...>",
    "__gnu_cxx::new_allocator<...>::allocate", "__gnu_cxx::malloc_allocator<...>::allocate",
    "__gnu_cxx::__alloc_traits<...>::allocate", "std::pmr::memory_resource::allocate",
    "std::pmr::polymorphic_allocator<...>::allocate",
    "std::_Vector_base<...>::_M_allocate", "std::_Deque_base<...>::_M_allocate_node",
    "std::_Deque_base<...>::_M_allocate_map", "std::_Rb_tree<...>::_M_get_node",
    "std::__cxx11::_List_base<...>::_M_get_node", "std::__cxx11::list<...>::_M_get_node",
    "std::_List_base<...>::_M_get_node", "std::_Fwd_list_base<...>::_M_get_node",
    "std::__detail::_Hashtable_alloc<...>::_M_allocate_node",
    "std::__detail::_Hashtable_alloc<...>::_M_allocate_node<...>",
    "std::__detail::_Hashtable_alloc<...>::_M_allocate_buckets",
    "std::_Hashtable<...>::_M_allocate_buckets",
    "std::__cxx11::basic_string<...>::_M_create", "std::basic_string<...>::_M_create",
    "std::__1::allocator<...>::allocate", "std::__1::allocator_traits<...>::allocate",
    "std::__1::__libcpp_allocate", "std::__1::__libcpp_allocate<...>",
    "std::__1::__libcpp_operator_new<...>", "std::__1::__allocate_at_least<...>",

    /* Rust */
    "__rust_alloc", "__rust_alloc_zeroed", "__rust_realloc", "__rdl_alloc", "__rdl_alloc_zeroed",
    "__rdl_realloc", "__rg_alloc", "__rg_alloc_zeroed", "__rg_realloc", "alloc::alloc::alloc",
    "alloc::alloc::alloc_zeroed", "alloc::alloc::realloc", "alloc::alloc::exchange_malloc",
    "alloc::alloc::Global::alloc_impl", "alloc::alloc::Global::grow_impl",
    "<alloc::alloc::Global>::alloc_impl", "<alloc::alloc::Global>::grow_impl",
    "<alloc::alloc::Global as core::alloc::Allocator>::allocate",
    "<alloc::alloc::Global as core::alloc::Allocator>::allocate_zeroed",
    "<alloc::alloc::Global as core::alloc::Allocator>::grow",

    /* gnulib, GNU programs, git, bash, OpenSSH, and others that use the same names */
    "xmalloc", "xcalloc", "xrealloc", "xreallocarray", "xzalloc", "xnmalloc", "xnrealloc",
    "x2realloc", "x2nrealloc", "xcharalloc", "xpalloc", "xmemdup", "xmemdup0", "xstrdup",
    "xstrndup", "ximalloc", "xicalloc", "xirealloc", "xireallocarray", "xizalloc", "xinmalloc",
    "xinrealloc", "ximemdup", "ximemdup0", "imalloc", "icalloc", "irealloc", "ireallocarray",
    "rpl_malloc", "rpl_calloc", "rpl_realloc", "xmallocz", "xmallocz_gently", "xmemdupz",
    "do_xmalloc", "do_xmallocz", "sh_xmalloc", "sh_xrealloc", "xmalloc2", "xrealloc2",
    "recallocarray", "xrecallocarray", "bfd_malloc", "bfd_zmalloc", "bfd_realloc",
    "emalloc", "erealloc", "ecalloc", "safe_malloc", "safe_calloc", "safe_realloc", "safe_strdup",
    "zmalloc", "zcalloc", "zrealloc", "zmalloc_usable", "zcalloc_usable", "zrealloc_usable",
    "ztrymalloc", "ztryrealloc", "ztrymalloc_usable", "ztrymalloc_usable_internal",
    "ztryrealloc_usable", "ztryrealloc_usable_internal", "zalloc", "zshcalloc", "ztrdup",

    /* GLib */
    "g_malloc", "g_malloc0", "g_realloc", "g_try_malloc", "g_try_malloc0", "g_try_realloc",
    "g_malloc_n", "g_malloc0_n", "g_realloc_n", "g_try_malloc_n", "g_try_malloc0_n",
    "g_try_realloc_n", "g_aligned_alloc", "g_aligned_alloc0", "g_slice_alloc", "g_slice_alloc0",
    "g_slice_copy", "g_memdup", "g_memdup2", "g_strdup", "g_strdup_inline", "g_strndup",

    /* Perl, Python, Ruby, Lua, Tcl, PHP */
    "Perl_safesysmalloc", "Perl_safesyscalloc", "Perl_safesysrealloc",
    "PyMem_Malloc", "PyMem_Calloc", "PyMem_Realloc", "PyMem_RawMalloc", "PyMem_RawCalloc",
    "PyMem_RawRealloc", "PyObject_Malloc", "PyObject_Calloc", "PyObject_Realloc",
    "_PyMem_RawMalloc", "_PyMem_RawCalloc", "_PyMem_RawRealloc", "_PyObject_Malloc",
    "_PyObject_Calloc", "_PyObject_Realloc", "_PyMem_Strdup", "_PyMem_RawStrdup",
    "ruby_xmalloc", "ruby_xmalloc2", "ruby_xcalloc", "ruby_xrealloc", "ruby_xrealloc2",
    "ruby_mimmalloc", "objspace_xmalloc0", "objspace_xcalloc", "objspace_xrealloc",
    "l_alloc", "luaM_malloc_", "luaM_realloc_", "luaM_saferealloc_",
    "Tcl_Alloc", "Tcl_Realloc", "Tcl_AttemptAlloc", "Tcl_AttemptRealloc", "TclpAlloc",
    "TclpRealloc", "_emalloc", "_ecalloc", "_erealloc", "__zend_malloc", "__zend_calloc",
    "__zend_realloc",

    /* libraries */
    "sqlite3_malloc", "sqlite3_malloc64", "sqlite3_realloc", "sqlite3_realloc64", "sqlite3Malloc",
    "sqlite3MallocZero", "sqlite3Realloc", "sqlite3MemMalloc", "sqlite3MemRealloc",
    "sqlite3DbMallocRaw", "sqlite3DbMallocRawNN", "sqlite3DbMallocRawNNTyped",
    "sqlite3DbMallocZero", "sqlite3DbRealloc", "sqlite3DbReallocOrFree", "sqlite3DbStrDup",
    "sqlite3DbStrNDup", "sqlite3DbSpanDup", "sqlite3PageMalloc", "mallocWithAlarm",
    "dbMallocRawFinish", "dbReallocFinish",
    "CRYPTO_malloc", "CRYPTO_zalloc", "CRYPTO_calloc", "CRYPTO_malloc_array", "CRYPTO_realloc",
    "CRYPTO_clear_realloc", "CRYPTO_aligned_alloc", "CRYPTO_strdup", "CRYPTO_strndup",
    "CRYPTO_memdup", "xmlMemMalloc", "xmlMemRealloc", "xmlMemStrdup", "xmlStrdup", "xmlStrndup",
    "__gmp_default_allocate", "__gmp_default_reallocate", "av_malloc", "av_mallocz", "av_calloc",
    "av_realloc", "av_realloc_f", "av_malloc_array", "av_realloc_array", "av_strdup",
    "llvm::safe_malloc", "llvm::safe_calloc", "llvm::safe_realloc", "llvm::allocate_buffer",
    "qMallocAligned", "qReallocAligned", "dbus_malloc", "dbus_malloc0", "dbus_realloc",
    "jv_mem_alloc", "jv_mem_alloc_unguarded", "jv_mem_calloc", "jv_mem_calloc_unguarded",
    "jv_mem_realloc", "jv_mem_strdup", "jv_mem_strdup_unguarded",

    /* libgc and ECL, below the functions that create objects */
    "GC_malloc", "GC_malloc_atomic", "GC_malloc_uncollectable", "GC_malloc_atomic_uncollectable",
    "GC_malloc_ignore_off_page", "GC_malloc_atomic_ignore_off_page", "GC_malloc_kind",
    "GC_malloc_kind_global", "GC_generic_malloc", "GC_generic_malloc_ignore_off_page",
    "GC_realloc", "GC_strdup", "GC_strndup", "ecl_alloc", "ecl_alloc_atomic",
    "ecl_alloc_unprotected", "ecl_alloc_atomic_unprotected", "ecl_alloc_uncollectable",
    "ecl_alloc_object", "ecl_alloc_compact_object", "cl_alloc", "cl_alloc_atomic",
    "cl_alloc_object",
    NULL};
