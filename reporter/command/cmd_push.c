/*
 * mprof push: sends recordings to a receiver of profiles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http_commands.h"
#include "interrupt.h"
#include "option_table.h"
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

struct input {
    struct mp_view_input view;
    struct mp_push_options push;
    struct mp_label labels[MP_LABELS_MOST];
    char *headers[MP_HTTP_HEADERS_MOST];
    char **arguments;           /* URL, data files and process ids, ending with NULL */
    enum { BY_FORM, SINCE, WHOLE } how;     /* what --every sends; BY_FORM is the form's default */
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
static bool
add_header(struct input *input, const char *text)
{
    static const char *const ours[] = {"Content-Type:", "Content-Length:", "Transfer-Encoding:", "Idempotency-Key:"};
    struct mp_http_options *http = &input->push.http;

    if (!is_header(text))
        return mp_options_refuse("--header: expected NAME: VALUE, or @FILE with such lines");
    for (unsigned i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strncasecmp(text, ours[i], strlen(ours[i])) == 0)
            return mp_options_refuse("--header: mprof itself sets %s", ours[i]);
    if (http->n_headers == MP_HTTP_HEADERS_MOST)
        return mp_options_refuse("--header: more than %u headers", MP_HTTP_HEADERS_MOST);
    input->headers[http->n_headers++] = mp_need(strdup(text));
    return true;
}

static bool
add_header_file(struct input *input, const char *path)
{
    struct mp_text_file file;
    struct mp_error error;
    bool ok = true;
    unsigned n = 0;
    char *line;

    if (!mp_text_file_open(&file, path, &error))
        return mp_options_refuse("--header=@%s", error.text);
    for (; ok && (line = mp_text_file_line(&file, &error)); n += *line != '\0')
        ok = !*line || add_header(input, line);
    if (!mp_text_file_close(&file))
        return mp_options_refuse("--header=@%s", error.text);
    return ok && (n > 0 || mp_options_refuse("--header=@%s: contains no header", path));
}

static bool
parse_header(const struct mp_option *option, char *text, void *to)
{
    (void)option;
    return text[0] == '@' ? add_header_file(to, text + 1) : add_header(to, text);
}

/* ---------------------------------------------------------------- other options */

static const char *
form_word(unsigned i)
{
    return i < mp_n_push_forms ? mp_push_forms[i].name : NULL;
}

static bool
parse_form(const struct mp_option *option, char *text, void *to)
{
    const struct mp_push_form **form = to;
    unsigned index;

    *form = mp_push_form_named(text);
    return *form || mp_options_word(option, text, strlen(text), &index);
}

static bool
parse_name(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    input->push.what.name = text;
    return mp_push_name_is_fit(text) || mp_options_wrong("only letters, digits, -, . and _ are allowed");
}

static bool
parse_label(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    return mp_options_label(text, "NAME", input->labels, &input->push.what.n_labels);
}

