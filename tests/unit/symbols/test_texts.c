#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/symbols/texts.h"

TEST(texts_are_kept_once_and_harmless)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_texts texts = { .map.arena = arena };
    char long_text[MP_TEXT_MAX + 10];
    const char *text;

    ck_assert_str_eq(mp_texts_add(&texts, "a\033[31mb\n"), "a\\x1b[31mb\\x0a");
    ck_assert_ptr_eq(mp_texts_add(&texts, "x"), mp_texts_add(&texts, "x"));
    ck_assert_str_eq(mp_texts_add(&texts, NULL), "");
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[MP_TEXT_MAX] = '\0';
    ck_assert_str_eq(mp_texts_add(&texts, long_text), long_text);
    long_text[MP_TEXT_MAX] = 'x';
    memcpy(long_text + MP_TEXT_MAX - 6, "\303\244", 2);
    long_text[sizeof long_text - 1] = '\0';
    text = mp_texts_add(&texts, long_text);
    ck_assert_uint_eq(strlen(text), MP_TEXT_MAX - 1);       /* no half a character */
    ck_assert_str_eq(text + MP_TEXT_MAX - 6, MP_TEXT_CUT);
    ck_assert_ptr_eq(mp_texts_add(&texts, text), text);
    ck_assert_ptr_eq(mp_texts_add_path(&texts, long_text), text);
    ck_assert_str_eq(mp_texts_join(&texts, (const char *[]){"a", "b<c>", "d"}, 3), "a::b<c>::d");
    ck_assert_ptr_eq(mp_texts_join(&texts, (const char *[]){long_text, "d"}, 2), text);
    ck_assert_ptr_eq(mp_texts_join(&texts, (const char *[]){long_text, long_text, long_text}, 3), text);
    mp_arena_free(arena);
}

TEST(paths_lose_their_detours)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_texts texts = { .map.arena = arena };

    ck_assert_str_eq(mp_texts_add_path(&texts, "/a/b/../c/./d//e.c"), "/a/c/d/e.c");
    ck_assert_str_eq(mp_texts_add_path(&texts, "./malloc/malloc.c"), "malloc/malloc.c");
    ck_assert_str_eq(mp_texts_add_path(&texts, "../../x/../y.c"), "../../y.c");
    ck_assert_str_eq(mp_texts_add_path(&texts, "/../y.c"), "/../y.c");
    ck_assert_str_eq(mp_texts_add_path(&texts, "a/.."), "a/..");
    ck_assert_str_eq(mp_texts_add_path(&texts, "/"), "/");
    mp_arena_free(arena);
}
/* SPDX-License-Identifier: MIT */
