/* SPDX-License-Identifier: MIT */
#include "server.h"

#include "config.h"

#if HAVE_MICROHTTPD

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"
#include "reporter/base/clock.h"

#define CONNECTIONS 32u                 /* maximum number of connections */
#define ACCEPTED (2 * CONNECTIONS)      /* maximum number that libmicrohttpd accepts; it includes dropped connections
                                           that are not yet closed */
#define WAITING 8u                      /* maximum number of clients that wait for deltas */
#define REQUEST_SIZE ((size_t)16 << 10) /* maximum size of a request's line and headers, bytes */
#define REQUEST_TIME UINT64_C(20000000000)      /* maximum ns for sending a request, since connecting or the previous
                                                   answer */
#define REPLY_TIME UINT64_C(120000000000)       /* maximum ns for reading an answer */
#define IDLE 20u                        /* maximum seconds without a byte */
#define TICK 100                        /* ms between checks of time limits */

/* A connected client. */
struct client {
    struct server *server;
    struct client *next;
    struct MHD_Connection *connection;
    int socket;
    uint64_t until;             /* time limit, after which it is dropped, ns, CLOCK_MONOTONIC */
    bool dropped;               /* it was disconnected */
    bool reads;                 /* it reads a complete answer */
    bool waits;                 /* it waits for a delta */
    uint64_t due;               /* when the delta is complete, ns, CLOCK_MONOTONIC; 0 afterwards */
    struct mp_http_question question;
    struct mp_delta delta;
    bool works;                 /* the worker makes REPLY in WORK; until then the connection is suspended */
    struct mp_work work;
    struct mp_reply reply;      /* answer of the worker; its status is 0 if it was not made */
};

struct server {
    struct mp_served *answers; /* used for requests that are answered at once */
    struct mp_served long_answers;     /* used by the worker's thread only */
    struct mp_worker *worker;
    bool ends;                  /* the worker has ended */
    const struct mp_server_options *options;
    struct MHD_Daemon *daemon;
    struct client *clients;
    unsigned n_waiting;
};

/* ---------------------------------------------------------------- clients */

static struct client *
client_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Frees the client's delta, which is needed until the reply was sent. */
static void
end_waiting(struct client *client)
{
    if (!client->waits)
        return;                 /* it has no delta */
    mp_delta_free(&client->delta);
    client->waits = false;
    client->server->n_waiting--;
}

static void
leave(struct client *client)
{
    struct client **link = &client->server->clients;

    while (*link != client)
        link = &(*link)->next;
    *link = client->next;
    end_waiting(client);
    free(client);
}

static bool
is_busy(const struct client *client)
{
    return client->waits || client->works || client->reads;
}

static void
drop(struct client *client)
{
    client->dropped = true;
    shutdown(client->socket, SHUT_RDWR);
}

/* Makes space for a new client, because connections that never send a request must not keep others out. Drops the
 * oldest client without an answer, or else the oldest one that reads an answer. */
static void
drop_oldest(struct server *server)
{
    struct client *idle = NULL, *reading = NULL;
    unsigned n = 0;

    for (struct client *client = server->clients; client; client = client->next) {      /* newest first */
        n += !client->dropped;
        if (!client->dropped && !is_busy(client))
            idle = client;
        else if (!client->dropped && client->reads)
            reading = client;
    }
    if (n >= CONNECTIONS && (idle || reading))
        drop(idle ? idle : reading);
}

static void
notice_connection(void *data, struct MHD_Connection *connection, void **context,
                  enum MHD_ConnectionNotificationCode what)
{
    struct server *server = data;
    struct client *client;

    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        leave(*context);
        return;
    }
    drop_oldest(server);
    client = mp_need(calloc(1, sizeof *client));
    client->server = server;
    client->connection = connection;
    client->socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    client->until = mp_now() + REQUEST_TIME;
    client->next = server->clients;
    server->clients = client;
    *context = client;
}

static void
notice_completed(void *data, struct MHD_Connection *connection, void **request,
                 enum MHD_RequestTerminationCode how)
{
    struct client *client = client_of(connection);

    (void)data;
    (void)request;
    (void)how;
    end_waiting(client);
    client->reads = false;
    client->until = mp_now() + REQUEST_TIME;
}

/* Resumes clients whose delta is complete, and drops clients that exceed their time limit. ALL resumes all waiting
 * clients at the end. */
