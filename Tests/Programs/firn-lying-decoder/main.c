// A faulty stand-in for firn-decoder: byte 8 of its input selects the fault. An image is 2 x 2 pixels of the byte 7.
//
// It is neither confined nor fast. The tests check only that the program that uses it gets an error.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "firn_packets.h"
#include "firn_worker.h"

enum lie {
    HONEST, HUGE_IMAGE, NO_REPLY, HALF_A_REPLY, TWO_REPLIES, EXTRA_DESCRIPTORS, MANY_ROWS, SHORT_STRIDE, HUGE_STRIDE,
    SILENCE, MISSING_BLOBS, LONG_BLOBS, WILD_MESSAGE, UNKNOWN_STATUS, RESIZED_MEMORY, OTHER_CALL, WHOLE_ROWS, NO_ROWS,
    EARLY_END, NO_FRAMES, RANDOM_BYTES, EMPTY_IMAGE, HUGE_OUTPUT, LONG_REPLY, CLOSED_IMAGE, CLOSED_WHOLE,
    FORGED_END, FORGED_UNCONFINED, FORGED_START, DRIPPED_BLOBS, IGNORED_CLOSE, NO_LIE
};

static unsigned seed = 1;

static void randomize(void *target, size_t count) {
    for (uint8_t *byte = target; count-- > 0; byte++) *byte = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);
}

static void lie_about_header(enum lie lie, firn_worker_reply *reply) {
    reply->header = (firn_worker_header){
        .width = 2, .height = 2, .orientation = 1, .bit_depth = 8, .space = FIRN_SPACE_RGB, .frames = 1, .loops = -1};
    reply->frame = (firn_worker_frame){.width = 2, .height = 2};
    switch (lie) {
    case HUGE_IMAGE: reply->header.width = reply->header.height = UINT32_MAX; break;
    case EMPTY_IMAGE: reply->header.width = 0; break;
    case MISSING_BLOBS: reply->header.icc_length = 4 << 20; break;
    case LONG_BLOBS:
        reply->header.exif_length = UINT64_MAX / 2;
        reply->done = UINT32_MAX;
        break;
    case NO_FRAMES: reply->header.frames = 3; break;
    case DRIPPED_BLOBS:
        reply->header.exif_length = 64 << 20;
        reply->done = 1;
        break;
    case WILD_MESSAGE:
        reply->status = FIRN_DATA;
        memset(reply->message, '\x1b', sizeof reply->message);
        break;
    case UNKNOWN_STATUS: reply->status = 77; break;
    case OTHER_CALL: reply->call = FIRN_CALL_READ; break;
    default: break;
    }
}

static void lie_about_rows(enum lie lie, firn_worker_reply *reply) {
    reply->output = (firn_worker_output){.width = 2, .height = 2};
    reply->stride = 64;
    reply->read_status = FIRN_END;
    reply->done = 2;
    switch (lie) {
    case MANY_ROWS: reply->done = 1000000; break;
    case SHORT_STRIDE: reply->stride = 1; break;
    case HUGE_STRIDE: reply->stride = UINT64_MAX - 7; break;
    case WHOLE_ROWS:
        reply->output.whole = 0xFFFFFFFF;
        reply->read_status = FIRN_PAUSE;
        break;
    case NO_ROWS:
        reply->read_status = FIRN_OK;
        reply->done = 0;
        break;
    case EARLY_END: reply->done = 1; break;
    case CLOSED_IMAGE: reply->is_closed = UINT32_MAX; break;
    case CLOSED_WHOLE:
        reply->output.whole = reply->is_closed = 1;
        reply->stride = UINT64_MAX;
        break;
    case HUGE_OUTPUT: reply->output.width = reply->output.height = UINT32_MAX; break;
    default: break;
    }
}

/// What a worker says of a sequence's images; the number of the worker decides which.
enum unit_lie {
    UNASKED_IMAGES, WIDE_PLANE, TALL_PLANE, FAR_PLANE, WILD_OFFSET, WILD_STRIDE, NARROW_STRIDE, MANY_BITS, NO_PLANES,
    OTHER_SIZE, EARLY_SEQUENCE_END, ENDLESS_HUNGER, NEGATIVE_SAMPLE, UNKNOWN_UNIT_STATUS, WILD_UNIT_MESSAGE, NO_UNIT_LIE
};

