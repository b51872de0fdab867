/* Is an entry what Ruby would compile now, and its iseq: see judgement.c. */
#ifndef WARMSTART_RUBY_JUDGEMENT_H
#define WARMSTART_RUBY_JUDGEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/image/image.h"
#include "core/system/file.h"

typedef enum ws_verdict { VERDICT_HIT, VERDICT_REVALIDATED, VERDICT_MISS, VERDICT_STALE, VERDICT_GONE } ws_verdict;

/* What makes every iseq from the image differ from what Ruby would compile now: "coverage" ... NULL: nothing. */
const char *ws_compiling_differs(void);
/* The bits of WS_ENTRY_KIND that code has whose path is in this encoding, as Ruby passes it to load_iseq (__FILE__ and
 * backtraces have it, too), compiled with frozen string literals or without. WS_KIND_UNKNOWN: no image keeps such code.
 */
#define WS_KIND_UNKNOWN UINT32_MAX
uint32_t ws_kind_of_code(rb_encoding *path_encoding, bool frozen);
/* Is the entry what Ruby would compile now? stat: the file's, NULL: believe the entry (sealed). *reason says why not,
 * or what differed though the content is the same. found.entry may be NULL: a miss. */
ws_verdict ws_judge(ws_found found, const char *path, uint32_t kind, const ws_stat *stat, const char **reason);
/* The same for a document. */
ws_verdict ws_judge_document(ws_found found, const char *path, const ws_stat *stat, const char **reason);
/* An entry's payload, its checksum compared; or NULL and a reason: damaged. */
const uint8_t *ws_payload(ws_found found, const char **reason);
/* The iseq of an entry's payload, or nil and a reason: damaged, or made by another build of Ruby. */
VALUE ws_payload_iseq(ws_found found, const char **reason);
/* Counts a verdict and tells it to who listens. */
void ws_report_verdict(ws_verdict verdict, const char *reason, const char *path, size_t path_size);

/* RubyVM::InstructionSequence.compile_option=: from its first call on, Ruby compiles otherwise than the image's key
 * says. */
void ws_compile_options_watch(void);
void ws_compile_options_leave(void);

void ws_init_judgement(VALUE native);

#endif
