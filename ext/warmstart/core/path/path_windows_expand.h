/* File.expand_path as CRuby for Windows does it, for UTF-8. path_windows.c uses it. */
#ifndef WARMSTART_CORE_PATH_WINDOWS_EXPAND_H
#define WARMSTART_CORE_PATH_WINDOWS_EXPAND_H

#include "core/path/path.h"

/* Implements ws_path_rules.full. */
ws_path_answer ws_windows_full(char *buffer, size_t buffer_size, size_t *size, ws_text path, const ws_text *base,
                               bool tilde, const ws_path_surroundings *surroundings);

#endif
