/* Which folders are no links: asked once for each folder of a boot, so that a file costs no call for those above it. A
 * file whose recorded realpath is its own path is what the image says only as long as no component of the path has
 * become a link: its metadata do not tell, since `mv lib lib2; ln -s lib2 lib` changes none of the files.
 *
 * Who calls: the bindings for the folder of each file (ruby/code/real_names.c), the load-path index for its entries.
 * When what was found out ends, is the bindings' matter. Not thread-safe: called with the GVL. */
#ifndef WARMSTART_CORE_REAL_FOLDERS_H
#define WARMSTART_CORE_REAL_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/* Is no component of this expanded absolute path a link, and the last one a folder? One call for each component that
 * was not asked about since the last ws_real_folders_forget. Where in doubt: false. */
bool ws_is_real_folder(const char *path, size_t size);
/* Somebody has looked at the name itself. */
void ws_real_folder_note(const char *path, size_t size, bool is_folder);
/* What ws_real_folder_note or ws_is_real_folder has found out of the last component: */
bool ws_real_folder_is_known(const char *path, size_t size);
/* Everything is asked anew. (Safe in the child of a fork.) */
void ws_real_folders_forget(void);

#endif
