// Serves one image after another: each request is a call of firn_decode.h, firn_hevc.h, firn_encode.h,
// firn_transform.h, or firn_zlib.h.
//
// Requests come from the program that started the worker. They are checked nevertheless, so that a mistake there is an
// error here instead of a crash.
#include "serve.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "confine.h"
#include "describe.h"
#include "encode.h"
#include "memory.h"
#include "metadata.h"
#include "rows.h"
#include "worker.h"
#include "firn_packets.h"

static void starve(size_t bytes) {
    (void)bytes;
    _exit(FIRN_WORKER_STARVED);
}

bool group_decodes(firn_worker_group group, firn_codec codec) {
    switch (codec) {
    case FIRN_CODEC_HEIC: return group == FIRN_GROUP_THREADS;
    case FIRN_CODEC_SVG: return group == FIRN_GROUP_FONTS;
    default: return group == FIRN_GROUP_PLAIN;
    }
}

/// Ends an image.
///
/// - Parameter kept: the number of bytes at the start of the strip that the program still reads, and clears itself.
static void close_image(worker *self, size_t kept) {
    firn_decoder_close(self->decoder);
    self->decoder = NULL;
    units_close(&self->units);
    encoding_close(&self->encoding);
    metadata_close(self);
    shared_area_unmap(&self->surface);
    shared_area_unmap(&self->preview);
    if (self->input_is_lent) self->input = (shared_area){0};
    self->input_is_lent = false;
    shared_area_unmap(&self->input);
    shared_file_close(&self->file);
    if (!self->is_kept || !self->arena.base) return;
    // The program has cleared the inbox, which may already contain the next image.
    if (self->strip_used > kept) memset(strip(self) + kept, 0, self->strip_used - kept);
    self->strip_used = 0;
}

/// Takes the arena passed with a worker's first request.
///
/// - next: the index of the first descriptor that is left.
static int32_t take_arena(
    worker *self, const firn_worker_request *request, int descriptors[2], int *next, firn_worker_reply *reply) {
    *next = 0;
    if (request->flags & FIRN_REQUEST_HAS_MEMORY) {
        int memory = descriptors[0];
        descriptors[(*next)++] = -1;
        if (!shared_area_map(&self->arena, memory, FIRN_ARENA_LENGTH, PROT_READ | PROT_WRITE))
            return fail(reply, FIRN_MEMORY, "no memory for the arena");
    }
    return self->arena.base ? FIRN_OK : fail(reply, FIRN_UNSUPPORTED, "the first request brings the arena");
}

/// Takes the whole input of a request, if any.
static int32_t take_input(worker *self, const firn_worker_request *request, int *descriptor, firn_worker_reply *reply) {
    if (!(request->flags & FIRN_REQUEST_HAS_INPUT)) return FIRN_OK;
    if (request->flags & FIRN_REQUEST_INPUT_IN_INBOX) {
        if (request->input == 0 || request->input > FIRN_ARENA_INBOX)
            return fail(reply, FIRN_UNSUPPORTED, "the input is larger than the inbox");
        self->input_is_lent = true;
        self->input = (shared_area){self->arena.base, (size_t)request->input};
        return FIRN_OK;
    }
    int input = *descriptor;
    *descriptor = -1;
    return shared_area_map(&self->input, input, request->input, PROT_READ) ? FIRN_OK
                                                               : fail(reply, FIRN_MEMORY, "the input cannot be mapped");
}

/// Takes a file that other programs may change: its bytes, or the descriptor for a codec with random access.
static int32_t take_file(worker *self, const firn_worker_request *request, int *descriptor, firn_worker_reply *reply) {
    self->file = (shared_file){*descriptor, request->input};
    *descriptor = -1;
    if (self->file.descriptor < 0) return fail(reply, FIRN_UNSUPPORTED, "the input has no descriptor");
    if (!(request->flags & FIRN_REQUEST_FEEDS_INPUT)) return FIRN_OK;
    return shared_file_copy(&self->file, &self->input) ? FIRN_OK : fail(reply, FIRN_MEMORY, "no memory for the file");
}

