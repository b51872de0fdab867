/* What the parts of a standby's process share. */
#ifndef WARMSTART_STANDBY_PROCESS_H
#define WARMSTART_STANDBY_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "protocol.h"
#include "trace.h"
#include "standby.h"

enum { COMMANDS_MAXIMUM = 64 };

/* A command that runs: its client's connection, its process, and a descriptor that tells when that has ended. */
typedef struct ws_command {
    int connection, ended;
    pid_t child;
} ws_command;

typedef struct ws_process {
    const char *trace_path;
    uint64_t trace_inode; /* another standby's trace may come under the same name */
    pthread_t main_thread;
    char **first_environment;
    ws_standby interface; /* what Warmstart's extension was given; it sets one of the members */

    fd_set opened_again;        /* what each child opens again: files and folders that the boot reads or appends */
    int first_copy[FD_SETSIZE]; /* of each of these: the first one that is a copy of it (dup), or itself */

    int listener; /* or -1 */
    int leader;   /* tells when the session of its terminal is over; or -1 */
    ws_command commands[COMMANDS_MAXIMUM];
    int command_count;

    /* The request that a child is made for. */
    int connection; /* or -1 */
    ws_request request;
    int descriptors[WS_DESCRIPTORS_MAXIMUM], numbers[WS_DESCRIPTORS_MAXIMUM];
    char *texts;
    bool forks; /* the next fork is for it */
} ws_process;

extern ws_process ws_the_process;

/* ---- effects.c ---- */

void ws_process_note_appended(void);
void ws_process_give_up(const char *why, int fd) __attribute__((noreturn));
/* Whether there is room for what the boot has appended to logs; writes it. */
bool ws_process_can_write_kept(void);
void ws_process_write_kept(void);
/* What a path itself is (lstat), or a descriptor. Returns false if there is none. */
bool ws_process_find(int folder, const char *path, struct statx *data);
bool ws_process_find_open(int fd, struct statx *data);
bool ws_process_are_copies(int one, int other);

/* ---- waiting.c ---- */

void ws_process_wait(pid_t child);
void ws_process_stop_listening(void);
void ws_process_forget_request(void);
/* Returns whether the client can read the answer. */
bool ws_process_answer(int to, pid_t pid, int status);
void ws_process_restore_signals(void);
void ws_process_unblock_signals(void);

/* ---- child.c ---- */

/* In the child, before fork returns (pthread_atfork): libraries' fork hooks run in a process that is the command. */
void ws_process_take_over(void);
char **ws_process_copy_environment(void);

#endif
