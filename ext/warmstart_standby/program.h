#ifndef WARMSTART_STANDBY_PROGRAM_H
#define WARMSTART_STANDBY_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Finds a command as execvp does. Returns false if there is none. */
bool ws_program_find(const char *name, char path[PATH_MAX]);

/* Whether a preloaded library would be in this program and in the interpreters that run it, and would see their calls.
 * name: as for execvp. found: called with the path of each of these, or NULL */
bool ws_program_is_seen(const char *name, void (*found)(const char *path));

#endif
