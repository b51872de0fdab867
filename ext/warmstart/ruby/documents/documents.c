/* Replaces File.open by a function that does the same as Ruby's io.c, except when Psych opens a YAML file to load it.
 * If the image has the document, File.open returns it and never calls the block. Otherwise Psych's own methods run,
 * with their own errors and frames, and what they return is recorded. Psych's methods stay as they are, so other code
 * may wrap or replace them.
 *
 * In the three methods that read files, Psych calls File.open(filename, 'r:bom|utf-8') { |f| self.load f, ... }. */
#include "ruby/documents/documents.h"

#include <stdlib.h>
#include <string.h>

#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/st.h>

#include "core/bytes/hash.h"
#include "core/image/image.h"
#include "core/image/image_format.h"
#include "core/recording/recording.h"
#include "core/system/file.h"
#include "ruby/boot/boot.h"
#include "ruby/boot/events.h"
#include "ruby/code/judgement.h"
#include "ruby/private/private_api.h"
#include "ruby/private/ractor.h"
#include "ruby/recorder/recorder.h"

/* Larger documents are not kept, because they would take memory until they are written. */
#define PAYLOAD_MAXIMUM ((size_t)16 << 20)

static struct {
    bool enabled;
    /* Psych may raise an exception and rescue it itself (for text that looks like a date and is none). A program that
     * watches for exceptions sees it, so such a document is not kept. */
    unsigned raised, readings;
    st_table *recorded;    /* the files that are recorded, by hashes */
    VALUE lasting_folders; /* Array of frozen Strings that end in a separator, or nil */
} documents = { .lasting_folders = Qnil };

/* ---- Ruby's own File.open (io.c: rb_io_s_open, io_close) ---- */

static VALUE
call_close(VALUE io)
{
    rb_check_funcall(io, rb_intern("close"), 0, NULL);
    return io;
}

static VALUE
ignore_closed_stream(VALUE io, VALUE error)
{
    static const char closed_stream[] = "closed stream";
    VALUE message = rb_attr_get(error, rb_intern("mesg"));
    if (!RB_TYPE_P(message, T_STRING) || RSTRING_LEN(message) != (long)sizeof closed_stream - 1 ||
        memcmp(RSTRING_PTR(message), closed_stream, sizeof closed_stream - 1) != 0)
        rb_exc_raise(error);
    return io;
}

static VALUE
close_file(VALUE io)
{
    VALUE closed = rb_check_funcall(io, rb_intern("closed?"), 0, NULL);
    if (closed != Qundef && RTEST(closed)) return io;
    rb_rescue2(call_close, io, ignore_closed_stream, io, rb_eIOError, (VALUE)0);
    return io;
}

static VALUE
open_file(int argc, VALUE *argv, VALUE class)
{
    VALUE io = rb_class_new_instance_kw(argc, argv, class, RB_PASS_CALLED_KEYWORDS);
    return rb_block_given_p() ? rb_ensure(rb_yield, io, close_file, io) : io;
}

/* ---- from the image ---- */

typedef struct ws_document_use {
    ws_document_call call;
    ws_stat stat;
    bool have_stat;
    unsigned raised; /* exceptions while Psych read the file */
} ws_document_use;

/* Does the reason say that the file as it is can never be stored? Then no boot tries again. */
static bool
is_final(const char *reason)
{
    return strcmp(reason, "tags") == 0 || strcmp(reason, "not_plain") == 0;
}

/* Returns Qundef if Psych must read the file. */
static VALUE
document_from_image(ws_document_use *use)
{
    const ws_document_call *call = &use->call;
    const char *reason = NULL;
    ws_found found = { NULL, NULL };
    if (ws_the_boot.image_open) found = ws_image_find(&ws_the_boot.image, call->key, call->key_size);
    bool believe =
        ws_the_boot.sealed && found.entry && !ws_the_boot.complete; /* a program that has booted may write YAML files */
    ws_verdict verdict = VERDICT_GONE;
    VALUE document = Qundef;
    use->have_stat = !believe && ws_file_stat(call->key, &use->stat) == 0 &&
                     ws_file_is_readable(call->key, &use->stat) &&
                     !(found.entry && (found.entry->flags & WS_ENTRY_ACCESS_LIST) && !ws_file_may_be_read(call->key));
    if (believe || use->have_stat) verdict = ws_judge_document(found, call->key, believe ? NULL : &use->stat, &reason);
    else reason = "gone";
    if (ws_is_usable(verdict)) {
        const uint8_t *payload = ws_payload(found, &reason);
        const char *unreadable = NULL;
        if (payload) document = ws_document_read(payload, (size_t)found.entry->payload_size, &unreadable);
        if (document == Qundef) verdict = VERDICT_MISS;
        if (unreadable) reason = unreadable;
        if (unreadable && is_final(unreadable)) use->have_stat = false;
        else if (unreadable && strcmp(unreadable, "refused") == 0) ws_recorder_take_place_of(found);
    }
    ws_report_verdict(verdict, reason, call->key, call->path_size);
    return document;
}

/* ---- into the image ---- */

static void
note_raised(rb_event_flag_t event, VALUE data, VALUE self, ID method, VALUE class)
{
    documents.raised++;
}

typedef struct ws_open_call {
    int argc;
    VALUE *argv;
    VALUE class;
} ws_open_call;

static VALUE
open_watched(VALUE argument)
{
    const ws_open_call *call = (const ws_open_call *)argument;
    return open_file(call->argc, call->argv, call->class);
}

static VALUE
end_watch(VALUE nothing)
{
    if (--documents.readings == 0) rb_remove_event_hook(note_raised);
    return Qnil;
}

