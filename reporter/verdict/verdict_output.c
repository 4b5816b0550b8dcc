/* SPDX-License-Identifier: MIT */
#include "verdict_output.h"

#include <inttypes.h>
#include <string.h>

#include "reporter/base/buffer.h"
#include "reporter/base/fnv.h"
#include "reporter/base/format_number.h"
#include "reporter/base/json.h"
#include "reporter/base/map.h"
#include "reporter/base/text.h"
#include "reporter/base/xml.h"

/* ---------------------------------------------------------------- text */

/* Returns, for example, "32,010,767 bytes are kept, 4,096 allowed". The text is allocated in the arena of VERDICT. */
static const char *
checked_text(const struct mp_verdict *verdict, const struct mp_checked *checked)
{
    const struct mp_estimate *value = &checked->value;
    char number[4][MP_NUMBER_SIZE];
    const char *before = "", *interval = "";

    if (checked->nothing)
        return "no function that allocates has such a name";
    if (!value->exact)
        interval = mp_arena_printf(verdict->arena, " (estimated: %s to %s)",
                                   mp_number_grouped(value->low, number[0]),
                                   mp_number_grouped(value->high, number[1]));
    if (checked->has_before)
        before = mp_arena_printf(verdict->arena, "%s before, ",
                                 mp_number_grouped(checked->before, number[2]));
    return mp_arena_printf(verdict->arena, "%s %s%s, %s%s allowed",
                           mp_number_grouped(value->value, number[0]), mp_figures[checked->bound->figure].what,
                           interval, before, mp_number_grouped(checked->bound->most, number[3]));
}

/* Returns, for example, "1,024 bytes in 3 blocks". The text is allocated in the arena of VERDICT. */
static const char *
offender_text(const struct mp_verdict *verdict, const struct mp_checked *checked,
              const struct mp_offender *offender)
{
    const bool blocks = !mp_figures[checked->bound->figure].bytes;
    char number[2][MP_NUMBER_SIZE];
    const char *in = "";

    if (!blocks && offender->blocks > 0)
        in = mp_arena_printf(verdict->arena, " in %s block%s",
                             mp_number_grouped(offender->blocks, number[1]),
                             mp_plural(offender->blocks));
    return mp_arena_printf(verdict->arena, "%s%s %s%s%s", checked->has_before ? "+" : "",
                           mp_number_grouped(offender->value, number[0]),
                           blocks ? "block" : "byte", mp_plural(offender->value), in);
}

void
mp_verdict_offenders(const struct mp_verdict *verdict, const struct mp_checked *checked, FILE *out)
{
    char number[MP_NUMBER_SIZE];

    for (uint32_t i = 0; i < checked->n_offenders; i++)
        fprintf(out, "    %s: %s\n",
                offender_text(verdict, checked, &checked->offenders[i]),
                checked->offenders[i].chain);
    if (checked->left_out > 0)
        fprintf(out, "    and %s more chain%s\n", mp_number_grouped(checked->left_out, number),
                mp_plural(checked->left_out));
}

static void
print_all(const struct mp_verdict *verdict, enum mp_checked_is which, FILE *out)
{
    static const char *const words[] = {
        [MP_WITHIN] = "within", [MP_OVER] = "OVER", [MP_UNCERTAIN] = "uncertain"};

    for (uint32_t i = 0; i < verdict->n; i++) {
        const struct mp_checked *checked = &verdict->list[i];

        if (checked->is != which)
            continue;
        fprintf(out, "%-9s %s: %s\n", words[which], checked->bound->said,
                checked_text(verdict, checked));
        mp_verdict_offenders(verdict, checked, out);
    }
}

static void
print_suppressions(const struct mp_verdict *verdict, FILE *out)
{
    const struct mp_suppressions *all = verdict->suppressions;
    char number[2][MP_NUMBER_SIZE];

    for (uint32_t i = 0; all && i < all->n; i++) {
        const struct mp_suppression *one = &all->list[i];

        if (one->blocks > 0 || one->bytes > 0)
            fprintf(out, "suppressed: %s bytes in %s block%s by %s\n",
                    mp_number_grouped(one->bytes, number[0]),
                    mp_number_grouped(one->blocks, number[1]), mp_plural(one->blocks), one->name);
    }
}

