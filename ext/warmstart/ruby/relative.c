/* What require_relative needs beside require; see relative.h. */
#include "relative.h"

#include <string.h>

#include <ruby/debug.h>
#include <ruby/encoding.h>
#include <ruby/version.h>

/* Is this the path of a String that was evaluated without one (eval_default_path)? */
static bool
is_nameless(const char *path)
{
#if RUBY_API_VERSION_CODE < 30300
    return strcmp(path, "(eval)") == 0;
#else
    return strncmp(path, "(eval at ", 9) == 0;
#endif
}

/* (The bytes lie in a String of Ruby's, which may move while ours is made.) */
static VALUE
path_of(const char *bytes)
{
    size_t size = strlen(bytes);
    char *copy = ALLOCA_N(char, size);
    memcpy(copy, bytes, size);
    return rb_enc_str_new(copy, (long)size, rb_filesystem_encoding());
}

/* rb_current_realfilepath: of the nearest Ruby frame the realpath, in an eval the path that it was given, nil for none.
 * A profile's frame stands for the method, also where an eval inside it asks: rb_sourcefile tells the two apart. */
VALUE
ws_caller_file(void)
{
    enum { FRAMES = 16 };
    VALUE frames[FRAMES];
    int lines[FRAMES], count = rb_profile_frames(1, FRAMES, frames, lines);
    const char *nearest = rb_sourcefile();
    for (int i = 0; i < count; i++) {
        VALUE path = rb_profile_frame_absolute_path(frames[i]), given = rb_profile_frame_path(frames[i]);
        if (RB_TYPE_P(path, T_STRING) && strcmp(StringValueCStr(path), "<cfunc>") == 0) continue;
        if (RB_TYPE_P(path, T_STRING) && RB_TYPE_P(given, T_STRING) && nearest && strcmp(nearest, StringValueCStr(given)) != 0)
            return is_nameless(nearest) ? Qnil : path_of(nearest);
        if (RB_TYPE_P(path, T_STRING)) return path;
        if (!RB_TYPE_P(given, T_STRING)) return Qnil;
        return is_nameless(StringValueCStr(given)) ? Qnil : given;
    }
    return Qnil;
}

/* Since 3.2 require_relative does not freeze the path (rb_get_path does), which LoadError#path shows. */
#if RUBY_API_VERSION_CODE < 30200
VALUE
ws_require_unfrozen(VALUE (*require)(VALUE self, VALUE path), VALUE self, VALUE path)
{
    return require(self, path);
}
#else
typedef struct ws_relative { VALUE (*require)(VALUE self, VALUE path); VALUE self, path; } ws_relative;

static VALUE
go_relative(VALUE argument)
{
    ws_relative *relative = (ws_relative *)argument;
    return relative->require(relative->self, relative->path);
}

VALUE
ws_require_unfrozen(VALUE (*require)(VALUE self, VALUE path), VALUE self, VALUE path)
{
    ws_relative relative = { require, self, path };
    int state = 0;
    VALUE result = rb_protect(go_relative, (VALUE)&relative, &state);
    if (!state) return result;
    VALUE error = rb_errinfo();          /* (of a throw it is no object) */
    if (RB_TYPE_P(error, T_OBJECT) && rb_obj_is_kind_of(error, rb_eLoadError) == Qtrue && !OBJ_FROZEN(error)) {
        VALUE shown = rb_iv_get(error, "@path");
        if (RB_TYPE_P(shown, T_STRING) && OBJ_FROZEN(shown) && rb_str_equal(shown, path) == Qtrue) rb_iv_set(error, "@path", rb_str_dup(path));
    }
    rb_jump_tag(state);
}
#endif