static VALUE
read_to_record(ws_document_use *use, ws_open_call call)
{
    unsigned before = documents.raised;
    if (documents.readings++ == 0) rb_add_event_hook(note_raised, RUBY_EVENT_RAISE, Qnil);
    VALUE document = rb_ensure(open_watched, (VALUE)&call, end_watch, Qnil);
    use->raised = documents.raised - before;
    return document;
}

static void
record_document(const ws_document_use *use, VALUE document)
{
    const ws_document_call *call = &use->call;
    ws_stat now;
    if (document == call->fallback || !(RB_TYPE_P(document, T_HASH) || RB_TYPE_P(document, T_ARRAY))) return;
    if (use->stat.type != WS_TYPE_REGULAR || ws_file_stat(call->key, &now) != 0 || !ws_stat_is_same(&use->stat, &now))
        return;
    /* A file is recorded once in a process, because a program may load the same file again and again. */
    if (!documents.recorded) documents.recorded = st_init_numtable();
    if (st_insert(documents.recorded, (st_data_t)ws_hash64(call->key, call->key_size, WS_SEED_NAME), 1) != 0) return;
    bool untagged = ws_document_is_untagged(rb_const_get(rb_cObject, rb_intern("Psych")), call->key, now.size);
    ws_bytes bytes = !untagged     ? ws_document_write_refusal(WS_DOCUMENT_TAGGED)
                     : use->raised ? ws_document_write_refusal(WS_DOCUMENT_NOT_PLAIN)
                                   : ws_document_write(document);
    ws_recorded_file file = {
        .path = call->key,
        .path_size = call->key_size,
        .realpath = call->key,
        .realpath_size = call->path_size,
        .payload = bytes.start,
        .payload_size = bytes.size,
        .stat = now,
        .flags = WS_ENTRY_DOCUMENT,
    };
    if (!bytes.failed && bytes.size <= PAYLOAD_MAXIMUM) ws_recorder_keep_document(&file);
    ws_bytes_free(&bytes);
}

/* ---- File.open ---- */

/* Are these the arguments with which Psych opens a file that it loads? */
static bool
is_open_of_psych(int argc, const VALUE *argv, VALUE class)
{
    static const char mode[] = "r:bom|utf-8";
    return argc == 2 && class == rb_cFile && RB_TYPE_P(argv[1], T_STRING) &&
           RSTRING_LEN(argv[1]) == (long)sizeof mode - 1 && memcmp(RSTRING_PTR(argv[1]), mode, sizeof mode - 1) == 0 &&
           rb_block_given_p();
}

/* A program that has booted may read any number of its users' files, which are not worth keeping. A document in a gem
 * is worth keeping even then. It is only read late, such as locales when the first test asks for a translation. */
static bool
is_worth_keeping(const ws_document_call *call)
{
    if (!ws_the_boot.complete) return true;
    if (NIL_P(documents.lasting_folders)) return false;
    for (long i = 0; i < RARRAY_LEN(documents.lasting_folders); i++) {
        VALUE folder = RARRAY_AREF(documents.lasting_folders, i);
        size_t size = (size_t)RSTRING_LEN(folder);
        if (size < call->path_size && memcmp(call->key, RSTRING_PTR(folder), size) == 0) return true;
    }
    return false;
}

static VALUE
open_document(int argc, VALUE *argv, VALUE class)
{
    ws_document_use use;
    if (!ws_document_call_read(&use.call, argv[0])) return open_file(argc, argv, class);
    if (use.call.reason) {
        ws_event_report(WS_EVENT_MISS, use.call.reason, use.call.key, use.call.path_size);
        return open_file(argc, argv, class);
    }
    VALUE document = document_from_image(&use);
    if (document != Qundef) {
        ws_psych_remember(document);
        return document;
    }
    if (!use.have_stat || !is_worth_keeping(&use.call) || !ws_recorder_active()) return open_file(argc, argv, class);
    document = read_to_record(&use, (ws_open_call){ argc, argv, class });
    if (ws_recorder_active()) record_document(&use, document);
    return document;
}

static VALUE
file_open(int argc, VALUE *argv, VALUE class)
{
    if (documents.enabled && is_open_of_psych(argc, argv, class) && ws_main_ractor())
        return open_document(argc, argv, class);
    return open_file(argc, argv, class);
}

/* ---- Native ---- */

static VALUE
define_file_open(VALUE self)
{
    rb_define_singleton_method(rb_cIO, "open", file_open, -1); /* File inherits it */
    return Qnil;
}

static VALUE
set_documents_enabled(VALUE self, VALUE on)
{
    documents.enabled = RTEST(on);
    return on;
}

/* call-seq: Native.lasting_folders = [String, ...]
 * Folders, each with a separator at its end, whose documents are recorded even when the boot is complete. */
static VALUE
set_lasting_folders(VALUE self, VALUE folders)
{
    VALUE kept = rb_ary_new();
    for (long i = 0; i < RARRAY_LEN(folders); i++) {
        VALUE folder = rb_ary_entry(folders, i);
        rb_ary_push(kept, rb_str_new_frozen(StringValue(folder)));
    }
    return documents.lasting_folders = rb_ary_freeze(kept);
}

void
ws_init_documents(VALUE native)
{
    rb_gc_register_address(&documents.lasting_folders);
    rb_define_singleton_method(native, "lasting_folders=", set_lasting_folders, 1);
    rb_define_singleton_method(native, "define_file_open", define_file_open, 0);
    rb_define_singleton_method(native, "documents_enabled=", set_documents_enabled, 1);
    ws_init_document_call();
    ws_init_document_psych(native);
    ws_init_document_writer(native);
    ws_init_document_reader(native);
}
