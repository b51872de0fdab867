/* Records in the image's folder, and checks of the files that a record depends on. One call checks many files, because
 * a method call for each would cost more than the system call. */
#include <stdlib.h>
#include <string.h>

#include "core/image/record.h"
#include "ruby/boot/boot.h"

static uint64_t
number_of(VALUE id)
{
    return (uint64_t)strtoull(StringValueCStr(id), NULL, 16);
}

static VALUE
read_from(const char *directory, const ws_trust *trust, VALUE id)
{
    ws_error error;
    void *bytes;
    size_t size;
    if (ws_record_read(directory, trust, ws_the_boot.key_hash, number_of(id), &bytes, &size, &error) != WS_OK)
        return ws_describe_error(&error);
    VALUE string = rb_str_new(bytes, (long)size);
    free(bytes);
    return string;
}

/* call-seq: Native.read_record(id) -> String or [reason, message, ...]
 *
 * id: 16 hexadecimal digits (Native.key_hash). The record is trusted only by the rules of docs/security.md. */
static VALUE
read_record(VALUE self, VALUE id)
{
    return read_from(ws_the_boot.directory, &ws_the_boot.trust, id);
}

/* call-seq: Native.read_record_of(directory, secret, id) -> String or [reason, message, ...]
 *
 * The same of another image, which is trusted as Native.adopt trusts it. */
static VALUE
read_record_of(VALUE self, VALUE directory, VALUE secret, VALUE id)
{
    ws_trust trust = ws_the_boot.trust;
    trust.secret = ws_trust_of(Qnil, secret).secret;
    return read_from(StringValueCStr(directory), &trust, id);
}

/* call-seq: Native.write_record(id, bytes) -> Integer or [reason, message, ...]
 *
 * Returns the file's mtime in nanoseconds, which is the current time by the file system's clock. */
static VALUE
write_record(VALUE self, VALUE id, VALUE bytes)
{
    const ws_boot *boot = &ws_the_boot;
    ws_error error;
    int64_t mtime = 0;
    StringValue(bytes);
    ws_code code = ws_record_write(boot->directory, &boot->anchor, &boot->trust, boot->key_hash, number_of(id),
                                   RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes), &mtime, &error);
    RB_GC_GUARD(bytes);
    return code == WS_OK ? LL2NUM((long long)mtime) : ws_describe_error(&error);
}

/* call-seq: Native.make_folder(path, public) -> nil or [reason, message, ...]
 *
 * Makes the folder and those above it that are missing. public: everyone may read it, else only its owner. It is not
 * made in another user's folder. */
static VALUE
make_folder(VALUE self, VALUE path, VALUE public_read)
{
    ws_trust trust = ws_trust_of(Qnil, Qnil);
    ws_error error;
    return ws_store_directory_make(StringValueCStr(path), &trust, RTEST(public_read), NULL, &error) == WS_OK
               ? Qnil
               : ws_describe_error(&error);
}

/* A file's metadata in eight bytes each: type, size, mtime, ctime, inode. If the file cannot be looked at, type holds
 * the errno. The device is left out, because a container has another one at each start. The form is packed because two
 * Strings are compared faster than a dozen Integers. */
typedef struct packed_metadata {
    uint64_t type, size;
    int64_t mtime, ctime;
    uint64_t inode;
} packed_metadata;

static void
metadata_of(const char *path, packed_metadata *packed)
{
    ws_stat stat;
    memset(packed, 0, sizeof *packed);
    int error_number = ws_file_stat(path, &stat);
    if (error_number != 0) {
        packed->type = 1000 + (uint64_t)error_number;
        return;
    }
    *packed = (packed_metadata){ (uint64_t)stat.type, stat.size, stat.mtime, stat.ctime, stat.inode };
}

/* call-seq: Native.metadata(path) -> String
 *
 * The packed metadata of the file that the path leads to, from one metadata call. Equal Strings mean the same,
 * unchanged file. */
