/* `warmstart build`: compiles files without running them, and merges what several processes recorded into one image.
 *
 * Ruby's own loader compiles a file: `load` reads and compiles it, and the recorder keeps the iseq when the
 * :script_compiled event fires. A throw out of the event then leaves `load` before anything is evaluated. */
#include <stdlib.h>
#include <unistd.h>

#include "core/bytes/hash.h"
#include "core/bytes/string_pool.h"
#include "core/image/image.h"
#include "core/image/image_format.h"
#include "core/image/manifest.h"
#include "core/image/segment.h"
#include "core/image/segment_writer.h"
#include "core/image/store.h"
#include "core/index/feature_index_builder.h"
#include "core/system/clock.h"
#include "core/system/error.h"
#include "core/system/file.h"
#include "ruby/boot/boot.h"
#include "ruby/command_line/command_line.h"
#include "ruby/recorder/recorder.h"

/* ---- compile without running ---- */

static VALUE
load_and_leave(RB_BLOCK_CALL_FUNC_ARGLIST(tag, path))
{
    ws_recorder_leaves_by = tag;
    rb_funcall(rb_mKernel, rb_intern("load"), 1, path);
    return Qnil; /* no event, so nothing was compiled */
}

static VALUE
compile_body(VALUE path)
{
    return rb_catch_obj(rb_obj_alloc(rb_cObject), load_and_leave, path);
}

static VALUE
compile_end(VALUE nothing)
{
    ws_recorder_leaves_by = Qnil;
    return Qnil;
}

/* call-seq: Native.compile(path) -> true, false or nil
 * true: the code was kept; false: Ruby compiled it and it cannot be kept; nil: it was not compiled. Raises what Ruby
 * raises (SyntaxError, LoadError). */
static VALUE
compile(VALUE self, VALUE path)
{
    StringValueCStr(path);
    return rb_ensure(compile_body, path, compile_end, Qnil);
}

/* ---- merge ---- */

typedef struct ws_merge {
    VALUE parts, options;
    ws_image *images;
    long image_count, compiled_count; /* the first compiled_count images are from Native.compile */
    bool reproducible;
    ws_segment_writer *writer;
    ws_store *store;
    ws_index_source *sources;
    ws_string_pool missing;
    const char **ignored;
    ws_published published;
    ws_error error;
} ws_merge;

static VALUE
option(const ws_merge *merge, const char *name)
{
    return rb_hash_aref(merge->options, ID2SYM(rb_intern(name)));
}

static void
raise_error(const ws_error *error)
{
    char message[1024];
    rb_exc_raise(rb_exc_new_cstr(rb_eRuntimeError, ws_error_describe(error, message, sizeof message)));
}

/* Returns the path's entry in the images from `first` up to `end`. The last one wins. */
static ws_found
find_in_parts(const ws_merge *merge, long first, long end, const char *path, size_t path_size)
{
    for (long i = end; i-- > first;) {
        ws_found found = ws_image_find(&merge->images[i], path, path_size);
        if (found.entry) return found;
    }
    return (ws_found){ NULL, NULL };
}

/* Returns the hints for a file that was compiled without running. They come from a boot that ran it; without such a
 * boot, none are known. */
static uint32_t
hints_of_compiled(const ws_merge *merge, const char *path, size_t path_size)
{
    ws_found recorded = find_in_parts(merge, merge->compiled_count, merge->image_count, path, path_size);
    return recorded.entry ? recorded.entry->flags & ~(uint32_t)WS_ENTRY_KIND : WS_ENTRY_COMPILED_ONLY;
}

/* Adds an entry of the image with this number. The code that a running program records for a file may vary a little
 * from run to run. So a reproducible image takes the code that was compiled separately, and only the hints from the
 * program. */
static void
add_entry(ws_merge *merge, long number, ws_found found)
{
    const ws_image *image = &merge->images[number];
    const uint8_t *payload;
    const char *path = ws_segment_string(found.segment, found.entry->path_offset, found.entry->path_size);
    const char *real = ws_segment_string(found.segment, found.entry->realpath_offset, found.entry->realpath_size);
    size_t path_size = found.entry->path_size;
    bool compiled = number < merge->compiled_count;
    if (!path || !real || ws_image_find(image, path, path_size).entry != found.entry) return;
    if (!compiled && merge->reproducible && find_in_parts(merge, 0, merge->compiled_count, path, path_size).entry)
        return;
    if (ws_image_payload(image, found, &payload, &merge->error) != WS_OK) raise_error(&merge->error);
    ws_entry entry = *found.entry;
    entry.payload_segment = 0;
    if (compiled) entry.flags = hints_of_compiled(merge, path, path_size) | (entry.flags & WS_ENTRY_KIND);
    if (!ws_segment_writer_add(merge->writer, &entry, path, path_size, real, entry.realpath_size, payload,
                               (size_t)entry.payload_size))
        rb_memerror();
}

