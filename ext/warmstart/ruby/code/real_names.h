/* Is a file's path its own realpath, as the image says? core/index/real_folders.h has what was found out about folders;
 * this file says when that ends. */
#ifndef WARMSTART_RUBY_REAL_NAMES_H
#define WARMSTART_RUBY_REAL_NAMES_H

#include <stdbool.h>

#include <ruby.h>

#include "core/system/file.h"

/* Is no component of this expanded absolute path a link? stat: of the path, by ws_file_stat_named. The question costs
 * one call for each folder of a boot, and a short one for each file (ws_children_waited_for). Once the boot is complete
 * it costs as much as File.realpath. */
bool ws_is_real_name(const char *path, const ws_stat *stat);

/* File.rename, File.symlink and File.link are watched between these two calls. */
void ws_watch_names(void);
void ws_stop_watching_names(void);
void ws_init_real_names(VALUE native);

#endif
