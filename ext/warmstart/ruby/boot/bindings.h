/* What the bindings share: the state of this process's boot, and each module's face towards the others.
 *
 *   boot.c       opens the image, knows the mode, says when the boot is complete
 *   events.c     counts and reports hits, misses, stale and revalidated files
 *   ahead.c      which metadata calls may be made before their turn
 *   load_path.c  watches $LOAD_PATH, answers feature -> path
 *   recorder.c   keeps what Ruby compiles, hands it to core/recording/recording.c; beside it recorder_compilations.c (the files that are
 *                being compiled), recorder_hints.c (silence, hints), recorder_load_path.c ($LOAD_PATH for the index), recorder_exec.c
 *                (writes before exec)
 *   patch.c      a C function in the place of a method of Ruby's; exec_patch.c: of the three that are exec
 *   relative.c   what require_relative needs beside require
 *   require.c    Kernel#require and require_relative; require_methods.c: for Ruby code that puts them in their places
 *   end_of_program.c  the exit handler
 *   script_lines.c  the source's lines of code from the image
 *   landmarks.c  features of others that change what we do
 *   way.c        which way a require goes
 *   direct.c     the direct way: evaluates an iseq from the map, provides the file
 *   loading.c    its table of files that are being loaded
 *   features.c   $LOADED_FEATURES for it; features_copies.c: what Ruby 3.1 leaves of it
 *   circular.c   Ruby's warning of a circular require
 *   autoloads.c  Module#autoload: which files may be its targets; autoloads_in_progress.c: which of them Ruby is at
 *   realpaths.c  files under two names, in Ruby's own tables; real_names.c: whether a path is its own realpath
 *   loader.c     the native way: the load_iseq hook
 *   iseq_symbols.c  symbols of compiled code, interned once
 *   hook_owner.c whether the hook is still ours
 *   frozen_literals.c  an option of compilation for the application's own files
 *   documents.c  YAML files, parsed (and its parts: documents.h)
 *   inspector.c  an image's contents for the command line
 *   builder.c    `warmstart build`: compile without running, merge
 *   records.c    small files beside the image: what Bundler found out
 *   governor.c   the collector during the boot; governor_patches.c: GC.enable and the like meanwhile
 *   paths.c      path rules for Ruby; paths_patch.c: File.expand_path; paths_system.c: what the system knows of paths
 *   listing.c, listing_entry.c, listing_scan.c  Warmstart::FileSystem, which needs none of the others (listing.h)
 *   process.c    fixed addresses, what a child used: for the command line
 *
 * All of it runs with the GVL, in the main Ractor. */
#ifndef WARMSTART_RUBY_BINDINGS_H
#define WARMSTART_RUBY_BINDINGS_H

#include <stdbool.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/index/feature_index.h"
#include "core/image/image.h"
#include "core/recording/recording.h"
#include "core/image/secret.h"

/* Longer paths are Ruby's to deal with. */
#define WS_PATH_MAXIMUM 4096

static inline bool
ws_is_absolute(const char *path, size_t size)
{
    return ws_path_rules_native()->is_absolute(path, size);
}

/* ---- boot.c ---- */

typedef struct ws_boot {
    bool image_open;             /* image holds an opened image */
    bool sealed;                 /* entries are believed as they are */
    bool portable;
    bool complete;               /* said by the application */
    bool landing;                /* just complete: the index answers until there is a pause */
    bool recording_allowed;      /* not read-only, not sealed, the folder is ours */
    ws_image image;
    ws_feature_index *index;     /* NULL: no index, every search is Ruby's */
    char *directory;             /* the image's folder */
    char *key; size_t key_size; uint64_t key_hash;
    char *dlext;                 /* without the dot */
    ws_trust trust;
} ws_boot;

extern ws_boot ws_the_boot;

/* The user's secret in the file of that path; NULL for nil. */
ws_secret *ws_secret_at(VALUE path);

/* Is this the main Ractor? (rb_ractor_main_p is not public.) */
bool ws_main_ractor(void);
/* File.realpath, as far as it fits. */
bool ws_real_path(const char *path, char real[WS_PATH_MAXIMUM]);
/* Notes that something is being required now; true while the index may answer: till the boot is complete and has landed. */
bool ws_boot_running(void);
/* What was validated for a require was validated until now: on a slow file system that alone may take longer than a pause. */
void ws_boot_validated(void);

/* ---- events.c ---- */

#ifdef __MINGW_PRINTF_FORMAT
#define WS_PRINTF __MINGW_PRINTF_FORMAT
#else
#define WS_PRINTF printf
#endif


typedef enum ws_event { WS_EVENT_HIT, WS_EVENT_MISS, WS_EVENT_STALE, WS_EVENT_REVALIDATED, WS_EVENT_COUNT } ws_event;

/* Counts; calls Warmstart.instrumentation when one is set. reason: static text, or NULL. Never raises. */
void ws_event_report(ws_event event, const char *reason, const char *path, size_t path_size);
/* One line on stderr, "warmstart: ...", at most one a process unless WARMSTART_LOG. */
void ws_complain(const char *format, ...) __attribute__((format(WS_PRINTF, 1, 2)));
extern bool ws_log_enabled;
void ws_log(const char *format, ...) __attribute__((format(WS_PRINTF, 1, 2)));

/* ---- load_path.c ---- */

typedef enum ws_resolution_kind {
    WS_RESOLVED_SEARCH,          /* let Ruby search; reason says why */
    WS_RESOLVED_FILE,            /* path is the absolute path of the file that Ruby's own search would find */
    WS_RESOLVED_PROVIDED,        /* the name is provided */
    WS_RESOLVED_NOTHING_MORE,    /* ... and Ruby's search would find nothing else: false */
    WS_RESOLVED_MISSING          /* Ruby's search would find nothing at all: LoadError (sealed images only) */
} ws_resolution_kind;

