/* The direct way's own table of files that are being loaded, and the load itself. Who calls: require.c, loader.c (the hook,
 * when Ruby is about to load natively what the direct way is loading), autoloads.c. */
#ifndef WARMSTART_RUBY_LOADING_H
#define WARMSTART_RUBY_LOADING_H

#include "loader.h"
#include "core/feature_names.h"

typedef struct ws_loading {
    struct ws_loading *next;
    ws_found found;
    const char *path;
    VALUE mutex, fiber, thread;
    uint64_t serial;             /* an address may be used again */
    unsigned waiters;
    bool early;                  /* it was provided before it was evaluated */
    bool finished, succeeded;
    bool provided_natively;      /* Ruby put it into $LOADED_FEATURES while we were loading it */
} ws_loading;

/* Does this Ruby have what the direct way needs? */
bool ws_direct_way_exists(void);

/* The load in progress of that very entry, or NULL. */
ws_loading *ws_loading_find(ws_found found);
/* The load in progress, provided early, that a feature (without a folder that Ruby knows) may mean, or NULL. */
ws_loading *ws_loading_find_early(const char *feature, size_t size);
/* The first load in progress that a feature with its .rb means: of that name, in some folder of $LOAD_PATH; or NULL. */
ws_loading *ws_loading_find_named(VALUE feature);
bool ws_loading_is_ours(const ws_loading *loading);

/* Waits until another thread or fiber is done: true: loaded; false: it failed, try again. Raises what interrupts the wait. */
bool ws_loading_wait(ws_loading *loading);

/* Loads the file of an entry that was judged to be fresh: evaluates its iseq and provides it; early: provides first;
 * verdict and *reason are for the event. Returns
 * Qtrue, or Qundef when the payload could not be used (*reason) and nothing was done; raises what the file raises. */
VALUE ws_loading_run(ws_found found, bool early, ws_verdict verdict, const char **reason);

/* Says under -w what Ruby's load_lock says. */
void ws_loading_warn_circular(const char *path);

/* An autoload of that name was registered: a file that is being loaded under it must count as provided from now on. */
void ws_loading_autoload_registered(const char *feature, size_t size);

/* Did the direct way load this entry in this process? */
bool ws_loading_was_direct(ws_found found);
extern bool ws_loading_used;     /* it has loaded something */
/* From here on Ruby is to know by itself, and nobody asks us: the direct way is off, another image comes. */
void ws_loading_leave_to_ruby(void);
void ws_loading_forget_image(void);

/* In a child process: takes back what threads that are gone had provided before it was loaded. */
void ws_loading_settle_abandoned(void);

/* Is something with this path in $LOADED_FEATURES? *loading: natively being loaded. May let other threads run. */
bool ws_is_provided(const char *feature, bool *loading);
void ws_remove_feature(const char *path);

void ws_init_loading(VALUE native);

#endif
