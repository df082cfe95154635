import CFirnCodecs
import FirnSync
import FirnSystem
import FoundationEssentials

/// Decides which worker serves a codec, how long it is kept, and what it may use. A pure value.
///
/// A worker may use what the caller allows, not what an image is expected to need: an estimate decides when a decode
/// starts, but never whether.
struct WorkerPolicy {
    let codec: firn_codec
    private let isolation: DecoderIsolation
    let limits: ImageLimits
    private let encodes: Bool

    init(_ codec: firn_codec, _ isolation: DecoderIsolation, _ limits: ImageLimits, encodes: Bool = false) {
        self.codec = codec
        self.isolation = isolation
        self.limits = limits
        self.encodes = encodes
    }

    /// A worker that encodes: without limits, because the program's own images are no attack, and with the threads that
    /// encoders start.
    init(encoding codec: firn_codec) {
        var limits = ImageLimits()
        limits.maximumDecodingTime = nil
        limits.maximumWorkingBytes = .max
        self.init(codec, .none, limits, encodes: true)
    }

    /// The formats that the worker may decode, which decide its system calls.
    var group: firn_worker_group {
        if encodes { return FIRN_GROUP_THREADS }
        return switch codec {
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

    /// True if a worker clears the memory that it frees, because another image follows.
    var isKept: Bool { imagesPerWorker > 1 }

    // MARK: Limits

    /// Address space beside the memory of a decode: the arena, thread stacks, and free heap memory.
    private static let reserve = 64 << 20
    /// Limits are multiples of this, so that most requests have the same limit as the one before.
    private static let step = 8 << 20

    /// The bytes of address space that decoding a file of `input` bytes, as far as they are known, may use:
    /// ``/FirnImage/ImageLimits/maximumWorkingBytes``, and room for the file.
    func memory(input: Int) -> Int {
        let bytes = min(
            max(0, limits.maximumWorkingBytes).saturatingAdd(max(0, input))
                .saturatingAdd(WorkerPolicy.reserve + WorkerPolicy.step - 1), Int.max / 4)
        return bytes / WorkerPolicy.step * WorkerPolicy.step
    }

    /// The most bytes of address space that the worker can ever use, which it cannot raise itself.
    var maximumMemory: Int { memory(input: limits.maximumBytes) }

    /// The CPU time of the worker in seconds.
    ///
    /// The program itself enforces the time limit of an image. This limit is for a worker that computes although no
    /// program waits, and far above the total time of its images.
    var maximumSeconds: Int {
        let most = 1_000_000_000
        guard let time = limits.maximumDecodingTime else { return most }
        let seconds = Int(clamping: time.components.seconds).saturatingMultiply(min(imagesPerWorker, 1_000_000) * 64)
        return min(max(seconds, 3600), most)
    }
}

/// Finds the program `firn-decoder`, and those beside it that decode fewer formats.
enum WorkerProgram {
    private static let name = "firn-decoder"
    /// The paths found so far, so that not every decode searches. Missing programs are searched for again.
    private static let found = Locked<[String: String]>([:])
    /// The programs chosen so far, by the path of the one that decodes a format alone.
    private static let foundBeside = RecentValues<String, String>(capacity: 32)

    /// The error of a program that is required and missing.
    static let missing = ImageError(
        .unsupported, at: .decoding, "\(name) is missing, which this isolation requires; \(advice)",
        underlying: DecoderUnavailable(500))
    /// The warning that images are not isolated because the program is missing.
    static let problem = "\(name) is missing, so images of loaders are decoded in this process; \(advice)"
    private static let advice = "install it beside the program or in libexec, or name it in FIRN_DECODER"

    /// Returns the path of the program; `nil` if there is none.
    static func path(_ isolation: DecoderIsolation) -> String? {
        let key = isolation.decoderPath ?? ""
        if let path = found.withLock({ $0[key] }) { return path }
        let places =
            isolation.decoderPath.map { [$0] }
            ?? places(
                variable: getenv("FIRN_DECODER").map { String(cString: $0) },
                executable: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        guard let path = places.first(where: { access($0, X_OK) == 0 }) else { return nil }
        found.withLock { $0[key] = path }
        return path
    }

    /// Returns the program for a codec: one beside `firn-decoder` that loads no other format's libraries, if there is
    /// one, otherwise `firn-decoder`. `nil` if that is missing.
    static func path(_ isolation: DecoderIsolation, for codec: firn_codec) -> String? {
        guard let path = path(isolation) else { return nil }
        let format = FormatLibraries.format(of: codec)
        let own = path + "-" + (KnownFormat.of(format)?.trait == nil ? "basic" : format.rawValue)
        return foundBeside.value(for: own) { access(own, X_OK) == 0 ? own : path }
    }

    /// The paths where the program may be, best first. The variable is the only one if it is set.
    static func places(variable: String?, executable: String?) -> [String] {
        if let variable, !variable.isEmpty { return [variable] }
        guard let executable, let slash = executable.lastIndex(of: "/") else { return [] }
        let folder = executable[..<slash]
        return ["\(folder)/\(name)", "\(folder)/../libexec/\(name)", "\(folder)/../libexec/firn/\(name)"]
    }
}
