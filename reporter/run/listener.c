/* SPDX-License-Identifier: MIT */
#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "mounts.h"
#include "preloadable.h"
#include "reporter/base/clock.h"
#include "reporter/base/error.h"
#include "reporter/base/file_at.h"
#include "reporter/base/open_file.h"
#include "reporter/base/text.h"
#include "reporter/file/live_writer.h"
#include "reporter/profile/missing.h"
#include "reporter/symbols/symbols.h"
#include "run_files.h"
#include "runtime/format.h"
#include "runtime/runner_message.h"
#include "runtime/template.h"

#define MOST_UNRECORDED 1000u   /* different programs and reasons; others are counted together */
#define MOST_STARTED    65536u  /* programs that did not begin to record yet */
#define MOST_CHECKED    64u
#define MOST_NAMES      100u    /* as the monitor tries */
#define MOST_BYTES      ((off_t)1 << 32)        /* of a file that is handed over */
#define FUSE            0x65735546      /* FUSE_SUPER_MAGIC; the server of a file could make readers wait */

/* A file that a process handed over because it cannot be found by its name. */
struct mp_handed {
    int fd;
    pid_t pid;                  /* pid of the process in this pid namespace */
    char path[PATH_MAX];        /* path at which the process wanted to create the file */
};

/* A program that a process executes. */
struct mp_started {
    pid_t pid;
    const char *why;            /* why it cannot be recorded; NULL if it could */
    char program[NAME_MAX + 1];
};

/* A program that was checked before. */
struct mp_checked_program {
    dev_t device;
    ino_t inode;
    struct timespec changed;
    uid_t user;
    gid_t group;
    const char *why;
};

/* A message with the credentials and the descriptor that the kernel adds. */
struct received {
    struct mp_runner_message head;
    char text[PATH_MAX];
    struct ucred from;
    int fd;                     /* -1 if none */
};

/* ---------------------------------------------------------------- lists */

/* These functions run in a thread, where running out of memory must not end mprof. So they use malloc() directly, and
 * drop an element if there is no memory. */

/* Returns LIST of N elements of SIZE bytes, at least one of which can be added, or NULL. */
static void *
grow(void *list, uint32_t n, size_t size)
{
    return n % 16 == 0 ? reallocarray(list, n + 16, size) : list;
}

static void
add_unrecorded(struct mp_listener *listener, const char *program, const char *why)
{
    struct mp_unrecorded_list *to = &listener->unrecorded;
    struct mp_unrecorded *list = (struct mp_unrecorded *)(uintptr_t)to->list;
    uint32_t i = 0;

    if (to->n >= MOST_UNRECORDED)
        program = "other programs", why = "for various reasons";
    while (i < to->n && (strcmp(list[i].program, program) != 0 || strcmp(list[i].why, why) != 0))
        i++;
    if (i < to->n) {
        list[i].n++;
        return;
    }
    list = grow(list, to->n, sizeof *list);
    if (!list)
        return;
    to->list = list;
    list[to->n] = (struct mp_unrecorded){strdup(program), strdup(why), 1};
    to->n += list[to->n].program && list[to->n].why;
}

/* Returns the last program of LISTENER that process PID executes and that did not begin to record, or NULL. */
static struct mp_started *
find_started(const struct mp_listener *listener, pid_t pid)
{
    for (uint32_t i = listener->n_started; i-- > 0;)
        if (listener->started[i].pid == pid)
            return &listener->started[i];
    return NULL;
}

static void
forget_started(struct mp_listener *listener, struct mp_started *started)
{
    *started = listener->started[--listener->n_started];
}

static bool
has_ended(pid_t pid)
{
    const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    bool ended = fd < 0 && errno == ESRCH;

    if (fd >= 0) {
        ended = poll(&end, 1, 0) > 0;
        close(fd);
    }
    return ended;
}

/* Adds the program of STARTED to the unrecorded ones. Called if the program has ended or its process has executed
 * another one before the program began to record. Static programs never begin to record. */
static void
was_not_recorded(struct mp_listener *listener, const struct mp_started *started)
{
    add_unrecorded(listener, started->program, started->why ? started->why : "ended before libmprof.so was loaded");
}

/* ---------------------------------------------------------------- messages */

