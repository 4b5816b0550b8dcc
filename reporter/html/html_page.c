/* SPDX-License-Identifier: MIT */
#include "html_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "page.h"
#include "reporter/base/arena.h"
#include "reporter/base/text.h"

/* The page that is being written. */
struct writer {
    const struct mp_html_page *page;
    FILE *out;
    struct mp_error *error;
};

/* ---------------------------------------------------------------- text */

/* Writes SIZE bytes of TEXT, escaped for the text of an element or a quoted attribute. */
static void
put_text(const char *text, size_t size, FILE *out)
{
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            fputc(text[i], out);
        }
    }
}

/* ---------------------------------------------------------------- placeholders */

static bool
put_title(const struct writer *at)
{
    put_text(at->page->title, strlen(at->page->title), at->out);
    return true;
}

static bool
put_generator(const struct writer *at)
{
    fputs(PACKAGE_STRING, at->out);
    return true;
}

static bool
put_policy(const struct writer *at)
{
    fprintf(at->out,
            "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '%s'; script-src "
            "'%s' '%s'",
            mp_page_style_hash, mp_page_early_hash, mp_page_script_hash);
    return true;
}

static bool
put_model(const struct writer *at)
{
    struct mp_buffer base64 = {0};

    mp_buffer_base64(&base64, at->page->packed->bytes, at->page->packed->size);
    fwrite(base64.bytes, 1, base64.size, at->out);
    mp_buffer_free(&base64);
    return true;
}

static bool
put_tables(const struct writer *at)
{
    struct mp_text_stream tables;
    bool ok = at->page->tables(at->page->data, mp_text_open(&tables), at->error);
    char *text = mp_text_close(&tables);

    if (ok)
        put_text(text, tables.size, at->out);
    free(text);
    return ok;
}

/* The placeholders of page.html. put() writes the text that replaces a placeholder, and returns false if that fails. If
 * it is NULL, the *size bytes at `bytes` replace the placeholder. */
static const struct {
    const char *name;
    bool (*put)(const struct writer *at);
    const unsigned char *bytes;
    const size_t *size;
} places[] = {
    {.name = "@TITLE@", .put = put_title},
    {.name = "@GENERATOR@", .put = put_generator},
    {.name = "@POLICY@", .put = put_policy},
    {.name = "@STYLE@", .bytes = mp_page_style, .size = &mp_page_style_size},
    {.name = "@EARLY@", .bytes = mp_page_early, .size = &mp_page_early_size},
    {.name = "@TABLES@", .put = put_tables},
    {.name = "@MODEL@", .put = put_model},
    {.name = "@SCRIPT@", .bytes = mp_page_script, .size = &mp_page_script_size},
};

/* Returns the index of the placeholder that TEXT begins with, or -1. */
static int
place_at(const char *text, size_t size)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) <= size &&
            memcmp(text, places[i].name, strlen(places[i].name)) == 0)
            return (int)i;
    return -1;
}

bool
mp_html_page_write(const struct mp_html_page *page, FILE *out, struct mp_error *error)
{
    const struct writer at = {page, out, error};
    const char *text = (const char *)mp_page_html;

    for (size_t i = 0; i < mp_page_html_size;) {
        int place = text[i] == '@' ? place_at(text + i, mp_page_html_size - i) : -1;

        if (place < 0) {
            fputc(text[i++], out);
            continue;
        }
        if (places[place].bytes)
            fwrite(places[place].bytes, 1, *places[place].size, out);
        else if (!places[place].put(&at))
            return false;
        i += strlen(places[place].name);
    }
    if (fflush(out) == 0 && !ferror(out))
        return true;
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write the page: %s",
                   strerror(errno));
}
