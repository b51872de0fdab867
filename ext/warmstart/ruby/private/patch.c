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

static bool
is_hidden(VALUE module, VALUE symbol)
{
    return RTEST(ws_own1(WS_OWN_MODULE_PRIVATE_METHOD_DEFINED, module, symbol));
}

/* The arguments of `define`. They are a struct because it is called by rb_ensure: the program's own Module#method_added
 * may be called, and may raise. */
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
    bool hidden = is_hidden(patch->module, symbol);
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
    VALUE original = own_method(module, name);
    if (NIL_P(original)) return false;
    rb_gc_register_mark_object(original);
    /* A singleton class is no constant, so compaction would move it. */
    rb_gc_register_mark_object(module);
    bool hidden = is_hidden(module, ID2SYM(rb_intern(name)));
    *patch = (ws_patch){ original, module, name, true };
    ws_patch_definition definition = { module, name, function, arity, hidden };
    without_warning(define, (VALUE)&definition);
    return true;
}

void
ws_patch_remove(ws_patch *patch)
{
    if (!patch->installed) return;
    /* (In a module that the program has frozen our function stays. It does what Ruby's does.) */
    if (!OBJ_FROZEN(patch->module) && !NIL_P(own_method(patch->module, patch->name)))
        without_warning(define_original, (VALUE)patch);
    /* This comes last: if a Thread#raise comes before, the removal is done the next time. */
    patch->installed = false;
}
