/* Finds out which of Psych's methods calls File.open. The method and its keywords are read from the frame of Psych's
 * own method, so nothing of Psych has to be replaced. Psych reads the file if anything about the call is unknown. */
#include <stdio.h>
#include <string.h>

#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/encoding.h>

#include "core/system/file.h"
#include "ruby/boot/boot.h"
#include "ruby/documents/documents.h"
#include "ruby/private/needs.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/private_api.h"
#include "ruby/private/traced.h"

/* The events by which a tracing program would see Psych's work. Exceptions are not among them, because documents are
 * not kept if Psych raises and rescues one. */
#define SEEN_IN_PSYCH                                                                                    \
    (RUBY_EVENT_CALL | RUBY_EVENT_RETURN | RUBY_EVENT_C_CALL | RUBY_EVENT_C_RETURN | RUBY_EVENT_B_CALL | \
     RUBY_EVENT_B_RETURN | RUBY_EVENT_LINE)

static VALUE sym_kwargs;

/* ---- the text of a key ---- */

static void
add_text(ws_document_call *call, const char *text, size_t size)
{
    if (size > sizeof call->key - call->key_size) {
        call->reason = "options";
        return;
    }
    memcpy(call->key + call->key_size, text, size);
    call->key_size += size;
}

static void
add_word(ws_document_call *call, const char *word)
{
    add_text(call, " ", 1);
    add_text(call, word, strlen(word));
}

/* ---- the keywords ---- */

/* Adds the names of classes or the texts of symbols. Psych compares what `to_s` says of each of them (Psych.safe_load),
 * so any object that has its own makes the call unknown. (core_methods.c knows that Module#to_s and the like are
 * Ruby's.) */
static void
add_permitted(ws_document_call *call, const char *word, VALUE list, bool classes)
{
    if (!RB_TYPE_P(list, T_ARRAY) || RBASIC_CLASS(list) != rb_cArray) {
        call->reason = "options";
        return;
    }
    add_word(call, word);
    for (long i = 0; i < RARRAY_LEN(list) && !call->reason; i++) {
        VALUE element = RARRAY_AREF(list, i), text = Qnil;
        if (classes && (RB_TYPE_P(element, T_CLASS) || RB_TYPE_P(element, T_MODULE)) &&
            rb_method_basic_definition_p(CLASS_OF(element), rb_intern("to_s")))
            text = rb_mod_name(element);
        else if (SYMBOL_P(element)) text = rb_sym2str(element);
        else if (RB_TYPE_P(element, T_STRING) && RBASIC_CLASS(element) == rb_cString) text = element;
        if (NIL_P(text)) {
            call->reason = "options";
            return;
        }
        char size[24];
        add_text(call, size, (size_t)snprintf(size, sizeof size, "%s%ld:", i ? "," : "=", RSTRING_LEN(text)));
        add_text(call, RSTRING_PTR(text), (size_t)RSTRING_LEN(text));
    }
}

static int
read_keyword(VALUE key, VALUE value, VALUE argument)
{
    ws_document_call *call = (ws_document_call *)argument;
    ID name = SYMBOL_P(key) ? SYM2ID(key) : 0;
    if (name == rb_intern("fallback")) call->fallback = value;
    else if (name == rb_intern("permitted_classes")) add_permitted(call, "permitted_classes", value, true);
    else if (name == rb_intern("permitted_symbols")) add_permitted(call, "permitted_symbols", value, false);
    else if (name == rb_intern("symbolize_names") || name == rb_intern("freeze") || name == rb_intern("aliases") ||
             name == rb_intern("strict_integer") || name == rb_intern("parse_symbols")) {
        add_word(call, rb_id2name(name));
        add_text(call, RTEST(value) ? "=1" : "=0", 2);
    }
    else call->reason = "options";
    return call->reason ? ST_STOP : ST_CONTINUE;
}

/* ---- the path ---- */

/* File.open calls `to_path`. Returns what Ruby's own says of a Pathname (pathname.c: path_to_s), and nil if the program
 * has put another one in its place. */
static VALUE
text_of_pathname(VALUE pathname)
{
    VALUE class = CLASS_OF(pathname);
    if (!rb_method_boundp(class, rb_intern("to_path"), 0)) return Qnil;
    VALUE method = ws_own1(WS_OWN_MODULE_INSTANCE_METHOD, class, ID2SYM(rb_intern("to_path")));
    VALUE name = ws_own0(WS_OWN_METHOD_ORIGINAL_NAME, method);
    bool is_own = ws_own0(WS_OWN_METHOD_OWNER, method) == rb_obj_class(pathname) && ws_is_rubys_own(method) &&
                  (name == ID2SYM(rb_intern("to_path")) || name == ID2SYM(rb_intern("to_s")));
    return is_own ? rb_attr_get(pathname, rb_intern("@path")) : Qnil;
}

