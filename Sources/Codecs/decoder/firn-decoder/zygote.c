// Reports each worker's end on a socket that the worker does not have, so no worker can forge a report.
#include "zygote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "crash_log.h"
#include "firn_worker.h"
#include "fonts.h"
#include "memory.h"
#include "firn_packets.h"
#include "serve.h"

enum { MOST_WORKERS = 256, WORKER_SOCKET = 3, FONT_SOCKET = 4 };

typedef struct {
    pid_t process;
    /// Reports the worker's end to the program, which closes the socket when it no longer needs the worker.
    int report;
    /// Requests for fonts; -1 if the group has none.
    int fonts;
    bool is_killed;
} child;

static child children[MOST_WORKERS];
static int child_count;

// MARK: Starting

/// Reports to the program how a worker ended, or why none was started.
static void report_end(int socket, int status, const char *message) {
    firn_worker_reply reply;
    memset(&reply, 0, sizeof reply);
    reply.call = FIRN_CALL_ENDED;
    reply.status = status;
    strncpy(reply.message, message, sizeof reply.message - 1);
    firn_packet_send(socket, &reply, sizeof reply, NULL, 0);
}

bool close_from(int first) {
    if (close_range((unsigned)first, ~0u, 0) == 0) return true;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return false;
    // Order: the folder's own descriptor is closed with the folder.
    for (struct dirent *entry; (entry = readdir(folder));) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && descriptor >= first && descriptor != dirfd(folder)) close(descriptor);
    }
    closedir(folder);
    return true;
}

/// Keeps only the worker's descriptors: /dev/null as 0 to 2, and its sockets. Ends the process if descriptors run out:
/// the number of the worker's socket is still the zygote's control socket then.
static void keep_descriptors(int socket, int fonts) {
    // Order: descriptors above the targets first, so that none is overwritten before it is copied.
    int high = fcntl(socket, F_DUPFD, 16), high_fonts = fonts >= 0 ? fcntl(fonts, F_DUPFD, 16) : -1;
    if (high < 0 || dup2(high, WORKER_SOCKET) < 0) _exit(1);
    if (fonts >= 0 && (high_fonts < 0 || dup2(high_fonts, FONT_SOCKET) < 0)) _exit(1);
    if (!close_from(high_fonts >= 0 ? FONT_SOCKET + 1 : WORKER_SOCKET + 1)) _exit(1);
}

/// Makes the process the first one that the system ends when memory runs out: this costs an image, not a program.
static void end_first_without_memory(void) {
    // If the file cannot be written, the system's usual choice applies.
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score < 0) return;
    if (write(score, "1000", 4) < 0) errno = 0;
    close(score);
}

/// Sends a worker's first packet: that it is confined, with a descriptor by which the program can kill it, or why not.
static void greet(const char *problem, int process) {
    firn_worker_reply reply;
    memset(&reply, 0, sizeof reply);
    reply.call = problem ? FIRN_CALL_UNCONFINED : FIRN_CALL_STARTED;
    reply.status = problem ? FIRN_UNSUPPORTED : FIRN_OK;
    if (problem) strncpy(reply.message, problem, sizeof reply.message - 1);
    if (!firn_packet_send(WORKER_SOCKET, &reply, sizeof reply, &process, !problem && process >= 0)) _exit(1);
}

/// Sets the variables read by the libraries of a group.
static void set_variables(firn_worker_group group) {
    clearenv();
    if (group != FIRN_GROUP_FONTS) return;
    // The threads of librsvg's pool: half of the worker's threads.
    char text[2] = {(char)('0' + (sysconf(_SC_NPROCESSORS_ONLN) < 4 ? sysconf(_SC_NPROCESSORS_ONLN) : 4)), 0};
    setenv("RAYON_NUM_THREADS", text, 1);
}

