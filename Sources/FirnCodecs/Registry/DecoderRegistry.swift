public import FirnImage

/// An ordered list of decoders: the first that recognizes a file decodes it.
///
///     var registry = DecoderRegistry.standard
///     registry.register(FlifDecoder())
///     let decoder = ImageDecoder(registry: registry)
///
/// Registered decoders come before Firn's own, so they may also take over a format that Firn reads.
public struct DecoderRegistry: Sendable {
    /// The decoders, in the order in which they are tried.
    public private(set) var decoders: [any ImageDecoding]

    /// Creates a registry of the given decoders only.
    public init(_ decoders: [any ImageDecoding] = []) { self.decoders = decoders }

    /// The decoders that come with Firn.
    public static let standard = DecoderRegistry(ImageDecoders.standard)

    /// Adds a decoder before all others.
    public mutating func register(_ decoder: any ImageDecoding) { decoders.insert(decoder, at: 0) }

    /// Returns a copy of the registry with `decoder` before all others.
    public func registering(_ decoder: any ImageDecoding) -> DecoderRegistry {
        var registry = self
        registry.register(decoder)
        return registry
    }
}
