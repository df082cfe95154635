import CFirnCodecs
import FirnImage

/// Decides which worker serves a codec, how long it is kept, and what it may use: a value, without effects.
struct WorkerPolicy {
    /// What a step of a decode may use in a worker.
    struct Budget: Equatable {
        /// Bytes of address space beyond the worker's own.
        var memory: Int
        /// Microseconds of CPU time.
        var microseconds: Int
    }

    let codec: firn_codec
    private let isolation: DecoderIsolation
    private let limits: ImageLimits

    init(_ codec: firn_codec, _ isolation: DecoderIsolation, _ limits: ImageLimits) {
        self.codec = codec
        self.isolation = isolation
        self.limits = limits
    }

    /// The format that a codec decodes.
    static func format(_ codec: firn_codec) -> ImageFormat {
        switch codec {
        case FIRN_CODEC_JPEG: .jpeg
        case FIRN_CODEC_PNG: .png
        case FIRN_CODEC_WEBP: .webp
        case FIRN_CODEC_AVIF: .avif
        case FIRN_CODEC_HEIC: .heic
        case FIRN_CODEC_JXL: .jxl
        case FIRN_CODEC_TIFF: .tiff
        default: .svg
        }
    }

    /// What the worker may decode, and so which system calls it may make.
    var group: firn_worker_group {
        switch codec {
        case FIRN_CODEC_HEIC: FIRN_GROUP_THREADS
        case FIRN_CODEC_SVG: FIRN_GROUP_FONTS
        default: FIRN_GROUP_PLAIN
        }
    }

    /// The number of images that one worker decodes.
    var imagesPerWorker: Int {
        switch codec {
        case FIRN_CODEC_JPEG, FIRN_CODEC_PNG, FIRN_CODEC_WEBP: max(1, isolation.imagesPerProcess)
        default: 1
        }
    }

    /// Whether a worker clears the memory that it frees, because another image follows.
    var isKept: Bool { imagesPerWorker > 1 }

    // MARK: Budgets

    /// Memory that a library needs for anything: tables, caches, small images.
    private static let leastMemory = 64 << 20
    /// Memory is given in multiples of this, so that most steps have the limit of the one before.
    private static let memoryStep = 8 << 20
    /// Pixels of drawings need a surface, one for a group with an effect, and one for its mask.
    private static let bytesPerDrawnPixel = 12

    /// The most that a worker of this codec can ever use, which it cannot raise itself.
    var most: Budget {
        let memory = WorkerPolicy.sum(limits.maximumWorkingBytes, limits.maximumBytes, WorkerPolicy.leastMemory * 4)
        return Budget(memory: memory, microseconds: isKept ? 3_600_000_000 : 600_000_000)
    }

    /// What reading the header of a file of `input` bytes may use.
    func header(input: Int) -> Budget {
        // A document is parsed as a whole: its tree takes 16 times its text.
        let document = codec == FIRN_CODEC_SVG ? WorkerPolicy.product(input, 16) : input
        return bounded(
            memory: WorkerPolicy.sum(WorkerPolicy.leastMemory, input, document),
            milliseconds: WorkerPolicy.sum(1000, WorkerPolicy.product(input, 100) >> 20))
    }

    /// What decoding an image may use.
    ///
    /// - Parameters:
    ///   - size: the stored size.
    ///   - least: the size requested; drawings are rendered at it.
    ///   - workingBytes: what the decoder says that it needs, apart from the image.
    ///   - input: the bytes of the file, as far as they are known.
    ///   - frame: the index of the frame; those before it may have to be decoded, too.
    func decode(size: PixelSize, least: PixelSize?, workingBytes: Int, input: Int, frame: Int = 0) -> Budget {
        let isDrawn = codec == FIRN_CODEC_SVG
        let stored = WorkerPolicy.product(size.width, size.height)
        let drawn = least.map { WorkerPolicy.product($0.width, $0.height) } ?? stored
        let needed =
            isDrawn
            ? WorkerPolicy.sum(
                WorkerPolicy.product(max(stored, drawn), WorkerPolicy.bytesPerDrawnPixel),
                WorkerPolicy.product(input, 16))
            : WorkerPolicy.sum(workingBytes, workingBytes / 4)
        let pixels = isDrawn ? drawn : WorkerPolicy.product(stored, WorkerPolicy.sum(frame, 1))
        return bounded(
            memory: WorkerPolicy.sum(WorkerPolicy.leastMemory, input, needed),
            milliseconds: WorkerPolicy.sum(
                codec == FIRN_CODEC_HEIC ? 800 : 1000, WorkerPolicy.product(pixels, isDrawn ? 25 : 50) / 1_000_000,
                WorkerPolicy.product(input, 150) >> 20))
    }

    /// The microseconds of CPU time that further bytes of the file add.
    func added(input: Int) -> Int { WorkerPolicy.product(input, 150_000) >> 20 }

    private func bounded(memory: Int, milliseconds: Int) -> Budget {
        let scaled = Double(milliseconds) * 1000 * max(isolation.timeScale, 0)
        let steps = WorkerPolicy.sum(memory, WorkerPolicy.memoryStep - 1) / WorkerPolicy.memoryStep
        return Budget(
            memory: min(steps * WorkerPolicy.memoryStep, most.memory),
            microseconds: Int(min(max(scaled, 1), Double(most.microseconds))))
    }

    private static func sum(_ values: Int...) -> Int {
        values.reduce(0) { total, value in
            let (sum, overflow) = total.addingReportingOverflow(max(0, value))
            return overflow ? Int.max / 4 : min(sum, Int.max / 4)
        }
    }

    private static func product(_ one: Int, _ other: Int) -> Int {
        let (product, overflow) = max(0, one).multipliedReportingOverflow(by: max(0, other))
        return overflow ? Int.max / 4 : min(product, Int.max / 4)
    }
}
