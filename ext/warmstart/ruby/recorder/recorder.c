/* Keeps what Ruby itself compiles. The load_iseq hook (require/hook.c, iseq_from_image) announces a file that it leaves
 * to Ruby. A TracePoint then gets the very iseq of that load, so label, parser and options are right and nothing is
 * parsed twice. The iseq's binary goes to core/recording/recording.c.
 *
 * Several threads (or fibers) may be compiling at once. The TracePoint is on only while one is: from the announcement
 * to the event, which is a few instructions of Ruby's own loader and compiler. */
#include "ruby/recorder/recorder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/encoding.h>
#include <ruby/st.h>
#include <ruby/thread.h>
#include <ruby/vm.h>

#include "core/bytes/hash.h"
#include "core/image/image_format.h"
#include "core/image/segment.h"
#include "core/system/clock.h"
#include "core/system/error.h"
#include "core/system/file.h"
#include "core/system/thread.h"
#include "ruby/boot/boot.h"
#include "ruby/boot/events.h"
#include "ruby/load_path/gem_folders.h"
#include "ruby/private/own_methods.h"
#include "ruby/recorder/recorder_internal.h"

#ifndef RUBY_EVENT_SCRIPT_COMPILED
#define RUBY_EVENT_SCRIPT_COMPILED 0x2000
#endif

VALUE ws_recorder_leaves_by = Qnil;

ws_recorder ws_the_recorder = { .stable_roots = Qnil, .before_exec = Qnil };

void
ws_recorder_take_place_of(ws_found found)
{
    if (!ws_the_recorder.recording || !found.entry) return;
    if (!ws_the_recorder.useless) ws_the_recorder.useless = st_init_numtable();
    st_insert(ws_the_recorder.useless, (st_data_t)found.entry->path_hash, (st_data_t)found.segment->header->segment_id);
}

static uint64_t
useless_segment(const char *path, size_t size)
{
    st_data_t id = 0;
    return ws_the_recorder.useless &&
                   st_lookup(ws_the_recorder.useless, (st_data_t)ws_hash64(path, size, WS_SEED_NAME), &id)
               ? (uint64_t)id
               : 0;
}

bool
ws_recorder_active(void)
{
    return ws_the_recorder.recording != NULL;
}

/* ---- the compilation of one file ---- */

void
ws_recorder_expect(VALUE path, const ws_stat *stat, uint32_t flags)
{
    if (ws_the_recorder.recording) {
        ws_hints_count_forks();
        ws_compilation_begin(path, stat, flags);
    }
    else ws_compilations_end_all(); /* in a child of fork: ends what the parent's other threads were compiling */
    if (!ws_compilations_any()) {
        ws_stop_listening_when_done();
        return;
    }
    ws_warnings_begin();
    if (!ws_the_recorder.tracing) rb_tracepoint_enable(ws_the_recorder.script_compiled);
    ws_the_recorder.tracing = true;
}

void
ws_recorder_expect_nothing(void)
{
    if (!ws_compilations_any()) return;
    ws_compilation_end(ws_compilation_current());
    ws_stop_listening_when_done();
}

/* A file with a syntax error fires the event with an empty body on 3.1 and 3.3. If that were recorded, require would
 * silently return true. Such a body has the code location [0, 0, -1, -1]. The trace points are looked at first, because
 * an empty body has none and to_a is slow. */
static bool
is_broken(VALUE iseq)
{
    VALUE points = ws_own0(WS_OWN_ISEQ_TRACE_POINTS, iseq);
    if (RB_TYPE_P(points, T_ARRAY) && RARRAY_LEN(points) > 0) return false;
    VALUE array = ws_own0(WS_OWN_ISEQ_TO_A, iseq);
    VALUE misc = rb_ary_entry(array, 4);
    VALUE location = RB_TYPE_P(misc, T_HASH) ? rb_hash_aref(misc, ID2SYM(rb_intern("code_location"))) : Qnil;
    return RB_TYPE_P(location, T_ARRAY) && rb_ary_entry(location, 2) == INT2FIX(-1);
}

/* (The String is nothing that the program may find by ObjectSpace.each_object.) */
static VALUE
compile_binary(VALUE iseq)
{
    return rb_obj_hide(ws_own0(WS_OWN_ISEQ_TO_BINARY, iseq));
}

/* Returns nil for an iseq that Ruby refuses to convert. This is C code that handles no signals, so what it raises is
 * its own. */
