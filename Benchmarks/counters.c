// Counts what an operation does that other cores may wait for. `Scripts/count-operations` loads it into `firn-bench`
// before the libraries whose functions it counts; it calls theirs.
//
// Not counted: atomics that the compiler puts into the program's own code, so the locks of cores and of objects
// (`CoreLocked`, `InlineLock`), and references that libraries count within themselves.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

enum kind { LOCKS, CONTENDED, WAKES, REFERENCES, ALLOCATIONS, KINDS };

static const char *const names[KINDS] = {"locks", "contended", "wake-ups", "references", "allocations"};

/// A core's counts, so that counting adds no line that cores share.
static struct {
    _Alignas(128) atomic_long of[KINDS];
} counts[32];

static void count(enum kind kind) {
    unsigned core = (unsigned)sched_getcpu() % 32;
    atomic_fetch_add_explicit(&counts[core].of[kind], 1, memory_order_relaxed);
}

static void *next(void **known, const char *name) {
    if (!*known) *known = dlsym(RTLD_NEXT, name);
    return *known;
}

#define COUNTED(kind, result, name, parameter)                        \
    result name(parameter value);                                     \
    result name(parameter value) {                                    \
        static void *known;                                           \
        count(kind);                                                  \
        return ((result(*)(parameter))next(&known, #name))(value);    \
    }

COUNTED(WAKES, int, sem_post, sem_t *)
COUNTED(WAKES, int, pthread_cond_signal, pthread_cond_t *)
COUNTED(WAKES, int, pthread_cond_broadcast, pthread_cond_t *)

/// True for an object whose references are counted: there is one, and it is not the empty array, which never ends.
static int is_counted(void *object) {
    static void *empty;
    return object && object != next(&empty, "_swiftEmptyArrayStorage");
}

#define COUNTED_REFERENCE(result, name)                               \
    result name(void *object);                                        \
    result name(void *object) {                                       \
        static void *known;                                           \
        if (is_counted(object)) count(REFERENCES);                    \
        return ((result(*)(void *))next(&known, #name))(object);      \
    }

COUNTED_REFERENCE(void *, swift_retain)
COUNTED_REFERENCE(void, swift_release)
COUNTED_REFERENCE(void *, swift_bridgeObjectRetain)
COUNTED_REFERENCE(void, swift_bridgeObjectRelease)

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static void *known;
    count(LOCKS);
    if (pthread_mutex_trylock(mutex) == 0) return 0;
    count(CONTENDED);
    return ((int (*)(pthread_mutex_t *))next(&known, "pthread_mutex_lock"))(mutex);
}

// The C library's own names, since looking a name up may allocate.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

void *malloc(size_t size) {
    count(ALLOCATIONS);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(ALLOCATIONS);
    return __libc_calloc(number, size);
}

/// Begins to count if `operations` is 0; otherwise prints the counts of one operation of as many.
void firn_counters_mark(long operations) {
    for (int kind = 0; kind < KINDS; kind++) {
        long sum = 0;
        for (int core = 0; core < 32; core++) sum += atomic_exchange(&counts[core].of[kind], 0);
        if (operations > 0) printf("%s%s %.2f", kind ? ", " : "", names[kind], (double)sum / (double)operations);
    }
    if (operations > 0) printf("\n");
}
