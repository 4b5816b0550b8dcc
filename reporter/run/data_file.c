#include "data_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/text.h"
#include "reporter/read/writer.h"
#include "runtime/format.h"

static bool
template_valid(const char *template, struct mp_error *error)
{
    if (*template == '\0')
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "-o: the file's name is empty");
    for (const char *c = strchr(template, '%'); c; c = strchr(c + 2, '%'))
        if (c[1] == '\0' || !strchr("pe%", c[1]))
            return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                           "-o %s: only %%p (pid), %%e (program) and %%%% are known", template);
    return true;
}

/* Write TEXT with each of the characters in SPECIAL behind an ESCAPE. */
static void
put_escaped(FILE *out, const char *text, const char *special, char escape)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            fputc(escape, out);
        fputc(*text, out);
    }
}

/* Finish a text that a memory stream collected; without memory there is nothing to go on with. */
static char *
stream_text(FILE *stream, char **text)
{
    if (!stream || fclose(stream) != 0)
        return NULL;
    return *text;
}

char *
mp_data_file_template(const char *template, struct mp_error *error)
{
    char *text = NULL, *folder = NULL;
    FILE *stream;
    size_t size;

    if (!template_valid(template, error))
        return NULL;
    if (*template != '/' && !(folder = getcwd(NULL, 0))) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "working directory: %s", strerror(errno));
        return NULL;
    }
    stream = open_memstream(&text, &size);
    if (stream && folder) {
        put_escaped(stream, folder, "%", '%');
        fputc('/', stream);
    }
    if (stream)
        fputs(template, stream);
    free(folder);
    if (!stream_text(stream, &text))
        mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "%s", template);
    return text;
}

char *
mp_data_file_expand(const char *template, uint32_t pid, const char *program)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    for (const char *c = template; stream && *c; c++) {
        if (*c != '%' || c[1] == '\0') {
            fputc(*c, stream);
            continue;
        }
        c++;
        if (*c == 'p')
            fprintf(stream, "%u", (unsigned)pid);
        else if (*c == 'e')
            fputs(mp_text_basename(program), stream);
        else
            fputc(*c, stream);
    }
    return stream_text(stream, &text);
}

static bool
is_magic(const char *bytes)
{
    return memcmp(bytes, MP_LIVE_MAGIC, 8) == 0 || memcmp(bytes, MP_SEALED_MAGIC, 8) == 0;
}

static bool
begins_as_ours(int fd)
{
    char magic[8];

    return pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic && is_magic(magic);
}

bool
mp_data_file_is(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool ours;

    if (fd < 0)
        return false;
    ours = begins_as_ours(fd);
    close(fd);
    return ours;
}

static bool
is_in_use(const char *path, uint32_t pid, struct mp_error *error)
{
    if (pid == 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "%s: another process begins to record there; choose another with -o", path);
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                   "%s: process %" PRIu32 " has it in use; choose another with -o", path, pid);
}

/* What is at PATH may be lost: an mprof data file in which nobody records, or an empty one.  BESIDE:
 * who records there keeps it, a file beside it will be made. */
static bool
overwritable(const char *path, bool beside, struct mp_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    struct stat info;
    uint32_t writer;
    bool ours, young;

    if (fd < 0 && errno == ELOOP)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "%s: is a symbolic link; choose another with -o", path);
    if (fd < 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
           (info.st_size == 0 || begins_as_ours(fd));
    young = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;   /* see runtime/claim.h */
    writer = ours ? mp_writer_in_the_way(fd) : 0;
    close(fd);
    if (young || writer != 0)
        return beside || is_in_use(path, writer, error);
    if (!ours)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "%s: exists and is not an mprof data file; choose another with -o", path);
    if (access(path, W_OK) != 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    return true;
}

