#include "http.h"

#include "config.h"

#if HAVE_LIBCURL

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/text.h"

#define CONNECT_TIME 10L        /* maximum seconds for connecting to a receiver */

struct mp_http {
    const struct mp_http_options *options;
    CURL *curl;
    bool was_interrupted;       /* `until` was already nonzero before this request */
    time_t began, shown;        /* start of the request, and the last time when progress was shown, seconds since
                                   1970 */
    char body[512];             /* beginning of the answer */
    size_t n_body;              /* number of bytes in `body` */
    char problem[CURL_ERROR_SIZE];
};

/* ---------------------------------------------------------------- addresses */

static bool
check_parts(const char *text, CURLU *url, struct mp_error *error)
{
    char *scheme = NULL, *user = NULL;
    bool ok = false;

    if (curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK)
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "'%s' is no URL; one is http://localhost:4040", text);
    else if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "'%s': http and https only", text);
    else if (curl_url_get(url, CURLUPART_USER, &user, 0) == CURLUE_OK)
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                "a URL with a name or password is seen by whoever lists processes: --header=@FILE, please");
    else if (strchr(text, '#'))
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "'%s': without what begins with #, please", text);
    else
        ok = true;
    curl_free(scheme);
    curl_free(user);
    return ok;
}

bool
mp_http_check(const char *text, struct mp_error *error)
{
    CURLU *url = mp_need(curl_url());
    bool ok = check_parts(text, url, error);

    curl_url_cleanup(url);
    return ok;
}

/* ---------------------------------------------------------------- opening and closing */

struct mp_http *
mp_http_open(const struct mp_http_options *options, struct mp_error *error)
{
    struct mp_http *http;

    if (options->authority && access(options->authority, R_OK) != 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: cannot be read", options->authority);
        return NULL;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "libcurl cannot begin");
        return NULL;
    }
    http = mp_need(calloc(1, sizeof *http));
    http->options = options;
    http->curl = mp_need(curl_easy_init());
    return http;
}

void
mp_http_close(struct mp_http *http)
{
    if (!http)
        return;
    curl_easy_cleanup(http->curl);
    curl_global_cleanup();
    free(http);
}

/* ---------------------------------------------------------------- a request */

static size_t
take_body(char *bytes, size_t size, size_t n, void *data)
{
    struct mp_http *http = data;
    size_t all = size * n, room = sizeof http->body - http->n_body, part = all < room ? all : room;

    memcpy(http->body + http->n_body, bytes, part);
    http->n_body += part;
    return all;
}

/* Shows the time since the request began, at most once a second, if progress was requested. */
static void
show_progress(struct mp_http *http)
{
    const time_t now = time(NULL);

    if (!http->options->progress || now == http->shown || now <= http->began)
        return;
    http->shown = now;
    fprintf(stderr, "\r\033[Kmprof: sending, %lld s", (long long)(now - http->began));
    fflush(stderr);
}

/* Called by libcurl during a request. A nonzero result ends the request. */
static int
look_around(void *data, curl_off_t down, curl_off_t down_now, curl_off_t up, curl_off_t up_now)
{
    struct mp_http *http = data;

    (void)down;
    (void)down_now;
    (void)up;
    (void)up_now;
    show_progress(http);
    return *http->options->until && !http->was_interrupted;
}

static void
add(struct curl_slist **list, const char *header)
{
    *list = mp_need(curl_slist_append(*list, header));
}

/* Returns the headers of REQUEST. libcurl uses the first one of each name, so the user's cannot replace ours. */
static struct curl_slist *
headers_of(const struct mp_http_options *options, const struct mp_http_request *request)
{
    struct curl_slist *list = NULL;
    char line[256];

    snprintf(line, sizeof line, "Content-Type: %s", request->type);
    add(&list, line);
    snprintf(line, sizeof line, "Idempotency-Key: \"%s\"", request->key);
    add(&list, line);
    add(&list, "Expect:");
    for (unsigned i = 0; i < options->n_headers; i++)
        add(&list, options->headers[i]);
    return list;
}

static void
set_up(struct mp_http *http, const struct mp_http_request *request, struct curl_slist *headers)
{
    CURL *curl = http->curl;
    const long timeout = (long)http->options->timeout;

    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, request->url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->bytes);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "mprof/" PACKAGE_VERSION);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, timeout);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, timeout < CONNECT_TIME ? timeout : CONNECT_TIME);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->problem);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_around);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, http);
    if (http->options->authority)
        curl_easy_setopt(curl, CURLOPT_CAINFO, http->options->authority);
}

/* Stores the first line of the answer in ANSWER, or the new location if it is a redirection. */
static void
take_words(struct mp_http *http, struct mp_http_answer *answer)
{
    char *location = NULL;
    size_t length = 0;

    curl_easy_getinfo(http->curl, CURLINFO_REDIRECT_URL, &location);
    if (location) {
        length = (size_t)snprintf(answer->said, sizeof answer->said, "it is at ");
        mp_text_clean_into(answer->said + length, sizeof answer->said - length, location, strlen(location));
        return;
    }
    while (length < http->n_body && http->body[length] != '\n' && http->body[length] != '\r')
        length++;
    mp_text_clean_into(answer->said, sizeof answer->said, http->body, length);
}

void
mp_http_post(struct mp_http *http, const struct mp_http_request *request, struct mp_http_answer *answer)
{
    struct curl_slist *headers = headers_of(http->options, request);
    curl_off_t after = 0;
    long status = 0;
    CURLcode code;

    *answer = (struct mp_http_answer){0};
    http->n_body = 0;
    http->problem[0] = '\0';
    http->was_interrupted = *http->options->until;
    set_up(http, request, headers);
    http->began = time(NULL);
    http->shown = 0;
    code = curl_easy_perform(http->curl);
    if (http->shown != 0)
        fputs("\r\033[K", stderr);
    curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200) {        /* the status counts even if the rest of the answer is missing */
        curl_easy_getinfo(http->curl, CURLINFO_RETRY_AFTER, &after);
        take_words(http, answer);
    } else {
        const char *why = http->problem[0] ? http->problem : curl_easy_strerror(code);

        if (code == CURLE_ABORTED_BY_CALLBACK)
            why = "interrupted";
        mp_text_clean_into(answer->said, sizeof answer->said, why, strlen(why));
    }
    answer->status = status >= 200 ? (unsigned)status : 0;
    answer->untrusted = status < 200 && (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE);
    answer->told = after > 0;
    answer->after = after > 0 ? (uint64_t)after : 0;
    curl_slist_free_all(headers);
}

#else

bool
mp_http_check(const char *url, struct mp_error *error)
{
    (void)url;
    (void)error;
    return true;                /* mp_http_open() will report that nothing can be sent */
}

struct mp_http *
mp_http_open(const struct mp_http_options *options, struct mp_error *error)
{
    (void)options;
    mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "this mprof was built without libcurl");
    return NULL;
}

void
mp_http_close(struct mp_http *http)
{
    (void)http;
}

void
mp_http_post(struct mp_http *http, const struct mp_http_request *request, struct mp_http_answer *answer)
{
    (void)http;
    (void)request;
    *answer = (struct mp_http_answer){.said = "this mprof was built without libcurl"};
}

#endif
