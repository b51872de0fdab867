/* Notes of a recording boot beside the iseqs.
 *
 * Silence: parse-time warnings are not in an iseq, so a file that warns must be compiled by Ruby each time.
 * Warning.warn is listened to by a module prepended to Warning's singleton class, which has its method only while a
 * file is being compiled.
 *
 * Hints for the direct way: LEAF (nothing was provided while the file ran), READS (something looked at $LOADED_FEATURES
 * meanwhile), LATE (an autoload of the file itself was registered meanwhile). They come from the requires in progress,
 * the getters of $" and $LOADED_FEATURES, and Module#autoload and Kernel#autoload, which are put over Ruby's own while
 * this process records. Hints are verified when they are used, never trusted. */
#include "ruby/recorder/recorder_hints.h"

#include <stdlib.h>

#include "core/image/image.h"
#include "core/image/image_format.h"
#include "core/index/feature_names.h"
#include "ruby/load_path/load_path.h"
#include "ruby/private/patch.h"
#include "ruby/private/ractor.h"
#include "ruby/recorder/recorder.h"
#include "ruby/recorder/recorder_compilations.h"

/* ---- silence ---- */

static VALUE warning_module;                 /* Warning */
static VALUE listener = Qnil;                /* the module on top of Warning's singleton class */
static enum { GONE, COMING, THERE } hearing; /* has it its method? From ws_warnings_begin to ws_warnings_end */

static VALUE
warn_method(void)
{
    return rb_obj_method(warning_module, ID2SYM(rb_intern("warn")));
}

/* The compiler warns in the fiber that compiles: what other threads say meanwhile is theirs. */
static void
note_warning(void)
{
    ws_compilation *compilation = ws_main_ractor() ? ws_compilation_current() : NULL;
    if (compilation) compilation->warned = true;
}

/* Another thread may have put a Warning.warn of one argument below ours since Ruby saw that ours takes any. */
static bool
takes_one_only(VALUE self)
{
    VALUE method = rb_obj_method(self, ID2SYM(rb_intern("warn")));
    while (!NIL_P(method) && rb_funcall(method, rb_intern("owner"), 0) != listener)
        method = rb_funcall(method, rb_intern("super_method"), 0);
    VALUE below = NIL_P(method) ? Qnil : rb_funcall(method, rb_intern("super_method"), 0);
    return !NIL_P(below) && rb_funcall(below, rb_intern("arity"), 0) == INT2FIX(1);
}

/* (rb_call_super alone passes no keywords.) */
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

/* Its own hooks do nothing, so that a program's Module#method_added does not hear of our method coming and going. */
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

/* Ruby asks Warning.warn's arity whether it takes a category (rb_warning_warn_arity): ours must answer as the one
 * below. */
static bool
put_listener(VALUE arity)
{
    if (NIL_P(listener)) listener = new_listener();
    if (arity == INT2FIX(1)) rb_define_method(listener, "warn", heard_one, 1);
    else rb_define_method(listener, "warn", heard, -1);
    return rb_funcall(warn_method(), rb_intern("owner"), 0) == listener;
}

/* Where the program has taken Warning.warn away, its warnings end in Ruby's NoMethodError, which a method of ours would
 * prevent; to a frozen Warning nothing can be prepended. */
static bool
may_listen(void)
{
    VALUE class = rb_singleton_class(warning_module);
    return rb_method_boundp(class, rb_intern("warn"), 0) && !OBJ_FROZEN(class);
}

/* The method is there only while files are being compiled: what the program defines or says in between is Ruby's alone.
 * Ruby calls hooks where methods come and go, and there another thread may run, so the state changes before the method
 * goes, and after it has come. */
