// The protocol between a program and `firn-decoder`, the process that decodes for it (Documentation/Isolation.md).
//
// Every message is one packet of a SOCK_SEQPACKET socket and contains one of the structs below. Both sides are built
// together, so the structs are the format; `FIRN_WORKER_VERSION` guards against a program from another build.
//
//     program → zygote, descriptor 3 of the zygote:   firn_zygote_request, with the worker's socket and its
//                                                     report socket
//     zygote → program, once:                         firn_zygote_hello
//     worker → program, first:                        firn_worker_reply STARTED or UNCONFINED
//     program → worker:                               firn_worker_request, with descriptors for `surface` and `input`
//     worker → program, one for each request:         firn_worker_reply
//     zygote → program, on the report socket:         firn_worker_reply ENDED, once the worker has ended
//
// A worker reads a request only after its first packet, so no image can influence that packet. It does not have the
// report socket. The zygote kills the worker when the program closes the report socket or stops writing to it.
//
// A worker also encodes, for libraries that can end their process: CANVAS ADD+ FINISH TAKE*; converts the colors of a
// profile: COLORS CONVERT* CLOSE; and decompresses a text: UNPACK TAKE* CLOSE.
//
// Grammar of the requests for one image: OPEN HEADER* FRAMES* (PAGE* START (READ | PREVIEW)*)* CLOSE; each may feed
// bytes before it runs. For one track of an HEVC sequence: UNITS* CLOSE. CLOSE has no reply. If the reply to a START or
// READ says that the image is closed, no CLOSE follows.
//
// Memory is shared through descriptors that the program creates, sizes and seals; a worker maps them. The arena lives
// as long as the worker: `FIRN_ARENA_INBOX` bytes for input, then the strip, for rows, frames and blobs. An image that
// must be decoded to its whole memory gets a separate surface.
#ifndef FIRN_WORKER_H
#define FIRN_WORKER_H

#include "firn_decode.h"
#include "firn_encode.h"
#include "firn_transform.h"

enum {
    FIRN_WORKER_VERSION = 13,
    FIRN_ARENA_INBOX = 256 << 10,
    FIRN_ARENA_STRIP = 1 << 20,
    FIRN_ARENA_LENGTH = FIRN_ARENA_INBOX + FIRN_ARENA_STRIP,
    /// The alignment of rows, in bytes.
    FIRN_ROW_ALIGNMENT = 64,
    /// The exit status of a worker that exceeded its memory limit.
    FIRN_WORKER_STARVED = 3,
};

/// The groups of formats for workers. The group determines the worker's permissions.
typedef enum {
    /// JPEG, PNG, WebP, TIFF, AVIF, JPEG XL: one thread, no file.
    FIRN_GROUP_PLAIN,
    /// HEIC: libde265 starts a thread.
    FIRN_GROUP_THREADS,
    /// SVG: threads, and fonts, whose descriptors the zygote hands out.
    FIRN_GROUP_FONTS,
} firn_worker_group;

/// Starts a worker.
typedef struct {
    uint32_t group;
    /// True if the worker decodes several images and therefore clears freed memory.
    uint32_t is_kept;
    /// The worker's hard limits: bytes of address space in addition to the program's own, and seconds of CPU time.
    uint64_t memory;
    uint64_t seconds;
} firn_zygote_request;

typedef struct {
    uint32_t version;
    uint32_t padding;
    /// Bit n is set if codec n is in this build.
    uint64_t codecs;
} firn_zygote_hello;