/* Reads the path as File.open does: a String or a Pathname. A relative one is appended to the working directory. ".."
 * is kept, because only the file system knows where it leads. */
static void
read_path(ws_document_call *call, VALUE filename)
{
    VALUE path = filename;
    if (!RB_TYPE_P(path, T_STRING) && rb_obj_class(path) == ws_constant_at(rb_cObject, rb_intern("Pathname")))
        path = text_of_pathname(path);
    if (!RB_TYPE_P(path, T_STRING) || !rb_enc_asciicompat(rb_enc_get(path)) || RSTRING_LEN(path) == 0) {
        call->reason = "options";
        return;
    }
    if (memchr(RSTRING_PTR(path), 0, (size_t)RSTRING_LEN(path))) {
        call->reason = "options";
        return;
    }
    if (!ws_is_absolute(RSTRING_PTR(path), (size_t)RSTRING_LEN(path))) {
        char folder[WS_PATH_MAXIMUM];
        if (ws_file_current(folder, sizeof folder) == 0) {
            call->reason = "options";
            return;
        }
        add_text(call, folder, strlen(folder));
        add_text(call, "/", 1);
    }
    add_text(call, RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
    call->path_size = call->key_size;
    if (call->path_size >= WS_PATH_MAXIMUM) call->reason = "options";
    add_text(call, "", 1);
}

/* ---- what makes every document another ---- */

static const char *
surroundings_differ(void)
{
    if (ws_core_is_changed()) return "core";
    rb_encoding *internal = rb_default_internal_encoding(); /* Psych converts Strings to it */
    if (internal && internal != rb_utf8_encoding()) return "encodings";
#ifdef HAVE_RB_GET_COVERAGES
    if (RTEST(rb_get_coverages())) return "coverage";
#endif
    /* A tracing program would see Psych's work. Zeitwerk's TracePoint for :class does not matter, because Psych causes
     * no such event. */
    if (ws_is_traced(SEEN_IN_PSYCH)) return "traced";
    return NULL;
}

/* ---- the whole ---- */

/* Returns the name if one of Psych's three methods that read files has it, else NULL. */
static const char *
loader_named(const char *name)
{
    static const char *const loaders[] = { "load_file", "unsafe_load_file", "safe_load_file" };
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
        if (strcmp(loaders[i], name) == 0) return loaders[i];
    return NULL;
}

static void
read_call(ws_document_call *call, VALUE psych, VALUE library, const char *method, VALUE binding, VALUE filename)
{
    read_path(call, filename);
    if (!call->reason) call->reason = ws_psych_differs(psych, library);
    if (call->reason) return;
    bool known = RTEST(
        rb_funcallv(binding, rb_intern("local_variable_defined?"), 1, &sym_kwargs)); /* Psych 3 has other parameters */
    VALUE keywords = known ? rb_funcallv(binding, rb_intern("local_variable_get"), 1, &sym_kwargs) : Qnil;
    add_text(call, "yml", 3); /* "yaml": what older versions of Warmstart recorded, under weaker conditions */
    add_word(call, ws_psych_version());
    add_word(call, method);
    if (RB_TYPE_P(keywords, T_HASH)) rb_hash_foreach(keywords, read_keyword, (VALUE)call);
    else call->reason = "options";
}

bool
ws_document_call_read(ws_document_call *call, VALUE filename)
{
    VALUE frames[2];
    int lines[2];
    if (rb_profile_frames(0, 2, frames, lines) < 2) return false;
    /* Other code can have the same method name and receiver. The real path proves that this is the code of Psych's
     * file, however it is called, because Ruby sets it only for a file that it has loaded and not for a text that is
     * evaluated under a path (eval_make_iseq). ws_psych_differs checks that this file has all the other methods,
     * too. */
    VALUE name = rb_profile_frame_method_name(frames[1]), path = rb_profile_frame_absolute_path(frames[1]);
    if (!RB_TYPE_P(name, T_STRING) || !RB_TYPE_P(path, T_STRING)) return false;
    const char *method = loader_named(StringValueCStr(name));
    VALUE psych = method ? ws_constant_at(rb_cObject, rb_intern("Psych")) : Qundef;
    if (psych == Qundef || !RB_TYPE_P(psych, T_MODULE)) return false;
    call->reason = NULL;
    call->path_size = call->key_size = 0;
    call->fallback = Qundef;
    const char *difference = surroundings_differ();
    if (difference) {
        if (RB_TYPE_P(filename, T_STRING)) read_path(call, filename);
        call->reason = difference;
        return true;
    }
    VALUE binding = rb_binding_new();
    if (rb_funcallv(binding, rb_intern("receiver"), 0, NULL) != psych) return false;
    read_call(call, psych, path, method, binding, filename);
    RB_GC_GUARD(binding);
    return true;
}

void
ws_init_document_call(void)
{
    sym_kwargs = ID2SYM(rb_intern("kwargs"));
}
