#include "packets.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool packet_send(int socket, const void *bytes, size_t length, int descriptor) {
    struct iovec part = {(void *)bytes, length};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)length;
}

ssize_t packet_receive(int socket, void *bytes, size_t length, int descriptors[MOST_PACKET_DESCRIPTORS]) {
    struct iovec part = {bytes, length};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * MOST_PACKET_DESCRIPTORS)];
    } control;
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    for (int i = 0; i < MOST_PACKET_DESCRIPTORS; i++) descriptors[i] = -1;
    ssize_t count;
    do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t given = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < given && i < MOST_PACKET_DESCRIPTORS; i++)
            memcpy(&descriptors[i], CMSG_DATA(header) + i * sizeof(int), sizeof(int));
    }
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        for (int i = 0; i < MOST_PACKET_DESCRIPTORS; i++)
            if (descriptors[i] >= 0) close(descriptors[i]);
        return 0;
    }
    return count;
}