/* Returns the reason behind "NAME: " in the message of ERROR. */
static char *
reason_of(const struct mp_error *error, const char *name)
{
    const size_t n = strlen(name);

    return strdup(strncmp(error->text, name, n) == 0 && strncmp(error->text + n, ": ", 2) == 0 ? error->text + n + 2
                                                                                               : error->text);
}

/* Returns why the program in MESSAGE cannot be preloaded, or NULL. */
static const char *
check(struct mp_listener *listener, const struct received *message, const char *name)
{
    struct mp_checked_program *known = listener->checked;
    struct mp_error error;
    struct stat status;

    if (message->fd < 0 || fstat(message->fd, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    for (uint32_t i = 0; i < listener->n_checked; i++)
        if (known[i].device == status.st_dev && known[i].inode == status.st_ino &&
            known[i].changed.tv_sec == status.st_ctim.tv_sec && known[i].changed.tv_nsec == status.st_ctim.tv_nsec &&
            known[i].user == message->from.uid && known[i].group == message->from.gid)
            return known[i].why;
    if (!known || listener->n_checked == MOST_CHECKED) {
        known = listener->checked = known ? known : calloc(MOST_CHECKED, sizeof *known);
        listener->n_checked = 0;
    }
    if (!known)
        return NULL;
    known += listener->n_checked++;
    *known = (struct mp_checked_program){status.st_dev, status.st_ino, status.st_ctim, message->from.uid,
                                         message->from.gid, NULL};
    if (!mp_program_check_open(message->fd, name, message->from.uid, message->from.gid, &error))
        known->why = reason_of(&error, name);
    return known->why;
}

/* Returns why the program in MESSAGE will not be recorded, or NULL if it probably will. */
static const char *
why_not(struct mp_listener *listener, const struct received *message, const char *name)
{
    static const char *const reasons[MP_REACH_END] = {
        [MP_REACH_SANITIZER] = "needs a sanitizer as its first library",
        [MP_REACH_NO_LIBRARY] = "cannot read libmprof.so as its user or in its root directory",
        [MP_REACH_NO_FILE] = "cannot create a data file",
        [MP_REACH_UNFIT] = "cannot be preloaded"};
    const char *why = check(listener, message, name);

    return why ? why : message->head.value < MP_REACH_END ? reasons[message->head.value] : NULL;
}

static void
take_start(struct mp_listener *listener, const struct received *message)
{
    const bool spawned = message->head.pid != 0;
    const pid_t pid = spawned ? (pid_t)message->head.pid : message->from.pid;
    struct mp_started new = {.pid = pid}, *list = listener->started, *before;

    snprintf(new.program, sizeof new.program, "%s", *message->text ? mp_text_basename(message->text) : "a program");
    new.why = why_not(listener, message, new.program);
    if (spawned && message->head.sender != (uint32_t)message->from.pid) {
        if (new.why)                    /* head.pid is of another pid namespace, so nothing more is learned */
            was_not_recorded(listener, &new);
        return;
    }
    for (uint32_t i = 0; spawned && i < MP_MOST_EARLY; i++)
        if (listener->early[i] == pid) {
            listener->early[i] = 0;
            return;
        }
    before = find_started(listener, pid);
    if (before) {
        was_not_recorded(listener, before);
        forget_started(listener, before);
    }
    if (listener->n_started == MOST_STARTED || !(list = grow(list, listener->n_started, sizeof *list)))
        return;
    listener->started = list;
    list[listener->n_started++] = new;
}

/* Notes that the program which process PID has executed has begun to record, or has decided not to. */
static void
take_arrival(struct mp_listener *listener, pid_t pid)
{
    struct mp_started *started = find_started(listener, pid);

    if (started)
        forget_started(listener, started);
    else
        listener->early[listener->n_early++ % MP_MOST_EARLY] = pid;
}

/* Returns whether the file with STATUS has the name PATH here. */
static bool
has_name(const char *path, const struct stat *status)
{
    struct stat by_name;

    return lstat(path, &by_name) == 0 && by_name.st_dev == status->st_dev && by_name.st_ino == status->st_ino;
}

/* Returns whether the process of MESSAGE has appended a suffix to the name of its file, which has STATUS. The process
 * does so when it has executed another program, which records to a file with the name. */
static bool
has_suffix(const struct received *message, const struct stat *status)
{
    const char *name = mp_text_basename(message->text), *name_now;
    char now[PATH_MAX], path[2 * PATH_MAX];

    mp_open_path(message->fd, now);
    name_now = mp_text_basename(now);
    /* The folder of `now` may be written in another way, without `..` and symbolic links. */
    snprintf(path, sizeof path, "%.*s%s", (int)(name - message->text), message->text, name_now);
    return strncmp(name_now, name, strlen(name)) == 0 && has_name(path, status);
}

/* Returns whether MESSAGE has a regular file to which the name in MESSAGE does not lead here. Returns false if the file
 * had a name and was removed since. */
static bool
is_out_of_sight(const struct received *message)
{
    struct stat status;
    struct statfs system;

    return message->fd >= 0 && fstat(message->fd, &status) == 0 && S_ISREG(status.st_mode) &&
           fstatfs(message->fd, &system) == 0 && system.f_type != FUSE &&
           (message->head.value != 0 || status.st_nlink > 0) &&
           !has_name(message->text, &status) && !has_suffix(message, &status);
}

/* Makes the file of MESSAGE be sealed early if it belongs to another process than the program that mprof run started,
 * and if that program has begun to record. Until that program has begun, the file of MESSAGE may turn out to be the one
 * whose figures mprof run prints. */
static void
seal_early(struct mp_listener *listener, const struct received *message)
{
    const struct mp_runner_message *head = &message->head;

    if (!listener->seals || head->value != 0)
        return;
    if (message->from.pid != listener->program) {
        if (listener->program_records && message->fd >= 0)
            mp_early_add(&listener->sealed, listener, message->from.pid, message->fd, message->text);
    } else if (head->sender == (uint32_t)listener->program &&
               mp_run_file_may_have(message->text, listener->template, head->sender)) {
        listener->program_records = true;
        mp_children_begin(&listener->children, listener->run_id, listener->template, message->text);
    }
}

/* Keeps the file of MESSAGE open if mprof run cannot find it by its name. */
static void
take_file(struct mp_listener *listener, struct received *message)
{
    struct mp_handed *list;

    if (!is_out_of_sight(message) || !(list = grow(listener->handed, listener->n_handed, sizeof *list)))
        return;
    listener->handed = list;
    list += listener->n_handed++;
    *list = (struct mp_handed){.fd = message->fd, .pid = message->from.pid};
    memcpy(list->path, message->text, sizeof list->path);
    message->fd = -1;
}

static void
take(struct mp_listener *listener, struct received *message)
{
    const struct mp_runner_message *head = &message->head;
    char why[MP_WHY_SIZE];
    struct mp_started *started;

    switch (head->kind) {
    case MP_RUNNER_STARTS:
        take_start(listener, message);
        break;
    case MP_RUNNER_NOT_STARTED:
        started = find_started(listener, message->from.pid);
        if (started)
            forget_started(listener, started);
        break;
    case MP_RUNNER_CODE:
        if (message->fd >= 0)
            mp_symbols_hold(message->fd);
        break;
    case MP_RUNNER_BEGUN:
    case MP_RUNNER_NONE:
        if (head->started)
            take_arrival(listener, message->from.pid);
        if (head->kind == MP_RUNNER_BEGUN) {
            seal_early(listener, message);
            take_file(listener, message);
        } else if (head->value != 0) {
            add_unrecorded(listener, mp_text_basename(message->text), mp_missing_no_file(head->value, why));
        }
        break;
    default:
        break;
    }
}

/* Receives MESSAGE. Returns false if there will be no more. */
static bool
receive(int from, struct received *message)
{
    union { struct cmsghdr head; char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))]; } control;
    struct iovec parts[] = {{&message->head, sizeof message->head}, {message->text, sizeof message->text - 1}};
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = &control,
                            .msg_controllen = sizeof control};
    ssize_t n;

    memset(message, 0, offsetof(struct received, text));
    message->from = (struct ucred){.pid = 0};
    message->fd = -1;
    /* ECONNRESET means that the last process did not receive the names of all spare files; messages may follow. */
    while ((n = recvmsg(from, &header, MSG_CMSG_CLOEXEC)) < 0 && (errno == EINTR || errno == ECONNRESET))
        continue;
    for (struct cmsghdr *at = n > 0 ? CMSG_FIRSTHDR(&header) : NULL; at; at = CMSG_NXTHDR(&header, at)) {
        if (at->cmsg_level == SOL_SOCKET && at->cmsg_type == SCM_CREDENTIALS)
            memcpy(&message->from, CMSG_DATA(at), sizeof message->from);
        else if (at->cmsg_level == SOL_SOCKET && at->cmsg_type == SCM_RIGHTS)
            memcpy(&message->fd, CMSG_DATA(at), sizeof message->fd);
    }
    message->text[n > (ssize_t)sizeof message->head ? (size_t)n - sizeof message->head : 0] = '\0';
    if (n > 0 && n < (ssize_t)sizeof message->head)
        message->head.kind = 0;
    return n > 0;
}