static void
look_after_clients(struct server *server, bool all)
{
    const uint64_t time = mp_now();

    for (struct client *client = server->clients; client; client = client->next)
        if (client->waits && client->due != 0 && (all || client->due <= time)) {
            client->due = 0;
            client->until = time + REPLY_TIME;
            MHD_resume_connection(client->connection);
        } else if (all && client->works && client->reply.status == 0) {
            MHD_resume_connection(client->connection);  /* the worker ended before it made the reply */
        } else if (!client->waits && !client->works && client->until <= time) {
            drop(client);
        }
}

/* ---------------------------------------------------------------- requests */

static enum MHD_Result
send_reply(struct MHD_Connection *connection, const struct mp_reply *reply, bool close)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply->body.size, reply->body.text, MHD_RESPMEM_MUST_FREE);
    enum MHD_Result result;

    if (!response)
        mp_no_memory();
    client_of(connection)->reads = true;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Content-Security-Policy", "frame-ancestors 'none'");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    if (reply->status == 405)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    if (close)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    result = MHD_queue_response(connection, reply->status, response);
    MHD_destroy_response(response);
    return result;
}

/* Answers the client's request with the HTTP status STATUS (4xx or 5xx) and the text WHY, then closes the
 * connection. */
static enum MHD_Result
refuse(struct MHD_Connection *connection, unsigned status, const char *why)
{
    struct mp_reply reply;

    mp_answer_line(status, why, &reply);
    return send_reply(connection, &reply, true);
}

struct host {
    unsigned n;
    const char *text;
};

static enum MHD_Result
take_host(void *data, enum MHD_ValueKind kind, const char *key, const char *value)
{
    struct host *host = data;

    (void)kind;
    if (strcasecmp(key, "Host") == 0) {
        host->n++;
        host->text = value;
    }
    return MHD_YES;
}

/* Checks a request. Returns 0 if it may be answered. Otherwise returns the HTTP status and stores a message in
 * *WHY. */
static unsigned
objection(const struct server *server, struct MHD_Connection *connection, const char *method, const char **why)
{
    struct host host = {0};

    MHD_get_connection_values(connection, MHD_HEADER_KIND, take_host, &host);
    *why = "one Host header, please";
    if (host.n != 1 || !host.text)
        return 400;
    *why = "not by this name: see --allow-host in mprof-serve(1)";
    if (!mp_host_is_allowed(host.text, server->options->names, server->options->n_names))
        return 403;
    *why = "GET and HEAD only";
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return 405;
    *why = "no content, please";
    if (MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING))
        return 413;
    method = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return method && strcmp(method, "0") != 0 ? 413 : 0;
}

/* Makes the reply to a client. Runs in the worker's thread. */
static void
make_reply(struct mp_work *work)
{
    struct client *client = (struct client *)((char *)work - offsetof(struct client, work));

    mp_answer(&client->server->long_answers, &client->question, client->waits ? &client->delta : NULL, &client->reply);
    MHD_resume_connection(client->connection);
}

/* Answers fast requests at once and passes the others to the worker. */
static enum MHD_Result
begin_reply(struct client *client)
{
    const enum mp_page page = client->question.page;

    client->reply = (struct mp_reply){0};
    if (page == MP_PAGE_LIST || page == MP_PAGE_METRICS || client->server->ends) {
        mp_answer(client->server->answers, &client->question, client->waits ? &client->delta : NULL, &client->reply);
        client->until = mp_now() + REPLY_TIME;
        return send_reply(client->connection, &client->reply, false);
    }
    client->works = true;
    client->work.run = make_reply;
    MHD_suspend_connection(client->connection);
    mp_worker_add(client->server->worker, &client->work);
    return MHD_YES;
}

static enum MHD_Result
end_reply(struct client *client)
{
    client->works = false;
    client->until = mp_now() + REPLY_TIME;
    if (client->reply.status == 0)
        return refuse(client->connection, 503, "mprof serve ends");
    return send_reply(client->connection, &client->reply, false);
}

static enum MHD_Result
begin_delta(struct client *client)
{
    struct mp_served *answers = client->server->answers;
    const struct mp_subject *subject;
    struct mp_reply reply = {0};
    struct mp_error error;

    if (client->server->n_waiting == WAITING)
        return refuse(client->connection, 503, "too many wait for deltas already");
    subject = mp_answer_subject(answers, &client->question, &reply);
    if (!subject)
        return send_reply(client->connection, &reply, false);
    if (!mp_delta_begin(&client->delta, subject, &error))
        return refuse(client->connection, subject->pid ? 503 : 400, error.text);
    client->waits = true;
    client->server->n_waiting++;
    client->due = mp_now() + client->question.seconds * UINT64_C(1000000000);
    MHD_suspend_connection(client->connection);
    return MHD_YES;
}

