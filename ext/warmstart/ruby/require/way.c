/* Chooses the way for each require. Begin with ws_choose_way and choose, near the end; what they call stands above.
 * docs/loading.md says the same, and names the function of Ruby's that makes each condition necessary.
 *
 * The order of the steps matters for two reasons. A step that may let other threads run (a probe, Ruby rebuilding an
 * index) comes before the last look at the table of loads; between that look and the load's lock there is no such step.
 * And a require that meets nothing unusual pays for a handful of comparisons only. */
#include "ruby/require/require.h"

#include <stdlib.h>
#include <string.h>

#include <ruby/encoding.h>

#include "core/image/image_format.h"
#include "core/image/segment.h"
#include "core/index/feature_index.h"
#include "core/system/file.h"
#include "core/validation/validation_ahead.h"
#include "ruby/boot/boot.h"
#include "ruby/boot/events.h"
#include "ruby/code/frozen_literals.h"
#include "ruby/load_path/load_path.h"
#include "ruby/private/box.h"
#include "ruby/private/needs.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/private_api.h"
#include "ruby/private/traced.h"
#include "ruby/recorder/recorder.h"

#ifndef RUBY_EVENT_SCRIPT_COMPILED
#define RUBY_EVENT_SCRIPT_COMPILED 0x2000
#endif

static struct {
    bool index_enabled;           /* the index may answer */
    bool direct_enabled;          /* the direct way may be chosen */
    VALUE features;               /* $LOADED_FEATURES */
    VALUE main_object, self_iseq; /* the program's self, and code that answers its own */
    ws_tally tally[WS_TALLY_SIZE];
} chooser;

static const char *const way_names[WS_WAY_COUNT] = { "search", "path",   "provided", "circular",
                                                     "wait",   "direct", "missing" };

/* ---- which file ---- */

typedef enum ws_resolution_kind {
    WS_RESOLVED_SEARCH,   /* let Ruby search; reason says why */
    WS_RESOLVED_FILE,     /* path is the absolute path of the file that Ruby's own search would find */
    WS_RESOLVED_PROVIDED, /* the name is provided, and Ruby's search would find nothing else: false */
    /* The name is provided. Only Ruby's own search can tell whether it would find something else: by a library, but a
     * .rb of that name may come first. */
    WS_RESOLVED_PROVIDED_PERHAPS,
    WS_RESOLVED_MISSING /* Ruby's search would find nothing at all: LoadError */
} ws_resolution_kind;

typedef struct ws_resolution {
    const char *reason;
    bool library;   /* the file is not a .rb */
    bool have_stat; /* checked mode: stat is the file's */
    ws_stat stat;
    size_t size;
    char path[WS_PATH_MAXIMUM];
} ws_resolution;

/* Returns WS_RESOLVED_SEARCH, for this reason. */
static ws_resolution_kind
left_to_ruby(ws_resolution *resolution, const char *reason)
{
    resolution->reason = reason;
    return WS_RESOLVED_SEARCH;
}

/* Would Ruby load the file at resolution->path, as far as its metadata tell? Fills stat, unless the image is sealed and
 * the file is believed. */
static bool
check_file(ws_resolution *resolution)
{
    /* A sealed index knows names only, and a file that no boot has loaded may be a symlink that leads nowhere. So a
     * Ruby file is believed only if the image has it. */
    bool believe = ws_the_boot.sealed && ws_the_boot.image_open &&
                   (resolution->library || ws_image_find(&ws_the_boot.image, resolution->path, resolution->size).entry);
    resolution->have_stat = !believe;
    if (believe) return true;
    const ws_stat *stat = &resolution->stat;
    bool loadable = ws_ahead_stat(resolution->path, WS_AHEAD_FILE, &resolution->stat) == 0 &&
                    stat->type == WS_TYPE_REGULAR && ws_file_is_readable(resolution->path, stat);
    if (!loadable) resolution->reason = "gone";
    return loadable;
}

/* Which of Ruby's endings has the name? (search_required looks behind the last dot.) */
static ws_extension
extension_of(VALUE feature)
{
    ws_feature_name name;
    ws_path_feature_ending(RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature), &DLEXT[1], &name);
    return name.extension;
}

