#include "harvest_leaks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/arena.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/leaks/leaks_output.h"
#include "reporter/profile/ending.h"
#include "scan.h"

/* Finds the lost blocks of PROFILE, whose data file is PATH. Stores the path of the snapshot used in *SNAPSHOT, which
 * the caller frees. Returns NULL if they are unknown; then *ERROR has the reason, or stays as it was if there is no
 * snapshot. */
static struct mp_leaks *
find(const char *path, const struct mp_profile *profile, char **snapshot, struct mp_error *error)
{
    *snapshot = mp_scan_newest_noted(path, &profile->meta);
    return *snapshot ? mp_leaks_find(*snapshot, NULL, profile, error) : NULL;
}

/* Prints the commands that show more. SHOWN is the data file, and SHOWN with SUFFIX is its snapshot. The suffix is
 * needed because earlier recordings may have left snapshots, too. */
static void
print_commands(const char *shown, const char *suffix, FILE *out)
{
    fputs("mprof leaks ", out);
    mp_text_shell(out, shown);
    fputs("\nmprof heap ", out);
    mp_text_shell(out, shown);
    fprintf(out, "%s\n", suffix);
}

/* Prints why there is no snapshot of the end. */
static void
say_unknown(const struct mp_meta *meta)
{
    static const char exited[] = "the program did not end by exit() or _exit(), or not all of it was recorded";
    char ending[MP_ENDING_SIZE];

    fprintf(stderr, "mprof: what is lost is not known: %s\n",
            meta->ending == MP_END_EXITED ? exited : mp_ending_text(meta, ending));
}

void
mp_harvest_leaks(const char *path, const char *shown, const struct mp_profile *profile)
{
    struct mp_error error = {.text = ""};
    char *snapshot;
    struct mp_leaks *leaks = find(path, profile, &snapshot, &error);

    if (!leaks && error.text[0]) {
        mp_error_print(&error);
    } else if (!leaks) {
        say_unknown(&profile->meta);
    } else if (!mp_quiet()) {
        mp_leaks_say(leaks, stderr);
        print_commands(shown, snapshot + strlen(path), stderr);
    }
    mp_leaks_free(leaks);
    free(snapshot);
}

void
mp_other_leaks_add(struct mp_other_leaks *others, const char *path, const char *shown,
                   const struct mp_profile *profile)
{
    struct mp_error error;
    char *snapshot;
    struct mp_leaks *leaks = find(path, profile, &snapshot, &error);

    if (!others->out)
        others->out = mp_need(open_memstream(&others->text, &others->size));
    if (!leaks) {
        others->unknown++;
    } else if (leaks->sums[MP_LEAK_DEFINITE].blocks + leaks->sums[MP_LEAK_POSSIBLE].blocks == 0) {
        others->nothing++;
    } else {
        fprintf(others->out, "mprof: process %" PRIu32 ", ", profile->meta.pid);
        mp_text_print(others->out, mp_text_basename(profile->meta.program));
        fputs(":\n", others->out);
        mp_leaks_say(leaks, others->out);
        print_commands(shown, snapshot + strlen(path), others->out);
    }
    mp_leaks_free(leaks);
    free(snapshot);
}

static void
say_count(uint32_t n, const char *what)
{
    if (n > 0)
        fprintf(stderr, "mprof: %s %" PRIu32 " more process%s\n", what, n, n == 1 ? "" : "es");
}

void
mp_other_leaks_say(struct mp_other_leaks *others)
{
    if (!others->out)
        return;
    fclose(others->out);
    if (!mp_quiet()) {
        fputs(others->text, stderr);
        say_count(others->nothing, "nothing is lost of");
    }
    say_count(others->unknown, "what is lost is not known of");
    free(others->text);
    *others = (struct mp_other_leaks){.out = NULL};
}
