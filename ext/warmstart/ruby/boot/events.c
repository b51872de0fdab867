/* What happens to each file: it is always counted, and reported to Warmstart.instrumentation and to the log if these
 * are on. */
#include "ruby/boot/events.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/system/line.h"

bool ws_log_enabled;

/* A longer text is cut off. */
#define LINE_SIZE 2048

static uint64_t counts[WS_EVENT_COUNT];
static const char *const event_names[WS_EVENT_COUNT] = { "hit", "miss", "stale", "revalidated" };

/* Reasons are few and static. They are compared by content, because the same reason may come from two places. */
#define REASON_MAXIMUM 48
static struct {
    ws_event event;
    const char *reason;
    uint64_t count;
} reasons[REASON_MAXIMUM];

static VALUE callback = Qnil;
static bool callback_takes_reason;

static void
count_reason(ws_event event, const char *reason)
{
    for (int i = 0; i < REASON_MAXIMUM; i++) {
        if (!reasons[i].reason) {
            reasons[i].event = event;
            reasons[i].reason = reason;
            reasons[i].count = 1;
            return;
        }
        if (reasons[i].event == event && strcmp(reasons[i].reason, reason) == 0) {
            reasons[i].count++;
            return;
        }
    }
}

typedef struct ws_notification {
    VALUE arguments[3];
    int count;
} ws_notification;

static VALUE
call_back(VALUE argument)
{
    ws_notification *notice = (ws_notification *)argument;
    return rb_funcallv(callback, rb_intern("call"), notice->count, notice->arguments);
}

static VALUE
tell_failure(VALUE event, VALUE error)
{
    ws_complain("mend the callback of Warmstart.instrumentation: it failed on %s", event_names[FIX2INT(event)]);
    return Qnil;
}

/* A callback that fails must not make the program's require fail. Ctrl-C, exit, throw, Thread#kill and Timeout are not
 * failures of the callback: they leave the require, as if they had come in the middle of the file. */
static void
notify(ws_event event, const char *reason, VALUE path)
{
    ws_notification notice = { { ID2SYM(rb_intern(event_names[event])), path,
                                 reason ? ID2SYM(rb_intern(reason)) : Qnil },
                               callback_takes_reason ? 3 : 2 };
    rb_rescue2(call_back, (VALUE)&notice, tell_failure, INT2FIX(event), rb_eStandardError, (VALUE)0);
}

void
ws_event_report(ws_event event, const char *reason, const char *path, size_t path_size)
{
    counts[event]++;
    if (reason) count_reason(event, reason);
    if (ws_log_enabled && event != WS_EVENT_HIT)
        ws_log("%s %.*s%s%s%s", event_names[event], (int)path_size, path, reason ? " (" : "", reason ? reason : "",
               reason ? ")" : "");
    else if (ws_log_enabled) ws_log("hit %.*s", (int)path_size, path);
    if (!NIL_P(callback)) notify(event, reason, rb_enc_str_new(path, (long)path_size, rb_filesystem_encoding()));
}

/* The only place that prints while a program runs. It prints a single line, whatever the text contains. */
static void
print_line(const char *text, size_t size)
{
    char line[WS_LINE_GROWTH * LINE_SIZE];
    ws_line_escape(line, sizeof line, text, size < LINE_SIZE ? size : LINE_SIZE - 1);
    fprintf(stderr, "warmstart: %s\n", line);
    fflush(stderr);
}

__attribute__((format(WS_PRINTF, 1, 0))) static void
print_format(const char *format, va_list arguments)
{
    char text[LINE_SIZE];
    int size = vsnprintf(text, sizeof text, format, arguments);
    if (size >= 0) print_line(text, (size_t)size);
}

/* Only the first complaint of a process and its children is printed, unless the log is on. */
static bool
may_complain(void)
{
    static bool complained;
    bool first = !complained;
    complained = true;
    return first || ws_log_enabled;
}

void
ws_complain(const char *format, ...)
{
    if (!may_complain()) return;
    va_list arguments;
    va_start(arguments, format);
    print_format(format, arguments);
    va_end(arguments);
}

void
ws_log(const char *format, ...)
{
    if (!ws_log_enabled) return;
    va_list arguments;
    va_start(arguments, format);
    print_format(format, arguments);
    va_end(arguments);
}

/* ---- Native ---- */

/* call-seq: Native.instrumentation = callable or nil
 * The callable gets (event, path), and a reason (Symbol or nil) as a third argument if it takes one. */
static VALUE
set_instrumentation(VALUE self, VALUE callable)
{
    callback = callable;
    if (NIL_P(callable)) return callable;
    VALUE asked = callable;
    if (!rb_respond_to(callable, rb_intern("arity")))
        asked = rb_funcall(callable, rb_intern("method"), 1, ID2SYM(rb_intern("call")));
    int arity = NUM2INT(rb_funcall(asked, rb_intern("arity"), 0));
    callback_takes_reason =
        arity == 3 || arity < 0; /* (event, path, reason), (event, path, reason = nil), (*arguments) */
    return callable;
}

static VALUE
get_instrumentation(VALUE self)
{
    return callback;
}

/* call-seq: Native.counts -> {hit: 1, miss: 2, ...} */
static VALUE
get_counts(VALUE self)
{
    VALUE hash = rb_hash_new();
    for (int event = 0; event < WS_EVENT_COUNT; event++)
        rb_hash_aset(hash, ID2SYM(rb_intern(event_names[event])), ULL2NUM(counts[event]));
    return hash;
}

/* call-seq: Native.reasons -> {[:stale, :mtime] => 3, ...} */
static VALUE
get_reasons(VALUE self)
{
    VALUE hash = rb_hash_new();
    for (int i = 0; i < REASON_MAXIMUM && reasons[i].reason; i++) {
        VALUE key = rb_ary_new_from_args(2, ID2SYM(rb_intern(event_names[reasons[i].event])),
                                         ID2SYM(rb_intern(reasons[i].reason)));
        rb_hash_aset(hash, key, ULL2NUM(reasons[i].count));
    }
    return hash;
}

static VALUE
set_log(VALUE self, VALUE on)
{
    ws_log_enabled = RTEST(on);
    return on;
}

static VALUE
complain(VALUE self, VALUE message)
{
    StringValue(message);
    if (may_complain()) print_line(RSTRING_PTR(message), (size_t)RSTRING_LEN(message));
    RB_GC_GUARD(message);
    return Qnil;
}

static VALUE
log_message(VALUE self, VALUE message)
{
    StringValue(message);
    if (ws_log_enabled) print_line(RSTRING_PTR(message), (size_t)RSTRING_LEN(message));
    RB_GC_GUARD(message);
    return Qnil;
}

void
ws_init_events(VALUE native)
{
    rb_gc_register_address(&callback);
    rb_define_singleton_method(native, "instrumentation=", set_instrumentation, 1);
    rb_define_singleton_method(native, "instrumentation", get_instrumentation, 0);
    rb_define_singleton_method(native, "counts", get_counts, 0);
    rb_define_singleton_method(native, "reasons", get_reasons, 0);
    rb_define_singleton_method(native, "log=", set_log, 1);
    rb_define_singleton_method(native, "log", log_message, 1);
    rb_define_singleton_method(native, "complain", complain, 1);
}
