struct EncodingOptions: ParsableArguments {
    @Option(help: QualityArgument.help)
    var quality: QualityArgument?

    @Flag(help: "Encode without loss (webp, avif, jxl; png and tiff always do).")
    var lossless = false

    @Flag(help: "Store progressively (jpeg).")
    var progressive = false

    @Flag(help: "Optimize the Huffman codes: smaller, slower (jpeg).")
    var optimize = false

    @Option(help: "Chroma of each pixel, or of each four (jpeg, avif).")
    var chroma: ChromaSubsampling?

    @Option(
        help: ArgumentHelp(
            "Effort: 0-9 (png, tiff), 0-6 (webp), 0-10 (avif), 1-9 (jxl); more is smaller and slower.",
            valueName: "n"))
    var effort: Int?

    @Option(help: ArgumentHelp("Most colors of a frame, 2 to 256 (gif).", valueName: "n"))
    var colors: Int?

    @Option(help: "Dithering (gif).")
    var dither: GIFEncoder.Dithering?

    @Option(
        help: ArgumentHelp(
            "Choose the highest quality at which the file has at most this many bytes: 200k (jpeg, webp, avif, jxl).",
            valueName: "n"))
    var maxBytes: ByteCountArgument?

    /// - Throws: a usage error for an option that the format does not have, or a number out of range.
    func check(for format: OutputFormat) throws {
        for option in given where !option.formats.contains(format) {
            let names = option.formats.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("\(option.name) does not apply to \(format.rawValue), only to \(names).")
        }
        if lossless, maxBytes != nil || quality != nil {
            throw ValidationError("--lossless excludes --quality and --max-bytes.")
        }
        if let effort, let range = EncodingOptions.efforts[format], !range.contains(effort) {
            throw ValidationError(
                "--effort takes a number from \(range.lowerBound) to \(range.upperBound) for \(format.rawValue).")
        }
        if let colors, !(2...256).contains(colors) { throw ValidationError("--colors takes a number from 2 to 256.") }
        if !ImageEncoders.formats.contains(format.format) {
            throw ValidationError("This build cannot write \(format.rawValue).")
        }
    }

    var isDefault: Bool { given.isEmpty }

    /// The given options with the formats that support them.
    private var given: [(isGiven: Bool, name: String, formats: [OutputFormat])] {
        let lossy: [OutputFormat] = [.jpeg, .webp, .avif, .jxl]
        return [
            (quality != nil, "--quality", lossy), (lossless, "--lossless", [.png, .webp, .avif, .jxl, .tiff]),
            (progressive, "--progressive", [.jpeg]), (optimize, "--optimize", [.jpeg]),
            (chroma != nil, "--chroma", [.jpeg, .avif]),
            (effort != nil, "--effort", [.png, .webp, .avif, .jxl, .tiff]), (colors != nil, "--colors", [.gif]),
            (dither != nil, "--dither", [.gif]), (maxBytes != nil, "--max-bytes", lossy),
        ].filter(\.isGiven)
    }

    private static let efforts: [OutputFormat: ClosedRange<Int>] = [
        .png: 0...9, .webp: 0...6, .avif: 0...10, .jxl: 1...9, .tiff: 0...9,
    ]

    /// Returns the encoder of a format with these options.
    ///
    /// - Parameter quality: from 0 to 1. Default: that of the option, or the encoder's default.
    func encoder(for format: OutputFormat, quality: Double? = nil) -> any ImageEncoding {
        let quality = quality ?? firstQuality(for: format)
        switch format {
        case .jpeg:
            return JPEGEncoder(
                quality: quality, progressive: progressive, chroma: chroma ?? .automatic, optimized: optimize)
        case .png: return PNGEncoder(compressionLevel: effort ?? PNGEncoder().compressionLevel)
        case .webp:
            return WebPEncoder(quality: quality, lossless: lossless, effort: effort ?? WebPEncoder().effort)
        case .avif:
            // The library has a speed, which is the inverse of an effort.
            return AVIFEncoder(
                quality: quality, lossless: lossless, chroma: chroma ?? .automatic,
                speed: effort.map { 10 - $0 } ?? AVIFEncoder().speed)
        case .jxl:
            return JXLEncoder(quality: quality, lossless: lossless, effort: effort ?? JXLEncoder().effort)
        case .gif: return GIFEncoder(colors: colors ?? 256, dithering: dither ?? .diffusion)
        case .tiff: return TIFFEncoder(compressionLevel: effort ?? TIFFEncoder().compressionLevel)
        case .bmp: return BMPEncoder()
        case .ico: return ICOEncoder()
        }
    }