/* Resolves "/x/y" and "/x/y.rb". Ruby looks for the .rb first (search_required), and the path of an image's entry is
 * expanded. A path that the image does not know is not resolved. */
static ws_resolution_kind
resolve_absolute(VALUE feature, ws_resolution *resolution)
{
    size_t size = (size_t)RSTRING_LEN(feature);
    const char *name = RSTRING_PTR(feature);
    resolution->reason = "absolute";
    if (!ws_the_boot.image_open || size + 4 > sizeof resolution->path) return WS_RESOLVED_SEARCH;
    memcpy(resolution->path, name, size);
    ws_extension extension = extension_of(feature);
    bool extended = extension == WS_EXTENSION_RB;
    if (!extended) {
        if (extension == WS_EXTENSION_LIBRARY) return WS_RESOLVED_SEARCH;
        memcpy(resolution->path + size, ".rb", 3);
        size += 3;
    }
    resolution->path[size] = 0;
    resolution->size = size;
    resolution->library = false;
    resolution->have_stat = false;
    if (!ws_image_find(&ws_the_boot.image, resolution->path, size).entry) return WS_RESOLVED_SEARCH;
    bool loading;
    if (!extended && ws_is_provided(StringValueCStr(feature), &loading)) return WS_RESOLVED_PROVIDED_PERHAPS;
    return check_file(resolution) ? WS_RESOLVED_FILE : WS_RESOLVED_SEARCH;
}

static ws_resolution_kind
resolve_by_index(const char *name, size_t size, ws_resolution *resolution)
{
    ws_feature_answer answer =
        ws_feature_index_find(ws_the_boot.index, name, size, resolution->path, sizeof resolution->path);
    resolution->reason = answer.reason;
    if (answer.answer == WS_ANSWER_SEARCH) return WS_RESOLVED_SEARCH;
    resolution->size = answer.path_size;
    resolution->library = answer.answer == WS_ANSWER_LIBRARY;
    return check_file(resolution) ? WS_RESOLVED_FILE : WS_RESOLVED_SEARCH;
}

/* Libraries ask for optional features, and for each one that does not exist Ruby opens two names in every load-path
 * entry. If Ruby's own search found nothing under this very name while the boot was recorded, one look at each of these
 * folders tells whether that is still so. A sealed image is believed. Where names may be written in several ways, it
 * proves nothing that a name is not seen. */
static bool
is_surely_missing(const char *name, size_t size)
{
#ifdef __linux__
    return ws_feature_index_lacks(ws_the_boot.index, name, size);
#else
    return false;
#endif
}

/* Says what a feature that is no path means under the present $LOAD_PATH. Other threads may run during the call. */
static ws_resolution_kind
resolve_name(VALUE feature, ws_resolution *resolution)
{
    const char *name = StringValueCStr(feature), *loading = NULL;
    size_t size = (size_t)RSTRING_LEN(feature);
    if (!chooser.index_enabled || !(ws_the_boot.index || ws_recorder_brings_index()))
        return left_to_ruby(resolution, "no_index");
    ws_boot_note_require();
    if (!ws_boot_answers()) return left_to_ruby(resolution, "complete");
    if (*name == '.' || *name == '~') return left_to_ruby(resolution, "relative");
    /* Takes in what the kernel says of watched folders. false: the watch has begun or is over, so all is validated
     * anew. */
    if (!ws_feature_index_notice(ws_the_boot.index)) ws_boot_forget();

    /* Another load-path entry may have provided the name: rb_feature_p looks at all of them before Ruby searches. A
     * file that is only being loaded is searched for all the same, and recognised by its path. A name with its .rb is
     * different (search_required): it means the file of that name that is being loaded, wherever that is on the load
     * path. */
    bool provided = rb_feature_provided(name, &loading) && !loading;
    if (loading && ws_path_ends_in_rb(name, size)) return left_to_ruby(resolution, "loading");
    if (!ws_load_path_tell_index()) return left_to_ruby(resolution, "load_path");
    /* If a library provides the name, search_required still looks for a .rb of that name in every load-path entry, each
     * time. If there is none, it answers false (feature_present). */
    if (provided)
        return ws_feature_index_lacks_rb(ws_the_boot.index, name, size) ? WS_RESOLVED_PROVIDED
                                                                        : WS_RESOLVED_PROVIDED_PERHAPS;
    ws_resolution_kind kind = resolve_by_index(name, size, resolution);
    if (kind == WS_RESOLVED_SEARCH && is_surely_missing(name, size)) kind = WS_RESOLVED_MISSING;
    ws_boot_validated();
    RB_GC_GUARD(feature);
    return kind;
}

