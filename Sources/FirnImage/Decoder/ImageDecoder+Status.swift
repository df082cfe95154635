extension ImageDecoder {
    /// The part of a file that is known.
    public enum Status: String, Hashable, Sendable {
        /// Nothing, not even the format.
        case unknown
        /// The format.
        case typeAvailable
        /// Format and size, and those frames that have come.
        case sizeAvailable
        /// All bytes have come, and the file could be read to its end, though its last frame may be cut short.
        case complete
        /// The file cannot be decoded; ``ImageDecoder/error`` says why. This stays.
        case error
    }

    /// How much is known of the file.
    public var status: Status { snapshot.status }

    /// Why the file cannot be decoded; `nil` unless ``status-swift.property`` is `error`.
    public var error: ImageDecodingError? { snapshot.error }

    /// The format, by content. May become more exact once ``properties`` are known (an animated PNG).
    public var format: ImageFormat? { snapshot.format }

    /// The properties and metadata of the file; `nil` before it is known.
    public var properties: ImageProperties? { snapshot.properties }

    /// Size as stored, before orientation.
    public var size: PixelSize? { snapshot.properties?.size }

    /// How the stored image is turned for display; ``Orientation/up`` before it is known.
    public var orientation: Orientation { snapshot.properties?.orientation ?? .up }

    /// The embedded color profile, if there is a valid one and it has come.
    public var colorProfile: ColorProfile? { snapshot.properties?.colorProfile }

    /// How often the animation is played; `nil` before ``properties`` are known. May change while bytes still come.
    /// - Source: ``ImageProperties/repetitionCount``.
    public var repetitionCount: RepetitionCount? { snapshot.properties?.repetitionCount }

    /// How many first bytes of the file the last decode had need of; `nil` if that is not known.
    public var bytesNeeded: Int? { snapshot.bytesNeeded }
}
