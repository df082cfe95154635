extension ImageDecoder {
    /// The part of a file that is known.
    package enum Status: String, Hashable, Sendable {
        /// Nothing.
        case unknown
        /// The format.
        case typeAvailable
        /// The format, the size, and the frames that have arrived.
        case sizeAvailable
        /// All bytes have arrived and the file was read to its end; its last frame may be truncated.
        case complete
        /// The file cannot be decoded; ``ImageDecoder/error`` holds the reason.
        case error
    }

    /// The part of the file that is known.
    package var status: Status { snapshot.status }

    /// The reason why the file cannot be decoded; `nil` if there is none so far. Permanent.
    public var error: ImageError? { snapshot.error }

    /// The format, by content. May become more exact when ``properties`` are known (an animated PNG).
    public var format: ImageFormat? { snapshot.format }

    /// The properties and metadata of the file; `nil` before they are known.
    public var properties: ImageProperties? { snapshot.properties }

    /// The size as stored, before orientation; `nil` before it is known.
    public var size: PixelSize? { snapshot.properties?.size }

    /// The rotation and reflection for display; ``ImageOrientation/up`` before it is known.
    public var orientation: ImageOrientation { snapshot.properties?.orientation ?? .up }

    /// The embedded color profile; `nil` if there is no valid one, or before it has arrived.
    public var colorProfile: ColorProfile? { snapshot.properties?.colorProfile }

    /// The number of plays of the animation; `nil` before ``properties`` are known. May change while bytes arrive.
    ///
    /// - Source: ``ImageProperties/repetitionCount``.
    public var repetitionCount: RepetitionCount? { snapshot.properties?.repetitionCount }

    /// The number of leading bytes that the last decode needed; `nil` if unknown.
    public var bytesNeeded: Int? { snapshot.bytesNeeded }
}