static VALUE
binary_of(VALUE iseq)
{
    VALUE saved = rb_errinfo();
    int state = 0;
    VALUE binary = rb_protect(compile_binary, iseq, &state);
    if (!state) return binary;
    rb_set_errinfo(saved);
    return Qnil;
}

/* Keeps one compiled file. Returns false if it must not be kept. */
static bool
keep_code(const ws_compilation *compilation, VALUE iseq, VALUE path, uint32_t *number)
{
    VALUE real = ws_own0(WS_OWN_ISEQ_ABSOLUTE_PATH, iseq);
    if (!RB_TYPE_P(real, T_STRING)) return false;
    /* Otherwise __FILE__ would have another encoding. */
    if (rb_enc_get_index(path) != rb_enc_get_index(compilation->path)) return false;
    /* A path can have the class of the name that it was made from (copy_path_class). Such a path loses its bytes while
     * Prism still reads them (rb_fstring, str_replace_shared), so the code's __FILE__ would be freed memory. */
    if (rb_obj_class(compilation->path) != rb_cString) return false;
    VALUE binary = binary_of(iseq);
    if (NIL_P(binary)) return false;
    size_t size = (size_t)RSTRING_LEN(binary);
    /* Only a small binary can be that of an empty body. */
    if (size < 1024 + 2 * (size_t)RSTRING_LEN(path) && is_broken(iseq)) return false;

    ws_stat now;
    if (ws_file_stat(RSTRING_PTR(path), &now) != 0 || now.type != WS_TYPE_REGULAR) return false;
    if (!ws_stat_is_same(&now, &compilation->stat)) return false;
    ws_recorded_file file = {
        .path = RSTRING_PTR(path),
        .path_size = (size_t)RSTRING_LEN(path),
        .realpath = RSTRING_PTR(real),
        .realpath_size = (size_t)RSTRING_LEN(real),
        .payload = RSTRING_PTR(binary),
        .payload_size = size,
        .stat = now,
        .flags = compilation->flags | ws_hints_at_first(),
        .warning_level = ws_warnings_were_silent(compilation) ? ws_current_warning_level() : 0,
        .useless_segment = useless_segment(RSTRING_PTR(path), (size_t)RSTRING_LEN(path)),
    };
    *number = ws_recording_add(ws_the_recorder.recording, &file);
    rb_str_resize(binary, 0); /* (Its bytes are copied. As garbage they would cause collections.) */
    RB_GC_GUARD(real);
    if (*number == UINT32_MAX) return false;
    ws_the_recorder.recorded_size += size;
    return true;
}

typedef struct ws_compiled {
    VALUE tracepoint;
    ws_compilation *compilation;
    bool kept;
} ws_compiled;

/* Returns false if the event is not about the file that this fiber has announced. */
static VALUE
keep_compiled(VALUE argument)
{
    ws_compiled *event = (ws_compiled *)argument;
    if (!NIL_P(ws_own0(WS_OWN_TRACEPOINT_EVAL_SCRIPT, event->tracepoint))) return Qfalse;
    VALUE iseq = ws_own0(WS_OWN_TRACEPOINT_INSTRUCTION_SEQUENCE, event->tracepoint);
    VALUE path = ws_own0(WS_OWN_ISEQ_PATH, iseq);
    if (!RTEST(rb_str_equal(path, event->compilation->path))) return Qfalse;
    uint32_t number;
    event->kept = keep_code(event->compilation, iseq, path, &number);
    if (event->kept) ws_hints_compiled(number, path);
    return Qtrue;
}

/* Called before the file is evaluated. If a signal, exit, Thread#raise or the like reaches this thread in here, the
 * file is given up, and then the exception goes on. */
static void
on_script_compiled(VALUE tracepoint, ws_compilation *compilation)
{
    ws_compiled event = { tracepoint, compilation, false };
    int state = 0;
    VALUE was_announced = rb_protect(keep_compiled, (VALUE)&event, &state);
    if (!state && !RTEST(was_announced)) return;
    ws_compilation_end(compilation);
    ws_stop_listening_when_done();
    if (state) rb_jump_tag(state);
    if (!NIL_P(ws_recorder_leaves_by)) rb_throw_obj(ws_recorder_leaves_by, event.kept ? Qtrue : Qfalse);
}

