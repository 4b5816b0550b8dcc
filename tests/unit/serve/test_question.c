#include "tests/unit/tap.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "reporter/serve/question.h"
#include "reporter/serve/server.h"

static struct mp_http_question question;
static const char *why;

static unsigned
ask(const char *path, const char *pid, const char *seconds)
{
    return mp_question_parse(path, pid, seconds, NULL, &question, &why);
}

static void
assert_page(const char *path, enum mp_page page, const char *id)
{
    ck_assert_uint_eq(ask(path, NULL, NULL), 200);
    ck_assert_ptr_null(why);
    ck_assert_int_eq(question.page, page);
    ck_assert_str_eq(question.id, id);
    ck_assert_uint_eq(question.seconds, 0);
}

TEST(pages)
{
    assert_page("/", MP_PAGE_LIST, "");
    assert_page("/metrics", MP_PAGE_METRICS, "");
    assert_page("/metrics/", MP_PAGE_REPORT, "metrics");
    assert_page("/4711/", MP_PAGE_REPORT, "4711");
    assert_page("/a b~2/", MP_PAGE_REPORT, "a b~2");
    assert_page("/debug/pprof/heap", MP_PAGE_HEAP, "");
    assert_page("/debug/pprof/allocs", MP_PAGE_ALLOCS, "");
    assert_page("/4711/debug/pprof/heap", MP_PAGE_HEAP, "4711");
    assert_page("/debug/debug/pprof/allocs", MP_PAGE_ALLOCS, "debug");
}

TEST(no_pages)
{
    static const char *const paths[] = {
        "", "x", "x/", "//", "/x", "//x/", "/x/y", "/debug/pprof/", "/debug/pprof/heap/", "/debug/pprof/cmdline",
        "/a/b/debug/pprof/heap", "/../../etc/passwd", "/x//debug/pprof/heap", "/metrics/x"};
    char longest[MP_QUESTION_ID + 3];

    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        ck_assert_uint_eq(ask(paths[i], NULL, NULL), 404);
        ck_assert_ptr_nonnull(why);
    }
    memset(longest, 'a', sizeof longest);
    longest[0] = longest[MP_QUESTION_ID] = '/';
    longest[MP_QUESTION_ID + 1] = '\0';
    ck_assert_uint_eq(ask(longest, NULL, NULL), 200);
    longest[MP_QUESTION_ID] = 'a';
    longest[MP_QUESTION_ID + 1] = '/';
    longest[MP_QUESTION_ID + 2] = '\0';
    ck_assert_uint_eq(ask(longest, NULL, NULL), 404);
}

TEST(arguments)
{
    ck_assert_uint_eq(ask("/debug/pprof/heap", "4711", "300"), 200);
    ck_assert_str_eq(question.id, "4711");
    ck_assert_uint_eq(question.seconds, 300);
    ck_assert_uint_eq(ask("/1/debug/pprof/heap", "2", "0"), 200);
    ck_assert_str_eq(question.id, "1");
    ck_assert_uint_eq(ask("/debug/pprof/heap", "", NULL), 404);
    ck_assert_uint_eq(ask("/debug/pprof/heap", "1", "301"), 400);
    ck_assert_uint_eq(ask("/debug/pprof/heap", "1", "-1"), 400);
    ck_assert_uint_eq(ask("/debug/pprof/heap", "1", ""), 400);
    ck_assert_uint_eq(ask("/debug/pprof/heap", "1", "1s"), 400);
    ck_assert_uint_eq(ask("/debug/pprof/heap", "1", "99999999999999999999"), 400);
    ck_assert_uint_eq(mp_question_parse("/1/debug/pprof/heap", NULL, NULL, "0", &question, &why), 200);
    ck_assert_uint_eq(mp_question_parse("/1/debug/pprof/heap", NULL, NULL, "1", &question, &why), 400);
}

TEST(hosts)
{
    static const char *const names[] = {"profiles.example", "other"};
    static const char *const allowed[] = {
        "localhost", "LOCALHOST:6060", "127.0.0.1", "127.0.0.1:6060", "10.1.2.3:80", "[::1]", "[::1]:6060"};
    static const char *const refused[] = {
        "", ":", ":80", "rebound.example", "localhost.example", "127.0.0.1.example", "127.1", "localhost:80x",
        "localhost:80:80", "::1", "[::1", "[]", "[::1]x", "[localhost]", "localhost.", "user@localhost"};

    for (unsigned i = 0; i < sizeof allowed / sizeof *allowed; i++)
        ck_assert(mp_host_is_allowed(allowed[i], NULL, 0));
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++)
        ck_assert(!mp_host_is_allowed(refused[i], names, 2));
    ck_assert(mp_host_is_allowed("Profiles.Example:80", names, 2));
    ck_assert(mp_host_is_allowed("other", names, 2));
    ck_assert(!mp_host_is_allowed("profiles.example", NULL, 0));
}

static void
assert_address_4(const char *text, const char *address, unsigned port)
{
    struct sockaddr_storage storage;
    const struct sockaddr_in *four = (const struct sockaddr_in *)&storage;
    char found[INET_ADDRSTRLEN];

    ck_assert(mp_server_address(text, &storage));
    ck_assert_int_eq(four->sin_family, AF_INET);
    ck_assert_str_eq(inet_ntop(AF_INET, &four->sin_addr, found, sizeof found), address);
    ck_assert_uint_eq(ntohs(four->sin_port), port);
}

TEST(addresses)
{
    static const char *const wrong[] = {
        "", ":80", "here", "here:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "[::1]", "[::1:80",
        "::1:80", "[]:80", "[:80"};
    struct sockaddr_storage storage;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&storage;

    assert_address_4("6060", "127.0.0.1", 6060);
    assert_address_4("localhost:0", "127.0.0.1", 0);
    assert_address_4("0.0.0.0:65535", "0.0.0.0", 65535);
    ck_assert(mp_server_address("[::1]:80", &storage));
    ck_assert_int_eq(six->sin6_family, AF_INET6);
    ck_assert(IN6_IS_ADDR_LOOPBACK(&six->sin6_addr));
    ck_assert_uint_eq(ntohs(six->sin6_port), 80);
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert(!mp_server_address(wrong[i], &storage));
}
/* SPDX-License-Identifier: MIT */
