/* A child of a standby becomes the command that a client wants: it takes over what the client has. */
#include "process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

/* What is open has a position, flags and locks (flock), which a fork shares. So each child opens again what the boot
 * has open, at the same position. (/proc leads to the same file even if it has another name now, by a link, or none.)
 * Returns whether none is shared any more. */
static bool
open_again(void)
{
    for (int fd = STDERR_FILENO + 1; fd < FD_SETSIZE; fd++) {
        char path[32];
        if (!FD_ISSET(fd, &ws_the_process.opened_again)) continue;
        int again = ws_the_process.first_copy[fd], kept = fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0;
        if (again == fd) {
            snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
            again = open(path, (fcntl(fd, F_GETFL) & ~O_NOFOLLOW) | O_CLOEXEC | O_NOCTTY);
            if (again < 0) return false;
            /* (ext4 has the place from which a folder is listed when it is first listed. If that is its end, it stays
             * so after a rewind: ext4_dx_readdir.) */
            char entries[1024];
            off_t at = lseek(fd, 0, SEEK_CUR);
            if (at > 0) syscall(SYS_getdents64, again, entries, sizeof entries);
            lseek(again, at, SEEK_SET);
        }
        bool copied = dup3(again, fd, kept) == fd;
        if (again != ws_the_process.first_copy[fd]) close(again);
        if (!copied) return false;
    }
    return true;
}

static void
take_descriptors(void)
{
    for (uint32_t i = 0; i < ws_the_process.request.descriptors; i++) {
        dup2(ws_the_process.descriptors[i], ws_the_process.numbers[i]);
        close(ws_the_process.descriptors[i]);
    }
    ws_the_process.request.descriptors = 0;
}

/* ---- the environment ---- */

static size_t
count(char *const *list)
{
    size_t count = 0;
    while (list[count]) count++;
    return count;
}

char **
ws_process_copy_environment(void)
{
    size_t size = count(environ);
    char **copy = calloc(size + 1, sizeof *copy);
    for (size_t i = 0; copy && i < size; i++)
        if (!(copy[i] = strdup(environ[i]))) return NULL;
    return copy;
}

/* Where in a list the entry of the same name is, or its end. */
static char **
find_variable(char **list, const char *entry)
{
    size_t size = strcspn(entry, "=");
    while (*list && !(strncmp(*list, entry, size) == 0 && (*list)[size] == '=')) list++;
    return list;
}

/* Puts an entry in the place of the one that has the same name, or at the end. */
static void
put(char **list, char *entry)
{
    if (strchr(entry, '=')) *find_variable(list, entry) = entry;
}

static void
drop(char **list, const char *entry)
{
    for (list = find_variable(list, entry); *list; list++) *list = list[1];
}

/* The client's environment, with what the boot has changed laid over it; NULL if there is no memory. (The entries stay
 * in it. It is made before the child is the command, from when on nothing may fail.) */
static char **
make_environment(void)
{
    char *texts = ws_the_process.texts, **before = ws_the_process.first_environment;
    char **now = before ? ws_process_copy_environment() : NULL;
    if (!now) return NULL;
    size_t room = count(now) + 1;
    for (uint32_t i = 0; i < ws_the_process.request.environment; i++) room += !texts[i];
    char **list = calloc(room, sizeof *list);
    if (!list) return NULL;
    for (char *entry = texts; entry < texts + ws_the_process.request.environment; entry += strlen(entry) + 1)
        put(list, entry);
    /* (setenv leaves a variable in its place. What the boot has set anew, or taken away and set again, is at the end.)
     */
    bool at_end = false;
    for (char **entry = now, **last = before; *entry; entry++) {
        char **old = find_variable(before, *entry);
        at_end = at_end || !*old || old < last;
        last = old;
        if (at_end) drop(list, *entry);
        else if (strcmp(*old, *entry) == 0) continue;
        put(list, *entry);
    }
    for (char **entry = before; *entry; entry++)
        if (!*find_variable(now, *entry)) drop(list, *entry);
    ws_the_process.texts = NULL;
    return list;
}

/* ---- the whole ---- */

void
ws_process_take_over(void)
{
    if (!ws_the_process.forks) return;
    ws_the_process.forks = false;
    char go = 0;
    struct timeval patience = { .tv_sec = 10 };
    setsockopt(ws_the_process.connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ws_process_stop_listening();
    if (ws_the_process.leader >= 0) close(ws_the_process.leader);
    for (int i = 0; i < ws_the_process.command_count; i++) {
        close(ws_the_process.commands[i].connection);
        close(ws_the_process.commands[i].ended);
    }
    if (setpgid(0, ws_the_process.request.same_session ? ws_the_process.request.group : 0) != 0) setpgid(0, 0);
    char **environment = make_environment();
    bool able = environment && open_again() && ws_process_can_write_kept();
    if (!able || recv(ws_the_process.connection, &go, 1, 0) != 1 || go != 'g') _exit(0);
    /* From here on it is the command, unless the client hears no answer any more (say_go in command.c). */
    if (!ws_process_answer(ws_the_process.connection, getpid(), 0)) _exit(0);
    ws_process_restore_signals();
    take_descriptors();
    environ = environment;
    ws_process_write_kept();
    ws_process_forget_request();
}
