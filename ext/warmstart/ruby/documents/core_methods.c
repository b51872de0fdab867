/* Methods of Ruby's own classes on which a document from the image depends: those that Psych calls while it reads a
 * file, which a program would miss that has replaced one, and those that ask whether Psych is unchanged, which must
 * neither answer something else nor be seen to be called.
 *
 * Which methods Psych calls was found by a TracePoint, without specialised instructions. A test replaces each method of
 * Ruby's own classes in turn and counts its calls (test/documents_test.rb). */
#include "ruby/documents/documents.h"

#include <ruby/ractor.h>

#include "ruby/private/own_methods.h"

enum { METHOD_MAXIMUM = 192 };

/* Up to Ruby 3.3, METHOD_ENTRY_BASIC is not set for what Ruby has in Ruby. */
typedef struct ws_core_method {
    VALUE class;
    ID name;
    bool basic; /* METHOD_ENTRY_BASIC tells that it is Ruby's */
    VALUE own;  /* else Ruby's own UnboundMethod; nil: it is not Ruby's; Qundef: not looked at yet */
} ws_core_method;

/* What Psych and Ruby's functions ask of any value comes from Object, unless a class has its own, as a program may
 * define it. So these are asked of each class of the values that Psych handles. All of them are in C. */
static const char *const inherited[] = {
    "!", "!=", "==", "===", "eql?", "freeze", "is_a?", "method_missing", "respond_to?", "respond_to_missing?"
};
/* Ruby's functions convert a value that has one of these: String#gsub its second argument, Hash#merge! its first
 * (rb_check_hash_type), String#== a number to which it is compared (rb_str_equal). A class that begins without one must
 * not have it. File.new asks a path for to_int. */
static const char *const conversions[] = { "to_hash", "to_str" };
enum { INHERITED_COUNT = sizeof inherited / sizeof *inherited };
enum { CONVERSION_COUNT = sizeof conversions / sizeof *conversions };

static struct {
    int count, asking; /* the first ones are those that look_up_own calls */
    ws_core_method methods[METHOD_MAXIMUM];
    ID inherited[INHERITED_COUNT], conversions[CONVERSION_COUNT];
} core;

static void
add(VALUE class, const char *names)
{
    /* Ruby's constants hold a class in its place, but not its singleton class, which GC.compact may move. */
    rb_gc_register_mark_object(class);
    for (; *names; names += strspn(names, " ")) {
        size_t size = strcspn(names, " ");
        ID name = rb_intern2(names, (long)size);
        names += size;
        if (!rb_method_boundp(class, name, 0)) continue; /* (this Ruby has no such method) */
        if (core.count == METHOD_MAXIMUM) rb_raise(rb_eRuntimeError, "METHOD_MAXIMUM is too low");
        bool basic = rb_method_basic_definition_p(class, name) != 0;
        core.methods[core.count++] = (ws_core_method){ class, name, basic, Qundef };
    }
}

static bool
is_value_changed(void)
{
    const VALUE classes[] = { rb_cObject, rb_cArray,    rb_cHash,      rb_cString,     rb_cSymbol, rb_cInteger,
                              rb_cFloat,  rb_cNilClass, rb_cTrueClass, rb_cFalseClass, rb_cFile,   rb_cClass };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        for (int name = 0; name < INHERITED_COUNT; name++)
            if (!rb_method_basic_definition_p(classes[i], core.inherited[name])) return true;
        for (int name = 0; name < CONVERSION_COUNT; name++)
            if (rb_method_boundp(classes[i], core.conversions[name], 0) &&
                !rb_method_basic_definition_p(classes[i], core.conversions[name]))
                return true;
    }
    return rb_method_boundp(rb_cString, rb_intern("to_int"), 0) != 0;
}

/* Looks up a method that Ruby has in Ruby. Returns whether it is still the one that was found first, and was Ruby's. */
static bool
look_up_own(ws_core_method *method)
{
    if (!rb_method_boundp(method->class, method->name, 0)) return false;
    VALUE symbol = ID2SYM(method->name), now = ws_own1(WS_OWN_MODULE_INSTANCE_METHOD, method->class, symbol);
    if (method->own == Qundef) {
        method->own = ws_psych_calls_ruby(now) ? now : Qnil;
        rb_gc_register_mark_object(method->own);
    }
    return !NIL_P(method->own) && RTEST(rb_equal(now, method->own));
}

bool
ws_core_is_changed(void)
{
    for (int i = 0; i < core.count; i++) {
        ws_core_method *method = &core.methods[i];
        bool by_flag = method->basic || i < core.asking;
        if (by_flag ? !rb_method_basic_definition_p(method->class, method->name) : !look_up_own(method)) return true;
    }
    return is_value_changed();
}

bool
ws_core_can_ask(VALUE module)
{
    VALUE class = CLASS_OF(module);
    return rb_method_basic_definition_p(class, rb_intern("constants")) &&
           rb_method_basic_definition_p(class, rb_intern("public_method_defined?"));
}

void
ws_init_core_methods(void)
{
    VALUE vm = rb_const_get(rb_cObject, rb_intern("RubyVM"));
    VALUE sequence = rb_const_get(vm, rb_intern("InstructionSequence"));
    for (int name = 0; name < INHERITED_COUNT; name++) core.inherited[name] = rb_intern(inherited[name]);
    for (int name = 0; name < CONVERSION_COUNT; name++) core.conversions[name] = rb_intern(conversions[name]);
    add(rb_cModule, "constants public_method_defined? == === name to_s");
    add(rb_const_get(rb_cObject, rb_intern("UnboundMethod")),
        "== arity eql? hash name original_name owner source_location");
    add(sequence, "absolute_path each_child to_a");
    add(CLASS_OF(sequence), "compile of respond_to? respond_to_missing?"); /* (`compile` asks for `translate`) */
    core.asking = core.count;
    add(rb_const_get(rb_cObject, rb_intern("Binding")), "local_variable_defined? local_variable_get receiver");
    add(rb_cClass, "== === allocate new to_s");
    add(rb_cObject, "Float Integer block_given? class dup hash initialize_dup raise send");
    add(rb_cArray, "<< each each_slice each_with_index empty? first include? last map pop push reverse_each size");
    add(rb_cHash, "[] []= compare_by_identity compare_by_identity? default default_proc dup empty? fetch initialize "
                  "initialize_copy initialize_dup key? merge! values");
    add(CLASS_OF(rb_cHash), "allocate new");
    add(rb_cString, "-@ =~ class delete dup empty? gsub length match? split sub to_f to_i to_s to_sym");
    add(rb_cSymbol, "to_proc to_s");
    add(rb_cInteger, "* ** + - > abs");
    add(rb_cFloat, "* +");
    add(rb_cNilClass, "class nil?");
    add(rb_cRegexp, "=== =~ match match?");
    add(rb_cProc, "call");
    add(rb_cBasicObject, "initialize");
    add(rb_cRactor, "[] []=");
    add(CLASS_OF(rb_cRactor), "current");
    add(rb_cFile, "close closed? external_encoding initialize read");
}
