/* Finds out whether a file has tags that mean something. The program decides what a tag means (domain types, classes,
 * init_with), so documents with tags are not stored. If a look at the file's exclamation marks does not settle the
 * question, Psych's parser makes its tree of the file once more, and the tags are looked for in there. This is only
 * done in a recording boot. */
#include <stdlib.h>

#include <ruby.h>
#include <ruby/io.h>

#include "core/image/document.h"
#include "core/system/file.h"
#include "ruby/code/judgement.h"
#include "ruby/documents/documents.h"

/* Do the file's exclamation marks prove that there is no tag? false also if it cannot be read. */
static bool
is_surely_untagged(const char *path, uint64_t size)
{
    int descriptor;
    char *text = size < SIZE_MAX ? malloc((size_t)size + 1) : NULL;
    if (!text) return false;
    size_t done = 0;
    int error_number = ws_file_open(path, WS_OPEN_FILE, &descriptor);
    if (error_number == 0) {
        error_number = ws_file_read(descriptor, text, (size_t)size, &done);
        ws_file_close(descriptor);
    }
    bool surely = error_number == 0 && done == size && ws_document_surely_untagged(text, (size_t)size);
    free(text);
    return surely;
}

typedef struct ws_parse {
    VALUE psych, file; /* nil: not opened yet */
    const char *path;
} ws_parse;

static VALUE
class_named(VALUE psych, const char *scope, const char *name)
{
    if (scope) psych = rb_const_get(psych, rb_intern(scope));
    return rb_const_get(psych, rb_intern(name));
}

/* Old versions write "! 'text'" with this non-specific tag; ws_psych_differs checks that it means nothing. */
static bool
means_nothing(VALUE tag, VALUE node, VALUE scalar_class)
{
    return rb_obj_class(node) == scalar_class && RB_TYPE_P(tag, T_STRING) && RSTRING_LEN(tag) == 1 &&
           *RSTRING_PTR(tag) == '!';
}

/* Returns whether the document has a tag. Psych's parser reads from a file, as Psych itself lets it. For a String it
 * would look up the encodings UTF-16LE and UTF-16BE (transcode_string). Ruby loads them from files, which would show in
 * $LOADED_FEATURES. */
static VALUE
look_for_tag(VALUE argument)
{
    ws_parse *parsing = (ws_parse *)argument;
    VALUE scalar_class = class_named(parsing->psych, "Nodes", "Scalar");
    VALUE tree = rb_class_new_instance(0, NULL, class_named(parsing->psych, NULL, "TreeBuilder"));
    VALUE parser = rb_class_new_instance(1, &tree, class_named(parsing->psych, NULL, "Parser"));
    parsing->file = rb_file_open(parsing->path, "r:bom|utf-8");
    rb_funcall(parser, rb_intern("parse"), 1, parsing->file);
    VALUE nodes = rb_ary_new_from_args(1, rb_funcall(tree, rb_intern("root"), 0));
    while (RARRAY_LEN(nodes) > 0) {
        VALUE node = rb_ary_pop(nodes), tag = rb_funcall(node, rb_intern("tag"), 0);
        VALUE children = rb_funcall(node, rb_intern("children"), 0);
        if (!NIL_P(tag) && !means_nothing(tag, node, scalar_class)) return Qtrue;
        if (RB_TYPE_P(children, T_ARRAY)) rb_ary_concat(nodes, children);
    }
    return Qfalse;
}

/* If the parser fails, nothing is stored, because tags may be anywhere. That happens when a second document in the file
 * is broken, which Psych itself never reads. */
bool
ws_document_is_untagged(VALUE psych, const char *path, uint64_t size)
{
    if (is_surely_untagged(path, size)) return true;
    ws_parse parsing = { psych, Qnil, path };
    VALUE saved = rb_errinfo();
    int state = 0;
    VALUE tagged = rb_protect(look_for_tag, (VALUE)&parsing, &state), error = rb_errinfo();
    if (!NIL_P(parsing.file)) rb_io_close(parsing.file);
    if (!state) return !RTEST(tagged);
    rb_set_errinfo(error);
    bool is_psychs =
        RB_TYPE_P(error, T_OBJECT) && RTEST(rb_obj_is_kind_of(error, class_named(psych, NULL, "Exception")));
    bool is_expected = NIL_P(parsing.file) ? ws_is_file_trouble(error) : is_psychs;
    if (!is_expected) rb_jump_tag(state);
    rb_set_errinfo(saved);
    return false;
}