/* Handles :script_compiled, exceptions, and the end of a thread. Some files never fire :script_compiled: one with a
 * syntax error under Prism, one that cannot be read, and one whose thread is killed meanwhile. So an exception or the
 * thread's end in the fiber that compiles gives the file up. If that exception is rescued during the compilation (say
 * in the program's own Warning.warn), the file just waits for the next boot. `build` depends on the event, so there an
 * exception does not give the file up. A `load` can also be left without any event: by `throw`, by an unknown encoding,
 * or by a Warning.warn that raises (the old parser works without events). Then the announcement lasts until the fiber
 * requires something, compiles again, or ends. */
static void
on_event(VALUE tracepoint, void *nothing)
{
    ws_compilation *compilation = ws_compilation_current();
    rb_event_flag_t event = rb_tracearg_event_flag(rb_tracearg_from_tracepoint(tracepoint));
    if (event == RUBY_EVENT_SCRIPT_COMPILED) {
        if (compilation) on_script_compiled(tracepoint, compilation);
        return;
    }
    if (event == RUBY_EVENT_RAISE && !NIL_P(ws_recorder_leaves_by)) return;
    ws_compilation_end(compilation);
    if (event == RUBY_EVENT_THREAD_END) ws_compilations_end_dead();
    ws_stop_listening_when_done();
}

void
ws_recorder_revalidated(const ws_entry *entry, const ws_segment *segment, const ws_stat *stat)
{
    if (!ws_the_recorder.recording) return;
    ws_recorded_file file = {
        .path = ws_segment_string(segment, entry->path_offset, entry->path_size),
        .path_size = entry->path_size,
        .realpath = ws_segment_string(segment, entry->realpath_offset, entry->realpath_size),
        .realpath_size = entry->realpath_size,
        .entry = entry,
        .entry_segment = segment->header->segment_id,
        .stat = *stat,
        .flags = entry->flags,
        .warning_level = entry->warning_level,
    };
    if (file.path && file.realpath) ws_recording_add(ws_the_recorder.recording, &file);
}

void
ws_recorder_keep_document(const ws_recorded_file *file)
{
    if (!ws_the_recorder.recording) return;
    ws_recorded_file copy = *file;
    copy.useless_segment = useless_segment(file->path, file->path_size);
    if (ws_recording_add(ws_the_recorder.recording, &copy) != UINT32_MAX)
        ws_the_recorder.recorded_size += file->payload_size;
}

/* ---- the load path ---- */

/* Is this the folder where RubyGems puts a gem's extensions: ".../extensions/PLATFORM/ABI/GEM"? The one of a path gem
 * is on the load path even if the gem has no extensions, and lies outside of every gem home. */
static bool
is_extension_folder(const char *path)
{
    static const char folder[] = "/extensions/";
    int below = 0;
    const char *at = strstr(path, folder);
    if (!at) return false;
    for (at += sizeof folder - 1; *at; at++) below += *at == '/';
    return below == 2;
}

/* Do the folders below this entry stay unchanged while a program boots? */
static bool
is_stable(const char *path, size_t size)
{
    VALUE stable_roots = ws_the_recorder.stable_roots;
    const ws_path_rules *rules = ws_path_rules_native();
    for (long i = 0; RB_TYPE_P(stable_roots, T_ARRAY) && i < RARRAY_LEN(stable_roots); i++) {
        VALUE root = RARRAY_AREF(stable_roots, i);
        if (rules->is_within(path, size, RSTRING_PTR(root), (size_t)RSTRING_LEN(root))) return true;
    }
    return ws_is_under_gems(path) || is_extension_folder(path);
}

/* Tells the recording the absolute entries of the present $LOAD_PATH. */
static void
tell_load_path(void)
{
    VALUE load_path = rb_gv_get("$LOAD_PATH");
    long count = RARRAY_LEN(load_path), kept = 0;
    ws_index_source *sources = malloc((size_t)(count + 1) * sizeof *sources);
    if (!sources) return;
    for (long i = 0; i < count; i++) {
        VALUE element = RARRAY_AREF(load_path, i);
        if (!RB_TYPE_P(element, T_STRING) || !ws_is_absolute(RSTRING_PTR(element), (size_t)RSTRING_LEN(element)))
            continue;
        if (memchr(RSTRING_PTR(element), 0, (size_t)RSTRING_LEN(element)) || RSTRING_LEN(element) >= WS_PATH_MAXIMUM)
            continue;
        const char *given = StringValueCStr(element);
        size_t size = (size_t)RSTRING_LEN(element);
        sources[kept++] = (ws_index_source){ given, size, is_stable(given, size) };
    }
    ws_recording_load_path(ws_the_recorder.recording, sources, (size_t)kept);
    free(sources);
    RB_GC_GUARD(load_path);
}