static void
open_parts(ws_merge *merge)
{
    merge->images = calloc((size_t)RARRAY_LEN(merge->parts) + 1, sizeof *merge->images);
    if (!merge->images) rb_memerror();
    long compiled = NIL_P(option(merge, "compiled")) ? 0 : NUM2LONG(option(merge, "compiled"));
    ws_trust trust = ws_the_boot.trust;
    trust.secret = NULL; /* the parts are in a folder that this build has made */
    for (long i = 0; i < RARRAY_LEN(merge->parts); i++) {
        VALUE directory = RARRAY_AREF(merge->parts, i);
        ws_image_options options = {
            .directory = StringValueCStr(directory),
            .key_hash = ws_the_boot.key_hash,
            .trust = trust,
        };
        ws_code code = ws_image_open(&merge->images[merge->image_count], &options, &merge->error);
        if (code == WS_MISSING) continue; /* a worker with nothing to keep writes nothing */
        if (code != WS_OK) raise_error(&merge->error);
        merge->image_count++;
        if (i < compiled) merge->compiled_count++;
    }
}

static void
add_parts(ws_merge *merge)
{
    for (long i = 0; i < merge->image_count; i++) {
        const ws_image *image = &merge->images[i];
        for (uint32_t s = 0; s < image->manifest.segment_count; s++)
            for (uint32_t e = 0; e < image->segments[s].entry_count; e++)
                add_entry(merge, i, (ws_found){ &image->segments[s].entries[e], &image->segments[s] });
    }
}

/* Leaves NULL for the default list. */
static void
fill_ignored(ws_merge *merge)
{
    VALUE names = option(merge, "ignored");
    if (!RB_TYPE_P(names, T_ARRAY)) return;
    merge->ignored = calloc((size_t)RARRAY_LEN(names) + 1, sizeof *merge->ignored);
    if (!merge->ignored) rb_memerror();
    for (long i = 0; i < RARRAY_LEN(names); i++) {
        VALUE name = RARRAY_AREF(names, i);
        merge->ignored[i] = StringValueCStr(name);
    }
}

/* Folders that were young at this moment are not believed, because they may change again under the same time. For a
 * portable image it is earlier, because that only knows whole seconds. */
static int64_t
folders_are_young_at(bool portable)
{
    return ws_clock_wall() - (portable ? WS_COARSE_GRANULARITY : 0);
}

/* Collects the names that Ruby's own search did not find while the images were recorded. */
static void
collect_missing_names(ws_merge *merge)
{
    for (long i = 0; i < merge->image_count; i++)
        for (uint32_t j = 0; j < merge->images[i].manifest.segment_count; j++)
            if (!ws_feature_index_missing_names(&merge->images[i].segments[j], &merge->missing)) rb_memerror();
}

static void
add_index(ws_merge *merge, bool portable, bool sorted, bool sealed)
{
    VALUE load_path = option(merge, "load_path"), stable = option(merge, "stable");
    if (!RB_TYPE_P(load_path, T_ARRAY) || RARRAY_LEN(load_path) == 0) return;
    long count = RARRAY_LEN(load_path);
    fill_ignored(merge);
    merge->sources = calloc((size_t)count, sizeof *merge->sources);
    if (!merge->sources) rb_memerror();
    for (long i = 0; i < count; i++) {
        VALUE given = RARRAY_AREF(load_path, i);
        merge->sources[i] =
            (ws_index_source){ StringValueCStr(given), (size_t)RSTRING_LEN(given), RTEST(rb_ary_entry(stable, i)) };
    }
    collect_missing_names(merge);
    ws_index_build_options options = {
        .missing = &merge->missing,
        .dlext = ws_the_boot.dlext,
        .ignored = merge->ignored,
        .portable = portable,
        .sorted = sorted,
        .young_at = sealed || sorted ? 0 : folders_are_young_at(portable),
    };
    bool changed;
    if (ws_feature_index_build(merge->writer, merge->sources, (size_t)count, &options, &changed, &merge->error) !=
        WS_OK)
        raise_error(&merge->error);
}

static void
add_statistics(ws_merge *merge)
{
    VALUE text = option(merge, "statistics");
    if (NIL_P(text)) return;
    StringValue(text);
    if (!ws_segment_writer_section(merge->writer, WS_SECTION_STATISTICS, RSTRING_PTR(text), (size_t)RSTRING_LEN(text)))
        rb_memerror();
}

/* Converts {name => path} into the manifest's form. Raises ArgumentError if a file cannot be read. */
static void
fill_fingerprints(ws_manifest_fingerprint *list, uint32_t *count, VALUE hash)
{
    VALUE names = RB_TYPE_P(hash, T_HASH) ? rb_funcall(hash, rb_intern("keys"), 0) : rb_ary_new();
    *count = 0;
    for (long i = 0; i < RARRAY_LEN(names) && *count < WS_FINGERPRINTS_MAXIMUM; i++) {
        VALUE name = RARRAY_AREF(names, i), path = rb_hash_aref(hash, name);
        ws_manifest_fingerprint *fingerprint = &list[(*count)++];
        memset(fingerprint, 0, sizeof *fingerprint);
        snprintf(fingerprint->name, sizeof fingerprint->name, "%s", StringValueCStr(name));
        ws_error error;
        if (ws_file_hash(StringValueCStr(path), &fingerprint->hash, NULL, &error) != WS_OK)
            rb_raise(rb_eArgError, "cannot read %s for the fingerprint", StringValueCStr(path));
    }
}