typedef enum {
    FIRN_CALL_OPEN = 1,
    FIRN_CALL_HEADER,
    FIRN_CALL_FRAMES,
    FIRN_CALL_BLOBS,
    /// Describes the page `first`, in the form of HEADER.
    FIRN_CALL_PAGE,
    FIRN_CALL_START,
    FIRN_CALL_READ,
    FIRN_CALL_PREVIEW,
    /// Feeds units to an HEVC decoder (firn_hevc.h) and decodes until an image is ready. The fed bytes are records: the
    /// length of a unit and its sample number, 32 bits each, then the unit. A record may continue in the next request.
    /// FIRN_REQUEST_LAST means that no units follow. The first request passes the arena and the surface.
    FIRN_CALL_UNITS,
    FIRN_CALL_CLOSE,
    /// Starts encoding an animation, or a still as a one-frame animation. The inbox contains a firn_worker_canvas.
    /// Passes the arena, and with FIRN_REQUEST_HAS_INPUT the color profile of `input` bytes.
    FIRN_CALL_CANVAS,
    /// Adds a frame. The inbox contains a firn_worker_image; the surface passed with the request contains its rows, its
    /// profile and its EXIF data, one after the other.
    FIRN_CALL_ADD,
    /// Ends the file. In the reply, `stride` is its length; its first `done` bytes are in the strip.
    FIRN_CALL_FINISH,
    /// Copies further bytes of the file or the unpacked text to the strip, starting at `first`.
    FIRN_CALL_TAKE,
    /// Creates a transform (firn_transform.h) from the profile to the target's; both are the `input` bytes. In the
    /// reply, `read_status` is the firn_color_result.
    FIRN_CALL_COLORS,
    /// Converts the `fed` pixels at the start of the strip, without gaps: in place if both layouts have the same size,
    /// otherwise to the second half of the strip.
    FIRN_CALL_CONVERT,
    /// Decompresses a zlib stream of `input` bytes to at most `most` bytes. In the reply, `stride` is the length; the
    /// first `done` bytes are in the strip.
    FIRN_CALL_UNPACK,
    /// Only in replies of the zygote: the worker has ended. `status` is its wait status; if it did not start, `message`
    /// says why.
    FIRN_CALL_ENDED,
    /// Only in the worker's first reply: it could not be confined and ends. `message` says why.
    FIRN_CALL_UNCONFINED,
    /// Only in the worker's first reply: it is confined. Passes a descriptor of the process, if the kernel supports
    /// them, by which the program can kill it.
    FIRN_CALL_STARTED,
} firn_worker_call;

enum {
    /// The request feeds `fed` bytes of the inbox before the call.
    FIRN_REQUEST_FEEDS = 1,
    /// No bytes follow the fed ones.
    FIRN_REQUEST_LAST = 2,
    /// The first descriptor is the arena (with OPEN, COLORS and UNPACK), or a surface of `surface` bytes (with READ and
    /// PREVIEW).
    FIRN_REQUEST_HAS_MEMORY = 4,
    /// The next descriptor is the whole input of `input` bytes, unless the inbox contains it; with OPEN, COLORS and
    /// UNPACK.
    FIRN_REQUEST_HAS_INPUT = 8,
    /// The input is fed in one piece; otherwise the codec reads it with random access.
    FIRN_REQUEST_FEEDS_INPUT = 16,
    /// START continues with READ if rows come in order.
    FIRN_REQUEST_READS = 32,
    /// With FIRN_REQUEST_HAS_INPUT: the inbox contains the input, which has no descriptor.
    FIRN_REQUEST_INPUT_IN_INBOX = 64,
    /// With START and READ: an image without surface, previews and further starts is closed at its end.
    FIRN_REQUEST_CLOSES = 128,
    /// The image is small: the worker spins for the next request, for this or another image.
    FIRN_REQUEST_IS_SMALL = 256,
    /// With OPEN and FIRN_REQUEST_HAS_INPUT: the descriptor is a file that other programs may change. It is read, not
    /// mapped; a codec that takes it in one piece gets a copy.
    FIRN_REQUEST_INPUT_IS_FILE = 512,
};

/// A color transform: a firn_model, two firn_layout values, and the target. The profile has `source` bytes; the
/// target's follows it, and is sRGB if no bytes follow.
typedef struct {
    uint32_t model, from, to, relative;
    uint64_t source;
} firn_worker_colors;