/* Ruby looks whether a name is provided and then searches, but it only searches for a name with another ending than its
 * own ("a.b"; search_required). Such names are few. */
static bool
has_other_ending(VALUE feature)
{
    const char *name = RSTRING_PTR(feature), *end = name + RSTRING_LEN(feature);
    while (end > name && end[-1] != '.' && end[-1] != '/') end--;
    return end > name && end[-1] == '.' && extension_of(feature) == WS_EXTENSION_NONE;
}

static ws_resolution_kind
resolve(VALUE feature, ws_resolution *resolution)
{
    if (!RB_TYPE_P(feature, T_STRING) || !ws_is_plain_feature(feature)) return left_to_ruby(resolution, "not_a_name");
    if (has_other_ending(feature)) return left_to_ruby(resolution, "other_ending");
    if (ws_load_path_has_objects()) return left_to_ruby(resolution, "load_path_objects");
    return ws_is_absolute(RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature)) ? resolve_absolute(feature, resolution)
                                                                              : resolve_name(feature, resolution);
}

/* ---- the choice ---- */

static ws_choice
chosen(ws_way way, const char *reason)
{
    return (ws_choice){ .way = way, .reason = reason, .path = Qnil };
}

static ws_choice
in_progress(ws_loading *loading)
{
    ws_choice choice = chosen(ws_loading_is_ours(loading) ? WS_WAY_CIRCULAR : WS_WAY_WAIT, "loading");
    choice.loading = loading;
    return choice;
}

/* Does the entry's path differ from its realpath? */
static bool
is_alias(ws_found found)
{
    const ws_entry *entry = found.entry;
    if (entry->path_size != entry->realpath_size) return true;
    if (entry->path_offset == entry->realpath_offset) return false;
    const char *path = ws_segment_string(found.segment, entry->path_offset, entry->path_size);
    const char *real = ws_segment_string(found.segment, entry->realpath_offset, entry->realpath_size);
    return !path || !real || strcmp(path, real) != 0;
}

/* Inside load(file, true) or load(file, Module), code is evaluated with another self and cref (vm_set_top_stack).
 * Ruby's require sets these aside (require_internal), which only Ruby can do. */
static bool
is_wrapped(void)
{
#ifdef WS_HAVE_DIRECT_WAY
    return rb_iseq_eval(rb_iseqw_to_iseq(chooser.self_iseq), ws_box()) != chooser.main_object;
#else
    return true;
#endif
}

/* Returns why Ruby itself must load the file of this entry, or NULL. Whether the entry is still what Ruby would compile
 * is asked afterwards. */