static VALUE
merge_body(VALUE argument)
{
    ws_merge *merging = (ws_merge *)argument;
    bool reproducible = RTEST(option(merging, "reproducible")), sealed = RTEST(option(merging, "sealed"));
    bool portable = RTEST(option(merging, "portable")) || reproducible;
    ws_manifest_fingerprint fingerprints[WS_FINGERPRINTS_MAXIMUM];
    uint32_t fingerprint_count = 0;
    fill_fingerprints(fingerprints, &fingerprint_count, option(merging, "fingerprints"));
    VALUE root = option(merging, "root");
    ws_store_options store_options = {
        .directory = ws_the_boot.directory,
        .key_hash = ws_the_boot.key_hash,
        .trust = ws_the_boot.trust,
        .maximum_size = NIL_P(option(merging, "maximum_size")) ? 0 : NUM2ULL(option(merging, "maximum_size")),
        .image_flags = (sealed ? WS_IMAGE_SEALED : 0) | (portable ? WS_IMAGE_PORTABLE : 0) |
                       (reproducible ? WS_IMAGE_REPRODUCIBLE : 0),
        .replace = true,
        .public_read = sealed,
        .wait = true,
        .root = NIL_P(root) ? NULL : StringValueCStr(root),
        .fingerprints = fingerprints,
        .fingerprint_count = fingerprint_count,
    };
    merging->writer =
        ws_segment_writer_new(ws_the_boot.key, ws_the_boot.key_size,
                              (portable ? WS_SEGMENT_PORTABLE : 0) | (reproducible ? WS_SEGMENT_REPRODUCIBLE : 0));
    if (!merging->writer) rb_memerror();
    merging->reproducible = reproducible;
    open_parts(merging);
    add_parts(merging);
    add_index(merging, portable, reproducible, sealed);
    add_statistics(merging);
    if (ws_store_open(&merging->store, &store_options, &merging->error) != WS_OK) raise_error(&merging->error);
    RB_GC_GUARD(root);
    if (ws_store_publish(merging->store, merging->writer, &merging->published, &merging->error) != WS_OK)
        raise_error(&merging->error);
    return Qnil;
}

static VALUE
merge_end(VALUE argument)
{
    ws_merge *merging = (ws_merge *)argument;
    if (merging->store) ws_store_close(merging->store);
    if (merging->writer) ws_segment_writer_free(merging->writer);
    for (long i = 0; i < merging->image_count; i++) ws_image_close(&merging->images[i]);
    free(merging->images);
    free(merging->sources);
    ws_string_pool_free(&merging->missing);
    free(merging->ignored);
    return Qnil;
}

/* call-seq: Native.merge(directories, options) -> {size:, entries:}
 *
 * Makes the image of Native.prepare's folder from the images in `directories`, where a later one's entry wins, and the
 * index of options[:load_path]. options[:load_path] holds absolute Strings, and options[:stable] tells for each whether
 * it is in a gem or under Ruby's root. Other options: compiled (how many of the directories, from the first one on, are
 * from Native.compile), ignored, statistics (text), sealed, portable, reproducible, root, fingerprints ({name =>
 * path}), maximum_size. Raises RuntimeError if a part is damaged or the image cannot be written. */
static VALUE
merge_images(VALUE self, VALUE directories, VALUE options)
{
    ws_merge merging = { .parts = rb_Array(directories), .options = options };
    rb_ensure(merge_body, (VALUE)&merging, merge_end, (VALUE)&merging);
    VALUE hash = rb_hash_new();
    rb_hash_aset(hash, ID2SYM(rb_intern("size")), ULL2NUM(merging.published.image_size));
    rb_hash_aset(hash, ID2SYM(rb_intern("entries")), UINT2NUM(merging.published.entry_count));
    return hash;
}

/* call-seq: Native.hash_file(path) -> String of 32 hexadecimal digits, or nil */
static VALUE
hash_file(VALUE self, VALUE path)
{
    ws_hash128 hash;
    if (ws_file_hash(StringValueCStr(path), &hash, NULL, NULL) != WS_OK) return Qnil;
    return rb_sprintf("%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}

void
ws_init_builder(VALUE native)
{
    rb_gc_register_address(&ws_recorder_leaves_by);
    rb_define_singleton_method(native, "compile", compile, 1);
    rb_define_singleton_method(native, "merge", merge_images, 2);
    rb_define_singleton_method(native, "hash_file", hash_file, 1);
}