static void *
listen_to_all(void *data)
{
    struct mp_listener *listener = data;
    struct received message;

    while (receive(listener->ours, &message)) {
        take(listener, &message);
        if (message.fd >= 0)
            close(message.fd);
    }
    return NULL;
}

/* ---------------------------------------------------------------- files */

/* Copies the content of FROM to TO, which is empty. Holes stay holes. FROM may change meanwhile, but the copy ends,
 * because each step advances towards the size that FROM had at first. Returns false and sets errno on failure. */
static bool
copy(int from, int to)
{
    static char bytes[1 << 16];
    struct stat status;
    off_t at = 0;

    if (fstat(from, &status) != 0)
        return false;
    if (status.st_size > MOST_BYTES) {
        errno = EFBIG;
        return false;
    }
    if (ftruncate(to, status.st_size) != 0)
        return false;
    while (at < status.st_size && (at = lseek(from, at, SEEK_DATA)) >= 0) {
        const off_t left = status.st_size - at;
        const ssize_t n = pread(from, bytes, left < (off_t)sizeof bytes ? (size_t)left : sizeof bytes, at);

        if (n < 0 || pwrite(to, bytes, (size_t)n, at) != n)
            return false;
        if (n == 0)
            break;
        at += n;
    }
    return true;
}

/* Creates a file for HANDED with HEADER. Uses the name that the process wanted if the template allows it and it is
 * free, and otherwise a free name of the template with a suffix. */