static const char *
why_native(ws_found found, const ws_resolution *file)
{
    /* What needs no more than the entry. */
    if (!chooser.direct_enabled || !ws_hook_enabled()) return "off";
    if (!found.entry) return "not_recorded";
    /* rb_provide_feature raises after the file has run. */
    if (OBJ_FROZEN(chooser.features)) return "frozen_features";
    /* The file registers an autoload of itself. */
    if (found.entry->flags & WS_ENTRY_LATE) return "autoload_inside";
    /* Only Ruby's own table has what Ruby keeps of a load that fails (load_unlock). */
    if (found.entry->flags & WS_ENTRY_UNFINISHED) return "unfinished";
    /* Ruby knows realpaths (require_internal). */
    if (is_alias(found)) return "alias";
    /* Ruby's check_autoload_required must find it in Ruby's own table. */
    if (ws_autoload_may_mean(file->path, file->size)) return "autoload";
    const char *differs = ws_compiling_differs();
    if (differs) return differs;

    /* The moment. A file that Ruby loads fires :script_compiled (load_iseq_eval), by which debuggers set their
     * breakpoints. :line counts, too, because a TracePoint for it would see the probe in is_wrapped. */
    if (ws_is_traced(RUBY_EVENT_SCRIPT_COMPILED | RUBY_EVENT_LINE)) return "tracepoint";
    /* rb_iseq_load_iseq asks the program's own load_iseq. */
    if (!ws_hook_is_ours()) return "load_iseq";
    if (is_wrapped()) return "wrapped"; /* evaluates code, so it comes after these two */
    /* The warning of a circular require shows frames that only Ruby's own loads have, in words that only Ruby knows
     * (load_lock, rb_backtrace_each). So under -w Ruby's own table has to know about the file. */
    if (RTEST(ruby_verbose)) return "verbose";
    /* rb_file_load_ok opens the file, which the list may forbid to this process. */
    if ((found.entry->flags & WS_ENTRY_ACCESS_LIST) && file->have_stat && !ws_file_may_be_read(file->path))
        return "access_list";
    return NULL;
}

/* Is the entry what Ruby would compile now? Then the way is direct. Otherwise Ruby's require calls the hook, which asks
 * again, reports the verdict, and has the file recorded (hook.c, iseq_from_image). */
static ws_choice
judge(ws_found found, const ws_resolution *file)
{
    ws_choice choice = chosen(WS_WAY_DIRECT, NULL);
    bool frozen = ws_frozen_literals_wanted(file->path, file->size);
    uint32_t kind = ws_kind_of_code(rb_filesystem_encoding(), frozen); /* see ws_is_plain_feature in load_path.c */
    choice.found = found;
    choice.verdict = ws_judge(found, file->path, kind, file->have_stat ? &file->stat : NULL, &choice.reason);
    return ws_is_usable(choice.verdict) ? choice : chosen(WS_WAY_PATH, choice.reason);
}

/* Has the file been loaded already, or is somebody loading it? This is asked last, because no other thread runs after
 * the answer. */
static bool
is_taken(VALUE feature, ws_found found, const char *path, ws_choice *choice)
{
    bool provided, loading;
    long length;
    do { /* rb_feature_provided may rebuild its index and let others run meanwhile */
        length = RARRAY_LEN(chooser.features);
        provided = ws_is_provided(path, &loading);
    } while (length != RARRAY_LEN(chooser.features));

    ws_loading *ours = found.entry ? ws_loading_find(found) : NULL;
    ws_loading *named = ours || !provided ? ws_loading_find_named(feature) : NULL; /* may be in another folder */
    if (named) ours = named;
    /* The program itself may have provided the file. Ruby looks whether a file is provided before it looks whether it
     * is being loaded. */
    bool by_program = ours && provided && !loading && !ours->provided;
    if (ours && !by_program) *choice = in_progress(ours);
    else if (loading) {
        *choice = chosen(WS_WAY_PATH, "loading_natively");
        choice->waits_for_ruby = true;
    }
    else if (provided) *choice = chosen(WS_WAY_PROVIDED, NULL);
    else return false;
    return true;
}

/* The file is known: which way does it go? */
static ws_choice
choose_for_file(VALUE feature, const ws_resolution *file)
{
    ws_choice choice;
    ws_found found = { NULL, NULL };
    if (file->library) return chosen(WS_WAY_PATH, "library");
    if (ws_the_boot.image_open) found = ws_image_find(&ws_the_boot.image, file->path, file->size);
    if (ws_direct_used && is_taken(feature, found, file->path, &choice)) return choice; /* before anything that costs */

    const char *reason = why_native(found, file);
    if (reason) return chosen(WS_WAY_PATH, reason);
    ws_choice judged = judge(found, file);
    if (judged.way != WS_WAY_DIRECT) return judged;
    if (is_taken(feature, found, file->path, &choice)) return choice;
    /* rb_feature_provided, which is_taken calls, has brought the tables up to date. */
    if (ws_realpath_is_known_otherwise(file->path)) return chosen(WS_WAY_PATH, "alias");
    return judged;
}

