#ifndef WARMSTART_STANDBY_PROGRAM_H
#define WARMSTART_STANDBY_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Finds a command as execvp does. Returns false if there is none. */
bool ws_program_find(const char *name, char path[PATH_MAX]);

/* Whether the dynamic linker would load a preloaded library into this program, and into the interpreters that run it.
 * name: as for execvp. found: called with the path of each of these, or NULL */
bool ws_program_is_seen(const char *name, void (*found)(const char *path));

#endif
