#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../include/firn_packets.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * FIRN_PACKET_DESCRIPTORS)];
} control_space;

bool firn_packet_send(int socket, const void *bytes, size_t length, const int *descriptors, int count) {
    struct iovec part = {(void *)bytes, length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    control_space control;
    if (count > FIRN_PACKET_DESCRIPTORS) return false;
    if (count > 0) {
        size_t size = sizeof(int) * (size_t)count;
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_len = CMSG_LEN(size);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        memcpy(CMSG_DATA(header), descriptors, size);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)length;
}

/// Takes the descriptors of a message; returns false if there are more than expected.
static bool take_descriptors(struct msghdr *message, int *descriptors) {
    int taken = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t given = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < given && taken < FIRN_PACKET_DESCRIPTORS; i++)
            memcpy(&descriptors[taken++], CMSG_DATA(header) + i * sizeof(int), sizeof(int));
    }
    return !(message->msg_flags & (MSG_TRUNC | MSG_CTRUNC));
}

enum {
    SPIN_NANOSECONDS = 60000,
    /// The maximum number of calls that do not spin after an unsuccessful spin.
    MOST_SKIPPED = 31,
};

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Receives a message without sleeping; fails with EAGAIN if none arrives in time. Does not yield: that would give a
/// whole time slice to another program.
static ssize_t receive_awake(int socket, struct msghdr *message) {
    int64_t end = nanoseconds() + SPIN_NANOSECONDS;
    while (true) {
        ssize_t count = recvmsg(socket, message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (count >= 0 || errno != EAGAIN || nanoseconds() > end) return count;
    }
}

static ssize_t receive_asleep(int socket, struct msghdr *message) {
    while (true) {
        ssize_t count = recvmsg(socket, message, MSG_CMSG_CLOEXEC);
        if (count >= 0 || errno != EINTR) return count;
    }
}

/// Receives a message, spinning first unless recent spins failed.
static ssize_t receive_message(int socket, struct msghdr *message, firn_packet_spin *spin) {
    if (spin && spin->skips > 0) {
        spin->skips--;
    } else if (spin) {
        ssize_t count = receive_awake(socket, message);
        if (count >= 0 || (errno != EAGAIN && errno != EINTR)) {
            spin->next_skips /= 2;
            return count;
        }
        spin->skips = spin->next_skips;
        if (spin->next_skips < MOST_SKIPPED) spin->next_skips = spin->next_skips * 2 + 1;
    }
    return receive_asleep(socket, message);
}

long firn_packet_receive_spinning(int socket, void *bytes, size_t length, int *descriptors, firn_packet_spin *spin) {
    struct iovec part = {bytes, length};
    control_space control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptors) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        for (int i = 0; i < FIRN_PACKET_DESCRIPTORS; i++) descriptors[i] = -1;
    }
    ssize_t count = receive_message(socket, &message, spin);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return FIRN_PACKET_LATE;
    if (count <= 0) return count < 0 && errno != ECONNRESET ? -1 : 0;
    if (!descriptors) return message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? -1 : count;
    if (take_descriptors(&message, descriptors)) return count;
    for (int i = 0; i < FIRN_PACKET_DESCRIPTORS; i++) {
        if (descriptors[i] >= 0) close(descriptors[i]);
        descriptors[i] = -1;
    }
    return -1;
}

long firn_packet_receive(int socket, void *bytes, size_t length, int *descriptors) {
    return firn_packet_receive_spinning(socket, bytes, length, descriptors, NULL);
}

bool firn_packet_limit_wait(int socket, int milliseconds) {
    const struct timeval limit = {milliseconds / 1000, milliseconds % 1000 * 1000};
    return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0;
}

bool firn_process_kill(int process) {
    return syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0) == 0 || errno == ESRCH;
}

int firn_memory_make(size_t length) {
    if (length == 0) return -1;
    int descriptor = memfd_create("firn", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    if (ftruncate(descriptor, (off_t)length) == 0) return descriptor;
    close(descriptor);
    return -1;
}

bool firn_memory_seal(int descriptor, bool content) {
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (content ? F_SEAL_WRITE : 0);
    return fcntl(descriptor, F_ADD_SEALS, seals) == 0;
}
