/* The table of the names that were given to autoload. Names from before setup come from a scan of all constants. Later
 * names come from our Module#autoload and Kernel#autoload, which replace Ruby's, and from autoload_relative, which
 * exists since Ruby 4.1.
 *
 * Why it matters: while the file of a pending autoload runs, `module X` and `class X` in it ask whether X is still to
 * be autoloaded (vm_declare_module -> check_autoload_required -> rb_feature_provided). Only Ruby's own load_lock or
 * $LOADED_FEATURES can tell Ruby that the file is already on its way. So these files do not go the direct way. */
#include "ruby/require/require.h"

#include <string.h>

#include <ruby/encoding.h>
#include <ruby/st.h>

#include "core/index/feature_names.h"
#include "ruby/private/c_function.h"
#include "ruby/private/private_api.h"
#include "ruby/private/ractor.h"
#include "ruby/recorder/recorder.h"

enum { MODULE, KERNEL, KERNEL_SINGLETON, TARGET_COUNT };
static struct {
    ws_feature_names names;
    bool complete;                          /* the names have every one; if not, any file may be a target */
    ws_c_function *originals[TARGET_COUNT]; /* Ruby's own: rb_mod_autoload, rb_f_autoload */
} autoloads = { .complete = true };
typedef VALUE autoload_function(VALUE self, VALUE name, VALUE feature);

bool
ws_autoload_may_mean(const char *path, size_t size)
{
    return !autoloads.complete || ws_feature_names_may_mean(&autoloads.names, path, size);
}

static void
registered(VALUE feature)
{
    const char *bytes = RSTRING_PTR(feature);
    size_t size = (size_t)RSTRING_LEN(feature);
    autoloads.complete = ws_feature_names_add(&autoloads.names, bytes, size) && autoloads.complete;
    ws_loading_autoload_registered(bytes, size);
    ws_hints_autoload_registered(feature);
}

/* ---- Module#autoload, Kernel#autoload, Kernel.autoload ---- */

static VALUE
autoload_through(int target, VALUE self, VALUE name, VALUE feature)
{
    /* Converts both as rb_mod_autoload does, and in its order. Ruby's function converts them once more, which changes
     * nothing, so to_str and to_path are called only once. */
    name = ID2SYM(rb_to_id(name));
    feature = rb_get_path(feature);
    VALUE result = ((autoload_function *)autoloads.originals[target])(self, name, feature);
    if (ws_main_ractor()) registered(feature);
    else autoloads.complete = false; /* the table belongs to the main Ractor: from now on any file may be a target */
    return result;
}

static VALUE
module_autoload(VALUE self, VALUE name, VALUE feature)
{
    return autoload_through(MODULE, self, name, feature);
}

/* Kernel's method and its singleton's are one function, as Ruby's rb_f_autoload is. So `module_function :autoload` does
 * not warn about a redefinition (rb_method_definition_eq). */
static VALUE
kernel_autoload(VALUE self, VALUE name, VALUE feature)
{
    bool of_singleton = self == rb_mKernel && autoloads.originals[KERNEL_SINGLETON];
    return autoload_through(of_singleton ? KERNEL_SINGLETON : KERNEL, self, name, feature);
}

/* ---- Module#autoload_relative, Kernel#autoload_relative, Kernel.autoload_relative ---- */

/* Returns the path of a name beside the calling file, as require_relative takes it. We register an autoload of that
 * path, because Ruby's own autoload_relative would look for the calling file in the frames that we make. */
static VALUE
path_beside_caller(VALUE feature)
{
    feature = rb_get_path(feature);
    VALUE folder = ws_caller_folder();
    if (NIL_P(folder)) rb_loaderror("cannot infer basepath (autoload_relative called without file context)");
    return rb_file_absolute_path(feature, folder);
}

static VALUE
module_autoload_relative(VALUE self, VALUE name, VALUE feature)
{
    name = ID2SYM(rb_to_id(name));
    return module_autoload(self, name, path_beside_caller(feature));
}

static VALUE
kernel_autoload_relative(VALUE self, VALUE name, VALUE feature)
{
    name = ID2SYM(rb_to_id(name));
    return kernel_autoload(self, name, path_beside_caller(feature));
}

/* ---- Native: for lib/warmstart/core_ext.rb ---- */

