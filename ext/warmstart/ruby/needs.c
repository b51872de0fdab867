/* What the parts of Warmstart need of Ruby that a later Ruby may not have, or that a program may have removed before it asked for us. A
 * part that lacks something is off, as by its setting, and the others go on. (What Ruby itself cannot do without is not in the table, nor
 * RubyVM::InstructionSequence, without which Warmstart has nothing to offer: there the extension is not even built.) */
#include "bindings.h"
#include "private_api.h"

/* constant: where the method is looked for; NULL: this Ruby does not have the thing, the compiler has seen. */
static const struct { const char *part, *constant, *method; bool instance; } needs[] = {
#ifndef HAVE_RB_GET_COVERAGES
    { "code", NULL, "rb_get_coverages", false },                         /* code and documents that Coverage counts are Ruby's */
    { "documents", NULL, "rb_get_coverages", false },
#endif
    { "code", "RubyVM::InstructionSequence", "load_from_binary", false },
    { "code", "Warning", "[]", false },                                  /* recorder_hints.c: would a file warn if it was compiled now? */
#ifndef WS_HAVE_DIRECT_WAY
    { "direct", NULL, "rb_iseq_eval", false },
#endif
    { "direct", "TOPLEVEL_BINDING", "receiver", false },                 /* way.c: which object is main? */
    { "direct", "RubyVM::InstructionSequence", "compile", false },       /* way.c: is this main? */
#ifndef HAVE_RUBY_VM_EVENT_FLAGS
    { "direct", "TracePoint", "stat", false },                           /* traced.c: does somebody watch? */
    { "documents", "TracePoint", "stat", false },
#endif
    { "recording", "RubyVM::InstructionSequence", "to_binary", true },
    { "recording", "Warning", "warn", false },                           /* recorder_hints.c: has a file warned? */
};

/* {part => what it lacks}; no raising, no autoload, no const_missing. */
static VALUE lacking;

static VALUE
constant_named(const char *name)
{
    VALUE value = rb_cObject;
    while (*name) {
        size_t size = strcspn(name, ":");
        ID id = rb_intern2(name, (long)size);
        if (!rb_const_defined_at(value, id)) return Qundef;
        value = rb_const_get_at(value, id);
        name += size;
        while (*name == ':') name++;
    }
    return value;
}

static bool
is_there(const char *constant, const char *method, bool instance)
{
    VALUE value = constant ? constant_named(constant) : Qundef;
    if (value == Qundef) return false;
    return instance ? rb_method_boundp(value, rb_intern(method), 0) != 0 : rb_respond_to(value, rb_intern(method)) != 0;
}

bool
ws_lacks(const char *part)
{
    return rb_hash_lookup2(lacking, ID2SYM(rb_intern(part)), Qundef) != Qundef;
}

/* call-seq: Native.lacking -> {part: "what this Ruby does not have"} (:code, :direct, :documents, :recording) */
static VALUE
get_lacking(VALUE self)
{
    return lacking;
}

void
ws_init_needs(VALUE native)
{
    lacking = rb_hash_new();
    rb_gc_register_mark_object(lacking);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (is_there(needs[i].constant, needs[i].method, needs[i].instance)) continue;
        const char *owner = needs[i].constant ? needs[i].constant : "", *dot = needs[i].constant ? needs[i].instance ? "#" : "." : "";
        rb_hash_aset(lacking, ID2SYM(rb_intern(needs[i].part)), rb_sprintf("%s%s%s", owner, dot, needs[i].method));
    }
    rb_obj_freeze(lacking);
    rb_define_singleton_method(native, "lacking", get_lacking, 0);
}
