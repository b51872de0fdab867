/* Has the program had more threads than one? Up to then, what has been waited for shows in the thread that asks. */
#ifndef WARMSTART_RUBY_THREADS_H
#define WARMSTART_RUBY_THREADS_H

#include <stdbool.h>

/* To be called with the GVL. Between these two calls each thread that begins is noticed. */
void ws_threads_watch(void);
void ws_threads_leave(void);

/* Was there, since the program is watched, ever a thread of Ruby's beside another one, in whatever Ractor? It costs no
 * system call. On Windows only the threads before that are known. */
bool ws_threads_were_many(void);

#endif
