#ifndef WARMSTART_STANDBY_FACTS_H
#define WARMSTART_STANDBY_FACTS_H

/* Calls tell for each fact about this process: user, groups, limits, working directory, processors, control group,
 * namespaces, signals that are ignored or blocked ... */
void ws_each_fact(void (*tell)(void *data, const char *name, const char *text), void *data);

#endif
