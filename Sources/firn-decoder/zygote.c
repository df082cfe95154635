// Keeps the other end of each worker's socket, so that the message about the worker's end follows its last reply there.
#include "zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "firn_worker.h"
#include "fonts.h"
#include "memory.h"
#include "firn_packets.h"
#include "serve.h"

enum { MOST_WORKERS = 256, WORKER_SOCKET = 3, FONT_SOCKET = 4 };

typedef struct {
    uint64_t number;
    pid_t process;
    /// The worker's own end of its socket.
    int socket;
    /// Asks for fonts; -1 if the group has none.
    int fonts;
} child;

static child children[MOST_WORKERS];
static int child_count;

// MARK: Starting

/// Tells the program on a worker's socket that there is no worker.
static void report_end(int socket, int status, uint64_t microseconds, const char *message) {
    firn_worker_reply reply;
    memset(&reply, 0, sizeof reply);
    reply.call = FIRN_CALL_ENDED;
    reply.status = status;
    reply.microseconds = microseconds;
    strncpy(reply.message, message, sizeof reply.message - 1);
    firn_packet_send(socket, &reply, sizeof reply, NULL, 0);
}

/// Leaves the worker's descriptors: /dev/null as 0 to 2, its sockets, nothing else. Ends the process if there are too
/// few descriptors: the number of the worker's socket is still the zygote's control socket then.
static void keep_descriptors(int socket, int fonts) {
    // Order: descriptors above the targets first, so that none is overwritten before it is copied.
    int high = fcntl(socket, F_DUPFD, 16), high_fonts = fonts >= 0 ? fcntl(fonts, F_DUPFD, 16) : -1;
    if (high < 0 || dup2(high, WORKER_SOCKET) < 0) _exit(1);
    if (fonts >= 0 && (high_fonts < 0 || dup2(high_fonts, FONT_SOCKET) < 0)) _exit(1);
    close_range(high_fonts >= 0 ? FONT_SOCKET + 1 : WORKER_SOCKET + 1, ~0u, 0);
}

/// Makes the process the first that the system ends when its memory is used up: an image is lost then, not a program.
static void end_first_without_memory(void) {
    // Where the file cannot be written, the system chooses as it does without it.
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score < 0) return;
    if (write(score, "1000", 4) < 0) errno = 0;
    close(score);
}

_Noreturn static void become_worker(const firn_zygote_request *request, int socket, int fonts, pid_t parent) {
    keep_descriptors(socket, fonts);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    clearenv();
    end_first_without_memory();
    uint64_t mapped = memory_mapped();
    const char *problem = mapped == 0
        ? "/proc is not mounted"
        : confine((firn_worker_group)request->group, parent, mapped + request->memory, request->seconds);
    if (problem) {
        firn_worker_reply reply;
        memset(&reply, 0, sizeof reply);
        reply.call = FIRN_CALL_UNCONFINED;
        reply.status = FIRN_UNSUPPORTED;
        strncpy(reply.message, problem, sizeof reply.message - 1);
        firn_packet_send(WORKER_SOCKET, &reply, sizeof reply, NULL, 0);
        _exit(1);
    }
    if (fonts >= 0) fonts_ask(FONT_SOCKET);
    serve(WORKER_SOCKET, (firn_worker_group)request->group, request->is_kept, mapped);
}

static void prepare(firn_worker_group group) {
    static unsigned prepared;
    if (prepared & 1u << group) return;
    prepared |= 1u << group;
    if (group == FIRN_GROUP_THREADS) firn_decoder_prepare(FIRN_CODEC_HEIC);
    if (group != FIRN_GROUP_FONTS) return;
    fonts_load();
    firn_decoder_prepare(FIRN_CODEC_SVG);
}

static void start(const firn_zygote_request *request, int socket) {
    if (request->group > FIRN_GROUP_FONTS || child_count == MOST_WORKERS) {
        report_end(socket, 0, 0, "the zygote cannot start another worker");
        close(socket);
        return;
    }
    prepare((firn_worker_group)request->group);
    int fonts[2] = {-1, -1};
    if (request->group == FIRN_GROUP_FONTS && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fonts)) {
        report_end(socket, 0, 0, "the zygote has no descriptors");
        close(socket);
        return;
    }
    pid_t own = getpid(), process = fork();
    if (process == 0) become_worker(request, socket, fonts[1], own);
    if (fonts[1] >= 0) close(fonts[1]);
    if (process < 0) {
        report_end(socket, 0, 0, "the system starts no process");
        close(socket);
        if (fonts[0] >= 0) close(fonts[0]);
        return;
    }
    children[child_count++] = (child){request->worker, process, socket, fonts[0]};
}

// MARK: Ending

static void kill_worker(uint64_t number) {
    // A process that was not waited for keeps its number, so it is that worker's.
    for (int i = 0; i < child_count; i++)
        if (children[i].number == number) kill(children[i].process, SIGKILL);
}

static void wait_for_ended(void) {
    while (true) {
        int status;
        struct rusage usage;
        pid_t process = wait4(-1, &status, WNOHANG, &usage);
        if (process <= 0) return;
        uint64_t microseconds = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
            + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
        for (int i = 0; i < child_count; i++) {
            if (children[i].process != process) continue;
            report_end(children[i].socket, status, microseconds, "");
            close(children[i].socket);
            if (children[i].fonts >= 0) close(children[i].fonts);
            children[i] = children[--child_count];
            break;
        }
    }
}

static void end_all(void) {
    for (int i = 0; i < child_count; i++) kill(children[i].process, SIGKILL);
    for (int i = 0; i < child_count; i++) waitpid(children[i].process, NULL, 0);
}

// MARK: The loop

/// Serves one request of the program. Returns false at the end.
static bool serve_control(int control) {
    firn_zygote_request request;
    int given[FIRN_PACKET_DESCRIPTORS];
    if (firn_packet_receive(control, &request, sizeof request, given) != sizeof request) return false;
    if (given[1] >= 0) close(given[1]);
    if (request.call == FIRN_ZYGOTE_START && given[0] >= 0) {
        start(&request, given[0]);
        return true;
    }
    if (given[0] >= 0) close(given[0]);
    if (request.call == FIRN_ZYGOTE_KILL) kill_worker(request.worker);
    return true;
}

int zygote(int control) {
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    int signals = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
    const firn_zygote_hello hello = {.version = FIRN_WORKER_VERSION, .codecs = firn_decoder_codecs()};
    if (signals < 0 || !firn_packet_send(control, &hello, sizeof hello, NULL, 0)) return 1;
    while (true) {
        struct pollfd polled[2 + MOST_WORKERS] = {{control, POLLIN, 0}, {signals, POLLIN, 0}};
        int count = child_count;
        for (int i = 0; i < count; i++) polled[2 + i] = (struct pollfd){children[i].fonts, POLLIN, 0};
        if (poll(polled, (nfds_t)(2 + count), -1) < 0 && errno != EINTR) break;
        // Order: fonts first, because the list of children changes below.
        for (int i = 0; i < count; i++) {
            if (!polled[2 + i].revents || fonts_reply(children[i].fonts)) continue;
            close(children[i].fonts);
            children[i].fonts = -1;
        }
        if (polled[1].revents) {
            struct signalfd_siginfo signal;
            while (read(signals, &signal, sizeof signal) > 0) continue;
            wait_for_ended();
        }
        if (polled[0].revents && !serve_control(control)) break;
    }
    end_all();
    return 0;
}
