/* Ruby's warning about a circular require. Who calls: require.c, hook.c, loading.c. */
#ifndef WARMSTART_RUBY_CIRCULAR_H
#define WARMSTART_RUBY_CIRCULAR_H

/* Under -w, prints the warning that Ruby's load_lock prints. Calls the program's Warning.warn, which may raise. */
void ws_warn_circular(const char *path);

#endif
