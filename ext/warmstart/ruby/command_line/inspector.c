/* Shows an image's contents to the command line (status, why, verify) and the tests. It opens the image separately from
 * the one that this process may be using, and executes nothing. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/bytes/hash.h"
#include "core/image/document.h"
#include "core/image/image.h"
#include "core/image/image_format.h"
#include "core/image/manifest.h"
#include "core/image/record.h"
#include "core/image/segment.h"
#include "core/image/store.h"
#include "core/system/error.h"
#include "core/system/file.h"
#include "core/system/mapping.h"
#include "ruby/boot/boot.h"
#include "ruby/command_line/command_line.h"
#include "ruby/recorder/recorder.h"

static void
free_image(void *image)
{
    ws_image_close(image);
    xfree(image);
}

static const rb_data_type_t image_type = {
    .wrap_struct_name = "warmstart/image",
    .function = { .dfree = free_image },
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static ws_image *
image_of(VALUE self)
{
    ws_image *image = rb_check_typeddata(self, &image_type);
    if (!image) rb_raise(rb_eArgError, "image is not open");
    return image;
}

static VALUE
symbol(const char *name)
{
    return ID2SYM(rb_intern(name));
}

/* Returns [reason, message]. */
static VALUE
failure(const ws_error *error)
{
    char message[1024];
    ws_error_describe(error, message, sizeof message);
    return rb_ary_new_from_args(2, symbol(ws_error_name(error->code)), ws_text_with_paths(message, strlen(message)));
}

static VALUE
path_string(const ws_segment *segment, uint32_t offset, uint32_t size)
{
    const char *bytes = ws_segment_string(segment, offset, size);
    return bytes ? rb_enc_str_new(bytes, (long)size, rb_filesystem_encoding()) : Qnil;
}

/* call-seq: Image.open(directory, key_hash, owner, root, secret = nil, runs = nil) -> Image, or [reason, message]
 * key_hash: 16 hexadecimal digits. root: for a sealed image's fingerprint, or nil. runs: as for
 * Native.trust_writers_of, or nil. The others: as for Native.prepare. */
static VALUE
image_open(int argc, VALUE *argv, VALUE class)
{
    VALUE directory, key_hash, owner, root, secret, runs;
    rb_scan_args(argc, argv, "42", &directory, &key_hash, &owner, &root, &secret, &runs);
    ws_image_options options = {
        .directory = StringValueCStr(directory),
        .key_hash = strtoull(StringValueCStr(key_hash), NULL, 16),
        .trust = ws_trust_of(owner, secret),
        .root = NIL_P(root) ? NULL : StringValueCStr(root),
    };
    if (!NIL_P(runs)) ws_trust_group_of(&options.trust, StringValueCStr(runs));
    ws_image *image = ZALLOC(ws_image);
    ws_error error;
    ws_mapping_guard_install();
    if (ws_image_open(image, &options, &error) == WS_OK) return TypedData_Wrap_Struct(class, &image_type, image);
    xfree(image);
    return failure(&error);
}

/* call-seq: image.close -> nil
 * Windows removes neither a mapped file nor the folder around it, and the garbage collector may come late. */
static VALUE
image_close(VALUE self)
{
    ws_image *image = image_of(self);
    DATA_PTR(self) = NULL;
    free_image(image);
    return Qnil;
}

/* call-seq: Image.record(directory, key_hash, id, owner, secret, runs) -> String or nil
 *
 * Returns the record's contents as Native.read_record does, or nil if it is not trusted. */
static VALUE
image_record(VALUE class, VALUE directory, VALUE key_hash, VALUE id, VALUE owner, VALUE secret, VALUE runs)
{
    ws_trust trust = ws_trust_of(owner, secret);
    if (!NIL_P(runs)) ws_trust_group_of(&trust, StringValueCStr(runs));
    uint64_t key = strtoull(StringValueCStr(key_hash), NULL, 16), number = strtoull(StringValueCStr(id), NULL, 16);
    ws_error error;
    void *bytes;
    size_t size;
    if (ws_record_read(StringValueCStr(directory), &trust, key, number, &bytes, &size, &error) != WS_OK) return Qnil;
    VALUE string = rb_str_new(bytes, (long)size);
    free(bytes);
    return string;
}

