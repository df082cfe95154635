public import FirnImage

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

    /// The formats that are decoded in another process, beside ``formats``, if a loader delivered the file: of files
    /// from a network, also if they come back from a cache, and of addresses from outside of the program
    /// (`ImageRequest.Options.untrustedAddress`). Default: none.
    public var loadedFormats: Set<ImageFormat> = []

    /// True if a decode fails if `firn-decoder` is missing. Otherwise the program's own process decodes. Default:
    /// `true`.
    public var isRequired = true

    /// The number of images that a process decodes before another one replaces it, for JPEG, PNG and WebP. Default: 64.
    ///
    /// Freed memory is cleared after each image. With 1, no two images meet in a process. HEIC, AVIF, JPEG XL, TIFF and
    /// SVG have a process for each image, whatever the value.
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
    public static let all = DecoderIsolation(
        formats: Set(ImageDecoders.formats.filter { $0.library != nil }.flatMap(\.formats)))

    /// The origin decides: files of loaders are decoded as by ``all``, the program's own files as by
    /// ``complexFormats``. Without `firn-decoder`, the program's own process decodes, and a pipeline sends the event
    /// `isolationUnavailable` once. The default of ``standard``.
    public static let automatic: DecoderIsolation = {
        var isolation = complexFormats
        isolation.loadedFormats = all.formats
        isolation.isRequired = false
        return isolation
    }()
}