/* Prints how many allocations were not recorded, because they could not be checked. */
static void
print_missing(const struct mp_verdict *verdict, FILE *out)
{
    char number[MP_NUMBER_SIZE];

    if (verdict->dropped > 0)
        fprintf(out, "not recorded, and so not counted: %s allocation%s\n",
                mp_number_grouped(verdict->dropped, number), mp_plural(verdict->dropped));
    for (uint32_t i = 0; i < verdict->unrecorded.n; i++) {
        const struct mp_unrecorded *one = &verdict->unrecorded.list[i];

        fprintf(out, "not recorded, and so not checked: %s process%s: %s: %s\n", mp_number_grouped(one->n, number),
                one->n == 1 ? "" : "es", one->program, one->why);
    }
}

void
mp_verdict_text(const struct mp_verdict *verdict, bool quiet, FILE *out)
{
    print_all(verdict, MP_OVER, out);
    print_all(verdict, MP_UNCERTAIN, out);
    if (!quiet) {
        print_all(verdict, MP_WITHIN, out);
        print_suppressions(verdict, out);
    }
    for (const char *const *line = verdict->bad_frees; *line; line++)
        fprintf(out, "%s\n", *line);
    print_missing(verdict, out);
}

/* ---------------------------------------------------------------- JUnit */

static void
put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    mp_xml_put(out, value);
    fputc('"', out);
}

static void
put_case(const struct mp_verdict *verdict, const struct mp_checked *checked, FILE *out)
{
    const char *result = checked->is == MP_OVER ? "failure" : "skipped";

    fputs("    <testcase", out);
    put_attribute(out, "classname", verdict->name);
    put_attribute(out, "name", checked->bound->said);
    if (checked->is == MP_WITHIN) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s", result);
    put_attribute(out, "message", checked_text(verdict, checked));
    fputs(">", out);
    for (uint32_t i = 0; i < checked->n_offenders; i++) {
        mp_xml_put(out, offender_text(verdict, checked, &checked->offenders[i]));
        fputs(": ", out);
        mp_xml_put(out, checked->offenders[i].chain);
        fputc('\n', out);
    }
    fprintf(out, "</%s>\n    </testcase>\n", result);
}

void
mp_verdict_junit(const struct mp_verdict *const *verdicts, size_t n, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    for (size_t i = 0; i < n; i++) {
        const struct mp_verdict *verdict = verdicts[i];

        fputs("  <testsuite", out);
        put_attribute(out, "name", verdict->name);
        fprintf(out, " tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"0\" skipped=\"%" PRIu32
                "\">\n", verdict->n, verdict->n_over, verdict->n_uncertain);
        for (uint32_t j = 0; j < verdict->n; j++)
            put_case(verdict, &verdict->list[j], out);
        fputs("  </testsuite>\n", out);
    }
    fputs("</testsuites>\n", out);
}

/* ---------------------------------------------------------------- notes at lines */

/* Returns FILE relative to FOLDER if it is inside, else unchanged. */
static const char *
in_folder(const char *file, const char *folder)
{
    const size_t length = strlen(folder);

    return strncmp(file, folder, length) == 0 && file[length] == '/' ? file + length + 1 : file;
}

/* Escapes TEXT as GitHub requires: % and line ends, and in a PROPERTY also : and , characters. Also escapes ##[
 * because older runners treat it as a command anywhere in a line. */
static void
put_escaped(FILE *out, const char *text, bool property)
{
    const char *const start = text;

    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c == '[' && text - start >= 2 && text[-1] == '#' && text[-2] == '#')
            fputs("%5B", out);
        else if (c == '%' || c == '\n' || c == '\r' || (property && (c == ':' || c == ',')))
            fprintf(out, "%%%02X", c);
        else
            fputc(c, out);
    }
}

/* Returns, for example, "costs: --no-leaks: 3 blocks are kept, 0 allowed". Names the process if there are several. */
static const char *
title_of(const struct mp_verdict *verdict, const struct mp_checked *checked)
{
    return mp_arena_printf(verdict->arena, "%s%s%s: %s", verdict->several ? verdict->name : "",
                           verdict->several ? ": " : "", checked->bound->said, checked_text(verdict, checked));
}