static int
target_of(VALUE module)
{
    return module == rb_cModule ? MODULE : module == rb_mKernel ? KERNEL : KERNEL_SINGLETON;
}

/* A method of Kernel's is private. */
static void
define(VALUE module, const char *name, autoload_function *of_module, autoload_function *of_kernel)
{
    if (module == rb_mKernel) rb_define_private_method(rb_mKernel, name, of_kernel, 2);
    else rb_define_method(module, name, module == rb_cModule ? of_module : of_kernel, 2);
}

/* call-seq: Native.define_autoload(module, original) -> nil
 * Defines it in Module, Kernel or Kernel's singleton class. If there is no C function of Ruby's behind the original,
 * because somebody has copied another method over it, that method stays, and any file may be a target. */
static VALUE
define_autoload(VALUE self, VALUE module, VALUE original)
{
    int target = target_of(module);
    autoload_function *ours = target == MODULE ? module_autoload : kernel_autoload;
    bool known = ws_find_c_function(original, "autoload", 2, (ws_c_function *)ours, &autoloads.originals[target]);
    if (known) define(module, "autoload", module_autoload, kernel_autoload);
    autoloads.complete = autoloads.complete && known;
    return Qnil;
}

/* call-seq: Native.define_autoload_relative(module) -> nil
 * Defines it in the same places. If the program has taken Ruby's autoload away there, Ruby's own autoload_relative
 * stays, and any file may be a target. */
static VALUE
define_autoload_relative(VALUE self, VALUE module)
{
    bool known = autoloads.originals[target_of(module)] != NULL;
    if (known) define(module, "autoload_relative", module_autoload_relative, kernel_autoload_relative);
    autoloads.complete = autoloads.complete && known;
    return Qnil;
}

static int
note_constant(st_data_t name, st_data_t entry, st_data_t module)
{
    VALUE feature = rb_autoload_p((VALUE)module, (ID)name);
    if (RB_TYPE_P(feature, T_STRING)) registered(feature);
    return ST_CONTINUE;
}

#ifdef HAVE_RB_OBJSPACE_EACH_OBJECTS
static int
keep_modules(void *start, void *end, size_t stride, void *modules)
{
    for (VALUE object = (VALUE)start; object < (VALUE)end; object += stride) {
        int type = RB_BUILTIN_TYPE(object);
        bool is_module = (type == T_CLASS || type == T_MODULE) && RBASIC_CLASS(object); /* (without: it is hidden) */
        if (is_module) rb_ary_push((VALUE)modules, object);
    }
    return 0;
}

/* (ObjectSpace.each_object asks each object on the heap for its class's ancestors. This takes a quarter of the time.)
 */
static VALUE
all_modules(void)
{
    VALUE modules = rb_ary_new();
    rb_objspace_each_objects(keep_modules, (void *)modules);
    return modules;
}
#else
static VALUE
all_modules(void)
{
    VALUE space = rb_const_get(rb_cObject, rb_intern("ObjectSpace"));
    return rb_funcall(rb_funcall(space, rb_intern("each_object"), 1, rb_cModule), rb_intern("to_a"), 0);
}
#endif

/* call-seq: Native.note_autoloads(modules) -> nil
 * Notes the autoloads that were registered before setup in these modules, or in all (nil). Module#constants would leave
 * out private constants, so we read the table of all of a module's own constants. */
static VALUE
note_autoloads(VALUE self, VALUE modules)
{
    if (NIL_P(modules)) modules = all_modules();
    Check_Type(modules, T_ARRAY);
    st_table *constants = st_init_numtable();
    for (long i = 0; i < RARRAY_LEN(modules); i++) {
        rb_mod_const_at(RARRAY_AREF(modules, i), constants);
        if (constants->num_entries == 0) continue;
        st_foreach(constants, note_constant, (st_data_t)RARRAY_AREF(modules, i));
        st_clear(constants);
    }
    st_free_table(constants);
    return Qnil;
}

void
ws_init_autoloads(VALUE native)
{
    rb_define_singleton_method(native, "define_autoload", define_autoload, 2);
    rb_define_singleton_method(native, "define_autoload_relative", define_autoload_relative, 1);
    rb_define_singleton_method(native, "note_autoloads", note_autoloads, 1);
}