typedef struct {
    uint32_t call;
    uint32_t flags;
    uint32_t codec;
    uint32_t fed;
    uint64_t input;
    uint64_t surface;
    /// The row stride of a surface in bytes.
    uint64_t stride;
    /// The first frame to describe, the page to describe, the first byte of the blobs to copy, or with UNITS the sample
    /// whose image is copied to the surface.
    uint64_t first;
    /// Bytes of address space in addition to the process's own from now on; 0: unchanged.
    uint64_t memory;
    /// With UNPACK: the maximum number of bytes.
    uint64_t most;
    firn_worker_colors colors;
    firn_limits limits;
    firn_options options;
} firn_worker_request;

/// `firn_canvas` without pointers, plus the options of the codec.
typedef struct {
    uint32_t width, height;
    uint32_t plays;
    uint32_t still, opaque;
    union {
        firn_avif_options avif;
        firn_jxl_options jxl;
    } options;
} firn_worker_canvas;

/// `firn_image` without pointers.
typedef struct {
    uint32_t width, height;
    uint32_t layout;
    uint32_t opaque;
    uint32_t milliseconds;
    uint16_t primaries, transfer;
    firn_mastering mastering;
    uint64_t stride;
    uint64_t icc_length, exif_length;
} firn_worker_image;

// No member below is a bool or an enum, because a malicious worker may send any bytes.

typedef struct {
    uint16_t primaries, transfer;
    uint32_t gamma;
    uint32_t has_chromaticities;
    uint32_t chromaticities[8];
} firn_worker_color;

typedef struct {
    uint32_t width, height, duration, alpha;
    /// A firn_extent.
    uint32_t extent;
    uint32_t orientation;
} firn_worker_frame;

typedef struct {
    uint32_t width, height;
    uint32_t whole, in_order, previews, restarts;
    uint64_t bytes_needed;
    firn_area area;
} firn_worker_output;

/// `firn_header` without pointers. The blobs follow one another: durations, profile, EXIF, XMP.
typedef struct {
    uint32_t width, height;
    uint32_t orientation;
    uint32_t bit_depth;
    uint32_t space;
    uint32_t frames;
    int64_t loops;
    uint64_t working_bytes;
    uint64_t durations_length, icc_length, exif_length, xmp_length;
    firn_worker_color color;
    uint32_t pixels_per_metre_x, pixels_per_metre_y;
    uint32_t alpha, progressive, animated;
    double vector_width, vector_height;
    uint32_t surfaces, padding;
} firn_worker_header;

/// A plane of an image in the surface; absent if the width is 0.
typedef struct {
    uint64_t offset, stride;
    uint32_t width, height, bits, padding;
} firn_worker_plane;

typedef struct {
    uint32_t call;
    /// A firn_status; with FIRN_CALL_ENDED, the wait status.
    int32_t status;
    /// With a START that also reads: the status of the read, whose rows are in the strip; FIRN_PAUSE if nothing was
    /// read. With an encoder's failure: the firn_encode_fault.
    int32_t read_status;
    /// The number of rows done, or of frames or bytes in the strip.
    uint32_t done;
    /// True if the image is closed. Only its rows in the strip are left, which the program clears.
    uint32_t is_closed;
    uint32_t padding;
    firn_worker_header header;
    /// With HEADER: frame 0.
    firn_worker_frame frame;
    firn_worker_output output;
    /// The row stride of the strip in bytes.
    uint64_t stride;
    /// With UNITS: the sample of the image that is ready, and its planes if it is the requested one.
    int64_t sample;
    firn_worker_plane planes[3];
    char message[200];
} firn_worker_reply;

/// Loads anything that a codec's library would otherwise read from disk while decoding: fonts, plugins, loaders.
///
/// For a process that is about to give up opening files. Starts no thread.
void firn_decoder_prepare(firn_codec codec);

/// Returns a bit for each codec in this build.
uint64_t firn_decoder_codecs(void);

#endif