typedef struct ws_resolution {
    const char *reason;
    bool library;                /* not a .rb */
    bool have_stat;              /* checked mode: stat is the file's */
    ws_stat stat;
    size_t size;
    char path[WS_PATH_MAXIMUM];
} ws_resolution;

/* A String that is a feature and no object like one, in an encoding in which our paths' bytes mean the same. */
bool ws_is_plain_feature(VALUE feature);
/* What a feature that is no path means under the present $LOAD_PATH. May let other threads run. */
ws_resolution_kind ws_load_path_resolve(VALUE feature, ws_resolution *resolution);
/* Does the index know that Ruby found nothing under this name? */
bool ws_load_path_knows_missing(VALUE feature);
/* Is there anything but Strings on $LOAD_PATH? Then every look is Ruby's. */
bool ws_load_path_has_objects(void);
/* The same for a name that ws_load_path_resolve found to be provided: the file that the search would find. */
ws_resolution_kind ws_load_path_find(VALUE feature, ws_resolution *resolution);
/* Would Ruby load the file at resolution->path, as far as its metadata tell? Sealed: believed. Fills stat. */
bool ws_load_path_check_file(ws_resolution *resolution);

/* Validates folders again before the next answer. */
void ws_load_path_forget(void);

/* ---- ahead.c ---- */

/* Offers what this boot is going to look at for validation ahead of use (core/validation/validation_ahead.h); not for a sealed image. */
void ws_offer_ahead(void);
void ws_init_ahead(VALUE native);

/* ---- recorder.c ---- */

/* The loader is about to let Ruby compile `path`: keep what comes out. stat: as it was before Ruby opens the file; flags:
 * WS_ENTRY_* that the entry is to have. */
void ws_recorder_expect(VALUE path, const ws_stat *stat, uint32_t flags);
/* It does not come after all. */
void ws_recorder_expect_nothing(void);
/* A hit by content: remember the file's present metadata. */
void ws_recorder_revalidated(const ws_entry *entry, const ws_segment *segment, const ws_stat *stat);
/* The image has an entry for a file, and it gives nothing that can be used: what is recorded of the file in this process takes its
 * place. Nothing happens when this process does not record. */
void ws_recorder_take_place_of(ws_found found);
/* Adds a file that is no code; nothing happens when this process does not record, or too much waits already. */
void ws_recorder_keep(const ws_recorded_file *file);
/* Ruby's own search has found nothing under this name (a plain feature). */
void ws_recorder_note_missing(VALUE feature);
/* Brackets a require while recording, for the hints; see recorder.c. */
bool ws_recorder_active(void);
VALUE ws_recorder_call(VALUE (*function)(VALUE self, VALUE feature), VALUE self, VALUE feature);
uint32_t ws_current_warning_level(void);
/* Would a compilation that was silent at the recorded level be silent now? */
bool ws_silent_now(uint32_t recorded);
/* Waits until what was asked for is written, at most that long, other threads going on meanwhile. false: it is not. May raise
 * what other threads or signals raise in this one. */
bool ws_recorder_wait(uint32_t milliseconds);
/* Calls wait(), when there is no Ruby any more, until it says true, a signal comes, or so much time is over. */
void ws_until_signal(bool (*wait)(uint32_t milliseconds), uint32_t milliseconds);
/* Is the path in an installed gem (below a GEM_HOME)? */
bool ws_is_under_gems(const char *path);

/* {name => path} into the manifest's form; raises ArgumentError when a file cannot be read. */
void ws_fill_fingerprints(ws_manifest_fingerprint *list, uint32_t *count, VALUE hash);

/* ---- frozen_literals.c ---- */

/* Are this file's string literals to be frozen where it has no magic comment? */
bool ws_frozen_literals_wanted(const char *path, size_t size);
/* Such a file's iseq, or Qnil: Ruby's own loader will say what is wrong with it. */
VALUE ws_frozen_literals_compile(VALUE path);

/* ---- builder.c ---- */

/* The recorder has seen the file that `build` is compiling: leaves the load by a throw. Returns when nothing is built. */
void ws_builder_compiled(bool kept);
/* Is `build` compiling a file in this process? */
bool ws_builder_compiling(void);

/* ---- needs.c ---- */

/* Is this part ("code", "direct", "documents", "recording") off, because this Ruby does not have what it needs? */
bool ws_lacks(const char *part);

/* A constant of this very module, without autoload, const_missing or an error: Qundef where there is none (yet). By its name, or by a path ("Visitors::ToRuby"). */
VALUE ws_constant_at(VALUE module, ID name);
VALUE ws_constant_named(VALUE module, const char *path);

/* ---- each module's part of Warmstart::Native ---- */

void ws_init_needs(VALUE native);
void ws_init_boot(VALUE native);
void ws_init_events(VALUE native);
void ws_init_load_path(VALUE native);
void ws_init_recorder(VALUE native);
void ws_init_exec(VALUE native);
void ws_init_end_of_program(VALUE native);
void ws_init_loader(VALUE native);
void ws_init_frozen_literals(VALUE native);
void ws_init_require(VALUE native);
void ws_init_landmarks(VALUE native);
void ws_init_script_lines(VALUE native);
void ws_init_inspector(VALUE native);
void ws_init_builder(VALUE native);
void ws_init_governor(VALUE native);
void ws_init_process(VALUE native);
void ws_init_records(VALUE native);

#endif