static bool
create(const struct mp_listener *listener, const struct mp_handed *handed, const struct mp_live_header *header,
       struct mp_file_at *file)
{
    char path[PATH_MAX];
    size_t length;

    if (mp_run_file_may_have(handed->path, listener->template, header->pid) && mp_file_at_create(handed->path, file))
        return true;
    if (mp_template_expand(listener->template, header->pid, "other", path, sizeof path - 32) != 0)
        return false;
    length = strlen(path);
    for (unsigned i = 2; i < MOST_NAMES; i++) {
        snprintf(path + length, sizeof path - length, ".%lu.%u", (unsigned long)header->pid, i);
        if (mp_file_at_create(path, file))
            return true;
        if (errno != EEXIST)
            break;
    }
    return false;
}

/* Writes HEADER to FILE, a copy of HANDED's file. Marks the recording as ended, because a process that continues does
 * not write to the copy. Checks the fields that identify the process, because another user may have made the header. */
static bool
settle(const struct mp_handed *handed, struct mp_live_header *header, const struct mp_file_at *file)
{
    struct stat status;

    header->control = (struct mp_live_control){0};      /* so that it refers to no other file */
    header->inode = file->inode;
    if (header->state == MP_STATE_RUNNING && !has_ended(handed->pid) &&
        (header->pid != (uint32_t)handed->pid || header->start_ticks == mp_process_start_ticks(header->pid))) {
        header->state = MP_STATE_FULL;
        header->stop_errno = EPIPE;
        header->end_monotonic = mp_now();
    }
    return pwrite(file->fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
           fstat(handed->fd, &status) == 0 &&
           (status.st_uid == file->owner || fchown(file->fd, status.st_uid, (gid_t)-1) == 0);
}

/* Returns whether the file of HANDED is in FOUND or is observed, so that it is sealed without a copy. This is the case
 * if the file was renamed before the listener received its message. */
static bool
is_found(const struct mp_listener *listener, const struct mp_handed *handed, const struct mp_run_files *found)
{
    const struct mp_observer *observer = listener->observer;
    struct stat status;
    bool is;

    if (fstat(handed->fd, &status) != 0)
        return false;
    is = mp_run_files_listed(found, status.st_dev, status.st_ino) != NULL;
    for (uint32_t i = 0; observer && i < observer->n && !is; i++)
        is = observer->files[i].device == status.st_dev && observer->files[i].inode == status.st_ino;
    return is;
}

/* Writes the file that HANDED refers to where it would be found, if it is a data file of this run. */
static void
write_file(struct mp_listener *listener, const struct mp_handed *handed)
{
    static struct mp_live_header header;
    const char *name = mp_text_basename(handed->path);
    struct mp_file_at file;
    char why[MP_WHY_SIZE];

    if (pread(handed->fd, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        memcmp(header.magic, MP_LIVE_MAGIC, sizeof header.magic) != 0 ||
        memcmp(header.run_id, listener->run_id, sizeof header.run_id) != 0 || header.unwanted == 1)
        return;
    if (header.pid == (uint32_t)listener->program)
        header.pid = (uint32_t)handed->pid;     /* no other process can pass for the program */
    if (!create(listener, handed, &header, &file)) {
        add_unrecorded(listener, name, mp_missing_no_file((uint32_t)errno, why));
        return;
    }
    if (!copy(handed->fd, file.fd) || !settle(handed, &header, &file)) {
        add_unrecorded(listener, name, mp_missing_no_file((uint32_t)errno, why));
        mp_file_at_remove(&file);
    }
    mp_file_at_close(&file);
}

/* Writes the files that were handed over. */
static void
write_files(struct mp_listener *listener)
{
    struct mp_run_files found = {0};

    if (listener->n_handed > 0)
        mp_run_files_find(listener->template, listener->run_id, NULL, 0, &found);
    for (uint32_t i = 0; i < listener->n_handed; i++) {
        if (!is_found(listener, &listener->handed[i], &found))
            write_file(listener, &listener->handed[i]);
        close(listener->handed[i].fd);
    }
    mp_run_files_free(&found);
}

/* ---------------------------------------------------------------- from outside */

void
mp_listener_open(struct mp_listener *listener, const char *path, const char *template, const uint64_t run_id[2],
                 const struct mp_observer *observer, bool seals)
{
    const int on = 1;
    struct stat status;
    int ends[2];

    *listener = (struct mp_listener){.ours = -1, .theirs = -1, .template = template, .run_id = run_id,
                                     .observer = observer, .seals = seals};
    mp_mounts_find(path, listener->mounts);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    listener->ours = ends[0];
    listener->theirs = ends[1];
    setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    if (fstat(ends[1], &status) == 0)
        listener->inode = status.st_ino;
}

int
mp_listener_pass(const struct mp_listener *listener)
{
    int high = -1;

    for (int least = 900; least >= 100 && high < 0 && listener->theirs >= 0; least /= 3)
        high = fcntl(listener->theirs, F_DUPFD, least);
    return high;
}

void
mp_listener_begin(struct mp_listener *listener, pid_t program)
{
    struct rlimit limit;

    listener->program = program;
    if (listener->theirs >= 0)
        close(listener->theirs);
    listener->theirs = -1;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;        /* a descriptor for each file that is handed over */
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    listener->listens = listener->ours >= 0 && pthread_create(&listener->thread, NULL, listen_to_all, listener) == 0;
}

void
mp_listener_end(struct mp_listener *listener)
{
    if (listener->ours < 0)
        return;
    shutdown(listener->ours, SHUT_RDWR);        /* recvmsg() returns the messages sent before, and then 0 */
    if (listener->listens)
        pthread_join(listener->thread, NULL);
    else
        listen_to_all(listener);
    for (uint32_t i = 0; i < listener->n_started; i++)
        if (listener->started[i].why || has_ended(listener->started[i].pid))
            was_not_recorded(listener, &listener->started[i]);
    write_files(listener);
    mp_early_end(&listener->sealed);
    mp_spares_end(&listener->spares);
    close(listener->ours);
    listener->ours = -1;
}
