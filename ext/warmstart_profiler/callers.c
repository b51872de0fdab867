/* Finds the line of the program that caused a node. Who calls: requires.c, methods.c. */
#include "hooks.h"
#include "tree.h"

#include "ruby/private/frames.h"

#include <string.h>

#include <ruby/debug.h>

static bool
is_string(VALUE value, const char *text)
{
    return RB_TYPE_P(value, T_STRING) && strcmp(StringValueCStr(value), text) == 0;
}

/* Is this frame a decorator of require or load, that is, code that only passes on another's request? */
static bool
is_decorator(VALUE frame, VALUE path)
{
    static const char *const files[] = { "/rubygems/core_ext/kernel_require.rb", "/bundled_gems.rb",
                                         "/zeitwerk/kernel.rb", "/zeitwerk/core_ext/kernel.rb",
                                         "/load_path_cache/core_ext/kernel_require.rb" };
    VALUE method = rb_profile_frame_method_name(frame);
    if (is_string(method, "require") || is_string(method, "require_relative") || is_string(method, "load")) return true;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (ws_ends_with(path, files[i])) return true;
    return false;
}

/* Takes the nearest Ruby frame that is not a decorator; see hooks.h. */
uint32_t
ws_place_of_caller(VALUE but)
{
    enum { FRAMES = 24 };
    VALUE frames[FRAMES];
    int lines[FRAMES], count = rb_profile_frames(0, FRAMES, frames, lines);
    for (int i = 0; i < count; i++) {
        VALUE path = rb_profile_frame_absolute_path(frames[i]);
        if (!RB_TYPE_P(path, T_STRING)) path = rb_profile_frame_path(frames[i]);
        if (!RB_TYPE_P(path, T_STRING) || ws_is_c_frame(frames[i]) || is_decorator(frames[i], path)) continue;
        if (RB_TYPE_P(but, T_STRING) && RTEST(rb_str_equal(path, but))) continue;
        VALUE text = rb_sprintf("%" PRIsVALUE ":%d", path, lines[i]);
        return ws_arena_text(RSTRING_PTR(text), (size_t)RSTRING_LEN(text));
    }
    return 0;
}
