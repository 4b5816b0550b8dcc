#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/push/queue.h"
#include "tests/unit/folder.h"

static struct mp_queue queue;
static struct mp_error error;

static void
set_up(void)
{
    ck_assert(mp_queue_open(&queue, folder(), "http://h", 1000, &error));
}

static void
tear_down(void)
{
    mp_queue_close(&queue);
}

static void
write_one(const char *text, char name[MP_QUEUE_NAME])
{
    ck_assert(mp_queue_write(&queue, "http://h/x", "text/plain", text, strlen(text), name, &error));
}

static void
put(const char *text)
{
    char name[MP_QUEUE_NAME];

    write_one(text, name);
    mp_queue_show(&queue, name);
}

/* Checks that the oldest profile has the content TEXT, and removes it if REMOVE. */
static void
assert_next(const char *text, bool remove)
{
    struct mp_letter letter;

    ck_assert(mp_queue_take(&queue, "", &letter));
    ck_assert_str_eq(letter.url, "http://h/x");
    ck_assert_str_eq(letter.type, "text/plain");
    ck_assert_uint_eq(letter.size, strlen(text));
    ck_assert_mem_eq(letter.body, text, letter.size);
    mp_queue_done(&queue, &letter, remove);
}

FIXTURE(set_up, tear_down)

TEST(what_comes_first_goes_first)
{
    struct mp_letter letter;

    put("one");
    put("");
    put("three\n\n");
    ck_assert_uint_eq(mp_queue_length(&queue), 3);
    assert_next("one", false);
    assert_next("one", true);
    assert_next("", true);
    assert_next("three\n\n", true);
    ck_assert(!mp_queue_take(&queue, "", &letter));
    ck_assert_uint_eq(queue.given_up, 0);
}

TEST(what_is_not_shown_is_not_there)
{
    struct mp_letter letter;
    char name[MP_QUEUE_NAME], other[MP_QUEUE_NAME];

    write_one("one", name);
    write_one("two", other);
    ck_assert(!mp_queue_take(&queue, "", &letter));
    mp_queue_show(&queue, name);
    mp_queue_show(&queue, name);
    mp_queue_forget(&queue, name);
    mp_queue_forget(&queue, other);
    mp_queue_show(&queue, other);
    ck_assert_uint_eq(mp_queue_length(&queue), 1);
    assert_next("one", true);
    mp_queue_show(&queue, name);        /* it was sent */
    ck_assert_uint_eq(mp_queue_length(&queue), 0);
}

TEST(who_sends_has_it_alone)
{
    struct mp_letter one, two;
    struct mp_queue other;

    ck_assert(mp_queue_open(&other, folder(), "http://h", 1000, &error));
    put("one");
    put("two");
    ck_assert(mp_queue_take(&queue, "", &one));
    ck_assert(mp_queue_take(&other, "", &two));
    ck_assert_mem_eq(two.body, "two", 3);
    mp_queue_done(&other, &two, false);
    mp_queue_done(&queue, &one, true);
    ck_assert(mp_queue_take(&other, "", &two));
    ck_assert_mem_eq(two.body, "two", 3);
    mp_queue_done(&other, &two, true);
    mp_queue_close(&other);
}

TEST(the_oldest_give_way)
{
    char text[400], name[MP_QUEUE_NAME];
    struct mp_letter letter;

    memset(text, 'x', sizeof text);
    text[300] = '\0';
    for (char c = 'a'; c < 'd'; c++) {
        text[0] = c;
        put(text);              /* less than 350 bytes with its head, so two fit and three do not */
    }
    ck_assert_uint_eq(mp_queue_length(&queue), 2);
    ck_assert_uint_eq(queue.given_up, 1);
    ck_assert(mp_queue_take(&queue, "", &letter));
    ck_assert_int_eq(*(const char *)letter.body, 'b');
    text[0] = 'd';
    put(text);                  /* a profile that is being sent stays */
    mp_queue_done(&queue, &letter, false);
    ck_assert_uint_eq(queue.given_up, 2);
    text[0] = 'b';
    assert_next(text, true);
    text[0] = 'd';
    assert_next(text, true);
    queue.most = 300;
    ck_assert(!mp_queue_write(&queue, "u", "t", text, 300, name, &error));
    ck_assert_uint_eq(mp_queue_length(&queue), 0);
}

TEST(what_is_damaged_is_given_up)
{
    static const char *const bad[] = {"", "x", "mprof-push 1\n", "mprof-push 1\nhttp://h",
                                      "mprof-push 1\nhttp://h\ntype",
                                      "mprof-push 2\nhttp://h\ntype\nbody"};
    const unsigned n = sizeof bad / sizeof *bad;
    struct mp_letter letter;

    for (unsigned i = 0; i < n; i++) {
        char name[16];
        int fd;

        snprintf(name, sizeof name, "%u.profile", i);
        fd = openat(queue.fd, name, O_WRONLY | O_CREAT, 0600);
        ck_assert_int_eq(write(fd, bad[i], strlen(bad[i])), (ssize_t)strlen(bad[i]));
        close(fd);
    }
    put("good");
    assert_next("good", true);
    ck_assert(!mp_queue_take(&queue, "", &letter));
    ck_assert_uint_eq(queue.given_up, n);
    ck_assert_uint_eq(mp_queue_length(&queue), 0);
}

TEST(receivers_have_folders_of_their_own)
{
    struct mp_queue other;

    put("one");
    ck_assert(mp_queue_open(&other, folder(), "http://i", 1000, &error));
    ck_assert_str_ne(queue.folder, other.folder);
    ck_assert_uint_eq(mp_queue_length(&other), 0);
    mp_queue_close(&other);
    ck_assert_int_eq(chmod(queue.folder, 0770), 0);
    ck_assert(!mp_queue_open(&other, folder(), "http://h", 1000, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "others may write there"));
}
