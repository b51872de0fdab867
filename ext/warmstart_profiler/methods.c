/* Makes nodes of calls of methods that are written in Ruby. Each method gets a TracePoint that is enabled for its code
 * alone. This adds no frame, no ancestor and no other method, slows nothing else down, and is counted neither by
 * TracePoint.stat nor by the accelerator. */
#include "hooks.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include <ruby/debug.h>

/* What a node is named after: a fixed text, a local variable (a path, of which the base name is used), or an instance
 * variable of self. */
typedef enum ws_naming { BY_TEXT, BY_LOCAL, BY_IVAR } ws_naming;

typedef struct ws_method {
    ws_kind kind;
    ws_naming naming;
    ID id; /* the variable's name */
    const char *text;
} ws_method;

/* Shorter calls make no node. Bundler.definition, for one, is called a hundred times for a value that it has. */
#define LEAST_NS 20000

/* The calls in progress, the innermost first. Each has its fiber, because fibers may return in another order than they
 * called. */
typedef struct ws_running {
    struct ws_running *outer;
    ws_method *method;
    VALUE fiber;
    ws_frame *frame;
} ws_running;
static ws_running *innermost;

/* Marking keeps the fibers alive and in place. Otherwise one might move, or another might get its address, and a
 * comparison would be wrong. */
static void
mark_running(void *nothing)
{
    for (ws_running *running = innermost; running; running = running->outer) rb_gc_mark(running->fiber);
}

static const rb_data_type_t running_type = { .wrap_struct_name = "warmstart/profiled_methods",
                                             .function = { .dmark = mark_running } };

/* The argument is [binding, name]. Returns the absolute path that the variable holds. */
static VALUE
path_in(VALUE argument)
{
    VALUE *arguments = (VALUE *)argument;
    VALUE value = rb_funcall(arguments[0], rb_intern("local_variable_get"), 1, arguments[1]);
    return rb_file_expand_path(rb_get_path(value), Qnil);
}

static VALUE
no_path(VALUE argument, VALUE error)
{
    return Qnil;
}

/* Returns a String or nil. If the variable holds no path, the program's own call will raise the error. */
static VALUE
value_of(ws_method *method, rb_trace_arg_t *trace)
{
    VALUE value = Qnil;
    if (method->naming == BY_IVAR) value = rb_ivar_get(rb_tracearg_self(trace), method->id);
    else if (method->naming == BY_LOCAL) {
        VALUE arguments[] = { rb_tracearg_binding(trace), ID2SYM(method->id) };
        value = rb_rescue2(path_in, (VALUE)arguments, no_path, Qnil, rb_eStandardError, (VALUE)0);
    }
    if (SYMBOL_P(value)) value = rb_sym2str(value);
    return RB_TYPE_P(value, T_STRING) && RSTRING_LEN(value) > 0 ? value : Qnil;
}

static void
began(ws_method *method, rb_trace_arg_t *trace)
{
    VALUE value = value_of(method, trace);
    const char *name = NIL_P(value) ? method->text : RSTRING_PTR(value);
    size_t size = NIL_P(value) ? strlen(name) : (size_t)RSTRING_LEN(value);
    bool is_path = method->naming == BY_LOCAL && !NIL_P(value);
    const char *slash = is_path ? ws_last(name, '/', size) : NULL;
    ws_running *running = malloc(sizeof *running);
    if (!running) return;
    ws_frame *frame = slash ? ws_begin(method->kind, slash + 1, size - (size_t)(slash + 1 - name))
                            : ws_begin(method->kind, name, size);
    *running = (ws_running){ innermost, method, rb_fiber_current(), frame };
    innermost = running;
    ws_node *node = is_path ? ws_keep(frame) : NULL;
    if (node) {
        node->from = ws_place_of_caller(rb_tracearg_path(trace));
        node->path = ws_arena_text(RSTRING_PTR(value), (size_t)RSTRING_LEN(value));
    }
    RB_GC_GUARD(value);
}

static void
ended(ws_method *method)
{
    VALUE fiber = rb_fiber_current();
    for (ws_running **place = &innermost; *place; place = &(*place)->outer) {
        ws_running *running = *place;
        if (running->method != method || running->fiber != fiber) continue;
        *place = running->outer;
        if (method->naming == BY_TEXT) ws_end_or_fold(running->frame, LEAST_NS);
        else ws_end(running->frame, WS_LOADED);
        free(running);
        return;
    }
}

static void
on_event(VALUE tracepoint, void *data)
{
    rb_trace_arg_t *trace = rb_tracearg_from_tracepoint(tracepoint);
    if (!ws_tree_active()) return;
    if (rb_tracearg_event_flag(trace) == RUBY_EVENT_CALL) began(data, trace);
    else ended(data);
}

/* call-seq: Native.trace(method, kind, text, local or nil, ivar or nil) -> TracePoint
 * method is a Method or UnboundMethod written in Ruby; kind is one of WS_KIND_NAMES. The TracePoint is enabled. */
static VALUE
trace(VALUE self, VALUE target, VALUE kind, VALUE text, VALUE local, VALUE ivar)
{
    static const char *const kinds[] = WS_KIND_NAMES;
    ws_method *method = calloc(1, sizeof *method);
    if (!method) rb_memerror();
    for (int i = 0; i < WS_KIND_COUNT; i++)
        if (strcmp(kinds[i], StringValueCStr(kind)) == 0) method->kind = (ws_kind)i;
    method->text = strdup(StringValueCStr(text));
    method->naming = !NIL_P(local) ? BY_LOCAL : !NIL_P(ivar) ? BY_IVAR : BY_TEXT;
    if (method->naming != BY_TEXT) method->id = SYM2ID(NIL_P(local) ? ivar : local);
    VALUE tracepoint = rb_tracepoint_new(Qnil, RUBY_EVENT_CALL | RUBY_EVENT_RETURN, on_event, method);
    rb_gc_register_mark_object(tracepoint);
    VALUE options = rb_hash_new();
    rb_hash_aset(options, ID2SYM(rb_intern("target")), target);
    rb_funcallv_kw(tracepoint, rb_intern("enable"), 1, &options, RB_PASS_KEYWORDS);
    return tracepoint;
}

void
ws_init_methods(VALUE native)
{
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &running_type, &innermost));
    rb_define_singleton_method(native, "trace", trace, 5);
}
