/* Case as Windows compares names: unit by unit of UTF-16, by the table of capitals that the system (and each NTFS
 * volume) keeps, whatever the locale. Who calls: path_windows.c. */
#ifndef WARMSTART_CORE_PATH_CASE_H
#define WARMSTART_CORE_PATH_CASE_H

#include <stdint.h>

#include "core/path/path.h"

/* The capital of a character of the first plane, itself where it has none; the other planes have none. */
uint32_t ws_path_capital(uint32_t character);

/* Reads the next character of the text, which must not be empty, and its capital. "\" is "/". */
uint32_t ws_path_next_folded(ws_text *text);

#endif
