#include "send.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "retry.h"
#include "reporter/base/clock.h"

#define TRIES 3u                /* number of failures on the receiver's side until other profiles overtake */

static uint64_t
some_random(void)
{
    uint64_t random;

    return getrandom(&random, sizeof random, GRND_NONBLOCK) == (ssize_t)sizeof random ? random : mp_now();
}

/* Writes the reason of a failure to TEXT, for example "HTTP status 503: try later" or libcurl's message, and returns
 * TEXT. */
static const char *
reason(const struct mp_http_answer *answer, char text[300])
{
    if (answer->status == 0)
        snprintf(text, 300, "%s", answer->said);
    else
        snprintf(text, 300, "HTTP status %u%s%s", answer->status, answer->said[0] ? ": " : "", answer->said);
    return text;
}

/* Lets other profiles overtake NAME if this profile may be the reason why the receiver fails. */
static void
pass_over(struct mp_sender *sender, const char *name, const struct mp_http_answer *answer)
{
    char text[300];

    if (answer->status < 500 || answer->told || sender->failures < TRIES || strcmp(sender->passed, name) == 0)
        return;
    if (!sender->passed[0])
        fprintf(stderr, "mprof: %s: %s; other profiles go before this one now\n", sender->receiver,
                reason(answer, text));
    snprintf(sender->passed, sizeof sender->passed, "%s", name);
}

static void
put_off(struct mp_sender *sender, const struct mp_http_answer *answer)
{
    const bool news = !sender->passed[0] && (sender->failures == 0 || sender->status != answer->status);
    uint64_t wait;
    char text[300];

    sender->failures++;
    sender->status = answer->status;
    wait = mp_push_wait(sender->failures, some_random(), answer->after);
    sender->next = mp_now() + wait;
    if (news)
        fprintf(stderr, "mprof: %s: %s; the next try is in %.1f s\n", sender->receiver, reason(answer, text),
                (double)wait / 1e9);
}

/* Notes that the profile NAME was taken or refused for good, so the receiver answers again. */
static void
over(struct mp_sender *sender, const char *name)
{
    const bool was_passed = strcmp(sender->passed, name) == 0;

    if (was_passed)
        sender->passed[0] = '\0';
    if (was_passed || (sender->failures > 0 && !sender->passed[0]))
        fprintf(stderr, "mprof: %s answers again\n", sender->receiver);
    sender->failures = 0;
}

static enum mp_push_verdict
judge(const struct mp_http_answer *answer)
{
    return answer->untrusted ? MP_PUSH_WRONG_PLACE : mp_push_verdict(answer->status, answer->told);
}

enum mp_sending
mp_send_one(struct mp_sender *sender, struct mp_error *error)
{
    struct mp_http_request request;
    struct mp_http_answer answer;
    char name[MP_QUEUE_NAME];
    struct mp_letter letter;
    enum mp_push_verdict verdict;
    char text[300];

    if (!mp_queue_take(sender->queue, sender->passed, &letter))
        return MP_SENDING_NONE;
    request = (struct mp_http_request){.url = letter.url, .type = letter.type, .key = letter.name,
                                       .bytes = letter.body, .size = letter.size};
    mp_http_post(sender->http, &request, &answer);
    verdict = judge(&answer);
    memcpy(name, letter.name, sizeof name);
    mp_queue_done(sender->queue, &letter, verdict == MP_PUSH_TAKEN || verdict == MP_PUSH_NEVER);
    switch (verdict) {
    case MP_PUSH_TAKEN:
        over(sender, name);
        sender->sent++;
        return MP_SENDING_ONE;
    case MP_PUSH_NEVER:
        over(sender, name);
        sender->refused++;
        fprintf(stderr, "mprof: %s refused a profile, which will not be sent again: %s\n", sender->receiver,
                reason(&answer, text));
        return MP_SENDING_ONE;
    case MP_PUSH_LATER:
        put_off(sender, &answer);
        pass_over(sender, name, &answer);
        return MP_SENDING_LATER;
    default:
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", sender->receiver, reason(&answer, text));
        return MP_SENDING_STOP;
    }
}
