#include "run_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/format.h"
#include "runtime/template.h"

/* ------------------------------------------------------------------ names */

/* TEXT behind the number PID, or, if that is 0, behind any number; NULL: there is none. */
static const char *
skip_number(const char *text, uint32_t pid)
{
    char digits[MP_DECIMAL_SIZE];
    const char *number = mp_decimal(pid, digits);
    size_t n = pid ? strlen(number) : strspn(text, "0123456789");

    return n > 0 && (pid == 0 || strncmp(text, number, n) == 0) ? text + n : NULL;
}

/* Is TEXT nothing, or what the monitor adds to a name that is taken? */
static bool
is_addition(const char *text, uint32_t pid)
{
    if (*text == '.')
        text = skip_number(text + 1, pid);
    if (text && *text == '.')
        text = skip_number(text + 1, 0);
    return text && *text == '\0';
}

/* What of PATH is behind the name that TEMPLATE stands for in process PID (0: any) of some program;
 * NULL: it is no such name. */
static const char *
behind_name(const char *path, const char *template, uint32_t pid)
{
    const char *end;

    for (; *template; template++, path++) {
        bool special = *template == '%' && template[1];

        template += special;
        if (special && *template == 'e') {
            for (; !(end = behind_name(path, template + 1, pid)); path++)
                if (*path == '\0' || *path == '/')
                    return NULL;
            return end;
        }
        if (special && *template == 'p') {
            path = skip_number(path, pid);
            if (!path)
                return NULL;
            path--;
        } else if (*path != *template) {
            return NULL;
        }
    }
    return is_addition(path, pid) ? path : NULL;
}

/* ------------------------------------------------------------------ files */

/* What is looked for, and found so far. */
struct search {
    const char *template;
    const uint64_t *run_id;
    struct mp_run_files *found;
};

static bool
read_header(const char *path, struct mp_live_header *header)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool done;

    if (fd < 0)
        return false;
    done = pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header;
    close(fd);
    return done && memcmp(header->magic, MP_LIVE_MAGIC, sizeof header->magic) == 0;
}

static bool
is_listed(const struct mp_run_files *found, const char *path)
{
    for (uint32_t i = 0; i < found->n; i++)
        if (strcmp(found->files[i].path, path) == 0)
            return true;
    return false;
}

/* PATH with HEADER; ASKED: of its bytes, those of the name that was asked for. */
static void
add_file(const struct search *search, const char *path, size_t asked,
         const struct mp_live_header *header)
{
    struct mp_run_files *found = search->found;
    struct mp_run_file *more;

    if (header->state == MP_STATE_SNAPSHOT || header->run_id[0] != search->run_id[0] ||
        header->run_id[1] != search->run_id[1] ||
        !(more = reallocarray(found->files, found->n + 1, sizeof *more)))
        return;
    found->files = more;
    more[found->n] = (struct mp_run_file){strdup(path), asked, header->pid, header->start_monotonic,
                                          header->control.followed == 1};
    found->n += more[found->n].path != NULL;
}

/* PATH, if it is of the run and has a name that the template stands for. */
static void
try_file(const struct search *search, const char *path)
{
    struct mp_live_header header;
    const char *end;

    if (!behind_name(path, search->template, 0) || !read_header(path, &header))
        return;
    end = behind_name(path, search->template, header.pid);
    if (end)
        add_file(search, path, (size_t)(end - path), &header);
}

/* Go through FOLDER; REST of the template, which begins with a slash, says of what is in there. */
static void
walk(const struct search *search, const char *folder, const char *rest)
{
    const int slashes = (int)strspn(rest, "/");
    const char *name = rest + slashes, *more = strchr(name, '/');
    DIR *stream = opendir(*folder ? folder : "/");
    struct dirent *entry;
    char *path;

    while (stream && (entry = readdir(stream))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strncmp(entry->d_name, name, strcspn(name, "%/")) != 0 ||
            asprintf(&path, "%s%.*s%s", folder, slashes, rest, entry->d_name) < 0)
            continue;
        if (more)
            walk(search, path, more);
        else
            try_file(search, path);
        free(path);
    }
    if (stream)
        closedir(stream);
}

/* Where in TEMPLATE, absolute, the slash is before the first name that has a %p or %e in it, or before
 * the last one: up to there it is one folder, which need not be readable. */
static size_t
folder_length(const char *template)
{
    size_t slash = 0;

    for (size_t i = 0; template[i]; i++) {
        if (template[i] == '/')
            slash = i;
        else if (template[i] == '%' && template[i + 1] && strchr("pe", template[++i]))
            break;
    }
    return slash;
}

/* The recording that a process began after the one in FILE may have any name. */
static void
follow(const struct search *search, const char *file)
{
    struct mp_live_header header;
    char path[sizeof header.control.file + 1] = "";

    if (!read_header(file, &header))
        return;
    memcpy(path, header.control.file, sizeof header.control.file);
    if (*path == '/' && !is_listed(search->found, path) && read_header(path, &header))
        add_file(search, path, strlen(path), &header);
}

static int
compare_files(const void *a, const void *b)
{
    const struct mp_run_file *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

void
mp_run_files_find(const char *template, const uint64_t run_id[2], struct mp_run_files *found)
{
    const struct search search = {template, run_id, found};
    const size_t n = folder_length(template);
    char folder[PATH_MAX], *beginning = strndup(template, n);

    *found = (struct mp_run_files){0};
    if (beginning && mp_template_expand(beginning, 0, "", folder, sizeof folder) == 0)
        walk(&search, folder, template + n);
    free(beginning);
    for (uint32_t i = 0; i < found->n; i++)
        if (found->files[i].followed)
            follow(&search, found->files[i].path);
    if (found->n > 0)
        qsort(found->files, found->n, sizeof *found->files, compare_files);
}

void
mp_run_files_free(struct mp_run_files *found)
{
    for (uint32_t i = 0; i < found->n; i++)
        free(found->files[i].path);
    free(found->files);
    *found = (struct mp_run_files){0};
}
