/* See own_methods.h. */
#include "ruby/private/own_methods.h"

#include <ruby/encoding.h>

#include "ruby/private/c_function.h"
#include "ruby/private/needs.h"

/* How it is called: by a C function with so many arguments; or as a method, because it is written in Ruby or asks for
 * keywords of its frame (rb_keyword_given_p). */
enum { AS_METHOD = -2 };
enum kind { INSTANCE, SINGLETON };

#define ISEQ "RubyVM::InstructionSequence"
#define LOCATION "Thread::Backtrace::Location"

static struct {
    const char *module, *name;
    enum kind kind;
    int arity;
    ws_c_function *function; /* NULL: not known */
    VALUE method;            /* AS_METHOD: an UnboundMethod, or a Method of the module; nil: not known */
} own[WS_OWN_METHOD_COUNT] = {
    [WS_OWN_METHOD_OWNER] = { "UnboundMethod", "owner", INSTANCE, 0 },
    [WS_OWN_METHOD_SUPER_METHOD] = { "UnboundMethod", "super_method", INSTANCE, 0 },
    [WS_OWN_METHOD_ARITY] = { "UnboundMethod", "arity", INSTANCE, 0 },
    [WS_OWN_METHOD_SOURCE_LOCATION] = { "UnboundMethod", "source_location", INSTANCE, 0 },
    [WS_OWN_METHOD_ORIGINAL_NAME] = { "UnboundMethod", "original_name", INSTANCE, 0 },
    [WS_OWN_METHOD_BIND_CALL] = { "UnboundMethod", "bind_call", INSTANCE, -1 },
    [WS_OWN_METHOD_UNBIND] = { "Method", "unbind", INSTANCE, 0 },
    [WS_OWN_MODULE_INSTANCE_METHOD] = { "Module", "instance_method", INSTANCE, 1 },
    [WS_OWN_MODULE_METHOD_DEFINED] = { "Module", "method_defined?", INSTANCE, -1 },
    [WS_OWN_MODULE_PRIVATE_METHOD_DEFINED] = { "Module", "private_method_defined?", INSTANCE, -1 },
    [WS_OWN_MODULE_DEFINE_METHOD] = { "Module", "define_method", INSTANCE, -1 },
    [WS_OWN_MODULE_PRIVATE] = { "Module", "private", INSTANCE, -1 },
    [WS_OWN_ISEQ_TRACE_POINTS] = { ISEQ, "trace_points", INSTANCE, 0 },
    [WS_OWN_ISEQ_TO_A] = { ISEQ, "to_a", INSTANCE, 0 },
    [WS_OWN_ISEQ_TO_BINARY] = { ISEQ, "to_binary", INSTANCE, -1 },
    [WS_OWN_ISEQ_ABSOLUTE_PATH] = { ISEQ, "absolute_path", INSTANCE, 0 },
    [WS_OWN_ISEQ_PATH] = { ISEQ, "path", INSTANCE, 0 },
    [WS_OWN_ISEQS_LOAD_FROM_BINARY] = { ISEQ, "load_from_binary", SINGLETON, 1 },
    [WS_OWN_ISEQS_COMPILE_OPTION] = { ISEQ, "compile_option", SINGLETON, 0 },
    [WS_OWN_ISEQS_COMPILE] = { ISEQ, "compile", SINGLETON, AS_METHOD },
    [WS_OWN_ISEQS_COMPILE_FILE] = { ISEQ, "compile_file", SINGLETON, AS_METHOD },
    [WS_OWN_LOCATION_ABSOLUTE_PATH] = { LOCATION, "absolute_path", INSTANCE, 0 },
    [WS_OWN_LOCATION_BASE_LABEL] = { LOCATION, "base_label", INSTANCE, 0 },
    [WS_OWN_LOCATION_LABEL] = { LOCATION, "label", INSTANCE, 0 },
    [WS_OWN_LOCATION_PATH] = { LOCATION, "path", INSTANCE, 0 },
    [WS_OWN_LOCATION_LINENO] = { LOCATION, "lineno", INSTANCE, 0 },
    [WS_OWN_TRACEPOINT_EVAL_SCRIPT] = { "TracePoint", "eval_script", INSTANCE, AS_METHOD },
    [WS_OWN_TRACEPOINT_INSTRUCTION_SEQUENCE] = { "TracePoint", "instruction_sequence", INSTANCE, AS_METHOD },
    [WS_OWN_VM_KEEP_SCRIPT_LINES] = { "RubyVM", "keep_script_lines", SINGLETON, 0 },
    [WS_OWN_VM_SET_KEEP_SCRIPT_LINES] = { "RubyVM", "keep_script_lines=", SINGLETON, 1 },
    [WS_OWN_WARNINGS_CATEGORIES] = { "Warning", "categories", SINGLETON, 0 },
    [WS_OWN_WARNINGS_AT] = { "Warning", "[]", SINGLETON, 1 },
};

