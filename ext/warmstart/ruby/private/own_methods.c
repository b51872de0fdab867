/* See own_methods.h. */
#include "ruby/private/own_methods.h"

#include <ruby/encoding.h>

#include "ruby/private/c_function.h"
#include "ruby/private/needs.h"
#include "ruby/private/patch.h"

/* How it is called: by a C function with so many arguments; or as a method, because it is written in Ruby or asks for
 * keywords of its frame (rb_keyword_given_p). */
enum { AS_METHOD = -2 };
enum kind { INSTANCE, SINGLETON };

#define ISEQ "RubyVM::InstructionSequence"
#define LOAD_PATH "$LOAD_PATH"
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
    [WS_OWN_METHOD_BIND] = { "UnboundMethod", "bind", INSTANCE, 1 },
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
    [WS_OWN_LOAD_PATH_RESOLVE_FEATURE_PATH] = { LOAD_PATH, "resolve_feature_path", SINGLETON, 1 },
    [WS_OWN_LOCATION_ABSOLUTE_PATH] = { LOCATION, "absolute_path", INSTANCE, 0 },
    [WS_OWN_LOCATION_BASE_LABEL] = { LOCATION, "base_label", INSTANCE, 0 },
    [WS_OWN_LOCATION_LABEL] = { LOCATION, "label", INSTANCE, 0 },
    [WS_OWN_LOCATION_PATH] = { LOCATION, "path", INSTANCE, 0 },
    [WS_OWN_LOCATION_LINENO] = { LOCATION, "lineno", INSTANCE, 0 },
    [WS_OWN_TRACEPOINT_EVAL_SCRIPT] = { "TracePoint", "eval_script", INSTANCE, AS_METHOD },
    [WS_OWN_TRACEPOINT_INSTRUCTION_SEQUENCE] = { "TracePoint", "instruction_sequence", INSTANCE, AS_METHOD },
    [WS_OWN_TRACEPOINTS_STAT] = { "TracePoint", "stat", SINGLETON, AS_METHOD },
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

/* (rb_method_call would hand our caller's block on, about which Ruby 4 warns.) */
VALUE
ws_call_unbound(VALUE method, VALUE self, int argc, VALUE *argv)
{
    return rb_method_call_with_block(argc, argv, ws_own1(WS_OWN_METHOD_BIND, method, self), Qnil);
}

static VALUE
call_method(ws_own_method method, VALUE self, int argc, VALUE *argv)
{
    VALUE found = own[method].method;
    return own[method].kind == SINGLETON ? rb_method_call_with_block(argc, argv, found, Qnil)
                                         : ws_call_unbound(found, self, argc, argv);
}

VALUE
ws_own(ws_own_method method, VALUE self, int argc, VALUE *argv)
{
    if (own[method].function) return call_function(method, self, argc, argv);
    if (!NIL_P(own[method].method)) return call_method(method, self, argc, argv);
    return Qnil;
}

bool
ws_is_rubys_own(VALUE method)
{
    VALUE location = ws_own0(WS_OWN_METHOD_SOURCE_LOCATION, method);
    if (!RB_TYPE_P(location, T_ARRAY)) return NIL_P(location);
    VALUE path = rb_ary_entry(location, 0);
    return RB_TYPE_P(path, T_STRING) && strncmp(StringValueCStr(path), "<internal:", 10) == 0 &&
           !strchr(StringValueCStr(path), '/');
}

static VALUE replaced; /* [["UnboundMethod", "owner"], ...] */

/* Returns the method, nil if this Ruby has none, or Qundef if it is another one than Ruby's: then we could not rely on
 * what it tells. (Nothing of the program's is called for it, neither `respond_to?` nor const_missing.) */
static VALUE
find(ws_own_method method)
{
    bool is_constant = own[method].module[0] != '$';
    VALUE module = is_constant ? ws_constant_named(rb_cObject, own[method].module) : rb_gv_get(own[method].module);
    ID name = rb_check_id_cstr(own[method].name, (long)strlen(own[method].name), rb_usascii_encoding()),
       ask = rb_intern("instance_method");
    if (module == Qundef || !name) return Qnil;
    VALUE owner = own[method].kind == INSTANCE ? module : CLASS_OF(module);
    if (!rb_method_boundp(owner, name, 0)) return Qnil;
    VALUE found;
    if (own[method].kind == SINGLETON) found = rb_obj_method(module, ID2SYM(name));
    else if (rb_method_basic_definition_p(CLASS_OF(module), ask)) found = rb_funcall(module, ask, 1, ID2SYM(name));
    else return Qundef;
    if (rb_method_basic_definition_p(owner, name)) return found;
    /* (Up to Ruby 3.3 that flag is not set for what Ruby has in Ruby.) */
    bool may_be_internal = own[WS_OWN_METHOD_SOURCE_LOCATION].function && own[method].arity == AS_METHOD;
    return may_be_internal && ws_is_rubys_own(found) ? found : Qundef;
}

/* call-seq: Native.replaced_methods -> [["UnboundMethod", "owner"], ...]
 * Those that were not Ruby's own any more when Warmstart began. */
static VALUE
replaced_methods(VALUE self)
{
    return replaced;
}

/* ---- Operators for lib/: what a program defines in their place is not called ---- */

/* call-seq: Native.value(hash, key) -> Object or nil
 * Hash#[], without the default. */
static VALUE
value(VALUE self, VALUE hash, VALUE key)
{
    return rb_hash_lookup(hash, key);
}

/* call-seq: Native.more?(one, other) -> true or false
 * Integer#>, for counts and bytes. */
static VALUE
is_more(VALUE self, VALUE one, VALUE other)
{
    return NUM2LL(one) > NUM2LL(other) ? Qtrue : Qfalse;
}

/* call-seq: Native.differs?(before, now, factor) -> true or false
 * Whether an Integer has become larger or smaller by more than this factor (Float). */
static VALUE
differs(VALUE self, VALUE before, VALUE now, VALUE factor)
{
    double from = (double)NUM2LL(before), to = (double)NUM2LL(now), by = RFLOAT_VALUE(factor);
    return to < from / by || to > from * by ? Qtrue : Qfalse;
}

static bool
take(ws_own_method method, VALUE found)
{
    own[method].method = Qnil;
    if (NIL_P(found)) return true;
    if (found == Qundef) return false;
    if (own[method].arity != AS_METHOD) {
        own[method].function = ws_c_function_of(found, own[method].name, own[method].arity);
        return own[method].function != NULL;
    }
    own[method].method = found;
    rb_gc_register_mark_object(own[method].method);
    return true;
}

VALUE ws_vm, ws_iseq_class;

void
ws_init_own_methods(VALUE native)
{
    ws_vm = rb_const_get(rb_cObject, rb_intern("RubyVM"));
    ws_iseq_class = rb_const_get(ws_vm, rb_intern("InstructionSequence"));
    rb_gc_register_mark_object(ws_vm);
    rb_gc_register_mark_object(ws_iseq_class);
    replaced = rb_ary_new();
    rb_gc_register_mark_object(replaced);
    for (int i = 0; i < WS_OWN_METHOD_COUNT; i++)
        if (!take((ws_own_method)i, find((ws_own_method)i)))
            rb_ary_push(replaced, rb_assoc_new(rb_str_new_cstr(own[i].module), rb_str_new_cstr(own[i].name)));
    rb_define_singleton_method(native, "replaced_methods", replaced_methods, 0);
    rb_define_singleton_method(native, "value", value, 2);
    rb_define_singleton_method(native, "more?", is_more, 2);
    rb_define_singleton_method(native, "differs?", differs, 3);
}
