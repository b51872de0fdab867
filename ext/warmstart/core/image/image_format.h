/* The bytes of a segment. docs/image_format.md describes the same in words, and a test reads raw bytes by that page.
 * Who uses it: segment.c reads segments, segment_writer.c writes them, feature_index.c reads the index's sections.
 *
 * All integers in the file are little-endian, like on every platform that we support (byte_order refuses the others).
 * Sections lie in the order of their numbers without gaps: the first begins at the next multiple of 16 bytes after the
 * header, each other one at the next multiple of 16 after the section before it, and the file ends at the multiple of
 * 16 after the last. Inside PAYLOADS each payload begins at a multiple of 16 bytes, and the section's size is a
 * multiple of 16. Padding is zero, and readers check that it is, so that no bit of a segment can change unnoticed. */
#ifndef WARMSTART_CORE_IMAGE_FORMAT_H
#define WARMSTART_CORE_IMAGE_FORMAT_H

#include <stdint.h>

#define WS_SEGMENT_MAGIC "\x89WSIMG\r\n" /* 8 bytes that are no text and that a transfer in text mode destroys */
#define WS_FORMAT_VERSION 1u
#define WS_BYTE_ORDER 0x01020304u
#define WS_SECTION_COUNT 16u
#define WS_ALIGNMENT 16u
#define WS_ALIGN(size) (((uint64_t)(size) + (WS_ALIGNMENT - 1)) & ~(uint64_t)(WS_ALIGNMENT - 1))

/* The largest file, and the largest header with its tables. No program needs more, and this much can be mapped and
 * copied. */
#define WS_SEGMENT_SIZE_MAXIMUM (UINT64_C(1) << 36)
#define WS_TABLES_SIZE_MAXIMUM (UINT64_C(1) << 28)

/* Each kind of checksum has its own seed, so that one cannot pass for another. */
#define WS_SEED_HEADER UINT64_C(0x7761726d73746172)
#define WS_SEED_SECTION UINT64_C(0x73656374696f6e73)
#define WS_SEED_PAYLOAD UINT64_C(0x7061796c6f616473)
#define WS_SEED_MANIFEST UINT64_C(0x6d616e6966657374)
#define WS_SEED_NAME UINT64_C(0) /* for hash tables of paths, features and names of the load path */
#define WS_SEED_KEY UINT64_C(0x6b6579746578746b)

/* Index of a section in the header's table. An absent section has offset and size 0. */
typedef enum ws_section {
    WS_SECTION_KEY,             /* text: what the image was made for, one "name value" per line */
    WS_SECTION_STRINGS,         /* paths and names, each NUL-terminated */
    WS_SECTION_ENTRIES,         /* ws_entry[], in the order of the boot (reproducible: in the order of paths) */
    WS_SECTION_ENTRY_TABLE,     /* uint32_t[power of two]: 0 is a free slot, else the index in ENTRIES + 1. Hashed by
                                   path_hash, with linear probing from slot (hash & (size - 1)) */
    WS_SECTION_LOAD_PATH,       /* ws_load_path_entry[] */
    WS_SECTION_LOAD_PATH_NAMES, /* ws_load_path_name[]: an entry as given -> its number in LOAD_PATH, sorted by hash */
    WS_SECTION_DIRECTORIES,     /* ws_index_directory[]: relative folders; number 0 is the root, "" */
    WS_SECTION_HOLDERS, /* ws_index_holder[]: which load-path entries have a relative folder, and that folder's times */
    WS_SECTION_FEATURES,      /* ws_index_feature[] */
    WS_SECTION_FEATURE_TABLE, /* uint32_t[power of two], like ENTRY_TABLE, hashed by the stem */
    WS_SECTION_FEATURE_LISTS, /* uint32_t[]: numbers of load-path entries */
    WS_SECTION_STATISTICS,    /* text: about the boot that wrote the segment, one "name value" per line */
    WS_SECTION_PAYLOADS /* iseqs in the format of RubyVM::InstructionSequence#to_binary, and documents. The section has
                           no checksum: each payload has its own, which is verified just before use */
} ws_section;

typedef struct ws_section_header {
    uint64_t offset; /* from the start of the file; a multiple of WS_ALIGNMENT */
    uint64_t size;
    uint64_t checksum; /* ws_hash64(section, WS_SEED_SECTION); 0 for PAYLOADS */
} ws_section_header;

enum {
    WS_SEGMENT_PORTABLE = 1,    /* entries hold whole seconds and no inode, device or ctime, so only the size and the
                                   seconds of mtime are compared */
    WS_SEGMENT_REPRODUCIBLE = 2 /* same inputs, same bytes: path order, no time of writing; implies PORTABLE */
};

typedef struct ws_segment_header {
    char magic[8];
    uint32_t format_version;
    uint32_t byte_order;
    uint64_t file_size;
    uint64_t segment_id; /* never 0, and part of the file's name; random, or (reproducible) ws_hash64(sections[],
                            WS_SEED_SECTION) */
    uint64_t key_hash;   /* ws_hash64(KEY section, WS_SEED_KEY) */
    uint32_t flags;      /* WS_SEGMENT_* */
    uint32_t entry_count;
    int64_t created; /* seconds since the epoch; 0 when reproducible */
    uint64_t reserved;
    ws_section_header sections[WS_SECTION_COUNT];
    uint64_t header_checksum; /* ws_hash64(all bytes before this one, WS_SEED_HEADER) */
} ws_segment_header;

