/* Path rules for Ruby (lib/warmstart/path.rb). Native's functions take as their first argument which rules to use, true
 * for those of Windows. Ruby code does what does not concern paths: defaults, encodings, errors. */
#include "ruby/file_system/paths.h"

#include <string.h>

#include "core/bytes/utf8.h"
#include "core/path/path.h"

static const ws_path_rules *
rules_of(VALUE windows)
{
    return RTEST(windows) ? &ws_path_rules_windows : &ws_path_rules_posix;
}

/* The bytes of what a caller has given, which may be nil, or an object that only behaves like a String. */
static ws_text
argument_text(VALUE argument)
{
    if (!NIL_P(argument)) StringValue(argument);
    return ws_text_or_nothing(argument);
}

/* call-seq: Native.path_windows? -> true or false: does this system use the rules of Windows? */
static VALUE
is_windows(VALUE self)
{
    return ws_path_rules_native()->windows ? Qtrue : Qfalse;
}

static bool
given_drive(void *context, ws_text drive, ws_text *directory)
{
    VALUE drives = (VALUE)context, found = Qnil;
    if (drive.size == 2 && drive.bytes[0] >= 'a' && drive.bytes[0] <= 'z') {
        char capital[] = { (char)(drive.bytes[0] - 32), ':' };
        found = rb_hash_aref(drives, rb_utf8_str_new(capital, 2));
    }
    if (NIL_P(found)) found = rb_hash_aref(drives, rb_utf8_str_new(drive.bytes, (long)drive.size));
    *directory = argument_text(found);
    return !NIL_P(found);
}

/* call-seq: Native.path_expand(windows, path, base, tilde, directory, home, drives) -> String or Symbol
 *
 * Returns the bytes of the answer, or why there is none. drives: {"D:" => "D:/work"}, or nil to use this process's own
 * directory and home if the rules are this system's. */
static VALUE
path_expand(int argc, VALUE *argv, VALUE self)
{
    static const char *const reasons[] = { NULL,      "too_long",      "unanswerable", "no_directory",
                                           "no_home", "relative_home", "other_user" };
    rb_check_arity(argc, 7, 7);
    VALUE drives = argv[6], holder;
    const ws_path_rules *rules = rules_of(argv[0]);
    ws_text path = argument_text(argv[1]), base = argument_text(argv[2]);
    ws_system_paths system;
    size_t size = 0;

    memset(&system, 0, sizeof(system));
    if (NIL_P(drives)) {
        ws_system_paths_fill(&system, NIL_P(argv[4]), NIL_P(argv[5]));
        if (!NIL_P(argv[4])) system.surroundings.directory = argument_text(argv[4]);
        if (!NIL_P(argv[5])) system.surroundings.home = argument_text(argv[5]);
    }
    else {
        Check_Type(drives, T_HASH);
        system.surroundings =
            (ws_path_surroundings){ argument_text(argv[4]), argument_text(argv[5]), given_drive, (void *)drives };
    }

    size_t room = path.size + base.size + system.surroundings.directory.size + system.surroundings.home.size + 64;
    for (;; room *= 2) {
        char *buffer = ALLOCV_N(char, holder, room);
        ws_path_answer answer =
            rules->full(buffer, room, &size, path, NIL_P(argv[2]) ? NULL : &base, RTEST(argv[3]), &system.surroundings);
        VALUE result = answer == WS_PATH_ANSWERED   ? rb_str_new(buffer, (long)size)
                       : answer == WS_PATH_TOO_LONG ? Qnil
                                                    : ID2SYM(rb_intern(reasons[answer]));
        ALLOCV_END(holder);
        if (answer == WS_PATH_TOO_LONG && room < (1 << 24)) continue;
        RB_GC_GUARD(system.directory);
        RB_GC_GUARD(system.home);
        RB_GC_GUARD(system.drive);
        return result;
    }
}

/* call-seq: Native.path_repair(bytes) -> String
 *
 * Returns the text in UTF-8. Invalid bytes become as many U+FFFD as on Windows. */
static VALUE
path_repair(VALUE self, VALUE string)
{
    ws_text text = argument_text(string);
    VALUE repaired = rb_utf8_str_new(NULL, 0);
    uint32_t character;

    while (text.size > 0) {
        size_t size = ws_utf8_decode(text.bytes, text.size, &character);
        bool valid = character != WS_REPLACEMENT_CHARACTER || (size == 3 && memcmp(text.bytes, "\xEF\xBF\xBD", 3) == 0);
        rb_str_cat(repaired, valid ? text.bytes : "\xEF\xBF\xBD", valid ? (long)size : 3);
        text.bytes += size;
        text.size -= size;
    }
    return repaired;
}

/* call-seq: Native.path_absolute?(windows, path) -> true or false */
static VALUE
is_absolute(VALUE self, VALUE windows, VALUE path)
{
    ws_text text = argument_text(path);
    return rules_of(windows)->is_absolute(text.bytes, text.size) ? Qtrue : Qfalse;
}

/* call-seq: Native.path_same?(windows, one, other) -> true or false: are the names equal to the system? */
static VALUE
is_same(VALUE self, VALUE windows, VALUE one, VALUE other)
{
    return rules_of(windows)->is_same(argument_text(one), argument_text(other)) ? Qtrue : Qfalse;
}

/* call-seq: Native.path_within?(windows, path, directory) -> true or false */
static VALUE
is_within(VALUE self, VALUE windows, VALUE path, VALUE directory)
{
    ws_text inner = argument_text(path), outer = argument_text(directory);
    return rules_of(windows)->is_within(inner.bytes, inner.size, outer.bytes, outer.size) ? Qtrue : Qfalse;
}

void
ws_init_paths(VALUE native)
{
    rb_define_singleton_method(native, "path_windows?", is_windows, 0);
    rb_define_singleton_method(native, "path_expand", path_expand, -1);
    rb_define_singleton_method(native, "path_repair", path_repair, 1);
    rb_define_singleton_method(native, "path_absolute?", is_absolute, 2);
    rb_define_singleton_method(native, "path_same?", is_same, 3);
    rb_define_singleton_method(native, "path_within?", is_within, 3);
    ws_init_paths_patch(native);
    ws_init_paths_system(native);
}
