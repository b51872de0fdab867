/* See real_names.h. What is known of folders holds while the program requires file after file. It ends, as all
 * validations do, after a pause and when the boot is complete; in a forked child; and when the program itself may have
 * put a link where a folder was: Ruby's methods that can (File.rename, File.symlink, File.link) are C functions of ours
 * below all decorators, and a child that the thread has waited for shows in $?. So what a program does between two
 * requires is seen by the second one, and no file costs a call more. */
#include "ruby/code/real_names.h"

#include <string.h>

#include "core/index/real_folders.h"
#include "core/system/file.h"
#include "core/system/thread.h"
#include "ruby/boot/boot.h"
#include "ruby/private/patch.h"
#include "ruby/private/ractor.h"

static ws_patch file_rename, file_symlink, file_link;
static VALUE last_status = Qnil; /* $? as it was; marked, so that its address is not another's */

static void
forget_after_children(void)
{
    VALUE status = rb_last_status_get();
    if (status == last_status) return;
    last_status = status;
    ws_boot_forget();
}

bool
ws_is_real_name(const char *path, const ws_stat *stat)
{
    char real[WS_PATH_MAXIMUM];
    if (!ws_boot_running()) return ws_real_path(path, real) && strcmp(real, path) == 0;
    if (stat->is_link) return false;
    forget_after_children();
    const char *base = strrchr(path, '/');
    size_t size = base ? (size_t)(base - path) : 0;
    if (size == 0 || path[size - 1] == ':') size++; /* "/a", "C:/a" */
    return base && ws_is_real_folder(path, size);
}

/* ---- the program's own hand ---- */

typedef struct ws_original_call {
    const ws_patch *patch;
    VALUE self, from, to;
} ws_original_call;

static VALUE
call_original(VALUE argument)
{
    const ws_original_call *call = (const ws_original_call *)argument;
    return rb_funcall(call->patch->original, rb_intern("bind_call"), 3, call->self, call->from, call->to);
}

/* Ruby's own, which is called with what FilePathValue makes of its arguments, as it does itself first of all (file.c,
 * rb_file_s_rename ...): so all that it raises comes from its own frame. An exception gets its backtrace anew, from
 * ours, which has the same name and line. */
static VALUE
call_and_forget(const ws_patch *patch, VALUE self, VALUE from, VALUE to)
{
    VALUE saved = rb_errinfo();
    int state = 0;
    from = rb_get_path(from);
    to = rb_get_path(to);
    ws_original_call call = { patch, self, from, to };
    VALUE result = rb_protect(call_original, (VALUE)&call, &state);
    if (ws_main_ractor()) ws_boot_forget();
    if (!state) return result;
    VALUE error = rb_errinfo();
    if (!RB_TYPE_P(error, T_OBJECT) || !rb_obj_is_kind_of(error, rb_eStandardError)) rb_jump_tag(state);
    rb_set_errinfo(saved);
    rb_ivar_set(error, rb_intern("bt"), Qnil);
    rb_ivar_set(error, rb_intern("bt_locations"), Qnil);
    rb_exc_raise(error);
    return Qnil;
}

static VALUE
watched_rename(VALUE self, VALUE from, VALUE to)
{
    return call_and_forget(&file_rename, self, from, to);
}

static VALUE
watched_symlink(VALUE self, VALUE from, VALUE to)
{
    return call_and_forget(&file_symlink, self, from, to);
}

static VALUE
watched_link(VALUE self, VALUE from, VALUE to)
{
    return call_and_forget(&file_link, self, from, to);
}

void
ws_watch_names(void)
{
    VALUE file = rb_singleton_class(rb_cFile);
    ws_patch_install(&file_rename, file, "rename", (ws_method_function *)watched_rename, 2);
    ws_patch_install(&file_symlink, file, "symlink", (ws_method_function *)watched_symlink, 2);
    ws_patch_install(&file_link, file, "link", (ws_method_function *)watched_link, 2);
    last_status = rb_last_status_get();
}

void
ws_stop_watching_names(void)
{
    ws_patch_remove(&file_rename);
    ws_patch_remove(&file_symlink);
    ws_patch_remove(&file_link);
}

void
ws_init_real_names(void)
{
    rb_gc_register_address(&last_status);
    ws_thread_after_fork(ws_real_folders_forget);
}
