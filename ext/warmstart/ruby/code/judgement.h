/* Is an entry what Ruby would compile now, and what is its iseq? See judgement.c. */
#ifndef WARMSTART_RUBY_JUDGEMENT_H
#define WARMSTART_RUBY_JUDGEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/image/image.h"
#include "core/system/file.h"

/* GONE is no verdict of ws_judge: its callers have it when they cannot look at the file. */
typedef enum ws_verdict { VERDICT_HIT, VERDICT_REVALIDATED, VERDICT_MISS, VERDICT_STALE, VERDICT_GONE } ws_verdict;

/* May the entry be used? */
static inline bool
ws_is_usable(ws_verdict verdict)
{
    return verdict == VERDICT_HIT || verdict == VERDICT_REVALIDATED;
}

/* Returns what makes every iseq from the image differ from what Ruby would compile now ("coverage" ...), or NULL. */
const char *ws_compiling_differs(void);
/* Returns the bits of WS_ENTRY_KIND for code that is compiled with frozen string literals or without, and whose path is
 * in this encoding. That path is what Ruby passes to load_iseq; __FILE__ and backtraces have it, too. WS_KIND_UNKNOWN:
 * no image keeps such code. */
#define WS_KIND_UNKNOWN UINT32_MAX
uint32_t ws_kind_of_code(rb_encoding *path_encoding, bool frozen);
/* Is the entry what Ruby would compile now? stat is the file's; NULL: the entry is believed (sealed). *reason says why
 * not, or what differed although the content is the same. If found.entry is NULL, it is a miss. */
ws_verdict ws_judge(ws_found found, const char *path, uint32_t kind, const ws_stat *stat, const char **reason);
/* The same for a document. */
ws_verdict ws_judge_document(ws_found found, const char *path, const ws_stat *stat, const char **reason);
/* Returns an entry's payload after its checksum was compared, or NULL and a reason if it is damaged. */
const uint8_t *ws_payload(ws_found found, const char **reason);
/* Returns the iseq of an entry's payload, or nil and a reason: it is damaged, or another build of Ruby has made it. */
VALUE ws_payload_iseq(ws_found found, const char **reason);
/* Counts a verdict and reports it to those who listen. */
void ws_report_verdict(ws_verdict verdict, const char *reason, const char *path, size_t path_size);

/* Is what rb_protect has caught about a file that is gone, unreadable or no Ruby? Otherwise it comes from a signal,
 * exit or Thread#raise, or it is a throw or a killed thread, whose error is not an ordinary object. */
static inline bool
ws_is_file_trouble(VALUE error)
{
    if (!RB_TYPE_P(error, T_OBJECT)) return false;
    return RTEST(rb_obj_is_kind_of(error, rb_eScriptError)) || RTEST(rb_obj_is_kind_of(error, rb_eSystemCallError));
}

/* From the first call of RubyVM::InstructionSequence.compile_option= on, Ruby compiles in another way than the image's
 * key says. ws_compile_options_watch replaces that method to notice the call; ws_compile_options_leave puts it back. */
void ws_compile_options_watch(void);
void ws_compile_options_leave(void);

void ws_init_judgement(VALUE native);

#endif