static int32_t open_image(
    worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply) {
    close_image(self, 0);
    int next;
    int32_t status = take_arena(self, request, descriptors, &next, reply);
    if (status) return status;
    if (!group_decodes(self->group, (firn_codec)request->codec))
        return fail(reply, FIRN_UNSUPPORTED, "the worker is for other formats");
    self->codec = (firn_codec)request->codec;
    self->decoder = firn_decoder_open(self->codec, &request->limits);
    if (!self->decoder) return fail(reply, FIRN_UNSUPPORTED, "the format is not in this build of firn-decoder");
    self->output = (firn_output){0};
    const uint32_t of_file = FIRN_REQUEST_HAS_INPUT | FIRN_REQUEST_INPUT_IS_FILE;
    const bool is_file = (request->flags & (of_file | FIRN_REQUEST_INPUT_IN_INBOX)) == of_file;
    return (is_file ? take_file : take_input)(self, request, &descriptors[next], reply);
}

/// Reads metadata for the program instead of an image.
static int32_t read_metadata(
    worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply) {
    close_image(self, 0);
    int next;
    int32_t status = take_arena(self, request, descriptors, &next, reply);
    if (!status) status = take_input(self, request, &descriptors[next], reply);
    if (status) return status;
    return request->call == FIRN_CALL_COLORS ? colors_open(self, &request->colors, reply)
                                             : text_unpack(self, request->most, reply);
}

/// Lends the bytes of a request to the decoder.
static void feed(worker *self, const firn_worker_request *request) {
    bool is_last = request->flags & FIRN_REQUEST_LAST;
    if (request->call == FIRN_CALL_OPEN && self->file.descriptor >= 0) {
        const firn_source source = {&self->file, self->file.length, shared_file_read};
        firn_decoder_reach(self->decoder, &source);
    } else if (request->call == FIRN_CALL_OPEN && self->input.base) {
        if (request->flags & FIRN_REQUEST_FEEDS_INPUT) {
            firn_decoder_feed(self->decoder, self->input.base, self->input.length, true);
        } else {
            const firn_source source = {&self->input, self->input.length, shared_area_read};
            firn_decoder_reach(self->decoder, &source);
        }
    } else if (request->flags & FIRN_REQUEST_FEEDS) {
        size_t length = request->fed < FIRN_ARENA_INBOX ? request->fed : FIRN_ARENA_INBOX;
        firn_decoder_feed(self->decoder, self->arena.base, length, is_last);
    }
}

/// Takes the surface passed with a request.
static bool take_memory(worker *self, const firn_worker_request *request, int descriptors[2]) {
    if (!(request->flags & FIRN_REQUEST_HAS_MEMORY)) return true;
    shared_area *target = request->call == FIRN_CALL_PREVIEW ? &self->preview : &self->surface;
    int memory = descriptors[0];
    descriptors[0] = -1;
    return shared_area_map(target, memory, request->surface, PROT_READ | PROT_WRITE);
}

/// Maps the memory passed with a track's first request.
static bool take_track_memory(worker *self, const firn_worker_request *request, int descriptors[2]) {
    if (!(request->flags & FIRN_REQUEST_HAS_MEMORY)) return self->arena.base && self->surface.base;
    int arena = descriptors[0], surface = descriptors[1];
    descriptors[0] = descriptors[1] = -1;
    bool has_arena = shared_area_map(&self->arena, arena, FIRN_ARENA_LENGTH, PROT_READ | PROT_WRITE);
    return shared_area_map(&self->surface, surface, request->surface, PROT_READ | PROT_WRITE) && has_arena;
}

static int32_t decode_units(
    worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply) {
    if (!group_decodes(self->group, FIRN_CODEC_HEIC))
        return fail(reply, FIRN_UNSUPPORTED, "the worker is for other formats");
    // The image's input may be in the arena, which a track's first request replaces.
    if (self->decoder) return fail(reply, FIRN_UNSUPPORTED, "an image is open");
    if (!take_track_memory(self, request, descriptors)) return fail(reply, FIRN_MEMORY, "no memory for the track");
    size_t fed = request->flags & FIRN_REQUEST_FEEDS ? request->fed : 0;
    if (fed > FIRN_ARENA_INBOX) fed = FIRN_ARENA_INBOX;
    return units_decode(
        &self->units, request, self->arena.base, fed, self->surface.base, self->surface.length, reply);
}