void
ws_warnings_begin(void)
{
    bool may = may_listen();
    VALUE arity = may && hearing == GONE ? rb_funcall(warn_method(), rb_intern("arity"), 0) : Qnil;
    if (hearing == THERE) return;
    if (hearing == COMING || !may) { /* (COMING: another thread is at it) What this file says would not be heard. */
        note_warning();
        return;
    }
    hearing = COMING;
    if (!put_listener(arity)) { /* the program prepended a module of its own: one more of ours, above that */
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

/* Where another module came on top after ours, we may not have heard everything. */
bool
ws_warnings_were_silent(const ws_compilation *compilation)
{
    return hearing == THERE && !compilation->warned && rb_funcall(warn_method(), rb_intern("owner"), 0) == listener;
}

/* 3.3 has it, and no Warning.categories; Warning.[] raises for what it does not know, and under -d Ruby prints each
 * exception. */
#ifdef HAVE_CONST_RB_WARN_CATEGORY_PERFORMANCE
#define HAS_PERFORMANCE true
#else
#define HAS_PERFORMANCE false
#endif

/* Warning's categories; which of them this Ruby knows is found out once. */
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
static ID id_aref;

static void
find_categories(void)
{
    VALUE all = rb_method_boundp(CLASS_OF(warning_module), rb_intern("categories"), 0)
                    ? rb_funcall(warning_module, rb_intern("categories"), 0)
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
           RTEST(rb_funcallv(warning_module, id_aref, 1, &categories[i].symbol));
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
    if (!level) return 0; /* (with $VERBOSE nil no category is heard) */
    for (size_t i = 0; i < CATEGORY_COUNT; i++)
        if (category_enabled(i)) level |= categories[i].flag;
    return level;
}

/* The same answer as ws_warning_level_covers(recorded, ws_current_warning_level()), asking for fewer categories. */
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

/* On the heap, and for ever where a fiber is dropped in the middle or its thread is not in a child of fork: their
 * stacks are used again. */
typedef struct ws_call {
    struct ws_call *outer;
    VALUE fiber, path;
    VALUE (*function)(VALUE, VALUE);
    VALUE self, feature;
    uint32_t number; /* of the file that this require had compiled; UINT32_MAX: none */
    long features_count;
} ws_call;

static ws_call *innermost;
static VALUE features;

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

static VALUE
make_call(VALUE argument)
{
    ws_call *current = (ws_call *)argument;
    VALUE result = current->function(current->self, current->feature);
    if (!*place_of(current)) return result; /* (a continuation brought us here once more) */
    if (current->number == UINT32_MAX) return result;
    bool leaf = RTEST(result) && RARRAY_LEN(features) == current->features_count + 1;
    ws_recorder_hint(current->number, leaf ? WS_ENTRY_LEAF : 0, WS_ENTRY_UNFINISHED);
    return result;
}

/* Has the require that ends now been told by Ruby that there is no such file? load_failed (rb_load_fail) gives the
 * LoadError the name for its path; a file that is there and requires what is not has another name. rb_ensure keeps what
 * is being raised in errinfo while this runs; for a throw that is no object of Ruby's (T_IMEMO). */
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
        if (ended->number == UINT32_MAX) note_missing(ended->feature); /* (nothing was compiled in it) */
        *place = ended->outer;
        free(ended);
    }
    ws_recorder_call_ended();
    return Qnil;
}

/* (rb_ensure makes no frame that a backtrace shows.) */
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

/* The first file that is compiled inside a require is the required one, or a `load` in a file that came from the image:
 * the latter gets a hint of no consequence (a LEAF by chance is verified when it is used). */
static ws_call *
call_without_file(void)
{
    VALUE fiber = rb_fiber_current();
    for (ws_call *current = innermost; current; current = current->outer)
        if (current->fiber == fiber) return current->number == UINT32_MAX ? current : NULL;
    return NULL;
}

/* What is not known of a file before its load has ended well, an image that is written meanwhile must not lack. */
uint32_t
ws_hints_at_first(void)
{
    return call_without_file() ? WS_ENTRY_UNFINISHED : 0;
}

void
ws_hints_compiled(uint32_t number, VALUE path, long features_count)
{
    ws_call *current = call_without_file();
    if (!current) return;
    current->number = number;
    current->path = path;
    current->features_count = features_count;
}

/* ---- READS ---- */

/* Whoever looks, all files that are running now would show whether they are provided already. (Outside of recorded
 * requires this is Ruby's own getter, whose one line returns the same Array. It stays when all else is taken out:
 * Ruby's is a static function of load.c, which nothing gives back, and no program can tell the two apart.) */
static VALUE
get_features(ID name, VALUE *data)
{
    if (ws_main_ractor())
        for (ws_call *current = innermost; current; current = current->outer)
            if (current->number != UINT32_MAX) ws_recorder_hint(current->number, WS_ENTRY_READS, 0);
    return features;
}

/* ---- LATE ---- */

/* (As the direct way asks while it plays: ws_loading_autoload_registered.) */
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

static bool listening_to_program;

void
ws_hints_listen(void)
{
    if (listening_to_program) return;
    listening_to_program = true;
    rb_define_virtual_variable("$\"", get_features, 0);
    rb_define_virtual_variable("$LOADED_FEATURES", get_features, 0);
}

void
ws_hints_stop_listening(void)
{
    listening_to_program = false;
}

void
ws_init_hints(VALUE native)
{
    features = rb_gv_get("$LOADED_FEATURES");
    rb_gc_register_mark_object(features);
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &calls_type, &innermost));
    ID warning = rb_intern("Warning");
    warning_module = rb_const_defined(rb_cObject, warning) ? rb_const_get(rb_cObject, warning) : Qnil; /* (needs.c) */
    rb_gc_register_mark_object(warning_module);
    rb_gc_register_address(&listener);
    id_aref = rb_intern("[]");
    find_categories();
}
