/* The boot of this process: opens the image, knows the mode, and knows when the boot is complete. */
#include "ruby/boot/boot.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <ruby/encoding.h>

#include "core/bytes/hash.h"
#include "core/bytes/vector.h"
#include "core/image/image_format.h"
#include "core/image/manifest.h"
#include "core/image/segment.h"
#include "core/system/clock.h"
#include "core/system/error.h"
#include "core/system/mapping.h"
#include "core/system/thread.h"
#include "core/validation/content_ahead.h"
#include "core/validation/folder_watch.h"
#include "core/validation/validation_ahead.h"

ws_boot ws_the_boot;

/* After a pause this long the index validates everything anew. (Such a pause also ends the governor's work:
 * boot/gc_governor.rb, IDLE; and begins a commit: session/recording.rb, IDLE. It does not complete the boot.) */
#define IDLE_NANOSECONDS INT64_C(1000000000)

/* When Rails is ready, its command still loads what it is to run, without delay. So a pause this long means that the
 * landing is over. */
#define LANDING_NANOSECONDS INT64_C(100000000)

void
ws_boot_on_forget(void (*function)(void))
{
    ws_the_boot.on_forget = function;
}

void
ws_boot_on_end(void (*function)(void))
{
    ws_the_boot.on_end = function;
}

void
ws_boot_forget(void)
{
    ws_the_boot.on_forget();
}

bool
ws_real_path(const char *path, char real[WS_PATH_MAXIMUM])
{
    char *found = ws_file_real_path(path);
    bool fits = found && strlen(found) < WS_PATH_MAXIMUM;
    if (fits) strcpy(real, found);
    free(found);
    return fits;
}

/* The application is ready: nothing is looked at in advance any more, but the index answers on. */
static void
begin_landing(void)
{
    ws_the_boot.landing = ws_the_boot.complete = true;
    ws_ahead_end();
    ws_content_ahead_end();
}

static void
end_boot(void)
{
    begin_landing();
    ws_the_boot.landing = false;
    ws_watch_end();
    ws_the_boot.on_end();
}

/* Programs write files while they run, so what was validated before a pause is validated again after it. */
void
ws_boot_note_require(void)
{
    if (!ws_boot_answers()) return;
    int64_t now = ws_clock_coarse(), pause = ws_the_boot.last_require ? now - ws_the_boot.last_require : 0;
    if (ws_the_boot.landing && pause > LANDING_NANOSECONDS) {
        end_boot();
        return;
    }
    if (pause > IDLE_NANOSECONDS) ws_boot_forget();
    ws_the_boot.last_require = now;
}

/* A process that forks has booted. What the child loads belongs to its work and not to the boot. */
static void
end_landing(void)
{
    ws_the_boot.landing = false;
}

/* (What was validated in the standby holds: the client has just compared all of it again.) */
void
ws_boot_resume(void)
{
    ws_the_boot.landing = ws_the_boot.complete;
    ws_the_boot.last_require = ws_clock_coarse();
}

void
ws_boot_validated(void)
{
    if (ws_the_boot.last_require) ws_the_boot.last_require = ws_clock_coarse();
}

static char *
copy_string(VALUE string)
{
    char *copy = ws_bytes_copy(RSTRING_PTR(string), (size_t)RSTRING_LEN(string));
    if (!copy) rb_memerror();
    return copy;
}

/* The newest segment that has an index provides it. */
static void
open_index(void)
{
    ws_image *image = &ws_the_boot.image;
    for (uint32_t i = image->manifest.segment_count; i-- > 0 && !ws_the_boot.index;) {
        ws_error error;
        ws_the_boot.index = ws_feature_index_new(&image->segments[i], ws_the_boot.sealed, ws_the_boot.dlext, &error);
    }
}

VALUE
ws_text_with_paths(const char *bytes, size_t size)
{
    rb_encoding *encoding = rb_filesystem_encoding();
    return rb_enc_str_new(bytes, (long)size, encoding == rb_usascii_encoding() ? rb_utf8_encoding() : encoding);
}

VALUE
ws_describe_error(const ws_error *error)
{
    char message[1024];
    ws_error_describe(error, message, sizeof message);
    VALUE failure = ID2SYM(rb_intern(ws_failure_name(ws_error_failure(error->code))));
    return rb_ary_new_from_args(5, ID2SYM(rb_intern(ws_error_name(error->code))),
                                ws_text_with_paths(message, strlen(message)), failure,
                                ws_text_with_paths(error->path, strlen(error->path)), INT2NUM(error->error_number));
}

