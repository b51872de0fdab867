/* How a thread that is none of Ruby's gets a function run with the GVL, by whatever thread of Ruby's comes to it. For
 * one function: the governor's. */
#ifndef WARMSTART_RUBY_JOBS_H
#define WARMSTART_RUBY_JOBS_H

#include <stdbool.h>

/* ractor: called where nobody hears any more, for the program makes another Ractor; may make no object. */
void ws_job_init(void (*function)(void *), void (*ractor)(void));
/* From any thread, also without Ruby, and in a child of fork. It is run once, or not at all where nobody listens. */
void ws_job_ask(void);
/* What was asked for is not run any more. */
void ws_job_forget(void);
/* With the GVL: from here on, up to ws_job_stop, it is heard. false: it cannot be, for there are other Ractors. */
bool ws_job_listen(void);
void ws_job_stop(void);
/* With the GVL, around what makes many objects for a short time: for so long nobody needs to hear. */
void ws_job_pause(void);
void ws_job_resume(void);
/* How many hooks of ours TracePoint.stat counts now. */
int ws_job_hooks(void);

#endif
