/* Listens while Ruby compiles files that are to be kept: a TracePoint gets their code (recorder.c), and here is heard
 * whether the parser warns. An iseq does not contain the warnings, so Ruby must compile a file that warns each time. To
 * hear of warnings, a module is prepended to Warning's singleton class. It has the method `warn` only while a file is
 * being compiled. */
#include "ruby/recorder/recorder_internal.h"

#include <ruby/debug.h>

#include "core/image/image_format.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/ractor.h"
#include "ruby/recorder/recorder.h"

static struct {
    VALUE module;                         /* Warning */
    VALUE listener;                       /* the module on top of Warning's singleton class */
    enum { GONE, COMING, THERE } hearing; /* does the listener have its method? */
} warnings = { .listener = Qnil };

static VALUE
warn_method(void)
{
    return rb_obj_method(warnings.module, ID2SYM(rb_intern("warn")));
}

/* The compiler warns in the fiber that compiles. Warnings of other threads are not about the file. */
static void
note_warning(void)
{
    ws_compilation *compilation = ws_main_ractor() ? ws_compilation_current() : NULL;
    if (compilation) compilation->warned = true;
}

/* Ruby calls ours with a category because ours takes one. Meanwhile another thread may have defined a Warning.warn
 * below it that takes only one argument. */
static bool
takes_one_only(VALUE self)
{
    VALUE method = rb_obj_method(self, ID2SYM(rb_intern("warn")));
    while (!NIL_P(method) && ws_own0(WS_OWN_METHOD_OWNER, method) != warnings.listener)
        method = ws_own0(WS_OWN_METHOD_SUPER_METHOD, method);
    VALUE below = NIL_P(method) ? Qnil : ws_own0(WS_OWN_METHOD_SUPER_METHOD, method);
    return !NIL_P(below) && ws_own0(WS_OWN_METHOD_ARITY, below) == INT2FIX(1);
}

/* It calls rb_call_super_kw, because rb_call_super passes no keywords. */
static VALUE
heard(int argc, VALUE *argv, VALUE self)
{
    int keywords = rb_keyword_given_p();
    note_warning();
    if (argc == 2 && keywords && takes_one_only(self)) return rb_call_super(1, argv);
    return rb_call_super_kw(argc, argv, keywords);
}

static VALUE
heard_one(VALUE self, VALUE message)
{
    note_warning();
    return rb_call_super(1, &message);
}

static VALUE
hear_nothing(int argc, VALUE *argv, VALUE self)
{
    return Qnil;
}

/* The module's own hooks do nothing, so that a program's Module#method_added is not called when our method comes and
 * goes. */
static VALUE
new_listener(void)
{
    VALUE module = rb_module_new();
    rb_define_singleton_method(module, "singleton_method_added", hear_nothing, -1);
    rb_define_singleton_method(module, "method_added", hear_nothing, -1);
    rb_define_singleton_method(module, "method_removed", hear_nothing, -1);
    rb_prepend_module(rb_singleton_class(warnings.module), module);
    return module;
}

/* From the arity of Warning.warn Ruby concludes whether it takes a category (rb_warning_warn_arity). So ours must have
 * the same arity as the one below it. */
static bool
put_listener(VALUE arity)
{
    if (NIL_P(warnings.listener)) warnings.listener = new_listener();
    if (arity == INT2FIX(1)) rb_define_method(warnings.listener, "warn", heard_one, 1);
    else rb_define_method(warnings.listener, "warn", heard, -1);
    return ws_own0(WS_OWN_METHOD_OWNER, warn_method()) == warnings.listener;
}

/* The method exists only while files are being compiled, so that it is not in the way of what the program defines and
 * warns in between. Ruby calls hooks when methods come and go, and another thread may run in a hook. So the state
 * changes after the method has come, and before it goes. */
void
ws_warnings_begin(void)
{
    /* If the program has removed Warning.warn, its warnings end in Ruby's NoMethodError, which a method of ours would
     * prevent. A frozen Warning cannot get a prepended module. */
    VALUE class = rb_singleton_class(warnings.module);
    bool may = rb_method_boundp(class, rb_intern("warn"), 0) && !OBJ_FROZEN(class);
    VALUE arity = may && warnings.hearing == GONE ? ws_own0(WS_OWN_METHOD_ARITY, warn_method()) : Qnil;
    if (warnings.hearing == THERE) return;
    /* Another thread is just adding the method, or it must not be added: we would not hear this file's warnings. */
    if (warnings.hearing == COMING || !may) {
        note_warning();
        return;
    }
    warnings.hearing = COMING;
    /* If the program has prepended a module of its own, another one of ours goes above it. */
    if (!put_listener(arity)) {
        rb_remove_method(warnings.listener, "warn");
        warnings.listener = Qnil;
        put_listener(arity);
    }
    warnings.hearing = THERE;
}

