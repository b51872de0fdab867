/* Case as Windows compares names: UTF-16 unit by UTF-16 unit, using the table of capitals that the system (and each
 * NTFS volume) has, whatever the locale is. path_windows.c uses it. */
#ifndef WARMSTART_CORE_PATH_CASE_H
#define WARMSTART_CORE_PATH_CASE_H

#include <stdint.h>

#include "core/path/path.h"

/* The capital of a character of the basic plane, or the character itself if it has none. Characters of other planes
 * have none. */
uint32_t ws_path_capital(uint32_t character);

/* Reads the next character of the text, which must not be empty, and returns its capital; "/" for "\". */
uint32_t ws_path_next_folded(ws_text *text);

#endif