/* Does a library provide this name, and no Ruby file? */
static bool
is_library_only(VALUE feature)
{
    const char *loading;
    if (extension_of(feature) != WS_EXTENSION_NONE) return false;
    VALUE file = rb_str_cat_cstr(rb_str_dup(feature), ".rb");
    return !rb_feature_provided(StringValueCStr(file), &loading);
}

/* The name is provided. Is it nevertheless that of a file that we are loading? If only a library is provided, Ruby
 * still looks for a Ruby file (search_required). And a file may be provided before we have loaded it
 * (ws_loading.provided). Ruby's own table does not have our loads. Ruby would take a lock for the file before it calls
 * our hook, and in a signal's handler no lock can be taken. */
static ws_loading *
find_though_provided(VALUE feature)
{
    bool maybe =
        ws_loading_any() && !ws_load_path_has_objects() && (ws_loading_any_provided() || is_library_only(feature));
    return maybe ? ws_loading_find_searched(feature) : NULL;
}

/* Ruby is to search, unless it would find a file that we are loading, because Ruby does not know about that load. */
static ws_choice
choose_for_unknown(VALUE feature, ws_resolution *file)
{
    const ws_choice search = chosen(WS_WAY_SEARCH, file->reason);
    bool loading_natively;
    if (!ws_direct_used || !RB_TYPE_P(feature, T_STRING)) return search;
    /* Ruby compares the bytes as they are, whatever their class and encoding. UTF-16 and a NUL are errors, which Ruby
     * raises. */
    if (!rb_enc_asciicompat(rb_enc_get(feature)) || memchr(RSTRING_PTR(feature), 0, (size_t)RSTRING_LEN(feature)))
        return search;

    /* Ruby's own require must not overlook a file that we are loading: Ruby would look for its name before it searches,
     * and for its path afterwards (search_required, load_lock). */
    ws_loading *named = ws_loading_find_named(feature);
    if (!named && !ws_load_path_has_objects()) named = ws_loading_find_searched(feature);
    if (!named) return search;
    /* Whatever Ruby answers of "./x", it has expanded the load path by then, which freezes its Strings (rb_feature_p).
     * But what is asked here expands "./x" itself, and then needs no load path (rb_feature_provided). */
    if (*RSTRING_PTR(feature) == '.') rb_provided(".");
    if (ws_is_provided(StringValueCStr(feature), &loading_natively)) named = find_though_provided(feature);
    else if (loading_natively) return search;
    return named ? in_progress(named) : search;
}

static ws_choice
choose(VALUE feature, ws_resolution *file)
{
    ws_loading *loading;
    switch (resolve(feature, file)) {
        case WS_RESOLVED_FILE: return choose_for_file(feature, file);
        case WS_RESOLVED_PROVIDED_PERHAPS: /* Ruby's own search says best which file provides the name. */
            loading = find_though_provided(feature);
            return loading ? in_progress(loading) : chosen(WS_WAY_SEARCH, "provided");
        case WS_RESOLVED_SEARCH: return choose_for_unknown(feature, file);
        case WS_RESOLVED_MISSING: return chosen(WS_WAY_MISSING, NULL);
        case WS_RESOLVED_PROVIDED: return chosen(WS_WAY_PROVIDED, NULL);
    }
    return chosen(WS_WAY_SEARCH, file->reason);
}

/* Ruby's search finds only what it can open (rb_file_load_ok). Metadata tell that a file may be read, but not that the
 * program has a descriptor left for it. If it has none, the error is one about the name that was asked for, and not
 * about the path; RubyGems tells these two apart. */
static bool
can_open(const char *path)
{
    int descriptor;
    if (ws_file_open(path, WS_OPEN_FILE, &descriptor) != 0) return false;
    ws_file_close(descriptor);
    return true;
}

