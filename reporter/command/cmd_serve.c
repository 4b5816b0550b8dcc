/*
 * mprof serve: serves recordings over HTTP.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"
#include "interrupt.h"
#include "options.h"
#include "reporter/serve/server.h"
#include "reporter/symbols/symbols.h"
#include "view_options.h"

#define MOST_NAMES 32u
#define DEFAULT_PLACE "127.0.0.1:6060"

enum { OPT_LISTEN = 512, OPT_ALLOW_HOST };

static const struct argp_option options[] = {
    {"listen", OPT_LISTEN, "ADDRESS:PORT", 0,
     "Where to listen (" DEFAULT_PLACE "); others than this machine reach it at other addresses only", 1},
    {"allow-host", OPT_ALLOW_HOST, "NAME", MP_OPTION_MANY,
     "Clients may call it NAME, too, and not by its address only", 1},
    {0},
};

struct input {
    struct mp_view_input view;
    struct mp_server_options server;
    const char *names[MOST_NAMES];
    const char **wanted;
    unsigned n_wanted;
};

static error_t
add_name(struct input *input, const char *name)
{
    if (input->server.n_names == MOST_NAMES)
        return mp_options_wrong("one too many");
    input->names[input->server.n_names++] = name;
    return 0;
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->view;
        return 0;
    case OPT_LISTEN:
        if (!mp_server_address(arg, &input->server.address))
            return mp_options_wrong("not a port, nor an address with one");
        return 0;
    case OPT_ALLOW_HOST:
        return add_name(input, arg);
    case ARGP_KEY_ARGS:
        input->wanted = (const char **)state->argv + state->next;
        input->n_wanted = (unsigned)(state->argc - state->next);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&mp_names_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    options, parse, MP_SERVE_ARGUMENTS,
    "Serve what is recorded over HTTP: profiles as Go's services have them, reports as pages, and metrics "
    "for Prometheus, of the processes PID and of data files, or, without any, of all of the user's processes "
    "that record.\vIt listens at " DEFAULT_PLACE ", which only this machine reaches; / lists what there is.",
    children, NULL, NULL};

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
        .subjects = {.wanted = input->wanted, .n_wanted = input->n_wanted},
        .view = input->view.view, .executable = input->view.executable};
    volatile sig_atomic_t *interrupted;
    bool ok;

    if (!mp_subjects_check(&answers.subjects, error))
        return false;
    input->server.names = input->names;
    interrupted = mp_until_interrupted();
    if (!is_loopback(&input->server.address))
        fputs("mprof: whoever reaches this address sees what is recorded\n", stderr);
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
    status = mp_options_parse(&parser, "serve", argc, argv, 0, &input, error);
    if (status < 0)
        status = mp_exit_status(serve(&input, error), error);
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_http_serve = {"serve", MP_SERVE_SUMMARY, &parser, run};