/* ---- Native ---- */

/* A child must not keep the lock's file descriptor, and it does not have the thread. */
static void
after_fork_in_child(void)
{
    if (!ws_the_recorder.recording) return;
    ws_recording_abandon_after_fork(ws_the_recorder.recording);
    ws_the_recorder.recording = NULL;
    ws_the_recorder.awaits_index = false;
}

/* Returns a NULL-terminated list of copies of the Array's Strings, which live as long as the recording; NULL: it is no
 * Array, or memory is short. */
static const char **
string_list(VALUE array)
{
    if (!RB_TYPE_P(array, T_ARRAY)) return NULL;
    const char **list = calloc((size_t)RARRAY_LEN(array) + 1, sizeof *list);
    for (long i = 0; list && i < RARRAY_LEN(array); i++) {
        VALUE element = RARRAY_AREF(array, i);
        list[i] = strdup(StringValueCStr(element));
    }
    return list;
}

static uint64_t
size_option(VALUE options, const char *name)
{
    VALUE value = rb_hash_aref(options, ID2SYM(rb_intern(name)));
    return NIL_P(value) ? 0 : NUM2ULL(value);
}

static bool
wait_at_end(uint32_t milliseconds)
{
    return ws_recording_wait(ws_the_recorder.recording, milliseconds);
}

/* Called after the last exit handler, because handlers older than ours may have loaded files, too. Ruby is gone by
 * then. */
static void
at_end_of_vm(ruby_vm_t *vm)
{
    if (!ws_the_recorder.recording || ws_the_recorder.owner != getpid() || ws_the_recorder.wait_was_left ||
        ws_recording_pending(ws_the_recorder.recording) == 0)
        return;
    ws_recording_request_commit(ws_the_recorder.recording);
    ws_until_signal(wait_at_end, WS_FINISH_MILLISECONDS);
}

/* call-seq: Native.start_recording(options) -> nil
 *
 * Begins to record into the image's folder (Native.prepare). Options (Symbols): idle (milliseconds), maximum_size
 * (bytes), wait (for the folder's lock), trusting_times, root (of the application), ignored (Array), stable_roots
 * (Array). */
static VALUE
start_recording(VALUE self, VALUE options)
{
    if (ws_the_recorder.recording) return Qnil;
    ws_the_recorder.stable_roots = rb_hash_aref(options, ID2SYM(rb_intern("stable_roots")));
    VALUE root = rb_hash_aref(options, ID2SYM(rb_intern("root")));
    ws_recording_options recording_options = {
        .store = {
            .directory = ws_the_boot.directory,
            .anchor = ws_the_boot.anchor,
            .key_hash = ws_the_boot.key_hash,
            .trust = ws_the_boot.trust,
            .maximum_size = size_option(options, "maximum_size"),
            .image_flags = ws_the_boot.portable ? WS_IMAGE_PORTABLE : 0,
            .root = NIL_P(root) ? NULL : strdup(StringValueCStr(root)),
            .wait = RTEST(rb_hash_aref(options, ID2SYM(rb_intern("wait")))),
        },
        .key = ws_the_boot.key, .key_size = ws_the_boot.key_size,
        .dlext = ws_the_boot.dlext,
        .ignored = string_list(rb_hash_aref(options, ID2SYM(rb_intern("ignored")))),
        .idle_milliseconds = (uint32_t)size_option(options, "idle"),
        .trusting_times = RTEST(rb_hash_aref(options, ID2SYM(rb_intern("trusting_times")))),
    };
    ws_the_recorder.recording = ws_recording_new(&recording_options);
    if (!ws_the_recorder.recording) return Qnil; /* memory is short, so nothing is recorded */
    ws_the_recorder.owner = getpid();
    if (!ws_the_recorder.hooks_installed) {
        ws_thread_after_fork(after_fork_in_child);
        ruby_vm_at_exit(at_end_of_vm);
    }
    ws_the_recorder.hooks_installed = true;
    return Qnil;
}