/* call-seq: image.manifest -> Hash */
static VALUE
image_manifest(VALUE self)
{
    const ws_image *image = image_of(self);
    VALUE hash = rb_hash_new();
    rb_hash_aset(hash, symbol("generation"), ULL2NUM(image->manifest.generation));
    rb_hash_aset(hash, symbol("sealed"), image->manifest.flags & WS_IMAGE_SEALED ? Qtrue : Qfalse);
    rb_hash_aset(hash, symbol("portable"), image->manifest.flags & WS_IMAGE_PORTABLE ? Qtrue : Qfalse);
    rb_hash_aset(hash, symbol("reproducible"), image->manifest.flags & WS_IMAGE_REPRODUCIBLE ? Qtrue : Qfalse);
    rb_hash_aset(hash, symbol("root"), rb_str_new_cstr(image->manifest.root));
    VALUE fingerprints = rb_ary_new();
    for (uint32_t i = 0; i < image->manifest.fingerprint_count; i++)
        rb_ary_push(fingerprints, rb_str_new_cstr(image->manifest.fingerprints[i].name));
    rb_hash_aset(hash, symbol("fingerprints"), fingerprints);
    return hash;
}

static VALUE
section_text(const ws_segment *segment, ws_section section)
{
    ws_section_view view = ws_segment_section(segment, section);
    return ws_text_with_paths(view.bytes, (size_t)view.size);
}

static VALUE
section_count(const ws_segment *segment, ws_section section, size_t item_size)
{
    return SIZET2NUM(ws_segment_section(segment, section).size / item_size);
}

/* call-seq: image.segments -> [Hash], oldest first */
static VALUE
image_segments(VALUE self)
{
    const ws_image *image = image_of(self);
    VALUE list = rb_ary_new();
    for (uint32_t i = 0; i < image->manifest.segment_count; i++) {
        const ws_segment *segment = &image->segments[i];
        VALUE hash = rb_hash_new();
        rb_hash_aset(hash, symbol("id"), rb_sprintf("%016llx", (unsigned long long)segment->header->segment_id));
        rb_hash_aset(hash, symbol("size"), ULL2NUM(segment->header->file_size));
        rb_hash_aset(hash, symbol("entries"), UINT2NUM(segment->entry_count));
        rb_hash_aset(hash, symbol("created"), LL2NUM(segment->header->created));
        rb_hash_aset(hash, symbol("payload_size"), SIZET2NUM(segment->payloads_size));
        rb_hash_aset(hash, symbol("key"), section_text(segment, WS_SECTION_KEY));
        rb_hash_aset(hash, symbol("statistics"), section_text(segment, WS_SECTION_STATISTICS));
        rb_hash_aset(hash, symbol("features"), section_count(segment, WS_SECTION_FEATURES, sizeof(ws_index_feature)));
        rb_hash_aset(hash, symbol("load_path_entries"),
                     section_count(segment, WS_SECTION_LOAD_PATH, sizeof(ws_load_path_entry)));
        rb_hash_aset(hash, symbol("directories"),
                     section_count(segment, WS_SECTION_DIRECTORIES, sizeof(ws_index_directory)));
        rb_ary_push(list, hash);
    }
    return list;
}

/* call-seq: image.load_path -> [[entry as given, stable], ...]
 * The load path of the newest index, or [] if there is none. */
static VALUE
image_load_path(VALUE self)
{
    const ws_segment *segment = ws_image_newest_with(image_of(self), WS_SECTION_LOAD_PATH);
    VALUE list = rb_ary_new();
    if (!segment) return list;
    ws_section_view entries = ws_segment_section(segment, WS_SECTION_LOAD_PATH),
                    names = ws_segment_section(segment, WS_SECTION_LOAD_PATH_NAMES);
    const ws_load_path_entry *entry = entries.bytes;
    const ws_load_path_name *name = names.bytes;
    for (size_t i = 0; i < names.size / sizeof *name; i++) {
        VALUE given = path_string(segment, name[i].name_offset, name[i].name_size);
        if (NIL_P(given) || name[i].entry >= entries.size / sizeof *entry) continue;
        rb_ary_push(list,
                    rb_ary_new_from_args(2, given, entry[name[i].entry].flags & WS_LOAD_PATH_STABLE ? Qtrue : Qfalse));
    }
    return list;
}

/* key: the name by which the entry is found. path: the file. document: for a document, which call it is from; for code,
 * nil. */
