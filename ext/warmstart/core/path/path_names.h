/* The parts of a path as File.basename, dirname, extname and join see them, under either rules. Nothing is normalized:
 * the answers are pieces of what was given. Who calls: the bindings' paths.c. */
#ifndef WARMSTART_CORE_PATH_NAMES_H
#define WARMSTART_CORE_PATH_NAMES_H

#include "core/path/path.h"

/* Where characters end, in encodings whose later bytes may look like "\" (Shift_JIS, GBK, Big5). NULL in place of one:
 * every byte stands for itself, which is right for UTF-8, too. */
typedef struct ws_path_encoding {
    size_t (*character_size)(const void *encoding, const char *at, const char *end); /* 1 at least */
    const void *encoding;
} ws_path_encoding;

/* What is to be concatenated. */
typedef struct ws_path_directory {
    ws_text parts[2];
    bool here;
} ws_path_directory; /* here: and then "." */

/* File.basename(path, suffix); suffix->bytes NULL: none given. */
ws_text ws_path_basename(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text path, ws_text suffix);
/* File.dirname(path, level) */
ws_path_directory
ws_path_dirname(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text path, long level);
/* File.extname(path) */
ws_text ws_path_extname(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text path);
/* Size of what File.join keeps of `joined` before a part that begins with a separator (next_rooted) or not; *separator:
 * "/" comes between them. */
size_t ws_path_join(const ws_path_rules *rules, const ws_path_encoding *encoding, ws_text joined, ws_text next,
                    bool *separator);

#endif
