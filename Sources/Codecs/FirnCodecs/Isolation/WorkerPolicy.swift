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

/// The formats that are decoded in confined processes of their own, by the program `firn-decoder`.
///
/// A damaged or hostile file of such a format can end, starve or read only the process that decodes it: its decode
/// fails, and the next image gets a fresh process. Formats whose decoders are written in Swift (GIF, BMP, ICO, QOI)
/// always stay in the program's own process; the JPEG and PNG images that ICO and BMP embed follow those formats. See
/// Documentation/Isolation.md.
///
/// ```swift
/// DecoderIsolation.standard = .all
/// ```
public struct DecoderIsolation: Hashable, Sendable {
    /// The formats that are decoded in another process. Those that no C library decodes are ignored.
    public var formats: Set<ImageFormat>

    /// The formats that are decoded in another process, beside ``formats``, if a loader delivered the file: files from
    /// a network, even from a cache, and addresses from outside of the program
    /// (`ImageRequest.Options.untrustedAddress`). Default: none.
    public var loadedFormats: Set<ImageFormat> = []

    /// True if decodes fail without `firn-decoder`; otherwise the program's own process decodes. Default: `true`.
    public var isRequired = true

    /// The number of images that a process decodes before another one replaces it, for JPEG, PNG and WebP. Default: 64.
    ///
    /// Freed memory is cleared after each image. With 1, no two images share a process. HEIC, AVIF, JPEG XL, TIFF and
    /// SVG always have a process for each image.
    public var imagesPerProcess = 64

    /// The path of `firn-decoder`; `nil` (the default) to look at `FIRN_DECODER`, beside the running program, and in
    /// `../libexec` and `../libexec/firn` from there.
    public var decoderPath: String?

    /// Isolates `formats`.
    public init(formats: Set<ImageFormat>) { self.formats = formats }

    /// All formats are decoded in the program's own process.
    public static let none = DecoderIsolation(formats: [])

    /// The formats with the largest libraries: HEIC, AVIF, JPEG XL, TIFF, SVG.
    public static let complexFormats = DecoderIsolation(
        formats: Set(KnownFormat.all.filter { $0.trait != nil }.map(\.format)))

    /// All formats that a C library decodes: for programs that decode images of unknown origin, such as servers.
    public static let all = DecoderIsolation(formats: FormatLibraries.formats)

    /// The origin decides: files of loaders are decoded as by ``all``, the program's own files as by
    /// ``complexFormats``. Without `firn-decoder`, the program's own process decodes, and a pipeline sends the event
    /// `isolationUnavailable` once. The default of ``standard``.
    public static let automatic: DecoderIsolation = {
        var isolation = complexFormats
        isolation.loadedFormats = all.formats
        isolation.isRequired = false
        return isolation
    }()

    /// The isolation of all decoders without their own. Default: ``automatic``.
    ///
    /// A change applies to later decodes.
    public static var standard: DecoderIsolation {
        get { standardValue.withLock { $0 } }
        set { standardValue.withLock { $0 = newValue } }
    }

    private static let standardValue = Locked<DecoderIsolation>(.automatic)

    /// A choice on a command line.
    package enum Name: String, CaseIterable, Sendable { case all, complex, none }

    /// Creates a choice of a command line.
    package init(_ name: Name) {
        switch name {
        case .all: self = .all
        case .complex: self = .complexFormats
        case .none: self = .none
        }
    }

    /// Checks that `firn-decoder` exists if it is required.
    ///
    /// - Throws: ``/FirnImage/ImageError/Fault/unsupported`` if it is missing.
    public func check() throws(ImageError) {
        guard isRequired, !formats.isEmpty || !loadedFormats.isEmpty, WorkerProgram.path(self) == nil else { return }
        throw WorkerProgram.missing
    }

    /// Returns whether a format's decoder runs in another process.
    ///
    /// - Parameter origin: the origin of the file. Default: the program.
    package func isolates(_ format: ImageFormat, from origin: ImageOrigin = .program) -> Bool {
        wants(format, from: origin) && (isRequired || WorkerProgram.path(self) != nil)
    }

    /// Returns whether a format's decoder should run in another process.
    func wants(_ format: ImageFormat, from origin: ImageOrigin) -> Bool {
        formats.contains(format) || (origin == .loader && loadedFormats.contains(format))
    }
}

/// The libraries that decode in this build.
package enum FormatLibraries {
    private static let codecs: [(format: ImageFormat, codec: firn_codec)] = ImageDecoders.formats.compactMap {
        guard let codec = $0.library, let format = $0.formats.first else { return nil }
        return (format, codec)
    }

    /// The formats that a library decodes.
    static var formats: Set<ImageFormat> { Set(codecs.map(\.format) + [.apng]) }

    /// Returns the format that a codec decodes.
    static func format(of codec: firn_codec) -> ImageFormat {
        codecs.first { $0.codec == codec }?.format ?? ImageFormat(rawValue: "unknown")
    }

    /// Returns a line for each format: its libraries, their versions and limitations. Tests the decoders of AVIF and
    /// HEIC.
    package static func lines() -> [String] {
        codecs.map { format, codec in
            let libraries = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 600) { buffer in
                guard let text = buffer.baseAddress else { return "" }
                firn_codec_library(codec, text, buffer.count)
                return String(cString: text)
            }
            guard libraries.isEmpty else { return "\(format): \(libraries)" }
            return "\(format): left out of this build; enable the package trait \(KnownFormat.of(format)?.trait ?? "")"
        }
    }
}
