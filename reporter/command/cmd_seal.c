/* SPDX-License-Identifier: MIT */
/* mprof seal: seals data files of programs that ran without mprof run. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "option_table.h"
#include "reporter/base/format_number.h"
#include "reporter/base/open_file.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/base/write_file.h"
#include "reporter/file/data_file.h"
#include "reporter/file/seal.h"
#include "reporter/run/harvest.h"
#include "reporter/symbols/load.h"
#include "reporter/symbols/symbols.h"
#include "reporter/unite/several.h"

struct input {
    char **files;               /* data files, ending with NULL */
    bool sections;              /* print the sizes of sections */
};

static bool
parse_symbols(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    (void)to;
    mp_symbols_ask();
    if (text)
        mp_symbols_add_folder(text);
    return true;
}

static const struct mp_option options[] = {
    {"symbols", 0, "DIR", "Also store better names in sealed files, from the usual places and from files below DIR",
     parse_symbols, .optional = true, .many = true},
    {"sections", 0, NULL,
     "Print for each section of the sealed files its name, its bytes, and its bytes when deflated",
     MP_FLAG(struct input, sections)},
    {0},
};

static void
print_sections(const struct mp_profile *profile)
{
    struct mp_seal_section sections[MP_SEC_END];
    unsigned n = mp_seal_sections(profile, sections);

    for (unsigned i = 0; i < n; i++)
        printf("%-33s %10" PRIu64 " %10" PRIu64 "\n", sections[i].name, sections[i].size, sections[i].deflated);
}

/* Seals PROFILE, which was read from FILE, whose name is PATH. SEALED is true if FILE is a sealed file, which is then
 * replaced. */
static bool
seal(struct mp_profile *profile, const char *path, const struct mp_file_at *file, bool sealed, struct mp_error *error)
{
    char number[MP_NUMBER_SIZE];
    uint64_t size;

    if (!(sealed ? mp_seal_at(profile, file, &size, error) : mp_harvest_seal(profile, file, &size, error)))
        return false;
    if (!mp_quiet()) {
        fprintf(stderr, "mprof: %s of data in ", mp_number_bytes(size, number));
        mp_text_print(stderr, path);
        putc('\n', stderr);
    }
    return true;
}

/* Opens the sealed file PATH to replace it. Returns false and fills *ERROR if it belongs to another user. */
static bool
open_sealed(const char *path, struct mp_file_at *file, struct mp_error *error)
{
    if (!mp_file_at_find(path, file))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot open %s: %s", path, mp_open_problem(errno));
    if (file->owner == geteuid())
        return true;
    mp_file_at_close(file);
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: belongs to another user", path);
}

/* A new archive that replaces an old one. */
struct resealing {
    struct mp_writing writing;
    bool renamed;               /* some recording got better names */
};

static bool
reseal(void *data, struct mp_profile *profile, struct mp_error *error)
{
    struct resealing *resealing = data;

    resealing->renamed |= profile->renamed;
    return mp_symbols_check(error) && mp_seal_put(profile, &resealing->writing, error);
}

/* Seals all recordings of the archive FILE, whose name is PATH, again. Replaces the archive if a recording got better
 * names. */
static bool
reseal_archive(const char *path, const struct mp_file_at *file, struct mp_error *error)
{
    struct resealing resealing = {.renamed = false};
    bool ok = mp_writing_begin(&resealing.writing, file->folder, file->name);

    if (ok && !mp_several_each(path, reseal, &resealing, error)) {
        mp_writing_end(&resealing.writing, false);
        return false;
    }
    ok = ok && mp_writing_end(&resealing.writing, resealing.renamed);
    return ok || !resealing.renamed || mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write %s: %s", path,
                                               strerror(errno));
}

/* Seals the recording of FILE, whose name is PATH, if WRITES is true. Prints its sections if SECTIONS is true. SEALED
 * is true if FILE is a sealed file. */
static bool
seal_one(const char *path, const struct mp_file_at *file, bool sealed, bool writes, bool sections,
         struct mp_error *error)
{
    struct mp_profile *profile = mp_load(path, error);
    const bool ok = profile && (!writes || mp_symbols_check(error)) &&
                    (!writes || (sealed && !profile->renamed) || seal(profile, path, file, sealed, error));

    if (ok && sections)
        print_sections(profile);
    mp_profile_free(profile);
    return ok;
}

static bool
seal_file(const char *path, bool sections, struct mp_error *error)
{
    const bool sealed = mp_data_file_is_sealed(path), writes = !sealed || mp_symbols_asked();
    struct mp_file_at file;
    bool ok;

    if (!writes && !sections)
        return true;
    if (writes && !(sealed ? open_sealed : mp_harvest_open)(path, &file, error))
        return false;
    ok = sealed && writes && mp_several_are_in(path) ? reseal_archive(path, &file, error)
                                                     : seal_one(path, &file, sealed, writes, sections, error);
    if (writes)
        mp_file_at_close(&file);
    return ok;
}

/* Tries to seal all files. Prints the error of each file that fails, except that of the last, which main() prints. */
static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.files = MP_DEFAULT_FILES};
    const int status = mp_options_parse(&mp_cmd_seal, argc, argv, &input, error);
    bool ok = true;

    if (status >= 0)
        return status;
    for (char **file = input.files; *file; file++) {
        struct mp_error failure = {.text = ""};

        if (seal_file(*file, input.sections, &failure))
            continue;
        if (!ok)
            mp_error_print(error);
        *error = failure;
        ok = false;
    }
    return mp_exit_status(ok, error);
}

const struct mp_command mp_cmd_seal = {
    "seal", "make data files compact and portable", run,
    .options = options, .argument = {.value = "[FILE...]", MP_FILES(struct input, files)},
    .doc = "Seal data files (" MP_DEFAULT_FILE ") of programs that ran without mprof run.  A sealed file is compact "
           "and portable, with names instead of addresses.  A file that is sealed already stays as it is unless "
           "--symbols or --executable brings better names.",
};
