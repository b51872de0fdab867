/* Ruby's warning about a circular require (load_lock, rb_backtrace_each), for the circles that our own table finds.
 * While warnings are on, files do not go the direct way (way.c). So this is for a program that switches warnings on
 * while a file is being loaded. */
#include "ruby/require/circular.h"

#include <string.h>

#include "ruby/private/private_api.h"

/* The forms of ext/probes.rb. If Ruby has another one, files do not go the direct way (needs.c). */
#if !defined(WS_KNOWN_CIRCULAR) || WS_KNOWN_CIRCULAR == 1
#define OPENING_QUOTE "`"
#else
#define OPENING_QUOTE "'"
#endif

static bool
is_label(VALUE label, const char *text)
{
    return RB_TYPE_P(label, T_STRING) && strcmp(StringValueCStr(label), text) == 0;
}

/* Is this the frame of an evaluated String? Prism calls such a frame <compiled>, whatever surrounds it, but
 * Location#label names what surrounds it. */
static bool
is_evaluated(VALUE frame, VALUE outer)
{
#if !defined(WS_KNOWN_CIRCULAR) || WS_KNOWN_CIRCULAR == 1
    return false;
#else
    if (NIL_P(outer) || !NIL_P(rb_funcall(frame, rb_intern("absolute_path"), 0))) return false;
    VALUE caller = rb_funcall(outer, rb_intern("base_label"), 0);
    return is_label(caller, "eval") || is_label(caller, "instance_eval") || is_label(caller, "class_eval") ||
           is_label(caller, "module_eval");
#endif
}

/* Appends the line that rb_backtrace_each prints for a frame. It has two blanks after "in", and the label lacks the
 * class that 3.4 puts before a method's name. */
static void
append_frame(VALUE message, VALUE frame, VALUE outer)
{
    VALUE label = rb_funcall(frame, rb_intern("label"), 0), name = rb_funcall(frame, rb_intern("base_label"), 0);
    const char *text = StringValueCStr(label), *in = NULL;
    if (is_label(name, "load_iseq")) return;
    for (const char *at = text; (at = strstr(at, " in ")) != NULL; at += 4) in = at + 4;
    if (is_evaluated(frame, outer)) {
        name = rb_str_new_cstr("<compiled>");
        in = NULL;
    }
    rb_str_catf(message, "\tfrom %" PRIsVALUE ":%d:in  " OPENING_QUOTE "%.*s%" PRIsVALUE "'\n",
                rb_funcall(frame, rb_intern("path"), 0), NUM2INT(rb_funcall(frame, rb_intern("lineno"), 0)),
                in ? (int)(in - text) : 0, text, name);
}

void
ws_warn_circular(const char *path)
{
    if (!RTEST(ruby_verbose)) return;
    VALUE frames = rb_funcall(rb_mKernel, rb_intern("caller_locations"), 1, INT2FIX(0));
    const char *file = rb_sourcefile();
    VALUE message = file ? rb_sprintf("%s:%d: warning: ", file, rb_sourceline()) : rb_str_new_cstr("warning: ");
    rb_str_catf(message, "loading in progress, circular require considered harmful - %s\n", path);
    for (long i = RARRAY_LEN(frames) - 1; i >= 0; i--) /* outermost first */
        append_frame(message, RARRAY_AREF(frames, i), rb_ary_entry(frames, i + 1));
    rb_warning("%" PRIsVALUE, message);
}