static VALUE
metadata(VALUE self, VALUE path)
{
    packed_metadata packed;
    metadata_of(StringValueCStr(path), &packed);
    return rb_str_new((const char *)&packed, sizeof packed);
}

/* Are these the concatenated Strings of Native.metadata, one for each path? Else an exception says so. */
static void
check_metadata(VALUE paths, VALUE recorded)
{
    Check_Type(paths, T_ARRAY);
    Check_Type(recorded, T_STRING);
    if ((size_t)RSTRING_LEN(recorded) != (size_t)RARRAY_LEN(paths) * sizeof(packed_metadata))
        rb_raise(rb_eArgError, "metadata for each path");
}

/* call-seq: Native.first_changed(paths, metadata) -> path or nil
 *
 * Returns the first path whose file has other metadata now. metadata: the concatenated Strings of Native.metadata. */
static VALUE
first_changed(VALUE self, VALUE paths, VALUE recorded)
{
    check_metadata(paths, recorded);
    for (long i = 0; i < RARRAY_LEN(paths); i++) {
        VALUE path = RARRAY_AREF(paths, i);
        packed_metadata now;
        metadata_of(StringValueCStr(path), &now);
        if (memcmp(&now, RSTRING_PTR(recorded) + (size_t)i * sizeof now, sizeof now) != 0) return path;
    }
    return Qnil;
}

/* call-seq: Native.first_young(paths, metadata, moment) -> path or nil
 *
 * Returns the first path whose file had changed so shortly before the moment (nanoseconds, by the clock of the file
 * system) that it might change once more without another metadata. A file whose mtime lies in the future counts, too:
 * somebody may be setting its times. */
static VALUE
first_young(VALUE self, VALUE paths, VALUE recorded, VALUE moment)
{
    check_metadata(paths, recorded);
    for (long i = 0; i < RARRAY_LEN(paths); i++) {
        packed_metadata packed;
        memcpy(&packed, RSTRING_PTR(recorded) + (size_t)i * sizeof packed, sizeof packed);
        ws_stat stat = { .mtime = packed.mtime, .ctime = packed.ctime };
        if (ws_stat_is_young(&stat, NUM2LL(moment), true)) return RARRAY_AREF(paths, i);
    }
    return Qnil;
}

/* call-seq: Native.first_other_type(paths, types) -> path or nil
 *
 * Returns the first path whose type differs from its letter in `types`: f is a file, d a folder, o something else, and
 * "-" stands for no file. File.exist?, file? and directory? tell no more than that. */
static VALUE
first_other_type(VALUE self, VALUE paths, VALUE types)
{
    static const char letters[] = {
        [WS_TYPE_OTHER] = 'o', [WS_TYPE_REGULAR] = 'f', [WS_TYPE_DIRECTORY] = 'd', [WS_TYPE_SYMLINK] = 'o'
    };
    Check_Type(paths, T_ARRAY);
    StringValue(types);
    if (RSTRING_LEN(types) != RARRAY_LEN(paths)) rb_raise(rb_eArgError, "a letter for each path");
    for (long i = 0; i < RARRAY_LEN(paths); i++) {
        VALUE path = RARRAY_AREF(paths, i);
        ws_stat stat;
        char letter = ws_file_stat(StringValueCStr(path), &stat) == 0 ? letters[stat.type] : '-';
        if (letter != RSTRING_PTR(types)[i]) return path;
    }
    return Qnil;
}

void
ws_init_records(VALUE native)
{
    rb_define_singleton_method(native, "read_record", read_record, 1);
    rb_define_singleton_method(native, "read_record_of", read_record_of, 3);
    rb_define_singleton_method(native, "write_record", write_record, 2);
    rb_define_singleton_method(native, "make_folder", make_folder, 2);
    rb_define_singleton_method(native, "metadata", metadata, 1);
    rb_define_singleton_method(native, "first_changed", first_changed, 2);
    rb_define_singleton_method(native, "first_young", first_young, 3);
    rb_define_singleton_method(native, "first_other_type", first_other_type, 2);
}