static VALUE
call_function(ws_own_method method, VALUE self, int argc, VALUE *argv)
{
    ws_c_function *function = own[method].function;
    switch (own[method].arity) {
        case 0: return function(self);
        case 1: return ((VALUE(*)(VALUE, VALUE))function)(self, argv[0]);
        default: return ((VALUE(*)(int, const VALUE *, VALUE))function)(argc, argv, self);
    }
}

static VALUE
call_method(ws_own_method method, VALUE self, int argc, VALUE *argv)
{
    if (own[method].kind == SINGLETON) return rb_method_call(argc, argv, own[method].method);
    VALUE arguments[3] = { self };
    for (int i = 0; i < argc; i++) arguments[i + 1] = argv[i];
    return ws_own(WS_OWN_METHOD_BIND_CALL, own[method].method, argc + 1, arguments);
}

VALUE
ws_own(ws_own_method method, VALUE self, int argc, VALUE *argv)
{
    if (own[method].function) return call_function(method, self, argc, argv);
    if (!NIL_P(own[method].method)) return call_method(method, self, argc, argv);
    return rb_funcallv(self, rb_intern(own[method].name), argc, argv);
}

/* (Nothing of the program's is called for it: neither `respond_to?` nor const_missing.) */
static VALUE
find(ws_own_method method)
{
    VALUE module = ws_constant_named(rb_cObject, own[method].module);
    ID name = rb_check_id_cstr(own[method].name, (long)strlen(own[method].name), rb_usascii_encoding());
    if (module == Qundef || !name) return Qnil;
    VALUE owner = own[method].kind == INSTANCE ? module : CLASS_OF(module);
    if (!rb_method_boundp(owner, name, 0)) return Qnil;
    return own[method].kind == INSTANCE ? rb_funcall(module, rb_intern("instance_method"), 1, ID2SYM(name))
                                        : rb_obj_method(module, ID2SYM(name));
}

/* call-seq: Native.own_methods -> [["UnboundMethod", "owner"], ...]
 * Those that are not called in this way, for the tests. */
static VALUE
others(VALUE self)
{
    VALUE list = rb_ary_new();
    for (int i = 0; i < WS_OWN_METHOD_COUNT; i++)
        if (!own[i].function && NIL_P(own[i].method))
            rb_ary_push(list, rb_assoc_new(rb_str_new_cstr(own[i].module), rb_str_new_cstr(own[i].name)));
    return list;
}

void
ws_init_own_methods(VALUE native)
{
    for (int i = 0; i < WS_OWN_METHOD_COUNT; i++) {
        VALUE found = find((ws_own_method)i);
        own[i].method = Qnil;
        if (NIL_P(found)) continue;
        if (own[i].arity != AS_METHOD) {
            own[i].function = ws_c_function_of(found, own[i].name, own[i].arity);
            continue;
        }
        own[i].method = found;
        rb_gc_register_mark_object(own[i].method);
    }
    if (!own[WS_OWN_ISEQS_LOAD_FROM_BINARY].function) ws_lack("code", "load_from_binary of its own");
    if (!own[WS_OWN_ISEQ_TO_BINARY].function) ws_lack("recording", "to_binary of its own");
    rb_define_singleton_method(native, "own_methods", others, 0);
}