enum { /* Hints are what the recording boot observed. The direct way uses them. Flags marked "no hint" are facts about
          the entry. */
       WS_ENTRY_LATE = 4, /* an autoload of the file itself was registered while it ran */
       WS_ENTRY_COMPILED_ONLY =
           8, /* made by `build --all`: the file never ran, so it is not known whether it is LATE */
       WS_ENTRY_FROZEN_LITERALS =
           16,                 /* no hint: compiled with frozen string literals; used only where they are wanted */
       WS_ENTRY_DOCUMENT = 32, /* no hint: the payload is a document (core/image/document.h), not code. The path is
                                  followed by a NUL and the call that made the document */
       WS_ENTRY_ONE_NAME = 64, /* no hint: when the entry was written, the file had no other hard link (asked only where
                                 listings bring metadata along) */
       WS_ENTRY_UNFINISHED =
           128, /* the load was not seen to its end: an exception left it, it still went on, or the process forked */
       /* What one load of a file has shown stays true, whatever another load of the same content shows. */
       WS_ENTRY_LASTING = WS_ENTRY_LATE | WS_ENTRY_UNFINISHED,
       WS_ENTRY_ENCODED = 256,      /* no hint: its magic comment names an encoding that Ruby may have to load, so Ruby
                                       compiles the file each time */
       WS_ENTRY_UTF8_PATH = 512,    /* no hint: Ruby gave the code a path in UTF-8, although the file system's encoding
                                       (boot/image_key.rb) is another. Without this flag the path is in the file system's
                                       encoding. Code with a path in any other encoding is not kept */
       WS_ENTRY_ACCESS_LIST = 1024, /* no hint: when the entry was written, the file had an access list, so that its
                                       mode does not tell who may read it */
       WS_ENTRY_KIND = WS_ENTRY_FROZEN_LITERALS | WS_ENTRY_UTF8_PATH /* code has to have the wanted kind */
};

/* One file, in 128 bytes. Strings are offsets into STRINGS. */
typedef struct ws_entry {
    uint64_t path_hash; /* ws_hash64(path, WS_SEED_NAME) */
    uint32_t path_offset, path_size;
    uint32_t realpath_offset, realpath_size;
    uint64_t device, inode, size;
    int64_t mtime, ctime;               /* nanoseconds (portable: whole seconds, and ctime is 0) */
    uint64_t content_low, content_high; /* ws_hash128 of the source */
    uint64_t payload_segment;           /* the id of the segment that holds the payload; 0: this segment */
    uint64_t payload_offset;            /* from the start of that segment's PAYLOADS section */
    uint64_t payload_size;
    uint64_t payload_checksum; /* ws_hash64(payload, WS_SEED_PAYLOAD) */
    uint32_t flags;            /* WS_ENTRY_* */
    uint32_t warning_level;    /* WS_WARNING_*: at this level the file compiled without a warning */
    uint32_t order;            /* position in the recorded boot */
    uint32_t reserved;
} ws_entry;

/* warning_level has $VERBOSE in its low byte (0 nil, 1 false, 2 true) and the enabled Warning[] categories above it. A
 * file that compiled without a warning at one level does so at every level that is higher in no part. */
enum {
    WS_WARNING_VERBOSE_MASK = 0xff,
    WS_WARNING_DEPRECATED = 0x100,
    WS_WARNING_EXPERIMENTAL = 0x200,
    WS_WARNING_PERFORMANCE = 0x400,
    WS_WARNING_STRICT_UNUSED_BLOCK = 0x800
};

enum {
    WS_LOAD_PATH_STABLE = 1, /* lies below a gem's or Ruby's own root, so its folders do not change during a boot */
    WS_LOAD_PATH_MISSING = 2 /* STABLE, but the folder does not exist: `expanded` is the name as given, and no holder
                                refers to this entry */
};

typedef struct ws_load_path_entry {
    uint32_t expanded_offset, expanded_size; /* the realpath, to which Ruby expands the entry */
    uint64_t device, inode;                  /* of the folder; 0 when portable */
    uint32_t flags;                          /* WS_LOAD_PATH_* */
    uint32_t reserved;
} ws_load_path_entry;

typedef struct ws_load_path_name {
    uint64_t hash; /* of the entry as given, WS_SEED_NAME */
    uint32_t name_offset, name_size;
    uint32_t entry; /* number in LOAD_PATH */
    uint32_t reserved;
} ws_load_path_name;

typedef struct ws_index_directory {
    uint32_t name_offset, name_size; /* relative, without a trailing separator; "" for number 0 */
    uint32_t parent;                 /* number in DIRECTORIES; the root's is 0 */
    uint32_t holder_first, holder_count;
    uint32_t reserved;
} ws_index_directory;

enum {
    WS_HOLDER_UNREAD = 1 /* the folder exists but was not listed (ignored, unreadable, or changed meanwhile), so a name
                            that is missing below it may exist */
};

typedef struct ws_index_holder {
    uint32_t load_path_entry;
    uint32_t flags;
    int64_t mtime, ctime; /* nanoseconds (portable: whole seconds, and ctime is 0) */
    uint64_t inode;
} ws_index_holder;

typedef struct ws_index_feature {
    uint64_t hash;                   /* of the stem, WS_SEED_NAME */
    uint32_t name_offset, name_size; /* the stem: "active_support/core_ext" */
    uint32_t directory;              /* number in DIRECTORIES of the folder in which the stem lies */
    uint32_t list_first; /* in FEATURE_LISTS: first rb_count entries with a .rb, then library_count with a DLEXT */
    uint32_t rb_count, library_count;
} ws_index_feature;

#endif