/* Not inlined, to keep its variables out of the caller's frame: a resolution is large, and requires are nested. */
__attribute__((noinline)) ws_choice
ws_choose_way(VALUE feature)
{
    ws_resolution file;
    ws_loading_settle_fork();
    /* Only one hook can answer Ruby's loader, and bootsnap's does. Its code cache is as good as ours for the files that
     * are left. */
    if (ws_hook_enabled() && ws_hook_was_taken()) {
        chooser.direct_enabled = false;
        ws_hook_step_back();
    }
    /* Ruby's own search runs without $!, so an error that is raised there has no cause (require_internal). */
    VALUE error = rb_errinfo();
    bool passing = RB_TYPE_P(error, T_OBJECT); /* it is no object during a throw */
    if (passing) rb_set_errinfo(Qnil);
    ws_choice choice = choose(feature, &file);
    if (passing) rb_set_errinfo(error);
    /* If the name that was asked for is the path itself, Ruby's error is the same. */
    if (choice.way == WS_WAY_PATH && !ws_is_path(feature, file.path, file.size) && !can_open(file.path))
        choice = chosen(WS_WAY_SEARCH, file.reason = "unopened");
    if (choice.way == WS_WAY_PATH) {
        ws_log("natively %s (%s)", file.path, choice.reason);
        choice.path = rb_enc_str_new(file.path, (long)file.size, rb_filesystem_encoding());
        if (file.have_stat && !choice.waits_for_ruby) ws_hook_remember(choice.path, &file.stat);
    }
    if (ws_log_enabled && choice.way == WS_WAY_SEARCH && RB_TYPE_P(feature, T_STRING))
        ws_log("searched %.*s (%s)", (int)RSTRING_LEN(feature), RSTRING_PTR(feature), choice.reason);
    ws_tally_count(chooser.tally, choice.way, choice.reason);
    RB_GC_GUARD(feature);
    return choice;
}

void
ws_choose_path_instead(ws_choice *choice)
{
    const ws_entry *entry = choice->found.entry;
    const char *path = ws_segment_string(choice->found.segment, entry->path_offset, entry->path_size);
    choice->way = can_open(path) ? WS_WAY_PATH : WS_WAY_SEARCH;
    choice->path = rb_enc_str_new(path, (long)entry->path_size, rb_filesystem_encoding());
    ws_tally_count(chooser.tally, choice->way, choice->reason);
}

/* ---- Native ---- */

static VALUE
set_index_enabled(VALUE self, VALUE on)
{
    chooser.index_enabled = RTEST(on);
    return on;
}

static VALUE
set_direct_enabled(VALUE self, VALUE on)
{
    chooser.direct_enabled = RTEST(on) && !ws_lacks("direct");
    return on;
}

static VALUE
get_direct_enabled(VALUE self)
{
    return chooser.direct_enabled ? Qtrue : Qfalse;
}

/* call-seq: Native.ways -> {[:direct, nil] => 3, [:path, :autoload] => 1, ...}
 * How often each way was chosen, and why. */
static VALUE
ways(VALUE self)
{
    return ws_tally_hash(chooser.tally, way_names);
}

void
ws_init_way(VALUE native)
{
    chooser.features = rb_gv_get("$LOADED_FEATURES");
    rb_gc_register_mark_object(chooser.features);
    rb_gc_register_address(&chooser.self_iseq);
    rb_gc_register_address(&chooser.main_object);
    if (!ws_lacks("direct")) {
        VALUE binding = rb_const_get(rb_cObject, rb_intern("TOPLEVEL_BINDING"));
        chooser.main_object = rb_funcall(binding, rb_intern("receiver"), 0);
        chooser.self_iseq = ws_own1(WS_OWN_ISEQS_COMPILE, ws_iseq_class, rb_str_new_cstr("self"));
    }
    rb_define_singleton_method(native, "index_enabled=", set_index_enabled, 1);
    rb_define_singleton_method(native, "direct_enabled=", set_direct_enabled, 1);
    rb_define_singleton_method(native, "direct_enabled", get_direct_enabled, 0);
    rb_define_singleton_method(native, "ways", ways, 0);
}
