/* SPDX-License-Identifier: MIT */
#include "question.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *path;
    enum mp_page page;
} profiles[] = {
    {"/debug/pprof/heap", MP_PAGE_HEAP},
    {"/debug/pprof/allocs", MP_PAGE_ALLOCS},
};

static bool
find_profile(const char *path, struct mp_http_question *question)
{
    for (unsigned i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (strcmp(path, profiles[i].path) == 0) {
            question->page = profiles[i].page;
            return true;
        }
    return false;
}

static bool
set_id(struct mp_http_question *question, const char *text, size_t length)
{
    if (length == 0 || length >= sizeof question->id)
        return false;
    memcpy(question->id, text, length);
    question->id[length] = '\0';
    return true;
}

/* Parses "/ID/" and the optional path of a profile after it. */
static bool
find_page_of_one(const char *path, struct mp_http_question *question)
{
    const char *rest = path[0] == '/' ? strchr(path + 1, '/') : NULL;

    if (!rest || !set_id(question, path + 1, (size_t)(rest - path) - 1))
        return false;
    question->page = MP_PAGE_REPORT;
    return rest[1] == '\0' || find_profile(rest, question);
}

static bool
find_page(const char *path, const char *pid, struct mp_http_question *question)
{
    if (strcmp(path, "/") == 0)
        question->page = MP_PAGE_LIST;
    else if (strcmp(path, "/metrics") == 0)
        question->page = MP_PAGE_METRICS;
    else if (find_profile(path, question))
        return !pid || set_id(question, pid, strlen(pid));
    else
        return find_page_of_one(path, question);
    return true;
}

static bool
set_seconds(struct mp_http_question *question, const char *text)
{
    size_t length = strlen(text);
    unsigned long seconds;

    if (length == 0 || length > 9 || strspn(text, "0123456789") != length)
        return false;
    seconds = strtoul(text, NULL, 10);
    question->seconds = (uint32_t)seconds;
    return seconds <= MP_QUESTION_SECONDS;
}

unsigned
mp_question_parse(const char *path, const char *pid, const char *seconds, const char *debug,
                  struct mp_http_question *question, const char **why)
{
    *question = (struct mp_http_question){0};
    *why = "there is no such page; / lists those there are";
    if (!find_page(path, pid, question))
        return 404;
    *why = "seconds must be a number up to 300";
    if (seconds && !set_seconds(question, seconds))
        return 400;
    *why = "profiles are in pprof's binary format only: without debug, please";
    if (debug && strcmp(debug, "0") != 0)
        return 400;
    *why = NULL;
    return 200;
}

/* ---------------------------------------------------------------- the Host header */

static bool
is_port(const char *text)
{
    return *text == '\0' || (*text == ':' && strspn(text + 1, "0123456789") == strlen(text + 1));
}

static bool
is_address_6(const char *host)
{
    const char *end = strchr(host, ']');
    unsigned char address[sizeof(struct in6_addr)];
    char text[INET6_ADDRSTRLEN];
    size_t length = end ? (size_t)(end - host) - 1 : 0;

    if (!end || length >= sizeof text || !is_port(end + 1))
        return false;
    memcpy(text, host + 1, length);
    text[length] = '\0';
    return inet_pton(AF_INET6, text, address) == 1;
}

bool
mp_host_is_allowed(const char *host, const char *const names[], unsigned n)
{
    unsigned char address[sizeof(struct in_addr)];
    size_t length = strcspn(host, ":");
    char name[256];

    if (host[0] == '[')
        return is_address_6(host);
    if (length >= sizeof name || !is_port(host + length))
        return false;
    memcpy(name, host, length);
    name[length] = '\0';
    if (strcasecmp(name, "localhost") == 0 || inet_pton(AF_INET, name, address) == 1)
        return true;
    for (unsigned i = 0; i < n; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}
