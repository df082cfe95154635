#include "firn_poll.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// The maximum number of events per wait.
enum { BATCH = 64 };

/// The events of a descriptor: those registered with the system, and those wanted.
struct watch {
    /// True if the caller reports when it is opened and closed.
    bool is_known;
    uint8_t watched;
    uint8_t wanted;
    uint32_t owner;
};

struct firn_poll {
    int epoll;
    int bell;
    struct watch *watches;
    int capacity;
};

firn_poll *firn_poll_new(void) {
    firn_poll *poll = calloc(1, sizeof *poll);
    if (poll == NULL) return NULL;
    poll->epoll = epoll_create1(EPOLL_CLOEXEC);
    poll->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = UINT64_MAX};
    if (poll->epoll >= 0 && poll->bell >= 0 && epoll_ctl(poll->epoll, EPOLL_CTL_ADD, poll->bell, &event) == 0) {
        return poll;
    }
    if (poll->epoll >= 0) close(poll->epoll);
    if (poll->bell >= 0) close(poll->bell);
    free(poll);
    return NULL;
}

/// Returns NULL for a descriptor that was never watched, or if memory is exhausted.
static struct watch *watch_of(firn_poll *poll, int descriptor, bool grows) {
    if (descriptor < 0) return NULL;
    if (descriptor >= poll->capacity) {
        if (!grows) return NULL;
        int capacity = poll->capacity == 0 ? 64 : poll->capacity;
        while (capacity <= descriptor) {
            if (capacity > INT_MAX / 2) return NULL;
            capacity *= 2;
        }
        struct watch *grown = realloc(poll->watches, (size_t)capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        memset(grown + poll->capacity, 0, (size_t)(capacity - poll->capacity) * sizeof *grown);
        poll->watches = grown;
        poll->capacity = capacity;
    }
    return &poll->watches[descriptor];
}

static uint32_t bits_of(uint8_t events) { return (events & 1 ? EPOLLIN : 0u) | (events & 2 ? EPOLLOUT : 0u); }

/// Registers the wanted events with the system.
static void tell(firn_poll *poll, int descriptor, struct watch *watch) {
    struct epoll_event event = {
        .events = bits_of(watch->wanted),
        .data.u64 = (uint64_t)watch->owner << 32 | (uint32_t)descriptor,
    };
    int operation = watch->wanted == 0 ? EPOLL_CTL_DEL : watch->watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    epoll_ctl(poll->epoll, operation, descriptor, &event);
    watch->watched = watch->wanted;
}

void firn_poll_watch(firn_poll *poll, int descriptor, int events, uint32_t owner) {
    struct watch *watch = watch_of(poll, descriptor, events != 0);
    if (watch == NULL) return;
    watch->wanted = (uint8_t)events;
    // A reduction is registered only when an unwanted event occurs: most connections are wanted again soon.
    bool is_told = (events & ~watch->watched) == 0 && (events == 0 || watch->owner == owner);
    if (watch->is_known && is_told) return;
    watch->owner = owner;
    tell(poll, descriptor, watch);
}

void firn_poll_reset(firn_poll *poll, int descriptor, bool is_open) {
    struct watch *watch = watch_of(poll, descriptor, is_open);
    if (watch != NULL) *watch = (struct watch){.is_known = is_open};
}

void firn_poll_ring(firn_poll *poll) {
    uint64_t one = 1;
    // Fails only after 2^64 rings, and then a ring is already pending.
    ssize_t written = write(poll->bell, &one, sizeof one);
    (void)written;
}

int firn_poll_wait(firn_poll *poll, firn_poll_event *events, int capacity, int milliseconds) {
    struct epoll_event batch[BATCH];
    int count = epoll_wait(poll->epoll, batch, capacity < BATCH ? capacity : BATCH, milliseconds);
    int found = 0;
    for (int i = 0; i < count; i++) {
        if (batch[i].data.u64 == UINT64_MAX) {
            uint64_t rings = 0;
            ssize_t taken = read(poll->bell, &rings, sizeof rings);
            (void)taken;
            continue;
        }
        uint32_t what = batch[i].events;
        int descriptor = (int)(uint32_t)batch[i].data.u64;
        struct watch *watch = watch_of(poll, descriptor, false);
        if (watch == NULL) continue;
        if (watch->watched != watch->wanted) tell(poll, descriptor, watch);
        uint32_t wanted = EPOLLERR | EPOLLHUP | bits_of(watch->wanted);
        if (watch->wanted == 0 || (what & wanted) == 0) continue;
        events[found++] = (firn_poll_event){
            .owner = (uint32_t)(batch[i].data.u64 >> 32),
            .descriptor = descriptor,
            .events = (what & (EPOLLIN | EPOLLHUP) ? 1 : 0) | (what & EPOLLOUT ? 2 : 0)
                | (what & (EPOLLERR | EPOLLHUP) ? 4 : 0),
        };
    }
    return found;
}
