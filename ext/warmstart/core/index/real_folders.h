/* Knows which folders are not links. Each folder is asked about once in a boot, so that a file costs no calls for the
 * folders above it. If a file's recorded realpath is its own path, the image is right only while no component of that
 * path has become a link. The file's metadata do not tell: `mv lib lib2; ln -s lib2 lib` changes none of the files.
 *
 * Who calls: the bindings for the folder of each file (ruby/code/real_names.c), the load-path index for its entries.
 * The bindings decide how long the results stay valid. Not thread-safe: called with the GVL. */
#ifndef WARMSTART_CORE_REAL_FOLDERS_H
#define WARMSTART_CORE_REAL_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/* Is this path a folder, and is no component of it a link? The path is expanded and absolute. Makes one call for each
 * component that was not asked about since the last ws_real_folders_forget. In doubt the answer is false. */
bool ws_is_real_folder(const char *path, size_t size);
/* Notes what somebody else has found out about this name. is_folder: it is a folder and not a link. */
void ws_real_folder_note(const char *path, size_t size, bool is_folder);
/* Is the last component known to be a folder and not a link, from ws_real_folder_note or ws_is_real_folder? */
bool ws_real_folder_is_known(const char *path, size_t size);
/* Makes everything be asked again. Safe in a forked child. */
void ws_real_folders_forget(void);

#endif
