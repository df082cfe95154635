public import FirnImage

/// Which decoders are asked, and in which order: a value, handed to whoever decodes.
///
///     var registry = DecoderRegistry.standard
///     registry.register(FlifDecoder())
///     let decoder = ImageDecoder(registry: registry)
///
/// A decoder of a user's is asked before Firn's own, so it may also take over a format that Firn reads.
public struct DecoderRegistry: Sendable {
    /// The decoders, in the order in which they are asked.
    public private(set) var decoders: [any ImageDecoding]

    /// A registry of these decoders and no others.
    public init(_ decoders: [any ImageDecoding] = []) { self.decoders = decoders }

    /// The decoders that come with Firn.
    public static let standard = DecoderRegistry(ImageDecoders.standard)

    /// Adds a decoder, which is asked before all that are there.
    public mutating func register(_ decoder: any ImageDecoding) { decoders.insert(decoder, at: 0) }

    /// The registry with another decoder, which is asked first.
    public func registering(_ decoder: any ImageDecoding) -> DecoderRegistry {
        var registry = self
        registry.register(decoder)
        return registry
    }
}
