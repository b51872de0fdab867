/* The parts of a path as File.basename, dirname, extname and join see them, with the rules of either system. Nothing is
 * normalized: the results are pieces of the given path. The bindings' paths.c uses it. */
#ifndef WARMSTART_CORE_PATH_NAMES_H
#define WARMSTART_CORE_PATH_NAMES_H

#include "core/path/path.h"

/* Finds where characters end, in encodings whose later bytes may look like "\" (Shift_JIS, GBK, Big5). With NULL in its
 * place every byte counts as a character, which is also right for UTF-8. */
typedef struct ws_path_encoding {
    size_t (*character_size)(const void *encoding, const char *at, const char *end); /* returns at least 1 */
    const void *encoding;
} ws_path_encoding;

/* The parts to concatenate. `here` means that "." follows them. */
typedef struct ws_path_directory {
    ws_text parts[2];
    bool here;
} ws_path_directory;

/* File.basename(path, suffix). suffix->bytes is NULL if no suffix was given. */
ws_text ws_path_basename(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text path, ws_text suffix);
/* File.dirname(path, level) */
ws_path_directory
ws_path_dirname(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text path, long level);
/* File.extname(path) */
ws_text ws_path_extname(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text path);
/* How many bytes of `joined` File.join keeps before the part `next`. *separator tells whether "/" comes between the
 * two. */
size_t ws_path_join(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text joined, ws_text next,
                    bool *separator);

#endif
