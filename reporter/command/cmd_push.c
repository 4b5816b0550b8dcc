/*
 * mprof push: sends recordings to a receiver of profiles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http.h"
#include "interrupt.h"
#include "options.h"
#include "reporter/base/arena.h"
#include "reporter/base/text_file.h"
#include "reporter/push/push.h"
#include "reporter/run/process.h"
#include "reporter/symbols/symbols.h"
#include "view_options.h"

#define LONGEST 86400u          /* maximum number of seconds of an option */
#define QUEUE_USUAL ((uint64_t)64 << 20)
#define QUEUE_MOST  ((unsigned long)1 << 30)
#define HEADER_SIZE 4096u       /* maximum size of a header, bytes */

enum {
    OPT_EVERY = 512, OPT_NAME, OPT_LABEL, OPT_HEADER, OPT_TIMEOUT, OPT_PATIENCE, OPT_QUEUE, OPT_SPOOL,
    OPT_CA, OPT_SINCE, OPT_WHOLE
};

static const struct argp_option options[] = {
    {"every", OPT_EVERY, "SECONDS", 0, "Send process PID now and so often until it ends, and then once more", 1},
    {"format", 'F', "FORMAT", 0,
     "What the receiver is: pyroscope; parca; or pprof (the default), which gets profiles as they are", 1},
    {"since", OPT_SINCE, NULL, 0,
     "With --every: send what was allocated since the last time (the default for pyroscope)", 1},
    {"whole", OPT_WHOLE, NULL, 0, "With --every: send what was allocated since recording began (for others)", 1},
    {"name", OPT_NAME, "NAME", 0, "What the application is called, if not as its program", 1},
    {"label", OPT_LABEL, "NAME=VALUE", MP_OPTION_MANY, "A label of all profiles.  May be given several times", 1},
    {"header", OPT_HEADER, "NAME: VALUE|@FILE", MP_OPTION_MANY,
     "A header of all requests, or those that stand in FILE, a line each, where nobody else reads them", 2},
    {"cacert", OPT_CA, "FILE", 0, "Trust the certificates in FILE, and not those that the system trusts", 2},
    {"timeout", OPT_TIMEOUT, "SECONDS", 0, "Wait so long (30) for an answer", 2},
    {"patience", OPT_PATIENCE, "SECONDS", 0, "In the end try so long (60) to send what is left", 2},
    {"queue", OPT_QUEUE, "BYTES", 0, "So many bytes (64M) may wait to be sent; then the oldest are given up", 2},
    {"spool", OPT_SPOOL, "DIR", 0, "Where they wait, if not in mprof/push in XDG_STATE_HOME or ~/.local/state", 2},
    {0},
};

struct input {
    struct mp_view_input view;
    struct mp_push_options push;
    struct mp_label labels[MP_LABELS_MOST];
    char *headers[MP_HTTP_HEADERS_MOST];
    const char **files;         /* data files and process ids */
    unsigned n_files;
    int how;                    /* OPT_SINCE or OPT_WHOLE; 0 for the form's default */
};

/* ---------------------------------------------------------------- headers */

/* Returns whether TEXT is a valid header, "Name: value", without control characters. */
static bool
is_header(const char *text)
{
    const size_t name = strcspn(text, ":");

    if (name == 0 || text[name] != ':' || strlen(text) >= HEADER_SIZE)
        return false;
    for (size_t i = 0; i < name; i++)
        if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f)
            return false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\t')
            return false;
    return text[name + 1 + strspn(text + name + 1, " \t")] != '\0';
}

/* Adds the header TEXT. Error messages do not contain it, because it may be secret. */
static error_t
add_header(struct input *input, const char *text)
{
    static const char *const ours[] = {"Content-Type:", "Content-Length:", "Transfer-Encoding:", "Idempotency-Key:"};
    struct mp_http_options *http = &input->push.http;

    if (!is_header(text))
        return mp_options_refuse("--header: NAME: VALUE is wanted, or @FILE with such lines");
    for (unsigned i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strncasecmp(text, ours[i], strlen(ours[i])) == 0)
            return mp_options_refuse("--header: %s is mprof's own", ours[i]);
    if (http->n_headers == MP_HTTP_HEADERS_MOST)
        return mp_options_refuse("--header: more than %u of them", MP_HTTP_HEADERS_MOST);
    input->headers[http->n_headers++] = mp_need(strdup(text));
    return 0;
}

static error_t
add_header_file(struct input *input, const char *path)
{
    struct mp_text_file file;
    struct mp_error error;
    error_t wrong = 0;
    unsigned n = 0;
    char *line;

    if (!mp_text_file_open(&file, path, &error))
        return mp_options_refuse("--header=@%s", error.text);
    for (; wrong == 0 && (line = mp_text_file_line(&file, &error)); n += *line != '\0')
        if (*line)
            wrong = add_header(input, line);
    if (!mp_text_file_close(&file))
        return mp_options_refuse("--header=@%s", error.text);
    return wrong != 0 || n > 0 ? wrong : mp_options_refuse("--header=@%s: there is none in it", path);
}