static const char *
message_of(const struct mp_verdict *verdict, const struct mp_checked *checked,
           const struct mp_offender *offender)
{
    return mp_arena_printf(verdict->arena, "%s; %s of it here: %s", title_of(verdict, checked),
                           offender_text(verdict, checked, offender), offender->chain);
}

void
mp_verdict_github(const struct mp_verdict *verdict, const char *folder, FILE *out)
{
    for (uint32_t i = 0; i < verdict->n; i++) {
        const struct mp_checked *checked = &verdict->list[i];
        const char *level = checked->is == MP_OVER ? "error" : "warning";

        if (checked->is != MP_WITHIN && checked->n_offenders == 0) {
            fprintf(out, "::%s title=mprof::", level);
            put_escaped(out, title_of(verdict, checked), false);
            fputc('\n', out);
        }
        for (uint32_t j = 0; j < checked->n_offenders; j++) {
            const struct mp_offender *offender = &checked->offenders[j];

            fprintf(out, "::%s ", level);
            if (offender->file) {
                fputs("file=", out);
                put_escaped(out, in_folder(offender->file, folder), true);
                fprintf(out, ",line=%" PRIu32 ",", offender->line);
            }
            fputs("title=mprof::", out);
            put_escaped(out, message_of(verdict, checked, offender), false);
            fputc('\n', out);
        }
    }
}

/* Returns the 64-bit FNV-1a hash that identifies a fault. The same fault has the same hash in the next report. Within
 * a report, hashes must be unique: repeated ones are changed. KNOWN contains those used so far. */
static uint64_t
fingerprint(const struct mp_verdict *verdict, const struct mp_checked *checked,
            const struct mp_offender *offender, struct mp_map *known)
{
    const char *const parts[] = {verdict->program, checked->bound->said,
                                 offender->function, offender->file ? offender->file : ""};
    uint64_t hash = MP_FNV_BEGIN;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = mp_fnv(hash, parts[i], strlen(parts[i]) + 1);
    while (mp_map_find_u64(known, hash) != MP_NO_ID)
        hash = mp_fnv(hash, "+", 1);
    mp_map_add_u64(known, hash);
    return hash;
}

static void
put_issue(struct mp_buffer *out, const struct mp_verdict *verdict, const struct mp_checked *checked,
          const struct mp_offender *offender, const char *folder, struct mp_map *known)
{
    mp_json_open(out, '{');
    mp_json_key_text(out, "description", message_of(verdict, checked, offender));
    mp_json_key_text(out, "check_name", mp_arena_printf(verdict->arena, "mprof %s",
                                                        checked->bound->said));
    mp_json_key_text(out, "fingerprint",
                     mp_arena_printf(verdict->arena, "%016" PRIx64,
                                     fingerprint(verdict, checked, offender, known)));
    mp_json_key_text(out, "severity", checked->is == MP_OVER ? "major" : "info");
    mp_json_key(out, "location");
    mp_json_open(out, '{');
    mp_json_key_text(out, "path", offender->file ? in_folder(offender->file, folder)
                                                 : verdict->path);
    mp_json_key(out, "lines");
    mp_json_open(out, '{');
    mp_json_key_number(out, "begin", offender->file ? offender->line : 1);
    mp_json_close(out, '}');
    mp_json_close(out, '}');
    mp_json_close(out, '}');
}

void
mp_verdict_gitlab(const struct mp_verdict *const *verdicts, size_t n, const char *folder, FILE *out)
{
    struct mp_map known = {.arena = mp_arena_new()};
    struct mp_buffer text = {0};

    mp_json_open(&text, '[');
    for (size_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < verdicts[i]->n; j++)
            for (uint32_t k = 0; k < verdicts[i]->list[j].n_offenders; k++)
                put_issue(&text, verdicts[i], &verdicts[i]->list[j],
                          &verdicts[i]->list[j].offenders[k], folder, &known);
    mp_json_close(&text, ']');
    fwrite(text.bytes, 1, text.size, out);
    fputc('\n', out);
    mp_buffer_free(&text);
    mp_arena_free(known.arena);
}
