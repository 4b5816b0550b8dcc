#include "head.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "head_parts.h"

struct mp_head_row *
mp_head_add(struct mp_head *head, const char *key, const char *label)
{
    struct mp_head_row *row;

    head->rows = mp_arena_grow(head->arena, head->rows, head->n_rows, &head->room,
                               sizeof *head->rows);
    row = &head->rows[head->n_rows++];
    *row = (struct mp_head_row){.key = key, .label = label, .text = ""};
    return row;
}

void
mp_head_say(struct mp_head *head, const char *key, const char *label, const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        mp_no_memory();
    mp_head_add(head, key, label)->text = mp_arena_strdup(head->arena, text);
    free(text);
}

void
mp_head_count(struct mp_head *head, const char *key, const char *label, uint64_t count,
              const char *text)
{
    struct mp_head_row *row = mp_head_add(head, key, label);

    row->has = MP_HEAD_BLOCKS;
    row->blocks = count;
    row->text = mp_arena_strdup(head->arena, text);
}

void
mp_head_free(struct mp_head *head)
{
    if (head)
        mp_arena_free(head->arena);
}

const char *
mp_head_time(uint64_t realtime, char text[static MP_HEAD_TIME_SIZE])
{
    time_t seconds = (time_t)(realtime / 1000000000);
    struct tm when;

    if (realtime == 0 || !localtime_r(&seconds, &when) ||
        strftime(text, MP_HEAD_TIME_SIZE, "%Y-%m-%d %H:%M:%S %z", &when) == 0)
        text[0] = '\0';
    return text;
}
