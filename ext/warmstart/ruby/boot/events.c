/* What happens to each file: it is always counted, and reported to Warmstart.instrumentation and to the log if these
 * are on. */
#include "ruby/boot/events.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ruby/encoding.h>

#include "core/system/line.h"

bool ws_log_enabled;

/* A longer text is cut off. */
#define LINE_SIZE 2048

static struct {
    uint64_t counts[WS_EVENT_COUNT];
    ws_tally reasons[WS_TALLY_SIZE];
    VALUE callback;
    bool callback_takes_reason;
    bool complained; /* a complaint has been printed: later ones only with WARMSTART_LOG */
} events = { .callback = Qnil };
static const char *const event_names[WS_EVENT_COUNT] = { "hit", "miss", "stale", "revalidated" };

void
ws_tally_count(ws_tally tally[WS_TALLY_SIZE], int kind, const char *reason)
{
    if (!reason) reason = "";
    for (int i = 0; i < WS_TALLY_SIZE; i++) {
        ws_tally *row = &tally[i];
        if (row->count == 0) *row = (ws_tally){ .kind = kind, .reason = reason };
        else if (row->kind != kind || strcmp(row->reason, reason) != 0) continue;
        row->count++;
        return;
    }
}

VALUE
ws_tally_hash(const ws_tally tally[WS_TALLY_SIZE], const char *const *kind_names)
{
    VALUE hash = rb_hash_new();
    for (int i = 0; i < WS_TALLY_SIZE && tally[i].count > 0; i++) {
        VALUE reason = *tally[i].reason ? ID2SYM(rb_intern(tally[i].reason)) : Qnil;
        rb_hash_aset(hash, rb_ary_new_from_args(2, ID2SYM(rb_intern(kind_names[tally[i].kind])), reason),
                     ULL2NUM(tally[i].count));
    }
    return hash;
}

typedef struct ws_notification {
    VALUE arguments[3];
    int count;
} ws_notification;

static VALUE
call_back(VALUE argument)
{
    ws_notification *notice = (ws_notification *)argument;
    return rb_funcallv(events.callback, rb_intern("call"), notice->count, notice->arguments);
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
                               events.callback_takes_reason ? 3 : 2 };
    rb_rescue2(call_back, (VALUE)&notice, tell_failure, INT2FIX(event), rb_eStandardError, (VALUE)0);
}

void
ws_event_report(ws_event event, const char *reason, const char *path, size_t path_size)
{
    events.counts[event]++;
    if (reason) ws_tally_count(events.reasons, event, reason);
    if (ws_log_enabled && event != WS_EVENT_HIT)
        ws_log("%s %.*s%s%s%s", event_names[event], (int)path_size, path, reason ? " (" : "", reason ? reason : "",
               reason ? ")" : "");
    else if (ws_log_enabled) ws_log("hit %.*s", (int)path_size, path);
    if (!NIL_P(events.callback)) notify(event, reason, rb_enc_str_new(path, (long)path_size, rb_filesystem_encoding()));
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

/* Only the first complaint of a process and its children is printed, unless the log is on. Whoever gets true prints
 * his. */
static bool
claim_complaint(void)
{
    bool first = !events.complained;
    events.complained = true;
    return first || ws_log_enabled;
}

void
ws_complain(const char *format, ...)
{
    if (!claim_complaint()) return;
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
    events.callback = callable;
    if (NIL_P(callable)) return callable;
    VALUE asked = callable;
    if (!rb_respond_to(callable, rb_intern("arity")))
        asked = rb_funcall(callable, rb_intern("method"), 1, ID2SYM(rb_intern("call")));
    int arity = NUM2INT(rb_funcall(asked, rb_intern("arity"), 0));
    events.callback_takes_reason =
        arity == 3 || arity < 0; /* (event, path, reason), (event, path, reason = nil), (*arguments) */
    return callable;
}

static VALUE
get_instrumentation(VALUE self)
{
    return events.callback;
}

/* call-seq: Native.counts -> {hit: 1, miss: 2, ...} */
static VALUE
get_counts(VALUE self)
{
    VALUE hash = rb_hash_new();
    for (int event = 0; event < WS_EVENT_COUNT; event++)
        rb_hash_aset(hash, ID2SYM(rb_intern(event_names[event])), ULL2NUM(events.counts[event]));
    return hash;
}

/* call-seq: Native.reasons -> {[:stale, :mtime] => 3, ...} */
static VALUE
get_reasons(VALUE self)
{
    return ws_tally_hash(events.reasons, event_names);
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
    if (claim_complaint()) print_line(RSTRING_PTR(message), (size_t)RSTRING_LEN(message));
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
    rb_gc_register_address(&events.callback);
    rb_define_singleton_method(native, "instrumentation=", set_instrumentation, 1);
    rb_define_singleton_method(native, "instrumentation", get_instrumentation, 0);
    rb_define_singleton_method(native, "counts", get_counts, 0);
    rb_define_singleton_method(native, "reasons", get_reasons, 0);
    rb_define_singleton_method(native, "log=", set_log, 1);
    rb_define_singleton_method(native, "log", log_message, 1);
    rb_define_singleton_method(native, "complain", complain, 1);
}