static void lie_about_units(unsigned number, const firn_worker_request *request, firn_worker_reply *reply) {
    const firn_worker_plane plane = {.offset = 0, .stride = 64, .width = 8, .height = 8, .bits = 8};
    reply->sample = (int64_t)request->first;
    for (int i = 0; i < 3; i++) reply->planes[i] = plane;
    switch ((enum unit_lie)(number % NO_UNIT_LIE)) {
    case UNASKED_IMAGES: reply->sample = 1000000; break;
    case WIDE_PLANE: reply->planes[0].width = UINT32_MAX; break;
    case TALL_PLANE: reply->planes[1].height = UINT32_MAX; break;
    case FAR_PLANE: reply->planes[2].offset = 1 << 30; break;
    case WILD_OFFSET: reply->planes[0].offset = UINT64_MAX - 63; break;
    case WILD_STRIDE: reply->planes[0].stride = UINT64_MAX / 2; break;
    case NARROW_STRIDE: reply->planes[0].stride = 1; break;
    case MANY_BITS: reply->planes[0].bits = 40; break;
    case NO_PLANES: memset(reply->planes, 0, sizeof reply->planes); break;
    case EARLY_SEQUENCE_END: reply->status = FIRN_END; break;
    case ENDLESS_HUNGER: reply->status = FIRN_NEED_DATA; break;
    case NEGATIVE_SAMPLE: reply->sample = INT64_MIN; break;
    case UNKNOWN_UNIT_STATUS: reply->status = -5; break;
    case WILD_UNIT_MESSAGE:
        reply->status = FIRN_DATA;
        memset(reply->message, '\x9b', sizeof reply->message);
        break;
    default: break;
    }
}

/// What a worker says of a text or a color profile: its first byte decides which.
enum metadata_lie {
    HONEST_TEXT, LONG_TEXT, ENDLESS_TEXT, LONG_PIECE, SECOND_PIECE, UNKNOWN_RESULT, FEW_PIXELS, FAILED_PIXELS,
    NO_METADATA_LIE
};

static void lie_about_metadata(
    enum metadata_lie lie, const firn_worker_request *request, firn_worker_reply *reply) {
    switch (request->call) {
    case FIRN_CALL_UNPACK:
        reply->stride = lie == LONG_TEXT ? UINT64_MAX : 4;
        reply->done = lie == LONG_TEXT || lie == LONG_PIECE ? UINT32_MAX
            : lie == ENDLESS_TEXT                            ? 0
            : lie == SECOND_PIECE                            ? 1
                                                             : 4;
        break;
    case FIRN_CALL_TAKE: reply->done = 4; break;
    case FIRN_CALL_COLORS: reply->read_status = lie == UNKNOWN_RESULT ? 99 : FIRN_COLOR_TRANSFORM; break;
    default:
        reply->done = lie == FEW_PIXELS ? 0 : request->fed;
        if (lie == FAILED_PIXELS) reply->status = FIRN_DATA;
    }
}

