/* What a recording boot notes in addition to the iseqs.
 *
 * Silence: an iseq does not contain the warnings of the parser, so Ruby must compile a file that warns each time. To
 * hear of warnings, a module is prepended to Warning's singleton class. It has the method `warn` only while a file is
 * being compiled.
 *
 * Hints for the direct way: UNFINISHED (the load was not seen to its end) and LATE (an autoload of the file itself was
 * registered meanwhile). They come from the requires in progress, and from Module#autoload and Kernel#autoload. */
#include "ruby/recorder/recorder_hints.h"

#include <stdlib.h>

#include "core/image/image.h"
#include "core/image/image_format.h"
#include "core/index/feature_names.h"
#include "core/system/thread.h"
#include "ruby/load_path/load_path.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/patch.h"
#include "ruby/private/ractor.h"
#include "ruby/recorder/recorder.h"

/* ---- silence ---- */

static VALUE warning_module;                 /* Warning */
static VALUE listener = Qnil;                /* the module on top of Warning's singleton class */
static enum { GONE, COMING, THERE } hearing; /* does the listener have its method? */

static VALUE
warn_method(void)
{
    return rb_obj_method(warning_module, ID2SYM(rb_intern("warn")));
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
    while (!NIL_P(method) && ws_own0(WS_OWN_METHOD_OWNER, method) != listener)
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
    rb_prepend_module(rb_singleton_class(warning_module), module);
    return module;
}

/* From the arity of Warning.warn Ruby concludes whether it takes a category (rb_warning_warn_arity). So ours must have
 * the same arity as the one below it. */
static bool
put_listener(VALUE arity)
{
    if (NIL_P(listener)) listener = new_listener();
    if (arity == INT2FIX(1)) rb_define_method(listener, "warn", heard_one, 1);
    else rb_define_method(listener, "warn", heard, -1);
    return ws_own0(WS_OWN_METHOD_OWNER, warn_method()) == listener;
}

/* If the program has removed Warning.warn, its warnings end in Ruby's NoMethodError, which a method of ours would
 * prevent. A frozen Warning cannot get a prepended module. */
static bool
may_listen(void)
{
    VALUE class = rb_singleton_class(warning_module);
    return rb_method_boundp(class, rb_intern("warn"), 0) && !OBJ_FROZEN(class);
}

/* The method exists only while files are being compiled, so that it is not in the way of what the program defines and
 * warns in between. Ruby calls hooks when methods come and go, and another thread may run in a hook. So the state
 * changes after the method has come, and before it goes. */
void
ws_warnings_begin(void)
{
    bool may = may_listen();
    VALUE arity = may && hearing == GONE ? ws_own0(WS_OWN_METHOD_ARITY, warn_method()) : Qnil;
    if (hearing == THERE) return;
    /* Another thread is just adding the method, or it must not be added: we would not hear this file's warnings. */
    if (hearing == COMING || !may) {
        note_warning();
        return;
    }
    hearing = COMING;
    /* If the program has prepended a module of its own, another one of ours goes above it. */
    if (!put_listener(arity)) {
        rb_remove_method(listener, "warn");
        listener = Qnil;
        put_listener(arity);
    }
    hearing = THERE;
}

void
ws_warnings_end(void)
{
    bool there = hearing == THERE;
    hearing = GONE;
    if (there) rb_remove_method(listener, "warn");
}

/* If another module has been prepended above ours, we may not have heard everything. */
bool
ws_warnings_were_silent(const ws_compilation *compilation)
{
    return hearing == THERE && !compilation->warned && ws_own0(WS_OWN_METHOD_OWNER, warn_method()) == listener;
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
    VALUE all = rb_method_boundp(CLASS_OF(warning_module), rb_intern("categories"), 0)
                    ? ws_own0(WS_OWN_WARNINGS_CATEGORIES, warning_module)
                    : Qnil;
    for (size_t i = 0; i < CATEGORY_COUNT; i++) {
        categories[i].symbol = ID2SYM(rb_intern(categories[i].name));
        if (RB_TYPE_P(all, T_ARRAY)) categories[i].known = RTEST(rb_ary_includes(all, categories[i].symbol));
    }
}