static const struct mp_option options[] = {
    {"every", 0, "SECONDS", "Send process PID now, every SECONDS until it ends, and once at its end",
     MP_COUNT(struct input, push.every, 1, LONGEST)},
    {"format", 'F', "FORMAT",
     "Send to a receiver of the kind pyroscope, parca, or pprof (the default), which gets plain profiles",
     MP_STORED(parse_form, const struct mp_push_form *, struct input, push.what.form), .word = form_word},
    {"since", 0, NULL, "With --every, send what was allocated since the previous profile (the default for pyroscope)",
     MP_CHOICE(struct input, how, SINCE)},
    {"whole", 0, NULL, "With --every, send what was allocated since recording began (the default for others)",
     MP_CHOICE(struct input, how, WHOLE)},
    {"name", 0, "NAME", "Set the name of the application (default: the name of its program)", parse_name},
    {"label", 0, "NAME=VALUE", "Add a label to all profiles; may be given several times", parse_label, .many = true},
    {.help = ""},
    {"header", 0, "NAME: VALUE|@FILE",
     "Add a header to all requests; with @FILE, add the lines of FILE, which hides them from the command line",
     parse_header, .many = true},
    {"cacert", 0, "FILE", "Trust the certificates in FILE instead of the system's",
     MP_TEXT(struct input, push.http.authority)},
    {"timeout", 0, "SECONDS", "Wait at most SECONDS (default 30) for an answer",
     MP_COUNT(struct input, push.http.timeout, 1, LONGEST)},
    {"patience", 0, "SECONDS", "At the end, try for SECONDS (default 60) to send waiting profiles",
     MP_COUNT(struct input, push.patience, 0, LONGEST)},
    {"queue", 0, "BYTES", "Store at most BYTES (default 64M) of waiting profiles; delete the oldest if there are more",
     MP_BYTES(struct input, push.most, QUEUE_MOST)},
    {"spool", 0, "DIR", "Store waiting profiles in DIR (default: mprof/push in XDG_STATE_HOME or ~/.local/state)",
     MP_TEXT(struct input, push.spool)},
    {0},
};

/* ---------------------------------------------------------------- arguments */

static bool
take_arguments(struct input *input)
{
    char **arguments = input->arguments;
    unsigned n = 0;

    if (!arguments)
        return mp_options_refuse("no URL is given");
    while (arguments[n])
        n++;
    input->push.what.url = arguments[0];
    input->push.pid = n == 2 ? mp_process_meant(arguments[1]) : 0;
    for (unsigned i = 1; i < n && n > 2; i++)
        if (mp_process_meant(arguments[i]) != 0)
            return mp_options_refuse("a process cannot be combined with files or other processes");
    input->push.files = (const char **)arguments + 1;
    input->push.n_files = input->push.pid != 0 ? 0 : n - 1;
    return true;
}

static bool
check(void *to)
{
    struct input *input = to;
    const struct mp_push_options *push = &input->push;
    const struct mp_push_what *what = &push->what;
    struct mp_error error = {0};

    if (!take_arguments(input))
        return false;
    if (!mp_http_check(what->url, &error))
        return mp_options_refuse("%s", error.text);
    if (*what->form->path && strchr(what->url, '?'))
        return mp_options_refuse("'%s': a URL for %s must not contain ?", what->url, what->form->name);
    if (push->every > 0 && push->pid == 0)
        return mp_options_refuse("--every requires a running process: mprof push URL PID");
    if (input->how && push->every == 0)
        return mp_options_refuse("--since and --whole require --every; without it, the whole recording is sent");
    for (unsigned i = 0; i < what->n_labels; i++)
        if (!mp_push_label_check(what->form, &what->labels[i], &error))
            return mp_options_refuse("%s", error.text);
    return true;
}

static bool
push(struct input *input, struct mp_error *error)
{
    struct mp_push_options *how = &input->push;
    bool ok;

    how->what.view = input->view.view;
    how->what.executable = input->view.executable;
    how->since = how->every > 0 && (input->how ? input->how == SINCE : how->what.form->since);
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
    status = mp_options_parse(&mp_http_push, argc, argv, &input, error);
    if (status < 0)
        status = mp_exit_status(push(&input, error), error);
    for (unsigned i = 0; i < input.push.http.n_headers; i++)
        free(input.headers[i]);
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_http_push = {
    "push", MP_PUSH_SUMMARY, run,
    .options = options, .groups = {MP_NAMES_GROUP(struct input, view)},
    .argument = {.value = MP_PUSH_ARGUMENTS, MP_FILES(struct input, arguments)}, .check = check,
    .doc = "Send the recording of process PID, or of data files, to the receiver of profiles at URL, once or every few "
           "seconds.  Without a process and files, send the profiles that are still waiting.",
    .notes = "Profiles that cannot be sent wait in files.  This or the next mprof push to the same URL tries again.",
};
