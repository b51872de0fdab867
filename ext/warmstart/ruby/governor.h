/* The governor's state, shared by its two files, and what the require path calls. */
#ifndef WARMSTART_RUBY_GOVERNOR_H
#define WARMSTART_RUBY_GOVERNOR_H

#include "bindings.h"
#include "core/memory.h"

typedef struct ws_governor {
    volatile bool governing;
    bool landing;                /* the application is ready */
    bool disabled_by_program;    /* GC.disable: nothing is collected, and the collector stays off at the end */
    bool forked;                 /* a child that has the patches yet */
    bool waiting;                /* the collector is on, for one collection */
    volatile bool leaving;       /* the program's exit handlers are done, but for older ones */
    volatile bool stayed;        /* and these take memory */
    size_t step, landing_step;   /* bytes that Ruby takes */
    size_t landing_growth;       /* what it may have taken since the last collection while landing */
    size_t page_size;
    size_t objects, count;       /* at the last collection: bytes in objects, rb_gc_count */
    size_t floor, ceiling;       /* the process's size up to which not to collect, and at which to give up */
    size_t regrowth;             /* what may be taken before the second collection beside what the first has freed */
    size_t due;                  /* what Ruby takes before the next collection: a step, or more where a floor is known */
    double garbage;              /* the part that went at the last collection of what had been taken before it */
    size_t settled;              /* at the end: in use, but for the garbage */
    size_t first, peak;          /* its size at the beginning, and the largest that was seen */
    size_t collecting_from, collecting_grown;            /* when the collection that is waited for was due: bytes in use, taken by Ruby */
    size_t leaving_peak;         /* ws_memory_peak when the handlers were done */
    unsigned collections;        /* ours */
    int64_t began, ended, last_require, idle, budget;    /* milliseconds */
    int64_t looked_at_require, used_at_require;          /* the require that was the last one when it was looked, CPU time then */
    const char *ended_by;
} ws_governor;

extern ws_governor ws_the_governor;

/* In each require while it governs. */
void ws_governor_note_require(void);
/* Ruby's collector as the program left it. Nothing happens when that is so already. */
void ws_governor_end(const char *reason);

/* ---- governor_patches.c ---- */

void ws_governor_patches_remove(void);
void ws_init_governor_patches(VALUE native);

#endif