/* The user's secret that the file at this path holds. NULL for nil. It is never freed, because the recording's thread
 * may be reading it. A process creates only a few. */
static ws_secret *
secret_at(VALUE path)
{
    if (NIL_P(path)) return NULL;
    StringValueCStr(path);
    ws_secret *secret = calloc(1, sizeof *secret);
    if (!secret) rb_memerror();
    secret->path = copy_string(path);
    return secret;
}

ws_trust
ws_trust_of(VALUE owner, VALUE secret)
{
    ws_trust trust = { .user = ws_file_user(), .secret = secret_at(secret) };
    trust.application_owner = NIL_P(owner) ? trust.user : NUM2UINT(owner);
    return trust;
}

/* call-seq: Native.trust_writers_of(path) -> true or false
 *
 * From here on the image may be writable by a group, if that group may write to the file at this path. */
static VALUE
trust_writers_of(VALUE self, VALUE path)
{
    ws_trust_group_of(&ws_the_boot.trust, StringValueCStr(path));
    return ws_the_boot.trust.has_group ? Qtrue : Qfalse;
}

/* call-seq: Native.prepare(directory, key, dlext, owner, secret = nil) -> nil
 *
 * directory: the image's folder. key: the text that says what the image is for. owner: the uid that may own the image
 * besides us and root, or nil. secret: the path of the user's secret if only images that were made with it are trusted
 * (Location#secret), else nil. */
static VALUE
prepare(int argc, VALUE *argv, VALUE self)
{
    ws_boot *boot = &ws_the_boot;
    VALUE directory, key, dlext, owner, secret;
    rb_scan_args(argc, argv, "41", &directory, &key, &dlext, &owner, &secret);
    StringValueCStr(directory);
    StringValue(key);
    StringValueCStr(dlext);
    boot->directory = copy_string(directory);
    boot->anchor = ws_anchor_take(boot->directory);
    boot->key = copy_string(key);
    boot->key_size = (size_t)RSTRING_LEN(key);
    boot->key_hash = ws_hash64(boot->key, boot->key_size, WS_SEED_KEY);
    boot->dlext = copy_string(dlext);
    boot->file_system_encoding = rb_enc_to_index(rb_filesystem_encoding());
    boot->trust = ws_trust_of(owner, secret);
    return Qnil;
}

static ws_code
open_now(ws_error *error)
{
    ws_boot *boot = &ws_the_boot;
    ws_image_options options = {
        .directory = boot->directory,
        .key_hash = boot->key_hash,
        .trust = boot->trust,
        .copy = boot->opening.copy,
        .root = boot->opening.root,
    };
    ws_mapping_guard_install();
    /* An image that was open before stays mapped, because loads in progress use it. */
    boot->image_open = boot->sealed = boot->portable = false;
    boot->index = NULL;
    ws_code code = ws_image_open(&boot->image, &options, error);
    if (code != WS_OK) return code;
    boot->image_open = true;
    boot->portable = (boot->image.manifest.flags & WS_IMAGE_PORTABLE) != 0;
    boot->sealed = (boot->image.manifest.flags & WS_IMAGE_SEALED) != 0 && !boot->opening.checked;
    open_index();
    ws_boot_forget(); /* the new index does not know $LOAD_PATH yet */
    ws_offer_ahead();
    return WS_OK;
}

bool
ws_boot_open_again(void)
{
    ws_error error;
    return !ws_the_boot.complete && !ws_the_boot.index && open_now(&error) == WS_OK;
}

/* call-seq: Native.open(root, copy, checked) -> nil or [reason, message, failure]
 *
 * Opens the image. root: the application's realpath or nil. copy: the image is read and not mapped. checked: files are
 * checked even if the image is sealed. failure: what the reason says about the image (core/system/error.h): :missing,
 * :damaged, :foreign_key, :refused, :passing. */
static VALUE
open_image(VALUE self, VALUE root, VALUE copy, VALUE checked)
{
    ws_boot *boot = &ws_the_boot;
    ws_error error;
    if (!NIL_P(root)) StringValueCStr(root);
    free(boot->opening.root);
    boot->opening.root = NIL_P(root) ? NULL : copy_string(root);
    boot->opening.copy = RTEST(copy);
    boot->opening.checked = RTEST(checked);
    return open_now(&error) == WS_OK ? Qnil : ws_describe_error(&error);
}

