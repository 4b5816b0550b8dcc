#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/symbols/demangle.h"

static void
demangles_to(const char *mangled, bool parameters, const char *expected)
{
    char *text = mp_demangle(mangled, parameters);

    if (expected == NULL)
        ck_assert_ptr_null(text);
    else
        ck_assert_str_eq(text == NULL ? "(null)" : text, expected);
    free(text);
}

static const struct {
    const char *mangled;
    bool parameters;
    const char *expected;
} names[] = {
    /* Without parameters */
    {"_ZN4shop6Basket3addEi", false, "shop::Basket::add"},
    {"_ZNK4shop6Basket3getEv", false, "shop::Basket::get"},
    /* With parameters */
    {"_ZN4shop6Basket3addEi", true, "shop::Basket::add(int)"},
    {"_ZNK4shop6Basket3getEv", true, "shop::Basket::get() const"},
    /* Return types of templates are dropped */
    {"_Z4makeIiEPT_v", false, "make<int>"},
    {"_Z4makeIiEPT_v", true, "make<int>()"},
    {"_ZNSt8functionIFbcEED1Ev", false, "std::function<bool (char)>::~function"},
    {"_ZNSt8functionIFbcEED1Ev", true, "std::function<bool (char)>::~function()"},
    /* Both forms of Rust */
    {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", false, "core::fmt::Formatter::pad"},
    {"_RNvCs1234_7mycrate3foo", false, "mycrate::foo"},
    /* Names of Rust that contain themselves */
    {"_RNvB_1a", false, NULL},
    {"_RNvYB_1a", true, NULL},
    /* Names of D */
    {"_D4core6memory2GC6mallocFNaNbmkxC8TypeInfoZPv", false, "core.memory.GC.malloc"},
    {"_D4core6memory2GC6mallocFNaNbmkxC8TypeInfoZPv", true,
     "core.memory.GC.malloc(ulong, uint, const(TypeInfo))"},
    {"_D4shop6Basket3getMxFNaNbNdNiNfZi", false, "shop.Basket.get"},
    {"_D4shop__T3addTiZQhFiZi", false, "shop.add!(int).add"},
    {"_D4shop__T3addTiZi", false, "shop.add!(int)"},
    {"_Dmain", false, "D main"},
    {"_D4shop", true, NULL},
    /* Other names */
    {"malloc", false, NULL},
    {"", false, NULL},
    {"_", true, NULL},
    {"_Z", true, NULL},
    {"_Data", true, NULL},
    {"_D4main", true, NULL},
    {"_ZN9nonsense", true, NULL},
};

TEST_EACH(names_are_demangled, names)
{
    demangles_to(names[_i].mangled, names[_i].parameters, names[_i].expected);
}

/* Each type is a table of the two before it. */
TEST(gives_up_on_types_of_d_that_explode)
{
    char mangled[1024] = "_D4shop3addFi";

    for (size_t i = 0; i < 40; i++)
        strcat(mangled, i == 0 ? "HQbQc" : "HQeQf");
    strcat(mangled, "Zi");
    demangles_to(mangled, true, NULL);
}

static void
ada_is(const char *encoded, const char *expected)
{
    char *text = mp_demangle_ada(encoded);

    if (expected == NULL)
        ck_assert_ptr_null(text);
    else
        ck_assert_str_eq(text == NULL ? "(null)" : text, expected);
    free(text);
}

TEST(reads_names_of_ada)
{
    ada_is("_ada_hello", "hello");
    ada_is("shop__make_item", "shop.make_item");
    ada_is("ada__text_io__put_line__2", "ada.text_io.put_line");
    ada_is("shop__Oadd", "shop.\"+\"");
    ada_is("malloc", NULL);
    ada_is("__gnat_malloc", NULL);
    ada_is("", NULL);
}

TEST(reads_names_that_libiberty_thinks_too_long)
{
    char mangled[2100] = "_Z1500";
    char *text;

    memset(mangled + 6, 'x', 1500);
    strcpy(mangled + 1506, "v");
    text = mp_demangle(mangled, false);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(strlen(text), 1500);
    free(text);
}

/* Each substitution doubles what the one before it prints. */
TEST(gives_up_on_names_that_explode)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char mangled[1024] = "_Z1f1aIiiE";

    for (size_t i = 0; i < 32; i++) {
        char step[16];

        /* S0_ is the first a<int, int>; each further one is the next substitution */
        snprintf(step, sizeof step, "S_IS%c_S%c_E", digits[i], digits[i]);
        strcat(mangled, step);
    }
    demangles_to(mangled, true, NULL);
}

/* Appends to MANGLED substitution I after S_. */
static void
substitute(char *mangled, unsigned i)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t length = strlen(mangled);

    mangled[length++] = 'S';
    if (i >= 36)
        mangled[length++] = digits[i / 36];
    mangled[length++] = digits[i % 36];
    strcpy(mangled + length, "_");
}

/* The operand of a pack expansion contains each type twice, so it has 2^DEPTH parts. CODE is that of the expansion. */
static char *
nest_packs(const char *code, unsigned depth)
{
    static char mangled[1024];

    snprintf(mangled, sizeof mangled, "_Z1fI%s1pI", code);
    for (unsigned i = 0; i < depth; i++)
        strcat(mangled, "S0_I");
    strcat(mangled, "iiE");
    for (unsigned i = 0; i < depth; i++) {
        substitute(mangled, 1 + i);
        strcat(mangled, "E");
    }
    return strcat(mangled, "Evv");
}

/* libiberty would visit all parts before it writes anything. */
TEST(gives_up_on_packs_that_explode)
{
    demangles_to(nest_packs("Dp", 40), true, NULL);
    demangles_to(nest_packs("DpRK", 40), false, NULL);
    demangles_to(nest_packs("Dp", 1), true, "f<(p<p<int, int>, p<int, int> >)...>()");
}

TEST(reads_packs)
{
    demangles_to("_Z1gIJidEEvDpT_", true, "g<int, double>(int, double)");
    demangles_to("_Z1gIJidEEvDpRKSt6vectorIT_SaIS1_EE", true,
                 "g<int, double>(std::vector<int, std::allocator<int> > const&, "
                 "std::vector<double, std::allocator<double> > const&)");
    demangles_to("_Z1gIJidEEvDp1aIT_Li7EE", true, "g<int, double>(a<int, 7>, a<double, 7>)");
}

TEST(refuses_endless_names)
{
    size_t size = 1u << 20;
    char *mangled = malloc(size);

    memset(mangled, 'P', size - 1);
    memcpy(mangled, "_Z1f", 4);
    mangled[size - 1] = '\0';
    demangles_to(mangled, true, NULL);
    mangled[MP_DEMANGLE_MAX_INPUT] = '\0';
    free(mp_demangle(mangled, true));
    free(mangled);
}
/* SPDX-License-Identifier: MIT */