static bool
category_enabled(size_t i)
{
    return categories[i].known && !NIL_P(warning_module) &&
           RTEST(ws_own1(WS_OWN_WARNINGS_AT, warning_module, categories[i].symbol));
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

/* ---- requires in progress ---- */

/* A require in progress. It is on the heap, because a fiber may be dropped in the middle and a child of fork lacks the
 * other threads: their stacks are used again. Then it is never freed. */
typedef struct ws_call {
    struct ws_call *outer;
    VALUE fiber, path;
    VALUE (*function)(VALUE, VALUE);
    VALUE self, feature;
    uint32_t number; /* the file that this require had compiled; UINT32_MAX: none */
    unsigned forks;  /* the process had forked so many times when the file was compiled */
} ws_call;

static volatile unsigned forks;

static ws_call *innermost;

static void
mark_calls(void *nothing)
{
    for (ws_call *call = innermost; call; call = call->outer) {
        rb_gc_mark(call->fiber);
        rb_gc_mark(call->path);
        rb_gc_mark(call->self);
        rb_gc_mark(call->feature);
    }
}

static const rb_data_type_t calls_type = { .wrap_struct_name = "warmstart/recorded_calls",
                                           .function = { .dmark = mark_calls } };

static ws_call **
place_of(const ws_call *call)
{
    ws_call **place = &innermost;
    while (*place && *place != call) place = &(*place)->outer;
    return place;
}

/* What the file does in a child of fork is not seen here: it stays UNFINISHED. */
static VALUE
make_call(VALUE argument)
{
    ws_call *current = (ws_call *)argument;
    VALUE result = current->function(current->self, current->feature);
    if (!*place_of(current)) return result; /* a continuation has come here a second time */
    if (current->number == UINT32_MAX) return result;
    if (current->forks != forks) return result;
    ws_recorder_hint(current->number, 0, WS_ENTRY_UNFINISHED);
    return result;
}

/* If the require ends now because Ruby has found no such file, notes the name. Ruby's load_failed (rb_load_fail) gives
 * the LoadError this name as its path; if a file exists and requires a missing one, the path is another name. While
 * this runs, rb_ensure keeps what is being raised in errinfo. For a throw it is an internal object (T_IMEMO). */
static void
note_missing(VALUE feature)
{
    VALUE error = rb_errinfo();
    if (SPECIAL_CONST_P(error) || RB_BUILTIN_TYPE(error) != T_OBJECT || rb_obj_class(error) != rb_eLoadError) return;
    VALUE path = rb_attr_get(error, rb_intern("@path"));
    if (!RB_TYPE_P(path, T_STRING) || !RB_TYPE_P(feature, T_STRING) || !ws_is_plain_feature(feature)) return;
    if (rb_str_cmp(path, feature) == 0 && !ws_load_path_knows_missing(feature)) ws_recorder_note_missing(feature);
}

static VALUE
end_call(VALUE argument)
{
    ws_call **place = place_of((ws_call *)argument), *ended = *place;
    if (ended) {
        if (ended->number == UINT32_MAX) note_missing(ended->feature); /* nothing was compiled in it */
        *place = ended->outer;
        free(ended);
    }
    ws_recorder_call_ended();
    return Qnil;
}

/* rb_ensure makes no frame that a backtrace shows. */
VALUE
ws_recorder_call(VALUE (*function)(VALUE self, VALUE feature), VALUE self, VALUE feature)
{
    VALUE fiber = rb_fiber_current();
    ws_call *current = malloc(sizeof *current);
    if (!current) return function(self, feature);
    *current = (ws_call){ innermost, fiber, Qnil, function, self, feature, UINT32_MAX, 0 };
    innermost = current;
    return rb_ensure(make_call, (VALUE)current, end_call, (VALUE)current);
}

/* Returns this fiber's innermost require if nothing has been compiled in it yet. The first file that is compiled inside
 * a require is the required one, or a file that a `load` reads in a file from the image. A hint for the latter does no
 * harm. */
static ws_call *
call_without_file(void)
{
    VALUE fiber = rb_fiber_current();
    for (ws_call *current = innermost; current; current = current->outer)
        if (current->fiber == fiber) return current->number == UINT32_MAX ? current : NULL;
    return NULL;
}

/* The file is marked as unfinished until its load has ended well, because an image may be written before that. */
uint32_t
ws_hints_at_first(void)
{
    return call_without_file() ? WS_ENTRY_UNFINISHED : 0;
}

void
ws_hints_compiled(uint32_t number, VALUE path)
{
    ws_call *current = call_without_file();
    if (!current) return;
    current->number = number;
    current->path = path;
    current->forks = forks;
}

/* Any thread may fork, with or without Ruby's lock. */
static void
count_fork(void)
{
    forks++;
}

/* ---- LATE ---- */

/* (The direct way asks the same while it runs a file: ws_loading_autoload_registered.) */
static bool
names_file(VALUE feature, VALUE path)
{
    return ws_feature_name_may_mean(RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature), RSTRING_PTR(path),
                                    (size_t)RSTRING_LEN(path));
}

void
ws_hints_autoload_registered(VALUE feature)
{
    for (ws_call *current = innermost; current; current = current->outer)
        if (current->number != UINT32_MAX && names_file(feature, current->path))
            ws_recorder_hint(current->number, WS_ENTRY_LATE, 0);
}

void
ws_hints_count_forks(void)
{
    static bool counting;
    if (!counting) ws_thread_before_fork(count_fork);
    counting = true;
}

void
ws_init_hints(VALUE native)
{
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &calls_type, &innermost));
    ID warning = rb_intern("Warning");
    warning_module = rb_const_defined(rb_cObject, warning) ? rb_const_get(rb_cObject, warning) : Qnil; /* (needs.c) */
    rb_gc_register_mark_object(warning_module);
    rb_gc_register_address(&listener);
    find_categories();
}
