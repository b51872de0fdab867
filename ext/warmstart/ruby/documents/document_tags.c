/* Finds out whether a file has tags that mean something. The program decides what a tag means (domain types, classes,
 * init_with), so documents with tags are not stored. If a look at the file's exclamation marks does not settle the
 * question, Psych's parser reports its events to a handler that only looks for tags. This is only done in a recording
 * boot. */
#include <stdlib.h>
#include <string.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/image/document.h"
#include "core/system/file.h"
#include "ruby/documents/documents.h"

static VALUE watcher_class, reader_class;

/* ---- the handler ---- */

typedef struct ws_watcher {
    bool tagged;
} ws_watcher;

static const rb_data_type_t watcher_type = { .wrap_struct_name = "warmstart/tags",
                                             .function = { .dfree = RUBY_DEFAULT_FREE },
                                             .flags = RUBY_TYPED_FREE_IMMEDIATELY };

static VALUE
ignore(int argc, VALUE *argv, VALUE self)
{
    return Qnil;
}

static void
note(VALUE self, VALUE tag)
{
    if (!NIL_P(tag)) ((ws_watcher *)rb_check_typeddata(self, &watcher_type))->tagged = true;
}

static VALUE
on_scalar(VALUE self, VALUE value, VALUE anchor, VALUE tag, VALUE plain, VALUE quoted, VALUE style)
{
    /* old versions write "! 'text'" with this non-specific tag; ws_psych_differs checks that it means nothing */
    bool nothing = RB_TYPE_P(tag, T_STRING) && RSTRING_LEN(tag) == 1 && *RSTRING_PTR(tag) == '!';
    if (!nothing) note(self, tag);
    return Qnil;
}

static VALUE
on_collection(VALUE self, VALUE anchor, VALUE tag, VALUE implicit, VALUE style)
{
    note(self, tag);
    return Qnil;
}

/* ---- the file ---- */

static VALUE
read_file(const char *path, uint64_t size)
{
    VALUE text = rb_str_new(NULL, (long)size);
    int descriptor;
    if (ws_file_open(path, WS_OPEN_FILE, &descriptor) != 0) return Qnil;
    size_t done = 0;
    int error_number = ws_file_read(descriptor, RSTRING_PTR(text), (size_t)size, &done);
    ws_file_close(descriptor);
    if (error_number != 0 || done != size) return Qnil;
    rb_enc_associate(text, rb_utf8_encoding());
    return text;
}

/* Psych's parser gets the text as an object to read from, just as Psych gives it a file. For a String it would look up
 * the encodings UTF-16LE and UTF-16BE (transcode_string). Ruby loads them from files, which would show in
 * $LOADED_FEATURES. */
typedef struct ws_reader {
    VALUE text;
    long at;
} ws_reader;

static void
mark_reader(void *data)
{
    rb_gc_mark(((ws_reader *)data)->text);
}

static const rb_data_type_t reader_type = { .wrap_struct_name = "warmstart/text",
                                            .function = { .dmark = mark_reader, .dfree = RUBY_DEFAULT_FREE },
                                            .flags = RUBY_TYPED_FREE_IMMEDIATELY };

static VALUE
read_part(VALUE self, VALUE size)
{
    ws_reader *reader = rb_check_typeddata(self, &reader_type);
    long wanted = NUM2LONG(size), left = RSTRING_LEN(reader->text) - reader->at;
    if (left <= 0 || wanted <= 0) return Qnil;
    VALUE part = rb_str_subseq(reader->text, reader->at, wanted < left ? wanted : left);
    reader->at += RSTRING_LEN(part);
    return part;
}

static VALUE
external_encoding(VALUE self)
{
    return rb_enc_from_encoding(rb_utf8_encoding());
}

typedef struct ws_parse {
    VALUE psych, watcher, text;
} ws_parse;

static VALUE
parse(VALUE argument)
{
    ws_parse *parsing = (ws_parse *)argument;
    VALUE parser = rb_funcall(rb_const_get(parsing->psych, rb_intern("Parser")), rb_intern("new"), 1, parsing->watcher);
    ws_reader *reader;
    VALUE object = TypedData_Make_Struct(reader_class, ws_reader, &reader_type, reader);
    reader->text = parsing->text;
    rb_funcall(parser, rb_intern("parse"), 1, object);
    return Qtrue;
}

/* Is the error Psych's? Otherwise it comes from a signal, exit or Thread#raise, or from a throw, whose error is not an
 * ordinary object. */
static bool
is_of_psych(VALUE psych, VALUE error)
{
    return RB_TYPE_P(error, T_OBJECT) && RTEST(rb_obj_is_kind_of(error, rb_const_get(psych, rb_intern("Exception"))));
}

/* If the parser fails, nothing is stored, because tags may be anywhere. That happens when a second document in the file
 * is broken, which Psych itself never reads. */
static bool
has_no_tag_event(VALUE psych, VALUE text)
{
    ws_watcher *watcher;
    ws_parse parsing = { psych, TypedData_Make_Struct(watcher_class, ws_watcher, &watcher_type, watcher), text };
    VALUE saved = rb_errinfo();
    int state = 0;
    VALUE parsed = rb_protect(parse, (VALUE)&parsing, &state);
    if (state && !is_of_psych(psych, rb_errinfo())) rb_jump_tag(state);
    if (state) rb_set_errinfo(saved);
    bool untagged = !state && parsed == Qtrue && !watcher->tagged;
    RB_GC_GUARD(parsing.watcher);
    return untagged;
}

bool
ws_document_is_untagged(VALUE psych, const char *path, uint64_t size)
{
    VALUE text = size > LONG_MAX ? Qnil : read_file(path, size);
    if (NIL_P(text)) return false;
    if (ws_document_surely_untagged(RSTRING_PTR(text), (size_t)RSTRING_LEN(text))) return true;
    return has_no_tag_event(psych, text);
}

static VALUE
make_class(void)
{
    VALUE made = rb_class_new(rb_cObject);
    rb_undef_alloc_func(made);
    return made;
}

void
ws_init_document_tags(VALUE native)
{
    static const char *const ignored[] = { "event_location", "start_stream", "end_stream",
                                           "start_document", "end_document", "alias",
                                           "end_sequence",   "end_mapping",  "empty" };
    reader_class = make_class();
    rb_gc_register_mark_object(reader_class);
    rb_define_method(reader_class, "read", read_part, 1);
    rb_define_method(reader_class, "external_encoding", external_encoding, 0);
    watcher_class = make_class();
    rb_gc_register_mark_object(watcher_class);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        rb_define_method(watcher_class, ignored[i], ignore, -1);
    rb_define_method(watcher_class, "scalar", on_scalar, 6);
    rb_define_method(watcher_class, "start_sequence", on_collection, 4);
    rb_define_method(watcher_class, "start_mapping", on_collection, 4);
}
