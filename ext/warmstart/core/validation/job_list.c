/* See job_list.h. */
#include "core/validation/job_list.h"

void
ws_job_list_begin(ws_job_list *list, void (*free_rest)(ws_job_list *list))
{
    list->owners = 1;
    list->free_rest = free_rest;
    ws_mutex_init(&list->lock);
    ws_condition_init(&list->changed);
}

uint32_t
ws_job_list_start(ws_job_list *list, uint32_t wanted, void *(*function)(void *), size_t stack_size)
{
    uint32_t threads = 0;
    while (threads < wanted) {
        __atomic_add_fetch(&list->owners, 1, __ATOMIC_RELAXED);
        if (!ws_thread_start(NULL, function, list, stack_size)) {
            ws_job_list_release(list);
            break;
        }
        threads++;
    }
    return threads;
}

void
ws_job_list_move_limit(ws_job_list *list, uint32_t limit)
{
    ws_mutex_lock(&list->lock);
    list->limit = limit;
    ws_condition_broadcast(&list->changed);
    ws_mutex_unlock(&list->lock);
}

void
ws_job_list_end(ws_job_list *list)
{
    ws_mutex_lock(&list->lock);
    list->ended = true;
    ws_condition_broadcast(&list->changed);
    ws_mutex_unlock(&list->lock);
    ws_job_list_release(list);
}

void
ws_job_list_release(ws_job_list *list)
{
    if (__atomic_sub_fetch(&list->owners, 1, __ATOMIC_ACQ_REL) > 0) return;
    ws_string_pool_free(&list->names);
    list->free_rest(list);
}
