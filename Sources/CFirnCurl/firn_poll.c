#include "firn_poll.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// The most events of one wait.
enum { BATCH = 64 };

struct firn_poll {
    int epoll;
    int bell;
};

firn_poll *firn_poll_new(void) {
    firn_poll *poll = malloc(sizeof *poll);
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

void firn_poll_watch(firn_poll *poll, int descriptor, int events, uint32_t owner) {
    if (events == 0) {
        epoll_ctl(poll->epoll, EPOLL_CTL_DEL, descriptor, NULL);
        return;
    }
    struct epoll_event event = {
        .events = (events & 1 ? EPOLLIN : 0u) | (events & 2 ? EPOLLOUT : 0u),
        .data.u64 = (uint64_t)owner << 32 | (uint32_t)descriptor,
    };
    if (epoll_ctl(poll->epoll, EPOLL_CTL_MOD, descriptor, &event) == 0 || errno != ENOENT) return;
    epoll_ctl(poll->epoll, EPOLL_CTL_ADD, descriptor, &event);
}

void firn_poll_ring(firn_poll *poll) {
    uint64_t one = 1;
    // It fails only if the bell has been rung 2^64 times, and then it is heard.
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
        events[found++] = (firn_poll_event){
            .owner = (uint32_t)(batch[i].data.u64 >> 32),
            .descriptor = (int)(uint32_t)batch[i].data.u64,
            .events = (what & (EPOLLIN | EPOLLHUP) ? 1 : 0) | (what & EPOLLOUT ? 2 : 0)
                | (what & (EPOLLERR | EPOLLHUP) ? 4 : 0),
        };
    }
    return found;
}
