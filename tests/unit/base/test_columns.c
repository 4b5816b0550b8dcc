/* Tables of text columns: their widths in any locale, and how they fit a terminal. */
#include "tests/unit/tap.h"

#include <locale.h>
#include <string.h>

#include "reporter/base/columns.h"
#include "reporter/base/fit.h"

static const struct mp_column columns[] = {
    {"n", MP_RIGHT}, {"type", MP_LEFT}, {"path", MP_WRAP}};

static const char *ellipsis;    /* for mp_columns_cut() */

static char *
print(unsigned width, const char *const rows[][3], size_t n)
{
    struct mp_columns *table = mp_columns_new(columns, 3, width);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    mp_columns_cut(table, ellipsis);
    for (size_t i = 0; i < n; i++)
        mp_columns_row(table, rows[i]);
    mp_columns_print(table, out);
    fclose(out);
    return text;
}

static void
check(unsigned width, const char *const rows[][3], size_t n, const char *expected)
{
    static const char *const locales[] = {"C", "C.UTF-8"};

    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        char *text;

        ck_assert_ptr_nonnull(setlocale(LC_ALL, locales[i]));
        text = print(width, rows, n);
        ck_assert_str_eq(text, expected);
        free(text);
    }
}

TEST(columns_are_aligned_and_no_line_ends_in_a_blank)
{
    static const char *const rows[][3] = {
        {"1", "a", "main"}, {"1000", NULL, ""}, {"", "long type", "b"}, {"2", "c", NULL}};

    check(0, rows, 4,
          "   n type      path\n"
          "   1 a         main\n"
          "1000\n"
          "     long type b\n"
          "   2 c\n");
}

/* The rows have characters of two columns, of one and of none, and bytes that are no character. */
TEST(letters_have_their_width)
{
    static const char *const rows[][3] = {{"1", "\xe5\xad\x97\xc3\xb6", "x"},
                                          {"2", "e\xcc\x81.\\x09", "y"},
                                          {"3", "\xee\x80\x80\xff", "z"}};

    check(0, rows, 3,
          "n type   path\n"
          "1 \xe5\xad\x97\xc3\xb6    x\n"
          "2 e\xcc\x81.\\x09 y\n"
          "3 \xee\x80\x80\xff     z\n");
}

/* Lines are broken at blanks if there are any, never within a character, even if the terminal is too narrow. */
TEST(the_last_column_gives_way)
{
    static const char *const rows[][3] = {{"1", "a", "|| > main > make_widget > malloc"},
                                          {"2", "b", "12345678901234567890123456"},
                                          {"3", "c", "\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6"
                                                     "\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6"
                                                     "\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6"
                                                     "\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6"
                                                     "\xc3\xbc"}};
    static const char expected[] = "n type path\n"
                                   "1 a    || > main >\n"
                                   "       make_widget > malloc\n"
                                   "2 b    12345678901234567890\n"
                                   "       123456\n"
                                   "3 c    \xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6"
                                   "\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6"
                                   "\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6"
                                   "\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\n"
                                   "       \xc3\xbc\n";

    check(27, rows, 3, expected);
    check(8, rows, 3, expected);
}

/* Lines are broken at a glued blank only if there is no other blank. */
TEST(glued_blanks_hold)
{
    static const char *const rows[][3] = {{"1", "a", "main > f<int,\1long>\1::g(int,\1int) > h"},
                                          {"2", "b", "f<int,\1long,\1long>::g(int,\1int)"}};

    check(27, rows, 2,
          "n type path\n"
          "1 a    main >\n"
          "       f<int, long>\n"
          "       ::g(int, int) > h\n"
          "2 b    f<int, long,\n"
          "       long>::g(int, int)\n");
    check(0, rows, 2,
          "n type path\n"
          "1 a    main > f<int, long> ::g(int, int) > h\n"
          "2 b    f<int, long, long>::g(int, int)\n");
}

TEST(words_without_room_lose_their_middle)
{
    static const char *const rows[][3] = {
        {"1", "a", "main > f<int,\1long>\1::gg(int,\1int) > h"}, {"2", "b", "12345678901234567890"},
        {"3", "c", "a > 123456789012345678901"}};

    ellipsis = "...";
    check(27, rows, 3,
          "n type path\n"
          "1 a    main >\n"
          "       f<int, lo...nt, int)\n"
          "       > h\n"
          "2 b    12345678901234567890\n"
          "3 c    a >\n"
          "       123456789...45678901\n");
    check(0, rows, 3,
          "n type path\n"
          "1 a    main > f<int, long> ::gg(int, int) > h\n"
          "2 b    12345678901234567890\n"
          "3 c    a > 123456789012345678901\n");
}

/* Checks what mp_fit_print() prints of TEXT in MOST columns, with the ellipsis WITH. */
static void
fits(const char *text, unsigned most, const char *with, const char *expected)
{
    const struct mp_fit fit = mp_fit_begin();
    char *got = NULL;
    size_t size;
    FILE *out = open_memstream(&got, &size);

    mp_fit_print(text, strlen(text), most, with, out);
    fclose(out);
    mp_fit_end(&fit);
    ck_assert_str_eq(got, expected);
    free(got);
}

TEST(no_character_is_cut)
{
    fits("1234567890", 10, "...", "1234567890");
    fits("1234567890", 9, "...", "123...890");
    fits("1234567890", 8, "...", "123...90");
    fits("1234567890", 4, NULL, "1234567890");
    fits("1234567890", 3, "...", "...");
    fits("1234567890", 0, "...", "...");
    fits("1234567890", 5, "\xe2\x80\xa6", "12\xe2\x80\xa6" "90");
    /* characters of two bytes, of two columns, and letters with a combining accent */
    fits("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 5, "...", "\xc3\xa4...\xc3\xbc");
    fits("\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97", 5, ".", "\xe5\xad\x97.\xe5\xad\x97");
    fits("\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97", 4, ".", "\xe5\xad\x97.");
    fits("ae\xcc\x81xye\xcc\x81", 4, ".", "ae\xcc\x81.e\xcc\x81");
    fits("\xff\xff\xff\xff\xff\xff", 5, ".", "\xff\xff.\xff\xff");
}
/* SPDX-License-Identifier: MIT */
