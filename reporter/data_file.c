#include "data_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/format.h"
#include "text.h"

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

bool
mp_data_file_is(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char magic[8];
    bool ours;

    if (fd < 0)
        return false;
    ours = pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic && is_magic(magic);
    close(fd);
    return ours;
}

/* What is at PATH may be lost: an mprof data file, or an empty one. */
static bool
overwritable(const char *path, struct mp_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    struct stat info;
    bool ours;

    if (fd < 0 && errno == ELOOP)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "%s: is a symbolic link; choose another with -o", path);
    if (fd < 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
           (info.st_size == 0 || mp_data_file_is(path));
    close(fd);
    if (!ours)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "%s: exists and is not an mprof data file; choose another with -o", path);
    if (access(path, W_OK) != 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    return true;
}

bool
mp_data_file_check(const char *path, struct mp_error *error)
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
        ok = overwritable(path, error);
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

/* Live files only: what is sealed is finished. */
static bool
fresh_live_file(const char *path, uint64_t since, uint32_t *pid)
{
    struct mp_live_header header;
    const size_t need = offsetof(struct mp_live_header, start_monotonic);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool fresh;

    if (fd < 0)
        return false;
    fresh = pread(fd, &header, need, 0) == (ssize_t)need &&
            memcmp(header.magic, MP_LIVE_MAGIC, 8) == 0 && header.start_realtime >= since;
    close(fd);
    *pid = header.pid;
    return fresh;
}

static void
add_file(struct mp_data_files *found, const char *path, uint32_t pid, bool first)
{
    struct mp_data_file *more;

    for (uint32_t i = 0; i < found->n; i++)
        if (strcmp(found->files[i].path, path) == 0)
            return;
    more = reallocarray(found->files, found->n + 1, sizeof *more);
    if (!more)
        return;
    found->files = more;
    found->files[found->n] = (struct mp_data_file){strdup(path), pid, first};
    found->n += found->files[found->n].path != NULL;
}

static void
find_pattern(const char *template, const char *suffix, uint64_t since,
             struct mp_data_files *found)
{
    char *pattern = glob_pattern(template, suffix);
    glob_t paths;
    uint32_t pid;

    if (!pattern)
        return;
    if (glob(pattern, 0, NULL, &paths) == 0) {
        for (size_t i = 0; i < paths.gl_pathc; i++)
            if (fresh_live_file(paths.gl_pathv[i], since, &pid))
                add_file(found, paths.gl_pathv[i], pid, *suffix == '\0');
        globfree(&paths);
    }
    free(pattern);
}

/* The recording that the process began after the one in PATH; the caller frees it.  NULL: none. */
static char *
next_recording(const char *path)
{
    struct mp_live_header *header = malloc(sizeof *header);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *next = NULL;

    if (header && fd >= 0 && pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
        memcmp(header->magic, MP_LIVE_MAGIC, 8) == 0 && header->control.followed == 1 &&
        header->control.file[0] == '/')
        next = strndup(header->control.file, sizeof header->control.file);
    if (fd >= 0)
        close(fd);
    free(header);
    return next;
}

/* Those that a program began by itself have other names. */
static void
find_later(uint64_t since, struct mp_data_files *found)
{
    for (uint32_t i = 0; i < found->n; i++) {
        char *next = next_recording(found->files[i].path);
        uint32_t pid;

        if (next && fresh_live_file(next, since, &pid))
            add_file(found, next, pid, false);
        free(next);
    }
}

void
mp_data_files_find(const char *template, uint64_t since, struct mp_data_files *found)
{
    *found = (struct mp_data_files){0};
    find_pattern(template, "", since, found);
    find_pattern(template, ".[0-9]*", since, found);
    find_later(since, found);
}

void
mp_data_files_free(struct mp_data_files *found)
{
    for (uint32_t i = 0; i < found->n; i++)
        free(found->files[i].path);
    free(found->files);
    *found = (struct mp_data_files){0};
}
