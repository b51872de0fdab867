/* Keeps what Ruby itself compiles. The loader announces a file that it leaves to Ruby. A TracePoint then gets the very
 * iseq of that load, so label, parser and options are right and nothing is parsed twice. The iseq's binary goes to
 * core/recording/recording.c.
 *
 * Several threads (or fibers) may be compiling at once; recorder_compilations.c has the list. The TracePoint is on only
 * while the list is not empty: from the announcement to the event, which is a few instructions of Ruby's own loader and
 * compiler. */
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
#include "core/image/manifest.h"
#include "core/image/segment.h"
#include "core/system/clock.h"
#include "core/system/error.h"
#include "core/system/file.h"
#include "core/system/thread.h"
#include "ruby/boot/boot.h"
#include "ruby/recorder/recorder_compilations.h"
#include "ruby/recorder/recorder_hints.h"
#include "ruby/recorder/recorder_load_path.h"

#ifndef RUBY_EVENT_SCRIPT_COMPILED
#define RUBY_EVENT_SCRIPT_COMPILED 0x2000
#endif

VALUE ws_recorder_leaves_by = Qnil;

static struct {
    ws_recording *recording; /* NULL: this process does not record */
    pid_t owner;             /* the process that began to record */
    VALUE script_compiled;   /* the TracePoint, which is on while files are being compiled: while `tracing` is set */
    bool tracing;
    bool hooks_installed; /* what is called after a fork, and at the end of Ruby */
    bool wait_was_left;   /* an exception has left the last wait */
    VALUE stable_roots;
    size_t recorded_size; /* bytes of payloads that this process has recorded */
    st_table *useless;    /* entries of the image that turned out to be useless: hash of the path -> the segment's id */
} recorder = { .stable_roots = Qnil };
static ID id_instruction_sequence, id_to_binary, id_path, id_absolute_path, id_eval_script;

/* How long the end of the program waits until everything is written: Session::FINISH_MILLISECONDS. */
#define FINISH_MILLISECONDS 10000

void
ws_recorder_take_place_of(ws_found found)
{
    if (!recorder.recording || !found.entry) return;
    if (!recorder.useless) recorder.useless = st_init_numtable();
    st_insert(recorder.useless, (st_data_t)found.entry->path_hash, (st_data_t)found.segment->header->segment_id);
}

static uint64_t
useless_segment(const char *path, size_t size)
{
    st_data_t id = 0;
    return recorder.useless && st_lookup(recorder.useless, (st_data_t)ws_hash64(path, size, WS_SEED_NAME), &id)
               ? (uint64_t)id
               : 0;
}

bool
ws_recorder_active(void)
{
    return recorder.recording != NULL;
}

void
ws_recorder_hint(uint32_t number, uint32_t flags, uint32_t no_longer)
{
    if (recorder.recording) ws_recording_hint(recorder.recording, number, flags, no_longer);
}

/* ---- the compilation of one file ---- */

static void
stop_tracing_when_done(void)
{
    if (ws_compilations_any()) return;
    if (recorder.tracing) rb_tracepoint_disable(recorder.script_compiled);
    recorder.tracing = false;
    ws_warnings_end();
}

void
ws_recorder_expect(VALUE path, const ws_stat *stat, uint32_t flags)
{
    if (recorder.recording) {
        ws_hints_count_forks();
        ws_compilation_begin(path, stat, flags);
    }
    else ws_compilations_end_all(); /* in a child of fork: ends what the parent's other threads were compiling */
    if (!ws_compilations_any()) {
        stop_tracing_when_done();
        return;
    }
    ws_warnings_begin();
    if (!recorder.tracing) rb_tracepoint_enable(recorder.script_compiled);
    recorder.tracing = true;
}

void
ws_recorder_expect_nothing(void)
{
    if (!ws_compilations_any()) return;
    ws_compilation_end(ws_compilation_current());
    stop_tracing_when_done();
}

/* Ends what this fiber has announced. It was this require's file, or an earlier one that failed without an event, or
 * one whose compilation is interrupted by this require. */
void
ws_recorder_call_ended(void)
{
    if (!ws_compilations_any()) return;
    ws_compilation_end(ws_compilation_current());
    ws_compilations_end_of_dead();
    stop_tracing_when_done();
}

/* A file with a syntax error fires the event with an empty body on 3.1 and 3.3. If that were recorded, require would
 * silently return true. Such a body has the code location [0, 0, -1, -1]. The trace points are looked at first, because
 * an empty body has none and to_a is slow. */