/* If another module has been prepended above ours, we may not have heard everything. */
bool
ws_warnings_were_silent(const ws_compilation *compilation)
{
    return warnings.hearing == THERE && !compilation->warned &&
           ws_own0(WS_OWN_METHOD_OWNER, warn_method()) == warnings.listener;
}

/* Ruby 3.3 has this category but not Warning.categories. Asking Warning.[] does not help, because it raises for an
 * unknown category, and under -d Ruby prints each exception. */
#ifdef HAVE_CONST_RB_WARN_CATEGORY_PERFORMANCE
#define HAS_PERFORMANCE true
#else
#define HAS_PERFORMANCE false
#endif

/* Warning's categories. Which of them this Ruby knows is found out once. */
static struct {
    const char *name;
    uint32_t flag;
    VALUE symbol;
    bool known;
} categories[] = {
    { "deprecated", WS_WARNING_DEPRECATED, Qnil, true },
    { "experimental", WS_WARNING_EXPERIMENTAL, Qnil, true },
    { "performance", WS_WARNING_PERFORMANCE, Qnil, HAS_PERFORMANCE },
    { "strict_unused_block", WS_WARNING_STRICT_UNUSED_BLOCK, Qnil, false },
};
#define CATEGORY_COUNT (sizeof categories / sizeof *categories)

static void
find_categories(void)
{
    VALUE all = rb_method_boundp(CLASS_OF(warnings.module), rb_intern("categories"), 0)
                    ? ws_own0(WS_OWN_WARNINGS_CATEGORIES, warnings.module)
                    : Qnil;
    for (size_t i = 0; i < CATEGORY_COUNT; i++) {
        categories[i].symbol = ID2SYM(rb_intern(categories[i].name));
        if (RB_TYPE_P(all, T_ARRAY)) categories[i].known = RTEST(rb_ary_includes(all, categories[i].symbol));
    }
}

static bool
category_enabled(size_t i)
{
    return categories[i].known && !NIL_P(warnings.module) &&
           RTEST(ws_own1(WS_OWN_WARNINGS_AT, warnings.module, categories[i].symbol));
}

static uint32_t
verbosity(void)
{
    return NIL_P(ruby_verbose) ? 0 : RTEST(ruby_verbose) ? 2 : 1;
}

uint32_t
ws_current_warning_level(void)
{
    uint32_t level = verbosity();
    if (!level) return 0; /* with $VERBOSE nil no category warns */
    for (size_t i = 0; i < CATEGORY_COUNT; i++)
        if (category_enabled(i)) level |= categories[i].flag;
    return level;
}

/* Returns the same as ws_warning_level_covers(recorded, ws_current_warning_level()), but asks for fewer categories. */
bool
ws_silent_now(uint32_t recorded)
{
    uint32_t level = verbosity();
    if (!level) return true;
    if (!ws_warning_level_covers(recorded, level)) return false;
    for (size_t i = 0; i < CATEGORY_COUNT; i++)
        if (!(recorded & categories[i].flag) && category_enabled(i)) return false;
    return true;
}

/* ---- the end of the last compilation ---- */

void
ws_stop_listening_when_done(void)
{
    if (ws_compilations_any()) return;
    if (ws_the_recorder.tracing) rb_tracepoint_disable(ws_the_recorder.script_compiled);
    ws_the_recorder.tracing = false;
    bool there = warnings.hearing == THERE;
    warnings.hearing = GONE;
    if (there) rb_remove_method(warnings.listener, "warn");
}

void
ws_init_warnings(void)
{
    ID warning = rb_intern("Warning");
    warnings.module = rb_const_defined(rb_cObject, warning) ? rb_const_get(rb_cObject, warning) : Qnil; /* (needs.c) */
    rb_gc_register_mark_object(warnings.module);
    rb_gc_register_address(&warnings.listener);
    find_categories();
}
