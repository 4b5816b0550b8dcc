/* SPDX-License-Identifier: MIT */
/*
 * mprof serve: serves recordings over HTTP.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http_commands.h"
#include "interrupt.h"
#include "option_table.h"
#include "reporter/serve/server.h"
#include "reporter/symbols/symbols.h"
#include "view_options.h"

#define MOST_NAMES 32u
#define DEFAULT_PLACE "127.0.0.1:6060"

struct input {
    struct mp_view_input view;
    struct mp_server_options server;
    const char *names[MOST_NAMES];
    char **wanted;              /* data files and process ids, ending with NULL */
};

static bool
parse_listen(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    return mp_server_address(text, to) || mp_options_wrong("neither a port nor an address with a port");
}

static bool
parse_host(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    if (input->server.n_names == MOST_NAMES)
        return mp_options_wrong("more than %u names", MOST_NAMES);
    input->names[input->server.n_names++] = text;
    return true;
}

static const struct mp_option options[] = {
    {"listen", 0, "ADDRESS:PORT",
     "Listen here (default " DEFAULT_PLACE ", which other machines cannot reach)",
     MP_STORED(parse_listen, struct sockaddr_storage, struct input, server.address)},
    {"allow-host", 0, "NAME", "Also answer requests that call the server NAME; may be given several times", parse_host,
     .many = true},
    {0},
};

static bool
is_loopback(const struct sockaddr_storage *address)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;

    return address->ss_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&six->sin6_addr)
                                          : ntohl(four->sin_addr.s_addr) >> 24 == 127;
}

static bool
serve(struct input *input, struct mp_error *error)
{
    struct mp_served answers = {
        .subjects = {.wanted = (const char **)input->wanted},
        .view = input->view.view};
    volatile sig_atomic_t *interrupted;
    bool ok;

    while (input->wanted && input->wanted[answers.subjects.n_wanted])
        answers.subjects.n_wanted++;
    if (!mp_subjects_check(&answers.subjects, error))
        return false;
    input->server.names = input->names;
    interrupted = mp_until_interrupted();
    if (!is_loopback(&input->server.address))
        fputs("mprof: everybody who can reach this address can see the recordings\n", stderr);
    mp_symbols_keep_files(true);
    ok = mp_serve(&answers, &input->server, interrupted, error);
    mp_symbols_keep_files(false);
    mp_subjects_free(&answers.subjects);
    mp_metrics_free(&answers.metrics);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT};
    int status;

    mp_server_address(DEFAULT_PLACE, &input.server.address);
    status = mp_options_parse(&mp_http_serve, argc, argv, &input, error);
    if (status < 0)
        status = mp_exit_status(serve(&input, error), error);
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_http_serve = {
    "serve", MP_SERVE_SUMMARY, run,
    .options = options, .groups = {MP_NAMES_GROUP(struct input, view)},
    .argument = {.value = MP_SERVE_ARGUMENTS, MP_FILES(struct input, wanted)},
    .doc = "Serve recordings over HTTP: profiles in the format of Go's services, reports as pages, and metrics for "
           "Prometheus.  The recordings are those of processes PID, data files and directories, or by default of all "
           "the user's processes that are being recorded.",
    .notes = "The page / lists what is served.",
};