/// Serves one image; the process ends with it.
///
/// - claim: set to the end that is claimed before the process crashes.
static void serve(int socket, unsigned number, firn_worker_call *claim) {
    uint8_t *arena = NULL;
    enum lie lie = HONEST;
    enum metadata_lie metadata = HONEST_TEXT;
    while (1) {
        firn_worker_request request;
        int given[FIRN_PACKET_DESCRIPTORS];
        bool goes_on = firn_packet_receive(socket, &request, sizeof request, given) == sizeof request
            && request.call != FIRN_CALL_CLOSE;
        while (!goes_on && lie == IGNORED_CLOSE) pause();
        if (!goes_on) return;
        firn_worker_reply reply;
        memset(&reply, 0, sizeof reply);
        reply.call = request.call;
        if (request.call == FIRN_CALL_OPEN) {
            arena = mmap(NULL, FIRN_ARENA_LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, given[0], 0);
            if (arena == MAP_FAILED) return;
            uint8_t byte = HONEST;
            if (request.flags & FIRN_REQUEST_INPUT_IN_INBOX) byte = arena[8];
            else if (given[1] < 0 || pread(given[1], &byte, 1, 8) != 1) byte = HONEST;
            if (byte < NO_LIE) lie = (enum lie)byte;
            memset(arena + FIRN_ARENA_INBOX, 7, 4096);
            // A program that did not seal its memory would end at the next access.
            if (lie == RESIZED_MEMORY && (ftruncate(given[0], 0) == 0 || ftruncate(given[0], 1 << 30) == 0)) return;
            lie_about_header(lie, &reply);
        } else if (request.call == FIRN_CALL_BLOBS && lie == DRIPPED_BLOBS) {
            // Slow, but far within the limit of one call.
            for (int i = 0; i < 1000; i++) sched_yield();
            reply.done = 1;
        } else if (request.call == FIRN_CALL_UNPACK || request.call == FIRN_CALL_COLORS) {
            arena = mmap(NULL, FIRN_ARENA_LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, given[0], 0);
            if (arena == MAP_FAILED) return;
            metadata = (enum metadata_lie)(arena[0] % NO_METADATA_LIE);
            memset(arena + FIRN_ARENA_INBOX, 'x', 4);
            lie_about_metadata(metadata, &request, &reply);
        } else if (request.call == FIRN_CALL_CONVERT || (request.call == FIRN_CALL_TAKE && arena)) {
            lie_about_metadata(metadata, &request, &reply);
        } else if (request.call == FIRN_CALL_UNITS) {
            lie_about_units(number, &request, &reply);
        } else if (request.call == FIRN_CALL_CANVAS) {
            arena = mmap(NULL, FIRN_ARENA_LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, given[0], 0);
            if (arena == MAP_FAILED) return;
        } else if (request.call == FIRN_CALL_ADD) {
            firn_worker_image image;
            memcpy(&image, arena, sizeof image);
            // A library that asserts something.
            if (image.milliseconds == 13) abort();
        } else if (request.call == FIRN_CALL_FINISH) {
            reply.stride = UINT64_C(1) << 40;
            reply.done = 1;
        } else if (request.call == FIRN_CALL_START) {
            lie_about_rows(lie, &reply);
        } else if (request.call == FIRN_CALL_READ) {
            reply.status = FIRN_END;
            reply.done = lie == WHOLE_ROWS ? 1000 : 2;
        }
        size_t length = lie == HALF_A_REPLY ? sizeof reply / 2 : sizeof reply;
        struct { firn_worker_reply reply; char more[100]; } longer = {.reply = reply};
        switch (lie) {
        case NO_REPLY: return;
        case SILENCE: pause(); return;
        case RANDOM_BYTES:
            randomize(&reply, sizeof reply);
            if (seed & 1) reply.call = request.call;
            break;
        case EXTRA_DESCRIPTORS: firn_packet_send(socket, &reply, length, (int[]){0, 1}, 2); continue;
        case LONG_REPLY: firn_packet_send(socket, &longer, sizeof longer, NULL, 0); continue;
        case FORGED_END:
        case FORGED_UNCONFINED:
        case FORGED_START:
            *claim = lie == FORGED_END ? FIRN_CALL_ENDED
                : lie == FORGED_START  ? FIRN_CALL_STARTED
                                       : FIRN_CALL_UNCONFINED;
            abort();
        case TWO_REPLIES: firn_packet_send(socket, &reply, length, NULL, 0); break;
        default: break;
        }
        firn_packet_send(socket, &reply, length, NULL, 0);
    }
}

enum { CONTROL = 3 };

_Noreturn static void work(int socket, unsigned number, firn_worker_call *claim) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const firn_worker_reply started = {.call = FIRN_CALL_STARTED};
    int own = (int)syscall(SYS_pidfd_open, getpid(), 0);
    firn_packet_send(socket, &started, sizeof started, &own, own >= 0);
    if (own >= 0) close(own);
    serve(socket, number, claim);
    _exit(0);
}

/// Starts a worker, and a process that reports its end. An end that the worker claims is sent after that report, so that
/// the program finds both, however slow the machine is.
static void start(int socket, int report, unsigned number) {
    if (fork() != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_DFL);
    close(CONTROL);
    firn_worker_call *claim = mmap(NULL, sizeof *claim, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (claim == MAP_FAILED) _exit(1);
    const pid_t process = fork();
    if (process == 0) {
        close(report);
        work(socket, number, claim);
    }
    firn_worker_reply ended = {.call = FIRN_CALL_ENDED};
    if (waitpid(process, &ended.status, 0) == process) firn_packet_send(report, &ended, sizeof ended, NULL, 0);
    if (*claim) {
        firn_worker_reply claimed = {.call = *claim, .message = "an end that is none"};
        firn_packet_send(socket, &claimed, sizeof claimed, NULL, 0);
    }
    _exit(0);
}

int main(void) {
    signal(SIGCHLD, SIG_IGN);
    // As firn-decoder does. The program reads nothing from there once it has the first packet.
    const int null = open("/dev/null", O_RDWR);
    if (null >= 0) dup2(null, 2);
    const firn_zygote_hello hello = {.version = FIRN_WORKER_VERSION, .codecs = UINT64_MAX};
    firn_packet_send(CONTROL, &hello, sizeof hello, NULL, 0);
    for (unsigned number = 1;; number++) {
        firn_zygote_request request;
        int given[FIRN_PACKET_DESCRIPTORS];
        if (firn_packet_receive(CONTROL, &request, sizeof request, given) != sizeof request) return 0;
        seed = number;
        if (given[0] >= 0) start(given[0], given[1], number);
        for (int i = 0; i < FIRN_PACKET_DESCRIPTORS; i++)
            if (given[i] >= 0) close(given[i]);
    }
}