_Noreturn static void become_worker(const firn_zygote_request *request, int socket, int fonts, pid_t parent) {
    firn_worker_group group = (firn_worker_group)request->group;
    keep_descriptors(socket, fonts);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    set_variables(group);
    end_first_without_memory();
    // Kernels before 5.3 have none; the zygote then kills the worker.
    int own = (int)syscall(SYS_pidfd_open, getpid(), 0);
    uint64_t mapped = memory_mapped();
    const char *problem =
        mapped == 0 ? "/proc is not mounted" : confine(group, parent, mapped + request->memory, request->seconds);
    greet(problem, own);
    if (problem) _exit(1);
    if (own >= 0) close(own);
    if (fonts >= 0) fonts_ask(FONT_SOCKET);
    serve(WORKER_SOCKET, group, request->is_kept, mapped);
}

static void prepare(firn_worker_group group) {
    static unsigned prepared;
    if (prepared & 1u << group) return;
    prepared |= 1u << group;
    if (group == FIRN_GROUP_PLAIN) firn_decoder_prepare(FIRN_CODEC_TIFF);
    if (group == FIRN_GROUP_THREADS) firn_decoder_prepare(FIRN_CODEC_HEIC);
    if (group != FIRN_GROUP_FONTS) return;
    fonts_load();
    firn_decoder_prepare(FIRN_CODEC_SVG);
}

/// Starts a worker, and takes ownership of its socket and its report socket.
static void start_worker(const firn_zygote_request *request, int socket, int report) {
    int fonts[2] = {-1, -1};
    const char *problem = NULL;
    pid_t own = getpid(), process = -1;
    if (request->group > FIRN_GROUP_FONTS || child_count == MOST_WORKERS) {
        problem = "the zygote cannot start another worker";
    } else {
        prepare((firn_worker_group)request->group);
        if (request->group == FIRN_GROUP_FONTS && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fonts))
            problem = "the zygote has no descriptors";
        else if ((process = fork()) < 0)
            problem = "the system starts no process";
    }
    if (process == 0) become_worker(request, socket, fonts[1], own);
    close(socket);
    if (fonts[1] >= 0) close(fonts[1]);
    if (!problem) {
        children[child_count++] = (child){process, report, fonts[0], false};
        return;
    }
    report_end(report, 0, problem);
    close(report);
    if (fonts[0] >= 0) close(fonts[0]);
}

// MARK: Ending

static void wait_for_ended(void) {
    while (true) {
        int status;
        pid_t process = waitpid(-1, &status, WNOHANG);
        if (process <= 0) return;
        for (int i = 0; i < child_count; i++) {
            if (children[i].process != process) continue;
            crash_log_note(process, status);
            report_end(children[i].report, status, "");
            close(children[i].report);
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

/// Handles one request of the program. Returns false at the end.
static bool serve_control(int control) {
    firn_zygote_request request;
    int given[FIRN_PACKET_DESCRIPTORS];
    if (firn_packet_receive(control, &request, sizeof request, given) != sizeof request) return false;
    if (given[0] >= 0 && given[1] >= 0) {
        start_worker(&request, given[0], given[1]);
        return true;
    }
    for (int i = 0; i < FIRN_PACKET_DESCRIPTORS; i++)
        if (given[i] >= 0) close(given[i]);
    return true;
}

/// Handles the poll events of a child's sockets.
static void serve_child(child *child, short fonts, short report) {
    if (fonts && !fonts_reply(child->fonts)) {
        close(child->fonts);
        child->fonts = -1;
    }
    if (!report) return;
    // The worker may have been asked to end without reading the request. A process keeps its number until it is waited
    // for, so the number is still the worker's.
    kill(child->process, SIGKILL);
    child->is_killed = true;
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
        struct pollfd polled[2 + 2 * MOST_WORKERS] = {{control, POLLIN, 0}, {signals, POLLIN, 0}};
        int count = child_count;
        for (int i = 0; i < count; i++) {
            polled[2 + 2 * i] = (struct pollfd){children[i].fonts, POLLIN, 0};
            polled[3 + 2 * i] = (struct pollfd){children[i].is_killed ? -1 : children[i].report, POLLRDHUP, 0};
        }
        if (poll(polled, (nfds_t)(2 + 2 * count), -1) < 0 && errno != EINTR) break;
        // Order: first, because the list of children changes below.
        for (int i = 0; i < count; i++)
            serve_child(&children[i], polled[2 + 2 * i].revents, polled[3 + 2 * i].revents);
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
