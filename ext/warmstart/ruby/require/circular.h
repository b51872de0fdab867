/* Ruby's warning of a circular require. Who calls: require.c, hook.c, loading.c. */
#ifndef WARMSTART_RUBY_CIRCULAR_H
#define WARMSTART_RUBY_CIRCULAR_H

/* Says under -w what Ruby's load_lock says. Runs the program's Warning.warn, which may raise. */
void ws_warn_circular(const char *path);

#endif