bool
mp_data_file_check(const char *path, bool beside, struct mp_error *error)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    bool ok = true;

    if (slash)
        slash[slash == folder ? 1 : 0] = '\0';
    if (*mp_text_basename(path) == '\0')
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: is a directory", path);
    else if (slash && access(folder, W_OK | X_OK) != 0)
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", folder, strerror(errno));
    else if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        ok = overwritable(path, beside, error);
    free(folder);
    return ok;
}

/* ---------------------------------------------------- the files that a run left */

/* A pattern for glob(3) that TEMPLATE's files match, with SUFFIX. */
static char *
glob_pattern(const char *template, const char *suffix)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    for (const char *c = template; stream && *c; c++) {
        char one[2] = {*c, '\0'};

        if (*c != '%' || c[1] == '\0') {
            put_escaped(stream, one, "*?[]\\", '\\');
            continue;
        }
        c++;
        fputs(*c == 'p' ? "[0-9]*" : *c == 'e' ? "*" : "%", stream);
    }
    if (stream)
        fputs(suffix, stream);
    return stream_text(stream, &text);
}

/* Live files only, what is sealed is finished; and of this run. */
static bool
is_of_run(const struct mp_live_header *header, const uint64_t run_id[2])
{
    return memcmp(header->magic, MP_LIVE_MAGIC, 8) == 0 && header->run_id[0] == run_id[0] &&
           header->run_id[1] == run_id[1];
}

static bool
read_header(const char *path, struct mp_live_header *header)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool done;

    if (fd < 0)
        return false;
    done = pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header;
    close(fd);
    return done;
}

static bool
is_listed(const struct mp_data_files *found, const char *path)
{
    for (uint32_t i = 0; i < found->n; i++)
        if (strcmp(found->files[i].path, path) == 0)
            return true;
    return false;
}

/* PATH, if it is of the run. */
static void
add_file(const char *path, bool beside, const uint64_t run_id[2], struct mp_data_files *found)
{
    struct mp_live_header *header = malloc(sizeof *header);
    struct mp_data_file *more;

    if (header && !is_listed(found, path) && read_header(path, header) && is_of_run(header, run_id) &&
        (more = reallocarray(found->files, found->n + 1, sizeof *more))) {
        found->files = more;
        found->files[found->n] =
            (struct mp_data_file){strdup(path), header->pid, header->start_monotonic, beside};
        found->n += found->files[found->n].path != NULL;
    }
    free(header);
}

static void
find_pattern(const char *template, const char *suffix, const uint64_t run_id[2],
             struct mp_data_files *found)
{
    char *pattern = glob_pattern(template, suffix);
    glob_t paths;

    if (!pattern)
        return;
    if (glob(pattern, 0, NULL, &paths) == 0) {
        for (size_t i = 0; i < paths.gl_pathc; i++)
            add_file(paths.gl_pathv[i], *suffix != '\0', run_id, found);
        globfree(&paths);
    }
    free(pattern);
}

/* The recording that the process began after the one in PATH; the caller frees it.  NULL: none. */
static char *
next_recording(const char *path)
{
    struct mp_live_header *header = malloc(sizeof *header);
    char *next = NULL;

    if (header && read_header(path, header) && header->control.followed == 1 &&
        header->control.file[0] == '/')
        next = strndup(header->control.file, sizeof header->control.file);
    free(header);
    return next;
}

/* Those that a program began by itself have other names. */
static void
find_later(const uint64_t run_id[2], struct mp_data_files *found)
{
    for (uint32_t i = 0; i < found->n; i++) {
        char *next = next_recording(found->files[i].path);

        if (next)
            add_file(next, true, run_id, found);
        free(next);
    }
}

void
mp_data_files_find(const char *template, const uint64_t run_id[2], struct mp_data_files *found)
{
    *found = (struct mp_data_files){0};
    find_pattern(template, "", run_id, found);
    find_pattern(template, ".[0-9]*", run_id, found);
    find_later(run_id, found);
}

void
mp_data_files_free(struct mp_data_files *found)
{
    for (uint32_t i = 0; i < found->n; i++)
        free(found->files[i].path);
    free(found->files);
    *found = (struct mp_data_files){0};
}