/* ---------------------------------------------------------------- other options */

static error_t
set_form(struct input *input, const char *name)
{
    input->push.what.form = mp_push_form_named(name);
    return input->push.what.form ? 0 : mp_options_wrong("pprof, pyroscope or parca");
}

static error_t
set_name(struct input *input, const char *name)
{
    input->push.what.name = name;
    return mp_push_name_is_fit(name) ? 0 : mp_options_wrong("letters, digits, -, . and _ only");
}

/* ---------------------------------------------------------------- arguments */

static error_t
take_arguments(struct input *input, const char **arguments, unsigned n)
{
    input->push.what.url = arguments[0];
    input->push.pid = n == 2 ? mp_process_meant(arguments[1]) : 0;
    for (unsigned i = 1; i < n && n > 2; i++)
        if (mp_process_meant(arguments[i]) != 0)
            return mp_options_refuse("one process at a time, and no files with it");
    input->push.files = arguments + 1;
    input->push.n_files = input->push.pid != 0 ? 0 : n - 1;
    return 0;
}

static error_t
check(const struct input *input)
{
    const struct mp_push_options *push = &input->push;
    const struct mp_push_what *what = &push->what;
    struct mp_error error = {0};

    if (!what->url)
        return mp_options_refuse("no URL to send to");
    if (!mp_http_check(what->url, &error))
        return mp_options_refuse("%s", error.text);
    if (*what->form->path && strchr(what->url, '?'))
        return mp_options_refuse("'%s': without what begins with ?, please: %s has its own", what->url,
                                 what->form->name);
    if (push->every > 0 && push->pid == 0)
        return mp_options_refuse("--every is for a process that runs: mprof push URL PID");
    if (input->how != 0 && push->every == 0)
        return mp_options_refuse("--since and --whole are for --every: once, all that is recorded is sent");
    for (unsigned i = 0; i < what->n_labels; i++)
        if (!mp_push_label_check(what->form, &what->labels[i], &error))
            return mp_options_refuse("%s", error.text);
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
    case 'F':
        return set_form(input, arg);
    case OPT_EVERY:
        return mp_options_count(arg, 1, LONGEST, &input->push.every);
    case OPT_SINCE:
    case OPT_WHOLE:
        input->how = key;
        return 0;
    case OPT_NAME:
        return set_name(input, arg);
    case OPT_LABEL:
        return mp_options_label(arg, "NAME", input->labels, &input->push.what.n_labels);
    case OPT_HEADER:
        return arg[0] == '@' ? add_header_file(input, arg + 1) : add_header(input, arg);
    case OPT_CA:
        input->push.http.authority = arg;
        return 0;
    case OPT_TIMEOUT:
        return mp_options_count(arg, 1, LONGEST, &input->push.http.timeout);
    case OPT_PATIENCE:
        return mp_options_count(arg, 0, LONGEST, &input->push.patience);
    case OPT_QUEUE:
        return mp_options_bytes(arg, QUEUE_MOST, &input->push.most);
    case OPT_SPOOL:
        input->push.spool = arg;
        return 0;
    case ARGP_KEY_ARGS:
        return take_arguments(input, (const char **)state->argv + state->next, (unsigned)(state->argc - state->next));
    case ARGP_KEY_END:
        return check(input);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&mp_names_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    options, parse, MP_PUSH_ARGUMENTS,
    "Send what is recorded by process PID, or in data files, to the receiver of profiles at URL: once, or, of a "
    "process, every few seconds.  Without either, send what still waits.\v"
    "What cannot be sent waits in files, and is tried again, also by the next mprof push to the same URL.",
    children, NULL, NULL};

static bool
push(struct input *input, struct mp_error *error)
{
    struct mp_push_options *how = &input->push;
    bool ok;

    how->what.view = input->view.view;
    how->what.executable = input->view.executable;
    how->since = how->every > 0 && (input->how ? input->how == OPT_SINCE : how->what.form->since);
    how->http.until = mp_until_interrupted();
    how->http.progress = isatty(STDERR_FILENO);
    mp_symbols_keep_files(true);
    ok = mp_push(how, error);
    mp_symbols_keep_files(false);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT,
                          .push = {.what.form = &mp_push_forms[0], .http.timeout = 30, .patience = 60,
                                   .most = QUEUE_USUAL}};
    int status;

    input.push.what.labels = input.labels;
    input.push.http.headers = (const char *const *)input.headers;
    status = mp_options_parse(&parser, "push", argc, argv, 0, &input, error);
    if (status < 0)
        status = mp_exit_status(push(&input, error), error);
    for (unsigned i = 0; i < input.push.http.n_headers; i++)
        free(input.headers[i]);
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_http_push = {"push", MP_PUSH_SUMMARY, &parser, run};