    /// Returns the quality of the option, or the encoder's default, from 0 to 1. The search for `maxBytes` starts with
    /// it.
    func firstQuality(for format: OutputFormat) -> Double {
        switch format {
        case .webp: quality?.value ?? WebPEncoder().quality
        case .avif: quality?.value ?? AVIFEncoder().quality
        case .jxl: quality?.value ?? JXLEncoder().quality
        default: quality?.value ?? JPEGEncoder().quality
        }
    }
}

/// The display for which gain maps are rendered.
struct HeadroomOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Apply the gain map for a display whose white is this many times as bright as that of SDR (png, avif, jxl). \
            Default: 1, the base image.
            """, valueName: "n"))
    var headroom = 1.0

    var isHigh: Bool { headroom > 1 }

    /// - Throws: a usage error for a number below 1, or a format that holds no HDR.
    func check(for format: OutputFormat) throws {
        guard (1...1e6).contains(headroom) else { throw ValidationError("--headroom takes a number from 1 on.") }
        if isHigh, ![.png, .avif, .jxl].contains(format) {
            throw ValidationError("--headroom does not apply to \(format.rawValue), only to png, avif, jxl.")
        }
    }

    /// Renders an image with its gain map, which is then used up.
    func render(_ container: inout ImageContainer, for format: OutputFormat) throws(ImageError) {
        guard isHigh, let map = container.gainMap else { return }
        container.image = try rendered(container.image, map, for: format)
        container.gainMap = nil
    }

    /// Returns the rendition: half floats for JPEG XL, PQ for other formats.
    func rendered(_ image: Bitmap, _ map: GainMap, for format: OutputFormat) throws(ImageError) -> Bitmap {
        try map.applied(to: image, headroom: headroom, as: format == .jxl ? .rgbaHalfPremultiplied : .rgba16Straight)
    }
}

/// A number of bytes, such as `200000`, `200k` or `1.5M`: K, M and G are powers of 1,024, as for `--limits`.
struct ByteCountArgument: ExpressibleByArgument {
    let bytes: Int

    init?(argument: String) {
        let units: [Character: Double] = ["k": 1_024, "m": 1_048_576, "g": 1_073_741_824]
        guard let (number, unit) = argument.lowercased().number(Double.self, in: units),
            let bytes = Int(exactly: (number * (unit ?? 1)).rounded()), bytes > 0
        else { return nil }
        self.bytes = bytes
    }
}

extension StringProtocol {
    /// Parses a number and an optional unit after it; `nil` if it is not a number.
    func number<Number: LosslessStringConvertible>(
        _ type: Number.Type, in units: [Character: Number]
    ) -> (number: Number, unit: Number?)? {
        let unit = last.flatMap { units[$0] }
        return Number(String(unit == nil ? self[...] : dropLast())).map { ($0, unit) }
    }
}

/// The quality of a lossy format: from 0 to 1, or in percent above 1.
struct QualityArgument: ExpressibleByArgument {
    /// From 0 to 1.
    let value: Double

    static let help = ArgumentHelp(
        "Quality of lossy formats: from 0 to 1, or in percent. With a number, -q means the same.", valueName: "q")

    init?(argument: String) {
        let isPercent = argument.hasSuffix("%")
        guard let number = Double(String(argument.dropLast(isPercent ? 1 : 0))), (0...100).contains(number) else {
            return nil
        }
        value = isPercent || number > 1 ? number / 100 : number
    }
}

// Types of the library as option values, spelled like their cases.
extension DecoderIsolation.Name: ExpressibleByArgument {}
extension EncodingMetadata.Policy: ExpressibleByArgument {}
extension GIFEncoder.Dithering: ExpressibleByArgument {}

extension ImageContentMode: ExpressibleByArgument {
    /// The names, for help.
    public static var allValueStrings: [String] { ["fit", "fill"] }
}

extension ChromaSubsampling: ExpressibleByArgument {
    /// Creates the subsampling with this name. `444` and `420` are the names in other tools.
    public init?(argument: String) {
        switch argument.lowercased() {
        case "444", "4:4:4": self = .full
        case "420", "4:2:0": self = .quarter
        case let word: self.init(rawValue: word)
        }
    }

    /// The names, for help.
    public static var allValueStrings: [String] { ["full", "quarter", "automatic"] }
}
