/* What the load_iseq hook and the direct way have in common: is an entry what Ruby would compile now, and its iseq. */
#ifndef WARMSTART_RUBY_LOADER_H
#define WARMSTART_RUBY_LOADER_H

#include "ruby/boot/bindings.h"

typedef enum ws_verdict { VERDICT_HIT, VERDICT_REVALIDATED, VERDICT_MISS, VERDICT_STALE, VERDICT_GONE } ws_verdict;

/* The load_iseq hook is ours and on. */
bool ws_loader_enabled(void);
/* Somebody else answers load_iseq from here on; says so. */
void ws_loader_step_back(void);
/* What makes every iseq from the image differ from what Ruby would compile now: "coverage" ... NULL: nothing. */
const char *ws_compiling_differs(void);
/* Is the entry what Ruby would compile now? frozen: with frozen string literals; stat: the file's, NULL: believe the entry (sealed). *reason says why not, or what
 * differed though the content is the same. found.entry may be NULL: a miss. */
ws_verdict ws_judge(ws_found found, const char *path, bool frozen, const ws_stat *stat, const char **reason);
/* The same for a document. */
ws_verdict ws_judge_document(ws_found found, const char *path, const ws_stat *stat, const char **reason);
/* An entry's payload, its checksum compared; or NULL and a reason: damaged. */
const uint8_t *ws_payload(ws_found found, const char **reason);
/* The iseq of an entry's payload, or nil and a reason: damaged, or made by another build of Ruby. */
VALUE ws_payload_iseq(ws_found found, const char **reason);
/* Counts a verdict and tells it to who listens. */
void ws_report_verdict(ws_verdict verdict, const char *reason, const char *path, size_t path_size);
/* The metadata of a path that Ruby is about to load natively: the hook need not ask for them again. */
void ws_loader_remember(VALUE path, const ws_stat *stat);
void ws_loader_forget_remembered(void);

#endif