/* call-seq: Native.request_commit(statistics, index, alone) -> nil
 * Asks the recording's thread to write what is pending, and the index of the present $LOAD_PATH if `index` is true. If
 * there is neither, it writes the statistics only if `alone` is true. */
static VALUE
request_commit(VALUE self, VALUE statistics, VALUE index, VALUE alone)
{
    if (!ws_the_recorder.recording) return Qnil;
    if (RTEST(index)) tell_load_path();
    if (!NIL_P(statistics))
        ws_recording_statistics(ws_the_recorder.recording, StringValueCStr(statistics), (size_t)RSTRING_LEN(statistics),
                                RTEST(alone));
    ws_recording_request_commit(ws_the_recorder.recording);
    return Qnil;
}

/* call-seq: Native.start_writer -> true or false
 * false: no thread can be started that would write (a limit of threads or of memory is reached). Nothing is allocated
 * for the answer. */
static VALUE
start_writer(VALUE self)
{
    return ws_the_recorder.recording && ws_recording_start(ws_the_recorder.recording) ? Qtrue : Qfalse;
}

/* call-seq: Native.request_index(least, milliseconds) -> nil
 * If there is no index yet, and $LOAD_PATH has at least so many entries, this asks the recording's thread to write an
 * index of it, and what is pending, and waits for so long at most (0: not at all). If the index is not there by then,
 * later requires look for it. */
static VALUE
request_index(VALUE self, VALUE least, VALUE milliseconds)
{
    ws_recording *recording = ws_the_recorder.recording;
    if (!recording || ws_the_boot.index || ws_the_recorder.awaits_index) return Qnil;
    if (RARRAY_LEN(rb_gv_get("$LOAD_PATH")) < NUM2LONG(least) || !ws_recording_start(recording)) return Qnil;
    tell_load_path();
    ws_recording_request_commit(recording);
    ws_the_recorder.awaits_index = true;
    ws_recorder_wait(NUM2UINT(milliseconds));
    ws_recorder_brings_index();
    return Qnil;
}

bool
ws_recorder_brings_index(void)
{
    ws_recorder *recorder = &ws_the_recorder;
    if (!recorder->awaits_index || !recorder->recording || !ws_recording_wait(recorder->recording, 0)) return false;
    recorder->awaits_index = false;
    if (!ws_boot_open_again() || !ws_the_boot.index) return false;
    ws_log("made an index of the load path");
    return true;
}

/* call-seq: Native.missing_pending -> Integer
 * The number of names that do not exist and are to be written with the next index. */
static VALUE
missing_pending(VALUE self)
{
    return ws_the_recorder.recording ? SIZET2NUM(ws_recording_missing_count(ws_the_recorder.recording)) : INT2FIX(0);
}

static VALUE
pending(VALUE self)
{
    return ws_the_recorder.recording ? SIZET2NUM(ws_recording_pending(ws_the_recorder.recording)) : INT2FIX(0);
}

/* call-seq: Native.recorded_size -> Integer
 * The bytes of code and documents that this process has recorded. */
static VALUE
get_recorded_size(VALUE self)
{
    return SIZET2NUM(ws_the_recorder.recorded_size);
}

typedef struct ws_wait {
    ws_recording *recording;
    bool finished;
} ws_wait;

static void *
wait_without_gvl(void *argument)
{
    ws_wait *wait = argument;
    wait->finished = ws_recording_wait_a_moment(wait->recording);
    return NULL;
}

/* Up to Ruby 3.2 a wait that can be interrupted makes a thread if there is only one (rb_nogvl,
 * rb_thread_start_unblock_thread), and raises ThreadError where no thread can be made. So we wait for a moment at a
 * time, without an unblocking function.
 *
 * Signals, Thread#raise and Thread#kill act after that moment: the program's signal handler runs here, and an exception
 * goes on to the caller. If nothing is raised, the wait goes on, unless a handler has forked and this is the child,
 * which does not record. Where nothing is to be waited for, no other thread of the program runs. */
bool
ws_recorder_wait(uint32_t milliseconds)
{
    int64_t until = ws_clock_now() + (int64_t)milliseconds * 1000000;
    ws_wait wait = { .finished = ws_the_recorder.recording && ws_recording_wait(ws_the_recorder.recording, 0) };
    while (ws_the_recorder.recording && !wait.finished) {
        bool last = ws_clock_now() >= until;
        wait.recording = ws_the_recorder.recording;
        ws_the_recorder.wait_was_left = true;
        rb_thread_call_without_gvl(wait_without_gvl, &wait, NULL, NULL);
        ws_the_recorder.wait_was_left = false;
        if (last) break;
    }
    return !ws_the_recorder.recording || wait.finished;
}

