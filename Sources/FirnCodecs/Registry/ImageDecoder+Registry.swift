public import FirnImage

extension ImageDecoder {
    /// A decoder of every format that the registry's decoders read.
    ///
    /// - Parameters:
    ///   - registry: whom to ask. Default: the decoders that come with Firn.
    ///   - limits: what the file is held to. Default: those of `ImageLimits()`.
    public convenience init(
        registry: DecoderRegistry = .standard, limits: ImageLimits = ImageLimits()
    ) {
        self.init(decoders: registry.decoders, limits: limits)
    }
}