/* call-seq: Native.close_image -> true or false
 * The program takes nothing more from the image. false: it is taking something just now, so the image stays. */
static VALUE
close_image(VALUE self)
{
    ws_boot *boot = &ws_the_boot;
    if (boot->uses > 0) return Qfalse;
    end_boot();
    ws_boot_forget();
    ws_feature_index_free(boot->index);
    boot->index = NULL;
    if (boot->image_open) ws_image_unmap(&boot->image);
    boot->image_open = false;
    ws_mapping_guard_remove();
    return Qtrue;
}

static VALUE
is_sealed(VALUE self)
{
    return ws_the_boot.sealed ? Qtrue : Qfalse;
}

/* The image's own flag, also in checked mode: a sealed image is never written to. */
static VALUE
is_sealed_image(VALUE self)
{
    return ws_the_boot.image_open && (ws_the_boot.image.manifest.flags & WS_IMAGE_SEALED) ? Qtrue : Qfalse;
}

static VALUE
complete(VALUE self)
{
    end_boot();
    return Qnil;
}

/* call-seq: Native.ready! -> nil
 * The application is ready. The index still answers until there is a pause, because a command has yet to load what it
 * will run. */
static VALUE
ready(VALUE self)
{
    if (ws_the_boot.last_require != 0) begin_landing();
    else end_boot(); /* (a landing ends with a require) */
    return Qnil;
}

static VALUE
is_complete(VALUE self)
{
    return ws_the_boot.complete ? Qtrue : Qfalse;
}

/* call-seq: Native.key_hash(text) -> String of 16 hexadecimal digits */
static VALUE
key_hash(VALUE self, VALUE text)
{
    StringValue(text);
    return rb_sprintf("%016llx",
                      (unsigned long long)ws_hash64(RSTRING_PTR(text), (size_t)RSTRING_LEN(text), WS_SEED_KEY));
}

static VALUE
is_privileged(VALUE self)
{
    return ws_file_is_privileged() ? Qtrue : Qfalse;
}

#ifdef _WIN32
/* call-seq: Native.foreign_owner(path) -> String or nil
 * Who owns a file or folder on Windows, as "S-1-5-21-..."; nil if it is this user or one who may do everything here
 * anyway. Raises SystemCallError. */
static VALUE
foreign_owner(VALUE self, VALUE path)
{
    char owner[256];
    int error_number = ws_file_foreign_owner(StringValueCStr(path), owner, sizeof owner);
    if (error_number != 0) rb_syserr_fail_str(error_number, path);
    return owner[0] ? rb_str_new_cstr(owner) : Qnil;
}
#endif

/* call-seq: Native.statistics -> String or nil
 * The statistics in the image, from the last boot that recorded something. */
static VALUE
get_statistics(VALUE self)
{
    const ws_segment *segment =
        ws_the_boot.image_open ? ws_image_newest_with(&ws_the_boot.image, WS_SECTION_STATISTICS) : NULL;
    if (!segment) return Qnil;
    ws_section_view view = ws_segment_section(segment, WS_SECTION_STATISTICS);
    return ws_text_with_paths(view.bytes, (size_t)view.size);
}

void
ws_init_boot(VALUE native)
{
    rb_define_singleton_method(native, "prepare", prepare, -1);
    rb_define_singleton_method(native, "open", open_image, 3);
    rb_define_singleton_method(native, "close_image", close_image, 0);
    rb_define_singleton_method(native, "trust_writers_of", trust_writers_of, 1);
    rb_define_singleton_method(native, "statistics", get_statistics, 0);
    rb_define_singleton_method(native, "sealed?", is_sealed, 0);
    rb_define_singleton_method(native, "sealed_image?", is_sealed_image, 0);
    ws_thread_after_fork(end_landing);
    rb_define_singleton_method(native, "complete!", complete, 0);
    rb_define_singleton_method(native, "ready!", ready, 0);
    rb_define_singleton_method(native, "complete?", is_complete, 0);
    rb_define_singleton_method(native, "key_hash", key_hash, 1);
    rb_define_singleton_method(native, "privileged?", is_privileged, 0);
#ifdef _WIN32
    rb_define_singleton_method(native, "foreign_owner", foreign_owner, 1);
#endif
}
