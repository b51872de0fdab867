/* Is Ruby itself requiring a file because a constant was used, or has the program called require? The call does not
 * show it: neither its receiver, nor its frames, nor its String (`autoload?`, -"x" and frozen literals return the very
 * same String).
 *
 * But Ruby has a table of the autoloads that are registered and not yet loaded (variable.c: autoload_features; before
 * 3.2 autoload_featuremap). It maps each interned String to an object that refers to a Mutex. rb_autoload_load holds
 * this Mutex while it requires (rb_mutex_synchronize(arguments.mutex, autoload_try_load)), and nobody else ever locks
 * it. If this fiber owns the Mutex, every other fiber that uses such a constant waits (check_autoload_required:
 * autoload_by_someone_else), whoever asks us for the file.
 *
 * The table is a hidden object, which we find through the collector's roots. The collector also says what such an
 * object refers to. We recognise its type by the type's name; Ruby code cannot make such an object, because everything
 * that Ruby code makes has a class.
 *
 * ext/probes.rb includes this file in a program, which asks it about autoloads when the extension is built. Where the
 * answers are wrong, this is off. */
#include "ruby/private/autoloads_in_progress.h"

#include "core/system/thread.h"
#include "ruby/private/private_api.h"

#ifdef __linux__
#include <string.h>
#include <sys/auxv.h>
#endif

#if defined WS_HAVE_REACHABLE_OBJECTS && defined WS_KNOWN_AUTOLOADS

#if RUBY_API_VERSION_CODE < 30200
#define TYPE_NAME "autoload_i"
#else
#define TYPE_NAME "autoload_data"
#endif

static VALUE table = Qnil; /* {String => the data of its autoload}; nil until it is found */
static VALUE unsure;       /* data of autoloads that were in progress when this process was forked */
static volatile bool forked;

/* ---- one autoload ---- */

static bool
is_data(VALUE object)
{
    return RB_TYPE_P(object, T_DATA) && RBASIC_CLASS(object) == 0 && RTYPEDDATA_P(object) &&
           strcmp(RTYPEDDATA_TYPE(object)->wrap_struct_name, TYPE_NAME) == 0;
}

#if RUBY_API_VERSION_CODE < 30200

/* Before 3.2 there is no Mutex. Instead the data refer to the thread that performs the autoload, by a struct on that
 * thread's stack: struct autoload_data_i and struct autoload_state, the same in all of 3.1. Which of the thread's
 * fibers it is does not matter there. If a fiber was dropped in the middle, the address may no longer be memory. So we
 * read only the process's first stack, the one of the main thread outside of fibers. It exists as long as the process,
 * and the kernel places nothing else near it. */
typedef struct autoload_words {
    VALUE feature;
    struct {
        void *constant;
        VALUE result, thread;
    } * state;
} autoload_words;

static bool
is_on_first_stack(const void *address)
{
#ifdef __linux__
    uintptr_t top = (uintptr_t)getauxval(AT_EXECFN), at = (uintptr_t)address;
    return at < top && top - at < (64u << 20);
#else
    return false;
#endif
}

static bool
is_ours(VALUE data)
{
    const autoload_words *words = RTYPEDDATA_DATA(data);
    return words->state && is_on_first_stack(words->state) && words->state->thread == rb_thread_current();
}

#else

static VALUE mutex_class;
static ID id_owned;

static void
see(VALUE object, void *mutex)
{
    if (!RB_SPECIAL_CONST_P(object) && RB_TYPE_P(object, T_DATA) && RBASIC_CLASS(object) == mutex_class)
        *(VALUE *)mutex = object;
}

/* Mutex#owned? is the only way to call rb_mutex_owned_p. */
static bool
is_ours(VALUE data)
{
    VALUE mutex = Qnil;
    rb_objspace_reachable_objects_from(data, see, &mutex);
    return !NIL_P(mutex) && rb_method_basic_definition_p(mutex_class, id_owned) &&
           RTEST(rb_funcallv(mutex, id_owned, 0, NULL));
}

#endif

/* ---- the table ---- */

typedef struct search {
    VALUE feature, found;
} search;

/* From Ruby 3.4 on, objects that were given to rb_gc_register_mark_object lie in a chain of hidden lists
 * (pin_array_list in vm.c), so these are searched, too. */
static void
look_at(VALUE object, void *argument)
{
    search *wanted = argument;
    if (!NIL_P(wanted->found) || RB_SPECIAL_CONST_P(object) || RBASIC_CLASS(object) != 0) return;
    if (RB_TYPE_P(object, T_HASH) && is_data(rb_hash_lookup2(object, wanted->feature, Qnil))) wanted->found = object;
    else if (RB_TYPE_P(object, T_DATA) && RTYPEDDATA_P(object) &&
             strcmp(RTYPEDDATA_TYPE(object)->wrap_struct_name, "VM/pin_array_list") == 0)
        rb_objspace_reachable_objects_from(object, look_at, argument);
}

static void
look_at_root(const char *category, VALUE object, void *argument)
{
    look_at(object, argument);
}

/* The search looks at some thousand objects. It is made once per process, for the first file that may be the target of
 * an autoload. */
static VALUE
data_of(VALUE feature)
{
    if (NIL_P(table)) {
        search wanted = { feature, Qnil };
        rb_objspace_reachable_objects_from_root(look_at_root, &wanted);
        table = wanted.found;
    }
    VALUE data = NIL_P(table) ? Qnil : rb_hash_lookup2(table, feature, Qnil);
    return is_data(data) ? data : Qnil;
}

/* ---- forks ---- */

static void
after_fork_in_child(void)
{
    forked = true;
}

static int
note_if_ours(VALUE feature, VALUE data, VALUE nothing)
{
    if (is_data(data) && is_ours(data)) rb_ary_push(unsure, data);
    return ST_CONTINUE;
}

/* In a child process Ruby does not take an autoload from before the fork for its own (get_autoload_data: fork_gen), but
 * this fiber still owns the Mutex. At the first question after the fork, older autoloads cannot be told from newer
 * ones, so we believe neither. */
static bool
is_sure(VALUE data)
{
    if (forked) {
        forked = false;
        rb_hash_foreach(table, note_if_ours, Qnil);
    }
    for (long i = 0; i < RARRAY_LEN(unsure); i++)
        if (RARRAY_AREF(unsure, i) == data) return false;
    return true;
}

VALUE
ws_autoload_in_progress(VALUE feature)
{
    VALUE name = rb_str_to_interned_str(feature), data = data_of(name);
    return !NIL_P(data) && is_sure(data) && is_ours(data) ? name : Qnil;
}

void
ws_init_autoloads_in_progress(void)
{
    unsure = rb_ary_new();
    rb_gc_register_mark_object(unsure);
    rb_gc_register_address(&table);
#if RUBY_API_VERSION_CODE >= 30200
    mutex_class = rb_path2class("Thread::Mutex");
    rb_gc_register_mark_object(mutex_class);
    id_owned = rb_intern("owned?");
#endif
    ws_thread_after_fork(after_fork_in_child);
}

#else

VALUE
ws_autoload_in_progress(VALUE feature)
{
    return Qnil;
}

void
ws_init_autoloads_in_progress(void)
{
}

#endif