static enum MHD_Result
handle(struct client *client, const char *path)
{
    struct MHD_Connection *connection = client->connection;
    const char *why, *pid, *seconds, *debug;
    unsigned status;

    if (client->works)
        return end_reply(client);
    if (client->waits)
        return begin_reply(client);
    pid = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "pid");
    seconds = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "seconds");
    debug = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "debug");
    status = mp_question_parse(path, pid, seconds, debug, &client->question, &why);
    if (status != 200)
        return refuse(connection, status, why);
    if (client->question.seconds > 0)
        return begin_delta(client);
    return begin_reply(client);
}

/* Handles a request. libmicrohttpd calls it when the headers are complete, when the request is complete, and when the
 * connection is resumed. */
static enum MHD_Result
take_request(void *data, struct MHD_Connection *connection, const char *path, const char *method,
             const char *version, const char *content, size_t *size, void **request)
{
    static char seen;
    const char *why;
    unsigned status;

    (void)version;
    (void)content;
    if (!*request) {
        *request = &seen;
        status = objection(data, connection, method, &why);
        return status ? refuse(connection, status, why) : MHD_YES;
    }
    if (*size > 0)
        return MHD_NO;
    return handle(client_of(connection), path);
}

/* ---------------------------------------------------------------- serving */

static void
print_place(const struct server *server)
{
    struct sockaddr_storage address = server->options->address;
    const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
    unsigned port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    char text[INET6_ADDRSTRLEN] = "";

    if (address.ss_family == AF_INET6)
        inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text);
    else
        inet_ntop(AF_INET, &four->sin_addr, text, sizeof text);
    printf(address.ss_family == AF_INET6 ? "mprof: http://[%s]:%u/\n" : "mprof: http://%s:%u/\n", text, port);
    fflush(stdout);
}

static void
be_silent(void *data, const char *format, va_list values)
{
    (void)data;
    (void)format;
    (void)values;
}

/* Returns a socket that listens at ADDRESS, or -1 with errno. libmicrohttpd could create it, but may lose the error
 * number. */
static int
listen_at(const struct sockaddr_storage *address)
{
    const int on = 1;
    const bool six = address->ss_family == AF_INET6;
    const int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int why;

    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        (!six || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0) &&
        bind(fd, (const struct sockaddr *)address,
             six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in)) == 0 &&
        listen(fd, SOMAXCONN) == 0)
        return fd;
    why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

bool
mp_serve(struct mp_served *answers, const struct mp_server_options *options,
         const volatile sig_atomic_t *until, struct mp_error *error)
{
    struct server server = {.answers = answers, .long_answers = *answers, .options = options};
    const unsigned six = options->address.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0;
    const int listens = listen_at(&options->address);

    if (listens < 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot listen there: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
    errno = 0;
    server.daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | six, 0, NULL, NULL, take_request, &server,
        MHD_OPTION_EXTERNAL_LOGGER, be_silent, NULL,
        MHD_OPTION_LISTEN_SOCKET, listens,
        MHD_OPTION_CONNECTION_LIMIT, ACCEPTED,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, REQUEST_SIZE,
        MHD_OPTION_CONNECTION_TIMEOUT, IDLE,
        MHD_OPTION_NOTIFY_CONNECTION, notice_connection, &server,
        MHD_OPTION_NOTIFY_COMPLETED, notice_completed, NULL,
        MHD_OPTION_END);
    if (!server.daemon)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot listen there: %s",
                       errno ? strerror(errno) : "libmicrohttpd does not say why");
    server.long_answers.subjects =
        (struct mp_subjects){.wanted = answers->subjects.wanted, .n_wanted = answers->subjects.n_wanted};
    server.long_answers.metrics = (struct mp_metrics){0};
    server.worker = mp_worker_start();
    print_place(&server);
    while (*until == 0) {
        MHD_run_wait(server.daemon, TICK);
        look_after_clients(&server, false);
    }
    mp_worker_end(server.worker);
    server.ends = true;
    look_after_clients(&server, true);
    MHD_run(server.daemon);
    MHD_stop_daemon(server.daemon);
    mp_subjects_free(&server.long_answers.subjects);
    return true;
}

#else

bool
mp_serve(struct mp_served *answers, const struct mp_server_options *options,
         const volatile sig_atomic_t *until, struct mp_error *error)
{
    (void)answers;
    (void)options;
    (void)until;
    return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "this mprof was built without libmicrohttpd");
}

#endif
