/* Puts a C function over one of Ruby's own methods and takes it away again; see patch.h. */
#include "ruby/private/patch.h"

#include <string.h>

#include "ruby/private/own_methods.h"

/* Returns the method that the module itself has, below whatever is prepended to it, if it is Ruby's own and of that
 * name. Otherwise returns nil. */
static VALUE
own_method(VALUE module, const char *name)
{
    VALUE symbol = ID2SYM(rb_intern(name));
    if (!RTEST(ws_own1(WS_OWN_MODULE_METHOD_DEFINED, module, symbol)) &&
        !RTEST(ws_own1(WS_OWN_MODULE_PRIVATE_METHOD_DEFINED, module, symbol)))
        return Qnil;
    VALUE method = ws_own1(WS_OWN_MODULE_INSTANCE_METHOD, module, symbol);
    while (!NIL_P(method) && ws_own0(WS_OWN_METHOD_OWNER, method) != module)
        method = ws_own0(WS_OWN_METHOD_SUPER_METHOD, method);
    if (NIL_P(method)) return Qnil;
    return ws_is_rubys_own(method) && ws_own0(WS_OWN_METHOD_ORIGINAL_NAME, method) == symbol ? method : Qnil;
}

/* Is a method of a prepended module in front? Then Ruby does not tell whether the module's own is private, so nothing
 * is replaced any more, and what is put back is as it was. */
static bool
is_prepended(VALUE module, const char *name)
{
    VALUE front = ws_own1(WS_OWN_MODULE_INSTANCE_METHOD, module, ID2SYM(rb_intern(name)));
    return ws_own0(WS_OWN_METHOD_OWNER, front) != module;
}

static bool
is_hidden(VALUE module, VALUE symbol)
{
    return RTEST(ws_own1(WS_OWN_MODULE_PRIVATE_METHOD_DEFINED, module, symbol));
}

bool
ws_is_hooked(VALUE module)
{
    /* (rb_class_real goes on from a singleton class to a real one.) */
    bool singleton = rb_class_real(module) != module;
    VALUE class = singleton ? module : CLASS_OF(module);
    return !rb_method_basic_definition_p(class, rb_intern(singleton ? "singleton_method_added" : "method_added")) ||
           !rb_method_basic_definition_p(class, rb_intern(singleton ? "singleton_method_removed" : "method_removed"));
}

/* The arguments of `define`. They are a struct because it is called by rb_ensure. */
typedef struct ws_patch_definition {
    VALUE module;
    const char *name;
    ws_method_function *function;
    int arity;
    bool hidden;
} ws_patch_definition;

static VALUE
define(VALUE argument)
{
    const ws_patch_definition *given = (const ws_patch_definition *)argument;
    if (given->hidden)
        rb_define_private_method(given->module, given->name, RUBY_METHOD_FUNC(given->function), given->arity);
    else rb_define_method(given->module, given->name, RUBY_METHOD_FUNC(given->function), given->arity);
    return Qnil;
}

static VALUE
define_original(VALUE argument)
{
    const ws_patch *patch = (const ws_patch *)argument;
    VALUE symbol = ID2SYM(rb_intern(patch->name));
    bool hidden = is_prepended(patch->module, patch->name) ? patch->hidden : is_hidden(patch->module, symbol);
    ws_own(WS_OWN_MODULE_DEFINE_METHOD, patch->module, 2, (VALUE[]){ symbol, patch->original });
    if (hidden) ws_own1(WS_OWN_MODULE_PRIVATE, patch->module, symbol);
    return Qnil;
}

static VALUE
set_verbose(VALUE verbose)
{
    ruby_verbose = verbose;
    return Qnil;
}

/* Under -w Ruby warns of a method that is redefined, which is not the program's doing. (Otherwise $VERBOSE stays as it
 * is, because other threads may run meanwhile, and compile files.) */
static void
without_warning(VALUE (*function)(VALUE), VALUE argument)
{
    VALUE verbose = ruby_verbose;
    if (!RTEST(verbose)) {
        function(argument);
        return;
    }
    ruby_verbose = Qfalse;
    rb_ensure(function, argument, set_verbose, verbose);
}

bool
ws_patch_install(ws_patch *patch, VALUE module, const char *name, ws_method_function *function, int arity)
{
    if (patch->installed) return true; /* (It could not be removed.) */
    VALUE original = ws_is_hooked(module) ? Qnil : own_method(module, name);
    if (NIL_P(original) || is_prepended(module, name)) return false;
    rb_gc_register_mark_object(original);
    /* A singleton class is no constant, so compaction would move it. */
    rb_gc_register_mark_object(module);
    bool hidden = is_hidden(module, ID2SYM(rb_intern(name)));
    *patch = (ws_patch){ original, module, name, true, hidden };
    ws_patch_definition definition = { module, name, function, arity, hidden };
    without_warning(define, (VALUE)&definition);
    return true;
}

void
ws_patch_remove(ws_patch *patch)
{
    if (!patch->installed || OBJ_FROZEN(patch->module) || ws_is_hooked(patch->module)) return;
    if (!NIL_P(own_method(patch->module, patch->name))) without_warning(define_original, (VALUE)patch);
    /* This comes last: if a Thread#raise comes before, the removal is done the next time. */
    patch->installed = false;
}

/* call-seq: Native.hooked?(module) -> true or false
 * See ws_is_hooked. */
static VALUE
is_module_hooked(VALUE self, VALUE module)
{
    return ws_is_hooked(module) ? Qtrue : Qfalse;
}

/* call-seq: Native.hooked_module -> the first Module of those whose methods are replaced at setup that has such hooks,
 * or nil */
static VALUE
hooked_module(VALUE self)
{
    const VALUE modules[] = { rb_mKernel, rb_cModule, ws_iseq_class },
                singletons[] = { rb_mKernel, rb_mGC, rb_mProcess, rb_cIO, rb_cFile, ws_iseq_class };
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (ws_is_hooked(modules[i])) return modules[i];
    for (size_t i = 0; i < sizeof singletons / sizeof *singletons; i++)
        if (ws_is_hooked(rb_singleton_class(singletons[i]))) return singletons[i];
    return Qnil;
}

void
ws_init_patch(VALUE native)
{
    rb_define_singleton_method(native, "hooked?", is_module_hooked, 1);
    rb_define_singleton_method(native, "hooked_module", hooked_module, 0);
}
