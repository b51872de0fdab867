/* The methods and functions of Ruby that parts of Warmstart need. A later Ruby may not have them, or the program may
 * have removed them before it loaded us. A part that lacks something is off, as by its setting, and the others go on.
 * The table leaves out what Ruby itself cannot do without. It also leaves out RubyVM::InstructionSequence, without
 * which Warmstart has nothing to offer: there the extension is not even built. */
#include "ruby/private/needs.h"

#include <string.h>

#include <ruby/encoding.h>

#include "ruby/private/private_api.h"

/* constant: where the method is looked for. NULL: extconf.rb has seen that this Ruby does not have it. OWN: the method
 * must be the one with which Ruby begins. */
enum kind { SINGLETON, INSTANCE, OWN };
static const struct {
    const char *part, *constant, *method;
    enum kind kind;
} needs[] = {
#ifndef HAVE_RB_GET_COVERAGES
    { "code", NULL, "rb_get_coverages", SINGLETON }, /* code and documents that Coverage counts are left to Ruby */
    { "documents", NULL, "rb_get_coverages", SINGLETON },
#endif
    { "code", "RubyVM::InstructionSequence", "load_from_binary", SINGLETON },
    { "code", "Warning", "[]", SINGLETON }, /* warnings.c: would a file warn if it was compiled now? */
#ifndef WS_HAVE_DIRECT_WAY
    { "direct", NULL, "rb_iseq_eval", SINGLETON },
#endif
#ifndef WS_KNOWN_JUMPS
    { "direct", NULL, "known numbers of jumps", SINGLETON }, /* require.c: how has a file been left? */
#endif
#ifndef WS_KNOWN_CIRCULAR
    { "direct", NULL, "known text of the circular warning", SINGLETON }, /* loading.c */
#endif
#ifndef WS_KNOWN_EVALUATED
    { "direct", NULL, "known name of evaluated text", SINGLETON }, /* relative.c: which file calls? */
#endif
#ifndef WS_KNOWN_FRAMES
    { "documents", NULL, "known order of frames", SINGLETON }, /* document_call.c: who opens the file? */
#endif
#ifndef WS_KNOWN_CLOSING
    { "documents", NULL, "known way to close a file", SINGLETON }, /* documents.c */
#endif
    { "direct", "Kernel", "__dir__", OWN },                            /* relative.c: which file calls? */
    { "direct", "TOPLEVEL_BINDING", "receiver", SINGLETON },           /* way.c: which object is main? */
    { "direct", "RubyVM::InstructionSequence", "compile", SINGLETON }, /* way.c: is self main? */
#ifndef HAVE_RUBY_VM_EVENT_FLAGS
    { "direct", "TracePoint", "stat", SINGLETON }, /* traced.c: does somebody watch? */
    { "documents", "TracePoint", "stat", SINGLETON },
#endif
#ifndef WS_HAVE_DIRECT_WAY
    { "documents", NULL, "rb_iseqw_to_iseq", SINGLETON }, /* traced.c: does somebody watch one method? */
#endif
#ifndef WS_BINARY_MAJOR
    { "symbols", NULL, "known format of compiled code", SINGLETON }, /* iseq_symbols.c */
#endif
    { "recording", "RubyVM::InstructionSequence", "to_binary", INSTANCE },
    { "recording", "Warning", "warn", SINGLETON }, /* warnings.c: has a file warned? */
};

/* {part => what it lacks}. Finding this out raises nothing, and calls neither autoload nor const_missing. */
static VALUE lacking;

VALUE
ws_constant_at(VALUE module, ID name)
{
    if (!RB_TYPE_P(module, T_MODULE) && !RB_TYPE_P(module, T_CLASS)) return Qundef;
    return rb_const_defined_at(module, name) && !RTEST(rb_autoload_p(module, name)) ? rb_const_get_at(module, name)
                                                                                    : Qundef;
}

VALUE
ws_constant_named(VALUE module, const char *path)
{
    VALUE value = module;
    while (*path && value != Qundef) {
        size_t size = strcspn(path, ":");
        ID name = rb_check_id_cstr(path, (long)size, rb_usascii_encoding());
        value = name ? ws_constant_at(value, name) : Qundef;
        path += size;
        while (*path == ':') path++;
    }
    return value;
}

/* rb_respond_to is not used, because it calls the program's own `respond_to?`. And no Symbol is made for a name that
 * nobody has. */
static bool
is_there(const char *constant, const char *method, enum kind kind)
{
    VALUE value = constant ? ws_constant_named(rb_cObject, constant) : Qundef;
    ID name = rb_check_id_cstr(method, (long)strlen(method), rb_usascii_encoding());
    if (value == Qundef || !name) return false;
    VALUE class = kind == INSTANCE ? value : CLASS_OF(value);
    return kind == OWN ? rb_method_basic_definition_p(class, name) != 0 : rb_method_boundp(class, name, 0) != 0;
}

bool
ws_lacks_something(void)
{
    return !RHASH_EMPTY_P(lacking);
}

bool
ws_lacks(const char *part)
{
    return rb_hash_lookup2(lacking, ID2SYM(rb_intern(part)), Qundef) != Qundef;
}

/* call-seq: Native.lacking -> {part: "what this Ruby does not have"}
 * The parts are :code, :direct, :documents, :recording, :symbols and, before Ruby 3.2, :features_copies. */
static VALUE
get_lacking(VALUE self)
{
    return rb_hash_dup(lacking);
}

void
ws_lack(const char *part, const char *what)
{
    if (!ws_lacks(part)) rb_hash_aset(lacking, ID2SYM(rb_intern(part)), rb_str_new_cstr(what));
}

void
ws_init_needs(VALUE native)
{
    char what[128];
    lacking = rb_hash_new();
    rb_gc_register_mark_object(lacking);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (is_there(needs[i].constant, needs[i].method, needs[i].kind)) continue;
        const char *owner = needs[i].constant ? needs[i].constant : "",
                   *dot = needs[i].constant ? needs[i].kind == INSTANCE ? "#" : "." : "";
        snprintf(what, sizeof what, "%s%s%s", owner, dot, needs[i].method);
        ws_lack(needs[i].part, what);
    }
    rb_define_singleton_method(native, "lacking", get_lacking, 0);
}
