/* SPDX-License-Identifier: MIT */
/*
 * graph_mappings.c -- reads the mappings of the process, to find C variables and stacks and to check readability.
 */
#include <fcntl.h>
#include <string.h>

#include "graph_state.h"
#include "runtime/decimal.h"
#include "runtime/system/dynamic.h"
#include "runtime/system/sys.h"

static bool
begins(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');

    return slash && strncmp(slash + 1, name, strlen(name)) == 0;
}

/* Reads a line "START-END rwxp OFFSET DEVICE INODE      PATH". */
static void
take_line(struct mp_object_graph *g, const char *line)
{
    const struct mp_graph_mapping *before = g->n_mappings ? &g->mappings[g->n_mappings - 1] : NULL;
    struct mp_graph_mapping m = { 0 };
    const char *path = strchr(line, '/');

    if (g->n_mappings >= MP_GRAPH_MAPPINGS - 1) {       /* a line may be split into two mappings */
        g->too_many = true;
        return;
    }
    m.start = mp_take_hex(&line);
    line++;
    m.end = mp_take_hex(&line);
    m.readable = line[1] == 'r' && !strstr(line, "[vvar") && !strstr(line, "[vsyscall");
    m.writable = line[1] == 'r' && line[2] == 'w';
    if (path && line[4] == 'p') {       /* private mapping of a file: a program or library */
        m.file = mp_stream_text(g->stream, path, strlen(path));
        m.has_libgc = m.start < mp_ecl.gc_data.start + mp_ecl.gc_data.size && mp_ecl.gc_data.start < m.end;
        m.ours = begins(path, "libmprof.so") || (m.has_libgc && mp_ecl.gc_alone);
    } else if (!path && !strchr(line, '[') && before && before->end == m.start && before->file &&
               before->writable) {
        const uintptr_t end = mp_dynamic_end(before->end - 1);
        struct mp_graph_mapping variables = m;

        if (end > m.start) {
            variables.end = end < m.end ? end : m.end;
            variables.file = before->file;
            variables.has_libgc = before->has_libgc;
            variables.ours = before->ours;
            g->mappings[g->n_mappings++] = variables;
            m.start = variables.end;    /* the rest belongs to others, such as the collector's heap or a stack */
        }
    }
    if (m.start < m.end)
        g->mappings[g->n_mappings++] = m;
}

void
mp_graph_read_mappings(struct mp_object_graph *g)
{
    char *const buffer = g->buffer.text;
    const size_t room = sizeof g->buffer.text - 1;
    size_t used = 0;
    long fd = mp_sys_open("/proc/self/maps", O_RDONLY, 0), n;

    if (fd < 0)
        return;
    while ((n = mp_sys_read((int)fd, buffer + used, room - used)) > 0) {
        char *line = buffer, *end;

        used += (size_t)n;
        for (; (end = memchr(line, '\n', used - (size_t)(line - buffer))); line = end + 1) {
            *end = '\0';
            take_line(g, line);
        }
        used -= (size_t)(line - buffer);
        memmove(buffer, line, used);
        if (used == room)                       /* the line is too long */
            break;
    }
    mp_sys_close((int)fd);
}

const struct mp_graph_mapping *
mp_graph_mapping(const struct mp_object_graph *g, uintptr_t address)
{
    uint32_t low = 0, high = g->n_mappings;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (g->mappings[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->n_mappings && g->mappings[low].start <= address ? &g->mappings[low] : NULL;
}
