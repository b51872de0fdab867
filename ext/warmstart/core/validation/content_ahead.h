/* Contents compared ahead of use. Where a boot finds files that are stale by their metadata and the same by their
 * contents (a restored cache beside a fresh clone, a copied folder), threads read and hash the next files before the
 * boot needs them.
 *
 * The bindings offer a list of files (ruby/boot/ahead.c). Code that compares a file's content asks
 * ws_content_ahead_confirms first, and reads the file itself if the answer is no. Nothing happens until several files
 * in a row were found so. Nobody waits for a thread. There is one offer at a time, and only one thread calls these
 * functions. */
#ifndef WARMSTART_CORE_CONTENT_AHEAD_H
#define WARMSTART_CORE_CONTENT_AHEAD_H

#include "core/system/file.h"

typedef struct ws_content_list ws_content_list;

/* Adds a file. Files must be added in the order in which they will be needed; one that is there already is not added.
 * known: the metadata that the image knows. A file that has them still needs no comparison, so it is not read;
 * portable: for this only mtime counts, in whole seconds. Returns false without memory, or if the list is full; then
 * more need not be added. */
bool ws_content_ahead_add(ws_content_list *list, const char *path, const ws_stat *known, bool portable);

/* Fills the list once it is needed. */
typedef void (*ws_content_source)(ws_content_list *list);

/* Counts what is found from now on, and ends what was offered before. */
void ws_content_ahead_offer(ws_content_source source);
/* The threads end after their current file, and the caller compares every later one itself. */
void ws_content_ahead_end(void);

/* Has a thread found that the file with these metadata has this content? Only if nobody can have changed the file
 * between the thread's look and the call that returned *stat. If it returns false, the caller reads the file. */
bool ws_content_ahead_confirms(const char *path, const ws_stat *stat, ws_hash128 content);
/* Notes that a file's content was the same, whoever compared it. The threads start after several in a row. */
void ws_content_ahead_note_same(const char *path);
/* Ends such a row: a file was fresh, or its content was another. */
void ws_content_ahead_break_row(void);

/* What was done in this process: files that threads read, and how many of these answers were used. */
typedef struct ws_content_counts {
    uint32_t read, used;
} ws_content_counts;
ws_content_counts ws_content_ahead_counts(void);

#endif
