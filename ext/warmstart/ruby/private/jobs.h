/* Lets a thread that is not Ruby's have a function run with the GVL, by whatever thread of Ruby's comes to it. It
 * serves one function: the governor's. */
#ifndef WARMSTART_RUBY_JOBS_H
#define WARMSTART_RUBY_JOBS_H

#include <stdbool.h>

/* ractor is called when requests are no longer heard, because the program makes another Ractor. It may make no
 * object. */
void ws_job_init(void (*function)(void *), void (*ractor)(void));
/* May be called from any thread, also without Ruby, and in a child of fork. The function is run once, or not at all if
 * nobody listens. */
void ws_job_ask(void);
/* What was asked for is not run any more. */
void ws_job_forget(void);
/* To be called with the GVL. From here on, up to ws_job_stop, requests are heard. Returns false if they cannot be,
 * because there are other Ractors. */
bool ws_job_listen(void);
void ws_job_stop(void);
/* To be called with the GVL, before and after work that makes many objects for a short time. Meanwhile requests need
 * not be heard. */
void ws_job_pause(void);
void ws_job_resume(void);
/* Returns how many hooks of ours TracePoint.stat counts now. */
int ws_job_hooks(void);

#endif
