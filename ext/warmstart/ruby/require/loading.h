/* The direct way's own table of files that are being loaded. Who calls: direct.c, way.c, require.c, hook.c (the hook,
 * when Ruby is about to load natively what the direct way is loading), autoloads.c. */
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
    uint64_t serial; /* an address may be used again */
    unsigned waiters;
    bool early; /* it was provided before it was evaluated */
    bool finished, succeeded;
    bool provided_natively; /* Ruby put it into $LOADED_FEATURES while we were loading it */
} ws_loading;

/* Enters a load of the calling fiber's, locked (NULL: no memory); takes it out and lets those who wait go on. */
ws_loading *ws_loading_begin(ws_found found);
void ws_loading_end(ws_loading *loading, bool succeeded);
bool ws_loading_in_progress(uint64_t serial);
/* Puts the file into $LOADED_FEATURES before it is evaluated. */
void ws_loading_provide_early(ws_loading *loading);

/* The load in progress of that very entry, or NULL. */
ws_loading *ws_loading_find(ws_found found);
/* The load in progress, provided early, that a feature (without a folder that Ruby knows) may mean, or NULL. */
ws_loading *ws_loading_find_early(const char *feature, size_t size);
/* Is such a name, which is provided, provided by nothing but files that were provided early? */
bool ws_loading_only_early_provided(const char *feature, size_t size);
/* The first load in progress that a feature with its .rb means: of that name, in some folder of $LOAD_PATH; or NULL. */
ws_loading *ws_loading_find_named(VALUE feature);
/* The load in progress of the file that Ruby's own search finds for a String; or NULL. Raises what that search raises.
 * path: what it finds where something of that name is in progress, or Qfalse. */
ws_loading *ws_loading_find_searched(VALUE feature, VALUE *path);
bool ws_loading_any(void);
bool ws_loading_is_ours(const ws_loading *loading);

/* Waits until another thread or fiber is done: true: loaded; false: it failed, try again. Raises what interrupts the
 * wait. */
bool ws_loading_wait(ws_loading *loading);

/* An autoload of that name was registered: a file that is being loaded under it must count as provided from now on. */
void ws_loading_autoload_registered(const char *feature, size_t size);

/* In a child process, before the first look at the list: forgets what threads that are gone were loading, and takes
 * back what they had provided before it was loaded. */
void ws_loading_settle_fork(void);

void ws_init_loading(void);

#endif