static void
name_entry(VALUE hash, const ws_found *found)
{
    VALUE key = path_string(found->segment, found->entry->path_offset, found->entry->path_size), path = key,
          document = Qnil;
    if (!NIL_P(key) && (found->entry->flags & WS_ENTRY_DOCUMENT)) {
        size_t size = strlen(RSTRING_PTR(key));
        path = rb_enc_str_new(RSTRING_PTR(key), (long)size, rb_filesystem_encoding());
        if (size < (size_t)RSTRING_LEN(key))
            document =
                rb_enc_str_new(RSTRING_PTR(key) + size + 1, RSTRING_LEN(key) - (long)size - 1, rb_utf8_encoding());
    }
    rb_hash_aset(hash, symbol("path"), path);
    rb_hash_aset(hash, symbol("key"), key);
    rb_hash_aset(hash, symbol("document"), document);
}

static VALUE
entry_hash(const ws_found *found)
{
    const ws_entry *entry = found->entry;
    VALUE hash = rb_hash_new();
    name_entry(hash, found);
    rb_hash_aset(hash, symbol("realpath"), path_string(found->segment, entry->realpath_offset, entry->realpath_size));
    rb_hash_aset(hash, symbol("size"), ULL2NUM(entry->size));
    rb_hash_aset(hash, symbol("mtime"), LL2NUM(entry->mtime));
    rb_hash_aset(hash, symbol("ctime"), LL2NUM(entry->ctime));
    rb_hash_aset(hash, symbol("inode"), ULL2NUM(entry->inode));
    rb_hash_aset(hash, symbol("device"), ULL2NUM(entry->device));
    rb_hash_aset(hash, symbol("payload_size"), ULL2NUM(entry->payload_size));
    rb_hash_aset(
        hash, symbol("content"),
        rb_sprintf("%016llx%016llx", (unsigned long long)entry->content_high, (unsigned long long)entry->content_low));
    rb_hash_aset(hash, symbol("segment"),
                 rb_sprintf("%016llx", (unsigned long long)found->segment->header->segment_id));
    rb_hash_aset(hash, symbol("warning_level"), UINT2NUM(entry->warning_level));
    rb_hash_aset(hash, symbol("order"), UINT2NUM(entry->order));
    VALUE hints = rb_ary_new();
    if (entry->flags & WS_ENTRY_LATE) rb_ary_push(hints, symbol("late"));
    if (entry->flags & WS_ENTRY_ENCODED) rb_ary_push(hints, symbol("encoded"));
    if (entry->flags & WS_ENTRY_UNFINISHED) rb_ary_push(hints, symbol("unfinished"));
    if (entry->flags & WS_ENTRY_COMPILED_ONLY) rb_ary_push(hints, symbol("compiled_only"));
    if (entry->flags & WS_ENTRY_FROZEN_LITERALS) rb_ary_push(hints, symbol("frozen_literals"));
    if (entry->flags & WS_ENTRY_UTF8_PATH) rb_ary_push(hints, symbol("utf8_path"));
    rb_hash_aset(hash, symbol("hints"), hints);
    return hash;
}

/* A document's key has a NUL after its path. So C functions that take the key for a C string see the path alone. */
static ws_found
find_entry(const ws_image *image, VALUE key)
{
    StringValue(key);
    return ws_image_find(image, RSTRING_PTR(key), (size_t)RSTRING_LEN(key));
}

/* call-seq: image.find(key) -> Hash or nil */
static VALUE
image_find(VALUE self, VALUE path)
{
    ws_found found = find_entry(image_of(self), path);
    return found.entry ? entry_hash(&found) : Qnil;
}

/* call-seq: image.entries -> [Hash]
 * The newest entry of each path, in the image's order. */
static VALUE
image_entries(VALUE self)
{
    const ws_image *image = image_of(self);
    VALUE list = rb_ary_new();
    for (uint32_t i = 0; i < image->manifest.segment_count; i++) {
        const ws_segment *segment = &image->segments[i];
        for (uint32_t n = 0; n < segment->entry_count; n++) {
            ws_found here = { &segment->entries[n], segment };
            const char *path = ws_segment_string(segment, here.entry->path_offset, here.entry->path_size);
            if (path && ws_image_find(image, path, here.entry->path_size).entry == here.entry)
                rb_ary_push(list, entry_hash(&here));
        }
    }
    return list;
}

/* call-seq: image.verify(key) -> nil, or [reason, message]
 * Checks the payload's checksum. */
static VALUE
image_verify(VALUE self, VALUE path)
{
    const ws_image *image = image_of(self);
    ws_found found = find_entry(image, path);
    const uint8_t *payload;
    ws_error error;
    if (!found.entry)
        return rb_ary_new_from_args(2, symbol("not_recorded"), rb_sprintf("%" PRIsVALUE " is not in the image", path));
    if (ws_image_payload(image, found, &payload, &error) == WS_OK) return Qnil;
    return failure(&error);
}

