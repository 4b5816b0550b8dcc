/* SPDX-License-Identifier: MIT */
#include "terminal.h"

#include "config.h"

#ifdef HAVE_NCURSESW

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "reporter/base/fit.h"
#include "reporter/base/term.h"

/* ---------------------------------------------------------------- restoring */

static struct termios modes;            /* saved terminal modes */
static char restoring[256];             /* bytes that restore the screen */
static size_t n_restoring;
static volatile sig_atomic_t taken;
static SCREEN *screen;

/* Signals that end a process by default. */
static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
                             SIGTERM, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};

/* Restores the terminal and raises the signal again. SA_RESETHAND has restored its default action. */
static void
restore_and_die(int signal)
{
    if (taken) {
        taken = 0;
        if (write(STDOUT_FILENO, restoring, n_restoring) < 0)
            _exit(128 + signal);        /* the terminal is gone */
        tcsetattr(STDIN_FILENO, TCSANOW, &modes);
    }
    raise(signal);
}

static int
keep_byte(int byte)
{
    if (n_restoring < sizeof restoring)
        restoring[n_restoring++] = (char)byte;
    return byte;
}

/* Prepares the bytes that ncurses would write at the end: no attributes, normal keys and cursor, and the primary
 * screen. */
static void
prepare_restoring(void)
{
    static const char *const names[] = {"sgr0", "rmkx", "cnorm", "rmcup"};

    n_restoring = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = tigetstr(names[i]);

        if (text && text != (char *)-1)
            tputs(text, 1, keep_byte);
    }
}

/* Catches the deadly signals that are not ignored. */
static void
catch_signals(void)
{
    struct sigaction action = {.sa_handler = restore_and_die,
                               .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)}, before;

    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(deadly[i], &action, NULL);
}

void
mp_terminal_close(void)
{
    if (!taken)
        return;
    endwin();
    taken = 0;
    delscreen(screen);
    screen = NULL;
}

/* ---------------------------------------------------------------- opening */

bool
mp_terminal_open(struct mp_error *error)
{
    const char *name = getenv("TERM");
    static bool prepared;

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &modes) != 0)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET,
                       "this is no terminal; mprof top -b prints instead");
    if (!prepared) {
        prepared = true;
        catch_signals();
        atexit(mp_terminal_close);
    }
    taken = 1;
    screen = newterm(NULL, stdout, stdin);
    if (!screen) {
        taken = 0;
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET,
                       "the terminal '%s' is not known here; mprof top -b prints instead",
                       name ? name : "");
    }
    prepare_restoring();
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(50);
    curs_set(0);
    if (mp_term_color(MP_COLOR_AUTO) && has_colors() && start_color() == OK) {
        use_default_colors();
        init_pair(1, COLOR_CYAN, -1);
    }
    return true;
}

void
mp_terminal_size(unsigned *width, unsigned *height)
{
    int y, x;

    getmaxyx(stdscr, y, x);
    *width = (unsigned)x;
    *height = (unsigned)y;
}

/* ---------------------------------------------------------------- showing */

static attr_t
attributes_of(enum mp_picture_look look)
{
    switch (look) {
    case MP_LOOK_HEAD:
        return A_BOLD;
    case MP_LOOK_COLUMNS:
        return A_BOLD | (COLOR_PAIRS > 1 && mp_term_color(MP_COLOR_AUTO) ? COLOR_PAIR(1) : A_UNDERLINE);
    case MP_LOOK_CHOSEN:
        return A_REVERSE;
    default:
        return A_NORMAL;
    }
}

/* Shows TEXT. If the locale is not UTF-8, replaces each column of a non-ASCII character with a question mark. */
static void
show_text(const char *text)
{
    const bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    struct mp_fit fit;
    unsigned width;

    if (utf8) {
        addstr(text);
        return;
    }
    fit = mp_fit_begin();
    while (*text) {
        size_t bytes = mp_fit_measure(text, &width);

        if (bytes == 1 && (unsigned char)*text < 0x80)
            addch((chtype)(unsigned char)*text);
        else
            for (unsigned i = 0; i < width; i++)
                addch('?');
        text += bytes;
    }
    mp_fit_end(&fit);
}

void
mp_terminal_show(const struct mp_picture *picture)
{
    erase();
    for (unsigned i = 0; i < picture->n; i++) {
        attr_t attributes = attributes_of(picture->rows[i].look);

        move((int)i, 0);
        attr_set(attributes & ~A_COLOR, (short)PAIR_NUMBER((int)attributes), NULL);
        show_text(picture->rows[i].text);
        if (picture->rows[i].look == MP_LOOK_CHOSEN)
            chgat(-1, A_REVERSE, 0, NULL);
    }
    attrset(A_NORMAL);
    refresh();
}

/* ---------------------------------------------------------------- keys */

static uint32_t
function_key(wint_t key)
{
    static const struct {
        wint_t curses;
        enum mp_key key;
    } keys[] = {
        {KEY_RESIZE, MP_KEY_RESIZED}, {KEY_UP, MP_KEY_UP}, {KEY_DOWN, MP_KEY_DOWN},
        {KEY_LEFT, MP_KEY_LEFT}, {KEY_RIGHT, MP_KEY_RIGHT}, {KEY_PPAGE, MP_KEY_PAGE_UP},
        {KEY_NPAGE, MP_KEY_PAGE_DOWN}, {KEY_HOME, MP_KEY_HOME}, {KEY_END, MP_KEY_END},
        {KEY_ENTER, MP_KEY_ENTER}, {KEY_BACKSPACE, MP_KEY_BACKSPACE}, {KEY_DC, MP_KEY_BACKSPACE},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].curses == key)
            return keys[i].key;
    return MP_KEY_NONE;
}

/* Reads a key that was already typed, perhaps buffered by ncurses. Returns ERR if no key was typed. */
static int
typed_key(wint_t *key)
{
    timeout(0);
    return get_wch(key);
}

uint32_t
mp_terminal_key(int ms)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    wint_t key;
    int kind = typed_key(&key);

    if (kind == ERR) {
        if (poll(&input, 1, ms) > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL)))
            return MP_KEY_GONE;
        kind = typed_key(&key);
    }
    if (kind == KEY_CODE_YES)
        return function_key(key);
    if (kind == ERR)
        return MP_KEY_NONE;
    switch (key) {
    case '\r':
    case '\n':
        return MP_KEY_ENTER;
    case 27:
        return MP_KEY_ESCAPE;
    case 8:
    case 127:
        return MP_KEY_BACKSPACE;
    default:
        return (uint32_t)key;
    }
}

#else /* without ncursesw */

bool
mp_terminal_open(struct mp_error *error)
{
    return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET,
                   "this mprof was built without ncursesw; mprof top -b prints instead");
}

void
mp_terminal_close(void)
{
}

void
mp_terminal_size(unsigned *width, unsigned *height)
{
    *width = *height = 0;
}

void
mp_terminal_show(const struct mp_picture *picture)
{
    (void)picture;
}

uint32_t
mp_terminal_key(int ms)
{
    (void)ms;
    return MP_KEY_GONE;
}

#endif
