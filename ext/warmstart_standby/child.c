/* A child of a standby becomes the command that a client wants: it takes over what the client has. */
#include "process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

/* Files and folders that the boot has opened for reading have a position, which a fork shares. So each child opens them
 * again, at the same position. (/proc leads to the same file even if it has another name now.) */
static void
reopen_what_is_read(void)
{
    for (int fd = STDERR_FILENO + 1; fd < FD_SETSIZE; fd++) {
        char path[32];
        if (!FD_ISSET(fd, &ws_the_process.read)) continue;
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        int again = open(path, fcntl(fd, F_GETFL) | O_CLOEXEC);
        if (again < 0) continue;
        lseek(again, lseek(fd, 0, SEEK_CUR), SEEK_SET);
        dup3(again, fd, fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
        close(again);
    }
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

char **
ws_process_copy_environment(void)
{
    size_t count = 0;
    while (environ[count]) count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) copy[i] = strdup(environ[i]);
    return copy;
}

/* The entry of a list that has the same name. */
static char *
find_variable(char *const *list, const char *entry)
{
    size_t size = strcspn(entry, "=");
    for (; *list; list++)
        if (strncmp(*list, entry, size) == 0 && (*list)[size] == '=') return *list;
    return NULL;
}

/* The client's environment, with what the boot has changed laid over it. (The entries stay in it.) */
static void
take_environment(void)
{
    char *texts = ws_the_process.texts, **before = ws_the_process.first_environment;
    char **now = ws_process_copy_environment();
    if (!now || !before) return;
    clearenv();
    ws_the_process.texts = NULL;
    for (char *entry = texts; entry < texts + ws_the_process.request.environment; entry += strlen(entry) + 1)
        if (strchr(entry, '=')) putenv(entry);
    for (char **entry = now; *entry; entry++) {
        const char *old = find_variable(before, *entry);
        if (strchr(*entry, '=') && !(old && strcmp(old, *entry) == 0)) putenv(*entry);
    }
    for (char **entry = before; *entry; entry++) {
        if (find_variable(now, *entry)) continue;
        (*entry)[strcspn(*entry, "=")] = 0;
        unsetenv(*entry);
    }
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
    for (int i = 0; i < ws_the_process.command_count; i++) {
        close(ws_the_process.commands[i].connection);
        close(ws_the_process.commands[i].ended);
    }
    if (setpgid(0, ws_the_process.request.same_session ? ws_the_process.request.group : 0) != 0) setpgid(0, 0);
    if (recv(ws_the_process.connection, &go, 1, 0) != 1 || go != 'g') _exit(0);
    ws_process_answer(ws_the_process.connection, getpid(), 0); /* from here on it is the command */
    ws_process_restore_signals();
    reopen_what_is_read();
    take_descriptors();
    take_environment();
    ws_process_write_kept();
    ws_process_forget_request();
}