static int32_t run(worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply) {
    if (request->call == FIRN_CALL_UNITS) return decode_units(self, request, descriptors, reply);
    if (request->call == FIRN_CALL_COLORS || request->call == FIRN_CALL_UNPACK)
        return read_metadata(self, request, descriptors, reply);
    if (request->call == FIRN_CALL_CONVERT) return colors_convert(self, request->fed, reply);
    if (request->call == FIRN_CALL_TAKE && self->text) return text_take(self, request->first, reply);
    if (is_encoding(request->call)) return encode(self, request, descriptors, reply);
    if (request->call == FIRN_CALL_OPEN) {
        int32_t status = open_image(self, request, descriptors, reply);
        if (status) return status;
    } else if (!self->decoder) {
        return fail(reply, FIRN_UNSUPPORTED, "no image is open");
    } else if (!take_memory(self, request, descriptors)) {
        return fail(reply, FIRN_MEMORY, "no memory for the surface");
    }
    feed(self, request);
    switch (request->call) {
    case FIRN_CALL_OPEN:
    case FIRN_CALL_HEADER: return read_header(self, reply);
    case FIRN_CALL_FRAMES: return describe_frames(self, request->first, reply);
    case FIRN_CALL_PAGE: return read_page(self, request->first, reply);
    case FIRN_CALL_BLOBS: reply->done = copy_blobs(self, request->first); return FIRN_OK;
    case FIRN_CALL_START: return start(self, request, reply);
    case FIRN_CALL_READ: return read_rows(self, request, reply);
    case FIRN_CALL_PREVIEW: return show(self, request, reply);
    default: return fail(reply, FIRN_UNSUPPORTED, "unknown call");
    }
}

/// Overwrites remains of earlier images on the stack.
__attribute__((noinline)) static void clear_stack(void) {
    uint8_t below[64 << 10];
    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

/// Returns whether a request was the last one of its image.
static bool closes(const worker *self, const firn_worker_request *request, const firn_worker_reply *reply) {
    const bool may_go_on = self->surface.base || self->output.restarts || self->output.previews;
    if (!(request->flags & FIRN_REQUEST_CLOSES) || may_go_on) return false;
    switch (request->call) {
    case FIRN_CALL_START: return reply->status == FIRN_OK && reply->read_status == FIRN_END;
    case FIRN_CALL_READ: return reply->status == FIRN_END;
    default: return false;
    }
}

_Noreturn void serve(int socket, firn_worker_group group, bool is_kept, uint64_t mapped) {
    worker self = {.group = group, .is_kept = is_kept, .file = {-1, 0}};
    memory_set_clearing(is_kept);
    memory_set_refusal(starve);
    // Separate, since spins between images often fail.
    firn_packet_spin in_image = {0}, after_image = {0};
    firn_packet_spin *spin = NULL;
    while (true) {
        firn_worker_request request;
        int descriptors[FIRN_PACKET_DESCRIPTORS];
        long count = firn_packet_receive_spinning(socket, &request, sizeof request, descriptors, spin);
        if (count != sizeof request) _exit(0);
        spin = NULL;
        firn_worker_reply reply;
        memset(&reply, 0, sizeof reply);
        if (request.call == FIRN_CALL_CLOSE) {
            close_image(&self, 0);
            if (!is_kept) _exit(0);
            clear_stack();
            continue;
        }
        if (!confine_step(request.memory ? mapped + request.memory : 0)) _exit(1);
        reply.call = request.call;
        reply.status = run(&self, &request, descriptors, &reply);
        for (int i = 0; i < FIRN_PACKET_DESCRIPTORS; i++)
            if (descriptors[i] >= 0) close(descriptors[i]);
        bool has_failed = reply.status > FIRN_END || (reply.call == FIRN_CALL_START && reply.read_status > FIRN_END);
        if (has_failed && self.decoder && !reply.message[0])
            strncpy(reply.message, firn_decoder_message(self.decoder), sizeof reply.message - 1);
        reply.is_closed = closes(&self, &request, &reply);
        if (!firn_packet_send(socket, &reply, sizeof reply, NULL, 0)) _exit(0);
        if (request.flags & FIRN_REQUEST_IS_SMALL && reply.status <= FIRN_END)
            spin = reply.is_closed ? &after_image : &in_image;
        if (!reply.is_closed) continue;
        // The program is reading the rows at this time.
        close_image(&self, (size_t)reply.done * reply.stride);
        clear_stack();
    }
}
