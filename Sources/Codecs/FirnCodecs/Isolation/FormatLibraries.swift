import CFirnCodecs

/// The libraries that decode in this build.
package enum FormatLibraries {
    private static let codecs: [(format: ImageFormat, codec: firn_codec)] = [
        (.jpeg, FIRN_CODEC_JPEG), (.png, FIRN_CODEC_PNG), (.webp, FIRN_CODEC_WEBP), (.avif, FIRN_CODEC_AVIF),
        (.heic, FIRN_CODEC_HEIC), (.jxl, FIRN_CODEC_JXL), (.tiff, FIRN_CODEC_TIFF), (.svg, FIRN_CODEC_SVG),
    ]

    /// The formats that a library decodes.
    static var formats: Set<ImageFormat> { Set(codecs.map(\.format) + [.apng]) }

    /// Returns the format that a codec decodes.
    static func format(of codec: firn_codec) -> ImageFormat {
        codecs.first { $0.codec == codec }?.format ?? ImageFormat(rawValue: "unknown")
    }

    /// A line for each format: its libraries and their versions, and what they cannot do. AVIF and HEIC are tried.
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
