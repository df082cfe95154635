// A library to load before a program: threads that the program itself starts, numbered from 1, are refused from
// FIRN_REFUSE_FROM to FIRN_REFUSE_TO. Those of the runtime's libraries are not.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef int (*creation)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int number_of(const char *variable) {
    const char *text = getenv(variable);
    return text ? atoi(text) : 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    static atomic_int count;
    Dl_info caller = {0};
    dladdr(__builtin_return_address(0), &caller);
    if (caller.dli_fname && !strstr(caller.dli_fname, ".so")) {
        int number = ++count;
        if (number >= number_of("FIRN_REFUSE_FROM") && number <= number_of("FIRN_REFUSE_TO")) return EAGAIN;
    }
    return ((creation)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, body, argument);
}
