public import FirnImage

extension ImageDecoder {
    /// Creates a decoder of every format that the registry's decoders read.
    ///
    /// - Parameters:
    ///   - registry: the decoders to try. Default: the decoders that come with Firn.
    ///   - limits: the limits for the file. Default: those of `ImageLimits()`.
    public convenience init(
        registry: DecoderRegistry = .standard, limits: ImageLimits = ImageLimits()
    ) {
        self.init(decoders: registry.decoders, limits: limits)
    }
}
