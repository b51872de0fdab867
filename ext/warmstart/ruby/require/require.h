/* What the files of this room offer to one another. require.c takes a require on its way, and way.c chooses which; the
 * others do a part of the work each. */
#ifndef WARMSTART_RUBY_REQUIRE_H
#define WARMSTART_RUBY_REQUIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ruby.h>

#include "core/image/image.h"
#include "core/system/file.h"
#include "ruby/code/judgement.h"
#include "ruby/private/realpath_tables.h"
#include "ruby/require/relative.h"

/* ---- features.c: $LOADED_FEATURES, for the direct way ---- */

/* Is a feature with this path or name provided? If Ruby is still loading it natively, returns false and sets *loading.
 * Other threads may run during the call. */
bool ws_is_provided(const char *feature, bool *loading);
/* Appends a path to $LOADED_FEATURES, as Ruby does for a file that it has loaded. The path's text must live for ever.
 * Raises if the Array is frozen. */
void ws_provide(const char *path);
bool ws_is_last_feature(const char *path);
void ws_remove_feature(const char *path);

/* ---- loading.c: the direct way's own table of files that are being loaded ---- */

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
 * raises. */
ws_loading *ws_loading_find_searched(VALUE feature);
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

extern bool ws_direct_used; /* the direct way has loaded at least one file */

/* ---- way.c: which way a require goes ---- */

typedef enum ws_way {
    WS_WAY_SEARCH,   /* Ruby's own require, with the name as given */
    WS_WAY_PATH,     /* Ruby's own require, with the path that was found: nothing is searched */
    WS_WAY_PROVIDED, /* there is nothing to do: answers false */
    WS_WAY_CIRCULAR, /* this very fiber is loading it: false, and a warning under -w */
    WS_WAY_WAIT,     /* another thread or fiber is loading it directly */
    WS_WAY_DIRECT,
    WS_WAY_MISSING, /* LoadError: Ruby's search would find nothing */
    WS_WAY_COUNT
} ws_way;

typedef struct ws_choice {
    ws_way way;
    const char *reason;  /* static; for WS_WAY_DIRECT what differs although the content is the same, or NULL */
    VALUE path;          /* WS_WAY_PATH */
    ws_found found;      /* WS_WAY_DIRECT */
    ws_verdict verdict;  /* WS_WAY_DIRECT: a hit, or revalidated */
    ws_loading *loading; /* WS_WAY_CIRCULAR, WS_WAY_WAIT */
    bool waits_for_ruby; /* WS_WAY_PATH: Ruby itself is loading the file at this moment */
} ws_choice;

ws_choice ws_choose_way(VALUE feature);
/* The entry could not be used after all: changes the choice to WS_WAY_PATH, or WS_WAY_SEARCH if Ruby cannot open it. */
void ws_choose_path_instead(ws_choice *choice);

/* ---- hook_state.c: what the others need to know of the load_iseq hook, and tell it ---- */

/* Is our hook switched on? */
bool ws_hook_enabled(void);
/* Would Ruby call our hook if it loaded a file now? */
bool ws_hook_is_ours(void);
/* Has bootsnap put its hook before ours? */
bool ws_hook_was_taken(void);
/* Switches our hook off, because bootsnap's answers load_iseq from now on, and prints a line that says so. */
void ws_hook_step_back(void);
/* Keeps the metadata of a path that Ruby is about to load natively, so that the hook need not ask for them again. */
void ws_hook_remember(VALUE path, const ws_stat *stat);
void ws_hook_forget_remembered(void);
/* Takes what was remembered for this path, or asks for it. Returns 0 or errno. */
int ws_hook_stat(VALUE path, ws_stat *stat);
/* Notes that our hook is the method load_iseq now, or is none any more. */
void ws_hook_note_defined(bool defined);

/* ---- autoloads.c: which files may be the target of an autoload ---- */

/* Can a registered autoload mean the file with this absolute path? */
bool ws_autoload_may_mean(const char *path, size_t size);

/* ---- landmarks.c: features of other libraries at which Warmstart has something to do ---- */

/* The number of landmarks that have not been passed yet. It is zero most of the time, so check it before the call. */
extern int ws_landmark_count;

/* Requires the feature by that function, and calls before and after it those who wait for the feature. */
VALUE ws_landmark_require(ws_require_function *function, VALUE self, VALUE feature);

/* ---- require.c: what the hook asks about the native require that called it ---- */

/* Is this the first call of the hook in a native require of ours, on this fiber, and for the file of that require? If
 * so, ws_ruby_require_answer(Qfalse) may end the require. To be called once for each call of the hook, because it notes
 * that the hook was called. */
bool ws_native_require_begins(const char *path, size_t size);

/* ---- each file's functions of Native ---- */

void ws_init_features(VALUE native);
void ws_init_loading(void);
void ws_init_way(VALUE native);
void ws_init_hook(VALUE native);
void ws_init_hook_state(VALUE native);
void ws_init_autoloads(VALUE native);
void ws_init_landmarks(VALUE native);
void ws_init_require(VALUE native);
void ws_init_own_files(VALUE native); /* own_files.c */

#endif
