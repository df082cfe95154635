public import FirnImage

/// The encoders that come with Firn.
public enum ImageEncoders {
    /// The encoder that writes `format`, with its defaults.
    ///
    /// - Parameter quality: 0 to 1, for the formats that lose something; `nil` for the encoder's default.
    /// - Returns: `nil` for formats that Firn does not write.
    public static func encoder(for format: ImageFormat, quality: Double? = nil) -> (any ImageEncoding)? {
        switch format {
        case .jpeg: quality.map { JPEGEncoder(quality: $0) } ?? JPEGEncoder()
        case .png: PNGEncoder()
        case .webp: quality.map { WebPEncoder(quality: $0) } ?? WebPEncoder()
        default: nil
        }
    }
}