static bool
is_broken(VALUE iseq)
{
    VALUE points = rb_funcall(iseq, rb_intern("trace_points"), 0);
    if (RB_TYPE_P(points, T_ARRAY) && RARRAY_LEN(points) > 0) return false;
    VALUE array = rb_funcall(iseq, rb_intern("to_a"), 0);
    VALUE misc = rb_ary_entry(array, 4);
    VALUE location = RB_TYPE_P(misc, T_HASH) ? rb_hash_aref(misc, ID2SYM(rb_intern("code_location"))) : Qnil;
    return RB_TYPE_P(location, T_ARRAY) && rb_ary_entry(location, 2) == INT2FIX(-1);
}

static VALUE
compile_binary(VALUE iseq)
{
    return rb_funcall(iseq, id_to_binary, 0);
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
keep(const ws_compilation *compilation, VALUE iseq, VALUE path, uint32_t *number)
{
    const ws_stat *before = &compilation->stat;
    VALUE real = rb_funcall(iseq, id_absolute_path, 0);
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
    if (now.mtime != before->mtime || now.ctime != before->ctime || now.size != before->size ||
        now.inode != before->inode || now.device != before->device)
        return false;
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
    *number = ws_recording_add(recorder.recording, &file);
    RB_GC_GUARD(binary);
    RB_GC_GUARD(real);
    if (*number == UINT32_MAX) return false;
    recorder.recorded_size += size;
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
    if (!NIL_P(rb_funcall(event->tracepoint, id_eval_script, 0))) return Qfalse;
    VALUE iseq = rb_funcall(event->tracepoint, id_instruction_sequence, 0);
    VALUE path = rb_funcall(iseq, id_path, 0);
    if (!RTEST(rb_str_equal(path, event->compilation->path))) return Qfalse;
    uint32_t number;
    event->kept = keep(event->compilation, iseq, path, &number);
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
    stop_tracing_when_done();
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
    if (event == RUBY_EVENT_THREAD_END) ws_compilations_end_of_dead();
    stop_tracing_when_done();
}

void
ws_recorder_revalidated(const ws_entry *entry, const ws_segment *segment, const ws_stat *stat)
{
    if (!recorder.recording) return;
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
    if (file.path && file.realpath) ws_recording_add(recorder.recording, &file);
}

void
ws_recorder_keep(const ws_recorded_file *file)
{
    if (!recorder.recording) return;
    ws_recorded_file copy = *file;
    copy.useless_segment = useless_segment(file->path, file->path_size);
    if (ws_recording_add(recorder.recording, &copy) != UINT32_MAX) recorder.recorded_size += file->payload_size;
}

/* ---- Native ---- */

/* A child must not keep the lock's file descriptor, and it does not have the thread. */
static void
after_fork_in_child(void)
{
    if (!recorder.recording) return;
    ws_recording_abandon_after_fork(recorder.recording);
    recorder.recording = NULL;
}

static uint32_t
image_flags(VALUE options)
{
    uint32_t flags = 0;
    if (RTEST(rb_hash_aref(options, ID2SYM(rb_intern("sealed"))))) flags |= WS_IMAGE_SEALED;
    if (RTEST(rb_hash_aref(options, ID2SYM(rb_intern("portable"))))) flags |= WS_IMAGE_PORTABLE;
    if (RTEST(rb_hash_aref(options, ID2SYM(rb_intern("reproducible"))))) flags |= WS_IMAGE_REPRODUCIBLE;
    return flags;
}

/* Returns a NULL-terminated list of the C strings in the Array's Strings. The caller frees it. */
static const char **
string_list(VALUE array)
{
    if (!RB_TYPE_P(array, T_ARRAY)) return NULL;
    const char **list = calloc((size_t)RARRAY_LEN(array) + 1, sizeof *list);
    for (long i = 0; list && i < RARRAY_LEN(array); i++) {
        VALUE element = RARRAY_AREF(array, i);
        list[i] = StringValueCStr(element);
    }
    return list;
}

void
ws_fill_fingerprints(ws_manifest_fingerprint *list, uint32_t *count, VALUE hash)
{
    VALUE names = RB_TYPE_P(hash, T_HASH) ? rb_funcall(hash, rb_intern("keys"), 0) : rb_ary_new();
    *count = 0;
    for (long i = 0; i < RARRAY_LEN(names) && *count < WS_FINGERPRINTS_MAXIMUM; i++) {
        VALUE name = RARRAY_AREF(names, i), path = rb_hash_aref(hash, name);
        ws_manifest_fingerprint *fingerprint = &list[(*count)++];
        memset(fingerprint, 0, sizeof *fingerprint);
        snprintf(fingerprint->name, sizeof fingerprint->name, "%s", StringValueCStr(name));
        ws_error error;
        if (ws_file_hash(StringValueCStr(path), &fingerprint->hash, NULL, &error) != WS_OK)
            rb_raise(rb_eArgError, "cannot read %s for the fingerprint", StringValueCStr(path));
    }
}

static uint64_t
size_option(VALUE options, const char *name, uint64_t otherwise)
{
    VALUE value = rb_hash_aref(options, ID2SYM(rb_intern(name)));
    return NIL_P(value) ? otherwise : NUM2ULL(value);
}

static bool
wait_at_end(uint32_t milliseconds)
{
    return ws_recording_wait(recorder.recording, milliseconds);
}

/* Called after the last exit handler, because handlers older than ours may have loaded files, too. Ruby is gone by
 * then. */
static void
at_end_of_vm(ruby_vm_t *vm)
{
    if (!recorder.recording || recorder.owner != getpid() || recorder.wait_was_left ||
        ws_recording_pending(recorder.recording) == 0)
        return;
    ws_recording_commit(recorder.recording);
    ws_until_signal(wait_at_end, FINISH_MILLISECONDS);
}

/* call-seq: Native.record(options) -> nil
 *
 * Begins to record into the image's folder (Native.prepare). Options (Symbols): idle (milliseconds), maximum_size
 * (bytes), maximum_age (seconds), sealed, portable, reproducible, replace, public, wait, trusting_times, root, ignored
 * (Array), stable_roots (Array), fingerprints ({name => path}). */
static VALUE
record(VALUE self, VALUE options)
{
    if (recorder.recording) return Qnil;
    ws_manifest_fingerprint fingerprints[WS_FINGERPRINTS_MAXIMUM];
    uint32_t fingerprint_count;
    ws_fill_fingerprints(fingerprints, &fingerprint_count, rb_hash_aref(options, ID2SYM(rb_intern("fingerprints"))));
    VALUE root = rb_hash_aref(options, ID2SYM(rb_intern("root")));
    recorder.stable_roots = rb_hash_aref(options, ID2SYM(rb_intern("stable_roots")));
    ws_recording_options recording_options = {
        .store = {
            .directory = ws_the_boot.directory,
            .anchor = ws_the_boot.anchor,
            .key_hash = ws_the_boot.key_hash,
            .trust = ws_the_boot.trust,
            .maximum_size = size_option(options, "maximum_size", 0),
            .maximum_age = (uint32_t)size_option(options, "maximum_age", 0),
            .image_flags = image_flags(options) | (ws_the_boot.portable ? WS_IMAGE_PORTABLE : 0),
            .replace = RTEST(rb_hash_aref(options, ID2SYM(rb_intern("replace")))),
            .public_read = RTEST(rb_hash_aref(options, ID2SYM(rb_intern("public")))),
            .wait = RTEST(rb_hash_aref(options, ID2SYM(rb_intern("wait")))),
            .root = NIL_P(root) ? NULL : StringValueCStr(root),
            .fingerprints = fingerprints, .fingerprint_count = fingerprint_count,
        },
        .key = ws_the_boot.key, .key_size = ws_the_boot.key_size,
        .dlext = ws_the_boot.dlext,
        .idle_milliseconds = (uint32_t)size_option(options, "idle", 1000),
        .trusting_times = RTEST(rb_hash_aref(options, ID2SYM(rb_intern("trusting_times")))),
    };
    /* This comes last, so that Ruby allocates nothing any more: a collection might move the Strings whose bytes are in
     * the list. */
    const char **ignored = string_list(rb_hash_aref(options, ID2SYM(rb_intern("ignored"))));
    recording_options.ignored = ignored;
    recorder.recording = ws_recording_new(&recording_options);
    free(ignored);
    RB_GC_GUARD(root);
    if (!recorder.recording) return Qnil; /* memory is short, so nothing is recorded */
    recorder.owner = getpid();
    if (!recorder.hooks_installed) {
        ws_thread_after_fork(after_fork_in_child);
        ruby_vm_at_exit(at_end_of_vm);
    }
    recorder.hooks_installed = true;
    return Qnil;
}

/* call-seq: Native.commit(statistics, index, alone) -> nil
 * Asks the recording's thread to write what is pending, and the index of the present $LOAD_PATH if `index` is true. If
 * there is neither, it writes the statistics only if `alone` is true. */
static VALUE
commit(VALUE self, VALUE statistics, VALUE index, VALUE alone)
{
    if (!recorder.recording) return Qnil;
    if (RTEST(index)) ws_recorder_tell_load_path(recorder.recording, recorder.stable_roots);
    if (!NIL_P(statistics))
        ws_recording_statistics(recorder.recording, StringValueCStr(statistics), (size_t)RSTRING_LEN(statistics),
                                RTEST(alone));
    ws_recording_commit(recorder.recording);
    return Qnil;
}

/* call-seq: Native.start_writing -> true or false
 * false: no thread can be started that would write (a limit of threads or of memory is reached). Nothing is allocated
 * for the answer. */
static VALUE
start_writing(VALUE self)
{
    return recorder.recording && ws_recording_start(recorder.recording) ? Qtrue : Qfalse;
}

void
ws_recorder_note_missing(VALUE feature)
{
    if (recorder.recording)
        ws_recording_missing(recorder.recording, RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature));
}