static bool
is_recorded_realpath(ws_found found, const char *path)
{
    char real[WS_PATH_MAXIMUM];
    const char *recorded = ws_segment_string(found.segment, found.entry->realpath_offset, found.entry->realpath_size);
    return (found.entry->flags & WS_ENTRY_DOCUMENT) ||
           (recorded && ws_real_path(path, real) && strcmp(real, recorded) == 0);
}

/* The same steps as judge_content (ruby/code/judgement.c), and the contents are always compared.
 *
 * call-seq: image.freshness(key) -> [:fresh | :same_content | :other_content | :check_content | :stale_size |
 * :stale_type | :stale_realpath | :gone, reason or nil] */
static VALUE
image_freshness(VALUE self, VALUE path)
{
    const ws_image *image = image_of(self);
    ws_found found = find_entry(image, path);
    ws_stat stat;
    if (!found.entry || ws_file_stat(RSTRING_PTR(path), &stat) != 0)
        return rb_ary_new_from_args(2, symbol("gone"), Qnil);
    static const char *const names[] = { "fresh", "check_content", "stale_size", "stale_type" };
    const char *reason = NULL;
    ws_freshness freshness =
        ws_entry_freshness(found.entry, (image->manifest.flags & WS_IMAGE_PORTABLE) != 0, &stat, &reason);
    if (freshness <= WS_MAY_BE_STALE && !is_recorded_realpath(found, RSTRING_PTR(path)))
        return rb_ary_new_from_args(2, symbol("stale_realpath"), symbol("realpath"));
    if (freshness == WS_MAY_BE_STALE) {
        ws_hash128 hash;
        if (ws_file_hash(RSTRING_PTR(path), &hash, NULL, NULL) == WS_OK)
            return rb_ary_new_from_args(2,
                                        hash.low == found.entry->content_low && hash.high == found.entry->content_high
                                            ? symbol("same_content")
                                            : symbol("other_content"),
                                        symbol(reason));
    }
    return rb_ary_new_from_args(2, symbol(names[freshness]), reason ? symbol(reason) : Qnil);
}

/* call-seq: Image.silent?(warning_level) -> true or false
 * Is it certain that a file with this warning_level gives no warning if this process compiles it? */
static VALUE
image_is_silent(VALUE class, VALUE level)
{
    return ws_silent_now(NUM2UINT(level)) ? Qtrue : Qfalse;
}

/* call-seq: image.document_kind(key) -> :stored, :tags, :not_plain, or nil */
static VALUE
image_document_kind(VALUE self, VALUE key)
{
    static const char *const names[] = { "stored", "tags", "not_plain" };
    const ws_image *image = image_of(self);
    ws_found found = find_entry(image, key);
    const uint8_t *payload;
    ws_document_header header;
    ws_document_input input;
    if (!found.entry || !(found.entry->flags & WS_ENTRY_DOCUMENT) ||
        ws_image_payload(image, found, &payload, NULL) != WS_OK)
        return Qnil;
    return ws_document_open(&input, &header, payload, (size_t)found.entry->payload_size) ? symbol(names[header.kind])
                                                                                         : Qnil;
}

/* call-seq: Native.clear(directory) -> bytes removed, or [reason, message] */
static VALUE
clear(VALUE self, VALUE directory)
{
    ws_trust trust = ws_trust_of(Qnil, Qnil);
    uint64_t removed = 0;
    ws_error error;
    if (ws_store_clear(StringValueCStr(directory), &trust, &removed, &error) == WS_OK) return ULL2NUM(removed);
    return failure(&error);
}

void
ws_init_inspector(VALUE native)
{
    VALUE image = rb_define_class_under(native, "Image", rb_cObject);
    rb_undef_alloc_func(image);
    rb_define_singleton_method(image, "open", image_open, -1);
    rb_define_singleton_method(image, "record", image_record, 6);
    rb_define_singleton_method(image, "silent?", image_is_silent, 1);
    rb_define_method(image, "manifest", image_manifest, 0);
    rb_define_method(image, "segments", image_segments, 0);
    rb_define_method(image, "load_path", image_load_path, 0);
    rb_define_method(image, "entries", image_entries, 0);
    rb_define_method(image, "find", image_find, 1);
    rb_define_method(image, "verify", image_verify, 1);
    rb_define_method(image, "freshness", image_freshness, 1);
    rb_define_method(image, "document_kind", image_document_kind, 1);
    rb_define_method(image, "close", image_close, 0);
    rb_define_singleton_method(native, "clear", clear, 1);
}
