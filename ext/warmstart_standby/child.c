/* A child of a standby becomes the command that a client wants: it takes over what the client has. */
#include "process.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

/* Files and folders that the boot has opened for reading have a position, which a fork shares. So each child opens them
 * again, at the same position. (/proc leads to the same file even if it has another name now.) */
static void
reopen_what_is_read(void)
{
    DIR *list = opendir("/proc/self/fd");
    for (struct dirent *entry; list && (entry = readdir(list));) {
        int fd = atoi(entry->d_name), again;
        struct statx data;
        char path[32];
        if (fd <= STDERR_FILENO || fd == dirfd(list) || fd == ws_the_process.connection || ws_process_is_received(fd) ||
            syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &data) != 0 ||
            !(S_ISREG(data.stx_mode) || S_ISDIR(data.stx_mode)) || (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
            continue;
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        again = open(path, fcntl(fd, F_GETFL) | O_CLOEXEC);
        if (again < 0) continue;
        lseek(again, lseek(fd, 0, SEEK_CUR), SEEK_SET);
        dup3(again, fd, fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
        close(again);
    }
    if (list) closedir(list);
}

static void
take_descriptors(void)
{
    bool given[3] = { false };
    for (uint32_t i = 0; i < ws_the_process.request.descriptors; i++) {
        dup2(ws_the_process.descriptors[i], ws_the_process.numbers[i]);
        close(ws_the_process.descriptors[i]);
        if (ws_the_process.numbers[i] <= STDERR_FILENO) given[ws_the_process.numbers[i]] = true;
    }
    for (int i = 0; i <= STDERR_FILENO; i++)
        if (!given[i]) close(i);
}

static const char *
value_in(char *const *list, const char *name, size_t size)
{
    for (; *list; list++)
        if (strncmp(*list, name, size) == 0 && (*list)[size] == '=') return *list + size + 1;
    return NULL;
}

char **
ws_process_copy_environment(void)
{
    size_t count = 0;
    while (environ[count]) count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) copy[i] = strdup(environ[i]);
    return copy;
}

/* The client's environment, with what the boot has changed laid over it. */
static void
take_environment(void)
{
    char **now = ws_process_copy_environment();
    if (!now || !ws_the_process.first_environment) return;
    clearenv();
    for (char *text = ws_the_process.texts; text < ws_the_process.texts + ws_the_process.request.environment;
         text += strlen(text) + 1) {
        char *value = strchr(text, '=');
        if (!value) continue;
        *value = 0;
        setenv(text, value + 1, 1);
        *value = '='; /* so that strlen finds the end */
    }
    for (char **entry = now; *entry; entry++) {
        size_t size = strcspn(*entry, "=");
        const char *before = value_in(ws_the_process.first_environment, *entry, size);
        if (!(*entry)[size] || (before && strcmp(before, *entry + size + 1) == 0)) continue;
        (*entry)[size] = 0;
        setenv(*entry, *entry + size + 1, 1);
        (*entry)[size] = '=';
    }
    for (char **entry = ws_the_process.first_environment; *entry; entry++) {
        size_t size = strcspn(*entry, "=");
        if (value_in(now, *entry, size)) continue;
        (*entry)[size] = 0;
        unsetenv(*entry);
        (*entry)[size] = '=';
    }
    for (char **entry = now; *entry; entry++) free(*entry);
    free(now);
}

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
    ws_the_process.request.descriptors = 0;
    ws_process_forget_request();
}
