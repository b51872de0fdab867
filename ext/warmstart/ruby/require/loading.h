/* The direct way's own table of files that are being loaded. Who calls: direct.c, way.c, require.c, autoloads.c, and
 * hook.c when Ruby is about to load natively a file that the direct way is loading. */
#ifndef WARMSTART_RUBY_LOADING_H
#define WARMSTART_RUBY_LOADING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ruby.h>

#include "core/image/image.h"
#include "core/index/feature_names.h"

typedef struct ws_loading {
    struct ws_loading *next;
    ws_found found;
    const char *path;
    VALUE mutex, fiber, thread;
    uint64_t serial; /* identifies the load, because its address may be used again */
    unsigned waiters;
    bool finished, succeeded;
    bool provided; /* it is in $LOADED_FEATURES before we have loaded it: put there by Ruby, or for an autoload of it */
} ws_loading;

/* ws_loading_begin adds a load by the calling fiber and locks it. It returns NULL if there is no memory. ws_loading_end
 * removes the load and lets those who wait go on. */
ws_loading *ws_loading_begin(ws_found found);
void ws_loading_end(ws_loading *loading, bool succeeded);
bool ws_loading_in_progress(uint64_t serial);

/* Returns the load in progress of this very entry, or NULL. */
ws_loading *ws_loading_find(ws_found found);
/* Returns the first load in progress that a feature with its .rb means (a file of that name in some folder of
 * $LOAD_PATH), or NULL. */
ws_loading *ws_loading_find_named(VALUE feature);
/* Returns the load in progress of the file that Ruby's own search finds for a String, or NULL. Raises what that search
 * raises. If something of that name is in progress, *path is what the search finds, otherwise Qfalse. */
ws_loading *ws_loading_find_searched(VALUE feature, VALUE *path);
bool ws_loading_any(void);
bool ws_loading_any_provided(void); /* is one of them provided already? */
bool ws_loading_is_ours(const ws_loading *loading);

/* Under -w, prints the warning that Ruby's load_lock prints. Calls the program's Warning.warn, which may raise. */
void ws_warn_circular(const char *path);

/* Waits until another thread or fiber has finished the load. Returns true if it loaded the file, and false if it failed
 * and the caller should try again. Raises what interrupts the wait. */
bool ws_loading_wait(ws_loading *loading);

/* An autoload of that name was registered. A file that is being loaded and has that name must count as provided from
 * now on (check_autoload_required), since Ruby's table of loads does not have it. */
void ws_loading_autoload_registered(const char *feature, size_t size);

/* To be called in a child process before the first look at the table. It forgets the loads of threads that no longer
 * exist, and takes their files that are provided already out of $LOADED_FEATURES. */
void ws_loading_settle_fork(void);

void ws_init_loading(void);

#endif