/* call-seq: Native.missing_pending -> Integer
 * The number of names that do not exist and are to be written with the next index. */
static VALUE
missing_pending(VALUE self)
{
    return recorder.recording ? SIZET2NUM(ws_recording_missing_count(recorder.recording)) : INT2FIX(0);
}

static VALUE
pending(VALUE self)
{
    return recorder.recording ? SIZET2NUM(ws_recording_pending(recorder.recording)) : INT2FIX(0);
}

/* call-seq: Native.recorded_size -> Integer
 * The bytes of code and documents that this process has recorded. */
static VALUE
get_recorded_size(VALUE self)
{
    return SIZET2NUM(recorder.recorded_size);
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
 * which does not record. */
bool
ws_recorder_wait(uint32_t milliseconds)
{
    int64_t until = ws_clock_now() + (int64_t)milliseconds * 1000000;
    ws_wait wait = { .finished = false };
    while (recorder.recording && !wait.finished) {
        bool last = ws_clock_now() >= until;
        wait.recording = recorder.recording;
        recorder.wait_was_left = true;
        rb_thread_call_without_gvl(wait_without_gvl, &wait, NULL, NULL);
        recorder.wait_was_left = false;
        if (last) break;
    }
    return !recorder.recording || wait.finished;
}

/* call-seq: Native.wait(milliseconds) -> true or false
 * Waits until everything that was asked for is written. Other threads run meanwhile. */
static VALUE
wait_for_commit(VALUE self, VALUE milliseconds)
{
    return ws_recorder_wait(NUM2UINT(milliseconds)) ? Qtrue : Qfalse;
}

/* call-seq: Native.recorded -> Hash
 * What the commits of this process have done. */
static VALUE
recorded(VALUE self)
{
    VALUE hash = rb_hash_new();
    if (!recorder.recording) return hash;
    ws_recording_result result = ws_recording_last(recorder.recording);
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
    stop_tracing_when_done();
    return Qnil;
}

/* call-seq: Native.stop_recording -> nil
 * Called when setup has failed. Nothing that was recorded is written. */
static VALUE
stop_recording(VALUE self)
{
    ws_recording *ended = recorder.recording;
    if (!ended || recorder.owner != getpid()) return Qnil;
    recorder.recording = NULL;
    ws_recording_free(ended);
    return Qnil;
}

static VALUE
is_recording(VALUE self)
{
    return recorder.recording && recorder.owner == getpid() ? Qtrue : Qfalse;
}

void
ws_init_recorder(VALUE native)
{
    rb_gc_register_address(&ws_recorder_leaves_by);
    id_instruction_sequence = rb_intern("instruction_sequence");
    id_to_binary = rb_intern("to_binary");
    id_path = rb_intern("path");
    id_absolute_path = rb_intern("absolute_path");
    id_eval_script = rb_intern("eval_script");
    rb_gc_register_address(&recorder.stable_roots);
    recorder.script_compiled =
        rb_tracepoint_new(Qnil, RUBY_EVENT_SCRIPT_COMPILED | RUBY_EVENT_RAISE | RUBY_EVENT_THREAD_END, on_event, NULL);
    rb_gc_register_mark_object(recorder.script_compiled);
    ws_init_compilations();
    ws_init_hints(native);

    rb_define_singleton_method(native, "record", record, 1);
    rb_define_singleton_method(native, "recording?", is_recording, 0);
    rb_define_singleton_method(native, "stop_listening", stop_listening, 0);
    rb_define_singleton_method(native, "stop_recording", stop_recording, 0);
    rb_define_singleton_method(native, "start_writing", start_writing, 0);
    rb_define_singleton_method(native, "commit", commit, 3);
    rb_define_singleton_method(native, "missing_pending", missing_pending, 0);
    rb_define_singleton_method(native, "pending", pending, 0);
    rb_define_singleton_method(native, "recorded_size", get_recorded_size, 0);
    rb_define_singleton_method(native, "wait", wait_for_commit, 1);
    rb_define_singleton_method(native, "recorded", recorded, 0);
}
