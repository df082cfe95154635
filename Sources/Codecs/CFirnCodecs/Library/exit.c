// Keeps the end of the process from destroying objects that a running library call uses.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "exit.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/// The time that `exit` waits for running calls.
enum { SECONDS = 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_left = PTHREAD_COND_INITIALIZER;
static unsigned calls;
static bool is_over;
/// The process that waits: in a fork, the threads with counted calls do not exist.
static pid_t process;

/// Order: before the destructors of the libraries, which were registered on loading.
static void wait_for_calls(int status, void *unused) {
    (void)unused;
    if (getpid() != process) return;
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    moment.tv_sec += SECONDS;
    pthread_mutex_lock(&lock);
    is_over = true;
    while (calls > 0 && pthread_cond_timedwait(&has_left, &lock, &moment) != ETIMEDOUT) continue;
    bool is_late = calls > 0;
    pthread_mutex_unlock(&lock);
    if (!is_late) return;
    fflush(NULL);
    _exit(status);
}

static void prepare(void) {
    process = getpid();
    (void)on_exit(wait_for_calls, NULL);
}

bool firn_library_enter(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    pthread_mutex_lock(&lock);
    bool is_open = !is_over;
    calls += is_open;
    pthread_mutex_unlock(&lock);
    return is_open;
}

void firn_library_leave(void) {
    pthread_mutex_lock(&lock);
    if (--calls == 0) pthread_cond_broadcast(&has_left);
    pthread_mutex_unlock(&lock);
}
