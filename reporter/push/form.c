#include "form.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/arena.h"
#include "reporter/base/json.h"

#define SECOND UINT64_C(1000000000)

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";

static void
put(struct mp_buffer *out, const char *text)
{
    mp_buffer_bytes(out, text, strlen(text));
}

/* Appends TEXT, encoded as a part of a URL. */
static void
put_encoded(struct mp_buffer *out, const char *text)
{
    char code[4];

    for (; *text; text++)
        if (strchr(plain, *text)) {
            mp_buffer_bytes(out, text, 1);
        } else {
            snprintf(code, sizeof code, "%%%02X", (unsigned char)*text);
            put(out, code);
        }
}

static void
put_number(struct mp_buffer *out, const char *before, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, number);
    put(out, before);
    put(out, text);
}

static void
put_bytes(const struct mp_push_about *about, const struct mp_push_profile *profile, struct mp_buffer *out)
{
    (void)about;
    mp_buffer_bytes(out, profile->bytes, profile->size);
}

/* ---------------------------------------------------------------- plain pprof */

/* Appends the labels as arguments of the URL. Without labels the URL stays as it was given. */
static void
put_labels(const struct mp_push_about *about, const struct mp_push_profile *profile, struct mp_buffer *out)
{
    (void)profile;
    for (unsigned i = 0; i < about->n_labels; i++) {
        put(out, i == 0 ? "?" : "&");
        put_encoded(out, about->labels[i].name);
        put(out, "=");
        put_encoded(out, about->labels[i].value);
    }
}

/* ---------------------------------------------------------------- Pyroscope */

/* Appends the arguments of Pyroscope. The name is APPLICATION{LABEL=VALUE,...}. Times are whole seconds; the end is
 * rounded up. */
static void
put_pyroscope(const struct mp_push_about *about, const struct mp_push_profile *profile, struct mp_buffer *out)
{
    struct mp_buffer name = {0};

    put(&name, about->name);
    for (unsigned i = 0; i < about->n_labels; i++) {
        put(&name, i == 0 ? "{" : ",");
        put(&name, about->labels[i].name);
        put(&name, "=");
        put(&name, about->labels[i].value);
    }
    put(&name, about->n_labels > 0 ? "}" : "");
    mp_buffer_bytes(&name, "", 1);
    put(out, "?name=");
    put_encoded(out, (const char *)name.bytes);
    put_number(out, "&from=", profile->from / SECOND);
    put_number(out, "&until=", (profile->until + SECOND - 1) / SECOND);
    put(out, "&format=pprof&spyName=mprof");
    mp_buffer_free(&name);
}

/* ---------------------------------------------------------------- Parca */

static void
put_json_label(struct mp_buffer *out, const char *name, const char *value)
{
    mp_json_open(out, '{');
    mp_json_key_text(out, "name", name);
    mp_json_key_text(out, "value", value);
    mp_json_close(out, '}');
}

/* Writes a WriteRawRequest with one series of one sample. */
static void
put_parca(const struct mp_push_about *about, const struct mp_push_profile *profile, struct mp_buffer *out)
{
    put(out, "{\"series\":[{\"labels\":{\"labels\":[");
    put_json_label(out, "__name__", "memory");
    put_json_label(out, "job", about->name);
    for (unsigned i = 0; i < about->n_labels; i++)
        put_json_label(out, about->labels[i].name, about->labels[i].value);
    put(out, "]},\"samples\":[{\"raw_profile\":\"");
    mp_buffer_base64(out, profile->bytes, profile->size);
    put(out, "\"}]}]}");
}

/* ---------------------------------------------------------------- the table */

const struct mp_push_form mp_push_forms[] = {
    {.name = "pprof", .summary = "the profile itself, to URL as it is; labels become arguments of the URL", .path = "",
     .type = "application/octet-stream", .put_query = put_labels, .put_body = put_bytes},
    {.name = "pyroscope", .summary = "Grafana Pyroscope, Alloy: to URL/ingest", .path = "/ingest",
     .type = "application/octet-stream", .since = true, .forbidden = "{},", .stamped = true,
     .put_query = put_pyroscope, .put_body = put_bytes},
    {.name = "parca", .summary = "Parca: to URL/api/profiles/writeraw", .path = "/api/profiles/writeraw",
     .type = "application/json", .stamped = true, .instant = true, .put_body = put_parca},
};
const size_t mp_n_push_forms = sizeof mp_push_forms / sizeof *mp_push_forms;

const struct mp_push_form *
mp_push_form_named(const char *name)
{
    for (size_t i = 0; i < mp_n_push_forms; i++)
        if (strcmp(mp_push_forms[i].name, name) == 0)
            return &mp_push_forms[i];
    return NULL;
}

/* ---------------------------------------------------------------- names and labels */

bool
mp_push_name_is_fit(const char *name)
{
    return *name && strspn(name, plain) == strlen(name);
}

char *
mp_push_name_of(const char *program)
{
    char *name = mp_need(strdup(*program ? program : "program"));

    for (char *c = name; *c; c++)
        if (!strchr(plain, *c))
            *c = '_';
    return name;
}

static bool
label_name_is_fit(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    return strspn(name, plain) == strlen(name) && !strchr(name, '-');
}

bool
mp_push_label_check(const struct mp_push_form *form, const struct mp_label *label, struct mp_error *error)
{
    if (!label_name_is_fit(label->name) || strncmp(label->name, "__", 2) == 0)
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                       "--label: '%s' is no name of a label: letters, digits, _ and ., not __ first", label->name);
    if (!*label->value)
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--label: %s has no value", label->name);
    for (const char *c = label->value; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f || (form->forbidden && strchr(form->forbidden, *c)))
            return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "--label: the value of %s may not have %s", label->name,
                           form->forbidden ? "{ } , nor what is no text" : "what is no text");
    return true;
}

/* ---------------------------------------------------------------- wrapping */

/* Appends BASE, and the form's path unless BASE ends with it. */
static void
put_place(const struct mp_push_form *form, const char *base, struct mp_buffer *url)
{
    size_t length = strlen(base), n = strlen(form->path);

    while (n > 0 && length > 0 && base[length - 1] == '/')
        length--;
    mp_buffer_bytes(url, base, length);
    if (length < n || strncmp(base + length - n, form->path, n) != 0)
        put(url, form->path);
}

void
mp_push_wrap(const struct mp_push_form *form, const char *base, const struct mp_push_about *about,
             const struct mp_push_profile *profile, struct mp_buffer *url, struct mp_buffer *body)
{
    const size_t mark = strcspn(base, "?");
    size_t first;

    put_place(form, base, url);
    first = url->size;
    if (form->put_query)
        form->put_query(about, profile, url);
    if (url->size > first && base[mark] == '?')
        url->bytes[first] = '&';
    mp_buffer_bytes(url, "", 1);
    form->put_body(about, profile, body);
}
