/* See real_names.h. What is known about folders holds while the program requires file after file. As with all
 * validations, this ends after a pause, when the boot is complete, and in a forked child. It also ends when the program
 * itself may have put a link where a folder was. Ruby's methods that can do this (File.rename, File.symlink, File.link)
 * are C functions of ours below all decorators. Whether a child has been waited for, by whatever thread, the kernel
 * tells; on Windows $? does, for this thread. So what a program does between two requires is seen by the second one.
 * (What does not show is told in docs/loading.md, "Links".) */
#include "ruby/code/real_names.h"

#include <string.h>

#include "core/index/real_folders.h"
#include "core/system/file.h"
#include "core/system/thread.h"
#include "ruby/boot/boot.h"
#include "ruby/private/c_function.h"
#include "ruby/private/patch.h"
#include "ruby/private/ractor.h"

typedef struct watched_method {
    ws_patch patch;
    ws_c_function *original;
} watched_method;

static struct {
    watched_method file_rename, file_symlink, file_link;
    bool are_watched;                  /* if not, nothing is known for longer than a look */
    VALUE last_status;                 /* $? as it was; marked, so that no other object has its address */
    uint64_t children;                 /* what ws_children_waited_for answered last */
    volatile bool changed_by_a_ractor; /* since the last look, by another Ractor than the main one */
} names = { .last_status = Qnil };

static void
forget_what_others_may_have_changed(void)
{
    VALUE status = rb_last_status_get();
    uint64_t children = ws_children_waited_for();
    if (status == names.last_status && children == names.children && !names.changed_by_a_ractor) return;
    names.last_status = status;
    names.children = children;
    names.changed_by_a_ractor = false;
    ws_boot_forget();
}

bool
ws_is_real_name(const char *path, const ws_stat *stat)
{
    char real[WS_PATH_MAXIMUM];
    if (names.are_watched) ws_boot_note_require();
    if (!names.are_watched || !ws_boot_answers()) return ws_real_path(path, real) && strcmp(real, path) == 0;
    if (stat->is_link) return false;
    forget_what_others_may_have_changed();
    const char *base = strrchr(path, '/');
    size_t size = base ? (size_t)(base - path) : 0;
    if (size == 0 || path[size - 1] == ':') size++; /* the folder of "/a" and of "C:/a" has a slash */
    return base && ws_is_real_folder(path, size);
}

/* ---- what the program does itself ---- */

typedef VALUE ws_two_paths_function(VALUE self, VALUE from, VALUE to);

typedef struct ws_two_paths_call {
    ws_c_function *function;
    VALUE self, from, to;
} ws_two_paths_call;

static VALUE
call_original(VALUE argument)
{
    const ws_two_paths_call *call = (const ws_two_paths_call *)argument;
    return ((ws_two_paths_function *)call->function)(call->self, call->from, call->to);
}

static VALUE
forget(VALUE nothing)
{
    if (ws_main_ractor()) ws_boot_forget();
    else names.changed_by_a_ractor = true;
    return Qnil;
}

/* Calls Ruby's own function in our frame, which has the same name and line. */
static VALUE
call_and_forget(const watched_method *method, VALUE self, VALUE from, VALUE to)
{
    ws_two_paths_call call = { method->original, self, from, to };
    return rb_ensure(call_original, (VALUE)&call, forget, Qnil);
}

static VALUE
watched_rename(VALUE self, VALUE from, VALUE to)
{
    return call_and_forget(&names.file_rename, self, from, to);
}

static VALUE
watched_symlink(VALUE self, VALUE from, VALUE to)
{
    return call_and_forget(&names.file_symlink, self, from, to);
}

static VALUE
watched_link(VALUE self, VALUE from, VALUE to)
{
    return call_and_forget(&names.file_link, self, from, to);
}

static bool
watch(watched_method *method, const char *name, VALUE (*function)(VALUE, VALUE, VALUE))
{
    VALUE file = rb_singleton_class(rb_cFile);
    if (!ws_patch_install(&method->patch, file, name, (ws_method_function *)function, 2)) return false;
    bool found = ws_find_c_function(method->patch.original, name, 2, (ws_c_function *)function, &method->original);
    if (!found) ws_patch_remove(&method->patch);
    return found;
}

void
ws_watch_names(void)
{
    names.are_watched = watch(&names.file_rename, "rename", watched_rename) &&
                        watch(&names.file_symlink, "symlink", watched_symlink) &&
                        watch(&names.file_link, "link", watched_link);
    names.last_status = rb_last_status_get();
    names.children = ws_children_waited_for();
}

void
ws_stop_watching_names(void)
{
    names.are_watched = false;
    ws_patch_remove(&names.file_rename.patch);
    ws_patch_remove(&names.file_symlink.patch);
    ws_patch_remove(&names.file_link.patch);
}

/* call-seq: Native.stop_watching_names -> nil */
static VALUE
stop_watching_names(VALUE self)
{
    ws_stop_watching_names();
    return Qnil;
}

void
ws_init_real_names(VALUE native)
{
    rb_define_singleton_method(native, "stop_watching_names", stop_watching_names, 0);
    rb_gc_register_address(&names.last_status);
    ws_thread_after_fork(ws_real_folders_forget);
}