/* call-seq: Native.wait(milliseconds) -> true or false
 * Waits until everything that was asked for is written. Other threads run meanwhile. */
static VALUE
wait_for_commit(VALUE self, VALUE milliseconds)
{
    return ws_recorder_wait(NUM2UINT(milliseconds)) ? Qtrue : Qfalse;
}

/* call-seq: Native.commit_result -> Hash, or nil if there was no commit
 * What the commits of this process have done. */
static VALUE
commit_result(VALUE self)
{
    if (!ws_the_recorder.recording) return Qnil;
    ws_recording_result result = ws_recording_last(ws_the_recorder.recording);
    if (result.commits == 0 && result.error.code == WS_OK) return Qnil;
    VALUE hash = rb_hash_new();
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        { "commits", result.commits },
        { "written", result.written },
        { "unchanged", result.unchanged },
        { "racy", result.racy },
        { "failed", result.failed },
        { "generation", result.published.generation },
        { "image_size", result.published.image_size },
        { "segments", result.published.segment_count },
        { "entries", result.published.entry_count },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        rb_hash_aset(hash, ID2SYM(rb_intern(numbers[i].name)), ULL2NUM(numbers[i].value));
    if (result.error.code != WS_OK) {
        char message[1024];
        ws_error_describe(&result.error, message, sizeof message);
        rb_hash_aset(hash, ID2SYM(rb_intern("error")), ID2SYM(rb_intern(ws_error_name(result.error.code))));
        rb_hash_aset(hash, ID2SYM(rb_intern("errno")), INT2NUM(result.error.error_number));
        rb_hash_aset(hash, ID2SYM(rb_intern("message")), ws_text_with_paths(message, strlen(message)));
    }
    return hash;
}

/* call-seq: Native.stop_listening -> nil
 * Gives up what is being compiled and removes what ws_recorder_expect put over Ruby's own methods. The next file that
 * is left to Ruby puts it back. */
static VALUE
stop_listening(VALUE self)
{
    ws_compilations_end_all();
    ws_stop_listening_when_done();
    return Qnil;
}

/* call-seq: Native.stop_recording -> nil
 * Called when setup has failed. Nothing that was recorded is written. */
static VALUE
stop_recording(VALUE self)
{
    ws_recording *ended = ws_the_recorder.recording;
    if (!ended || ws_the_recorder.owner != getpid()) return Qnil;
    ws_the_recorder.recording = NULL;
    ws_recording_free(ended);
    return Qnil;
}

static VALUE
is_recording(VALUE self)
{
    return ws_the_recorder.recording && ws_the_recorder.owner == getpid() ? Qtrue : Qfalse;
}

void
ws_init_recorder(VALUE native)
{
    rb_gc_register_address(&ws_recorder_leaves_by);
    rb_gc_register_address(&ws_the_recorder.stable_roots);
    ws_the_recorder.script_compiled =
        rb_tracepoint_new(Qnil, RUBY_EVENT_SCRIPT_COMPILED | RUBY_EVENT_RAISE | RUBY_EVENT_THREAD_END, on_event, NULL);
    rb_gc_register_mark_object(ws_the_recorder.script_compiled);
    ws_init_compilations();
    ws_init_warnings();
    ws_init_hints();

    rb_define_singleton_method(native, "start_recording", start_recording, 1);
    rb_define_singleton_method(native, "recording?", is_recording, 0);
    rb_define_singleton_method(native, "stop_listening", stop_listening, 0);
    rb_define_singleton_method(native, "stop_recording", stop_recording, 0);
    rb_define_singleton_method(native, "start_writer", start_writer, 0);
    rb_define_singleton_method(native, "request_commit", request_commit, 3);
    rb_define_singleton_method(native, "request_index", request_index, 2);
    rb_define_singleton_method(native, "missing_pending", missing_pending, 0);
    rb_define_singleton_method(native, "pending", pending, 0);
    rb_define_singleton_method(native, "recorded_size", get_recorded_size, 0);
    rb_define_singleton_method(native, "wait", wait_for_commit, 1);
    rb_define_singleton_method(native, "commit_result", commit_result, 0);
}
