import CFirnCodecs
import FirnSync

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
