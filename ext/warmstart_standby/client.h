/* What the parts of the client share; client.c has its main function. */
#ifndef WARMSTART_STANDBY_CLIENT_H
#define WARMSTART_STANDBY_CLIENT_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "trace.h"

enum { KEY_SIZE = 32 };

typedef struct ws_client {
    char folder[PATH_MAX];  /* of this user alone; in it are a trace, a socket and a lock for each standby */
    char key[KEY_SIZE + 1]; /* of the command */
    const char *reason;     /* why the command does not come from a standby */
    uint32_t standby;       /* the process that may answer */
    bool logs;              /* WARMSTART_LOG: each decision is told in a line */
    char *line;             /* this process's command line, as the kernel shows it, */
    size_t line_size;       /* with all of its NULs */
    bool is_first;          /* the folder was made by this call, so this user has never had a standby in it */
} ws_client;

extern ws_client ws_the_client;

/* ---- key.c ---- */

/* Sets the key: all that has to be the same for a standby to be the one of this command. Returns false, and sets
 * the reason, if the command cannot have a standby. */
bool ws_key_make(char **command);
/* The session of the terminal that this process is controlled by, or 0. */
pid_t ws_terminal_session(void);

/* ---- store.c ---- */

/* Sets the folder. Returns whether it can be used: it is this user's, and nobody else may enter it. */
bool ws_store_find(bool make);
/* The path of a standby's file. The next call overwrites it. */
const char *ws_store_path(const char *name, const char *suffix);
/* Whether a file may be so large. (SIGXFSZ kills who makes it larger than the user's limit: ulimit -f.) */
bool ws_store_may_have(size_t size);
/* Returns NULL if there is no such trace, or none that this version reads. */
ws_trace_header *ws_store_map(const char *name);
/* Whether there is a page on the disk for all that a trace holds. Where the disk is full, its writer is killed as it
 * begins a new page, and so would be whoever reads that. */
bool ws_store_is_whole(const char *name, const ws_trace_header *header);
ws_trace_header *ws_store_make(char **command, const char *point);

/* A walk over all traces in the folder; it begins with zeros. */
typedef struct ws_store_walk {
    DIR *list;
    char name[NAME_MAX + 1]; /* the standby's */
    ws_trace_header *header;
} ws_store_walk;

/* Goes on to the next trace. Returns false if there is none. Then nothing of the walk has to be freed. */
bool ws_store_next(ws_store_walk *walk);
/* Returns a connection to a standby of this user, or -1 and errno. pid: of the process whose trace was compared, for
 * which no other may answer; 0: whoever listens */
int ws_store_connect(const char *name, uint32_t pid);
/* Asks a standby to end when its commands have ended. Nobody else finds it any more. It is left alone if this process
 * cannot ask it (too many open files, no memory): then nobody could end it for a minute. */
void ws_store_end(const char *name);
/* Ends the standbys that were not used for longest if there are too many, and removes what is old and of no use.
 * more: the number of those that are about to be made */
void ws_store_make_room(int more);
/* Whether somebody tries to boot a standby, perhaps once more. */
bool ws_store_is_tried(const char *name);
/* Notes for this command why it did not come from a standby, or NULL if it did. The note is lost if it cannot be kept.
 */
void ws_store_note(const char *reason);
/* What was noted for a standby's command lately. Calls tell (if it is not NULL) for each reason. Returns how many
 * commands came from a standby. */
int ws_store_notes(const char *name, void (*tell)(const char *reason, int count));
/* Notes that all standbys are to end, also those that somebody is about to make. */
void ws_store_mark_stop(void);
bool ws_store_is_stopped_since(struct timespec began);
/* Whether the process of a trace is there. */
bool ws_store_is_running(const ws_trace_header *header);
/* Kills the process of a trace, if that is there. only_stopped: if it is stopped (SIGSTOP) */
void ws_store_kill(const ws_trace_header *header, bool only_stopped);

/* ---- making.c ---- */

/* Why the command can have no standby at all, or NULL. */
const char *ws_standby_hindrance(char **command);

/* Has a standby made for the command, behind it. Returns false, and sets the reason, if there can be none. */
bool ws_standby_have_made(char **command);

/* ---- command.c ---- */

/* Runs the command from its standby. Returns if the standby does not begin it: then nothing of it has run. Returns
 * whether the standby is there, and refuses this client. */
bool ws_command_run(bool terminal);

/* ---- signals.c ---- */

/* From now on signals that come go on to the command. session: it is in this process's group */
void ws_signals_forward(pid_t command, bool session);
/* The command has ended: from now on nothing is passed on. */
void ws_signals_end(void);
/* The command has not begun, and this process becomes the ordinary one: what has come meanwhile is meant for that. */
void ws_signals_take_back(void);

/* ---- telling.c ---- */

/* Prints what there is. */
int ws_standbys_tell(bool json);
/* Ends all. */
int ws_standbys_end(void);
/* Prints everything that the standbys have asked of the outside. */
int ws_inputs_tell(void);
/* Prints whether a command would come from its standby now; reason: NULL if it would */
void ws_verdict_tell(const char *reason, bool json);

#endif
