import CFirnCodecs

/// The place of the decoders of one file: this process, or another one.
struct DecoderHost {
    private let isolation: DecoderIsolation
    private let origin: ImageOrigin
    /// Ends the calls on the file, also a decode in another process within some milliseconds.
    let watch: DecodingWatch

    /// - Parameters:
    ///   - isolation: `nil` for the standard one.
    ///   - origin: the origin of the file. Default: the program.
    init(_ isolation: DecoderIsolation?, from origin: ImageOrigin = .program, _ watch: DecodingWatch) {
        self.isolation = isolation ?? .standard
        self.origin = origin
        self.watch = watch
    }

    /// This process.
    static var own: DecoderHost { DecoderHost(DecoderIsolation.none, DecodingWatch()) }

    /// Returns whether a codec's decoder runs in another process.
    func isolates(_ codec: firn_codec) -> Bool { isolation.isolates(FormatLibraries.format(of: codec), from: origin) }

    /// Creates a decoder whose bytes are fed.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if there is no memory, ``ImageDecodingError/Fault/unsupported`` if
    ///   the codec is left out of this build, or a required `firn-decoder` is missing.
    func open(_ codec: firn_codec, _ limits: ImageLimits) throws(ImageDecodingError) -> any DecoderCalls {
        if let workers = try workers(of: codec, limits) { return RemoteDecoder(workers) }
        return try LocalDecoder(codec, limits, watch)
    }

    /// Creates a decoder of a complete file.
    ///
    /// - Parameter feeds: whether the codec gets the bytes in one piece; otherwise it reads where it likes.
    /// - Returns: `nil` if the file has to be fed.
    func open(
        _ codec: firn_codec, whole file: ByteChain, feeds: Bool, _ limits: ImageLimits
    ) throws(ImageDecodingError) -> (any DecoderCalls)? {
        if let workers = try workers(of: codec, limits) {
            let decoder = RemoteDecoder(workers)
            try decoder.setInput(file, feeds: feeds)
            return decoder
        }
        return feeds ? nil : try LocalDecoder(codec, limits, watch, reaching: file)
    }

    /// Returns the workers that run a codec's decoders; `nil` for this process.
    func workers(of codec: firn_codec, _ limits: ImageLimits) throws(ImageDecodingError) -> CodecWorkers? {
        guard isolates(codec) else { return nil }
        guard let path = WorkerProgram.path(isolation, for: codec) else { throw WorkerProgram.missing }
        return CodecWorkers(
            service: DecoderService.service(of: path), policy: WorkerPolicy(codec, isolation, limits), watch: watch)
    }

    /// Returns the workers that read color profiles and compressed texts; `nil` if this process reads them, because it
    /// decodes JPEG and PNG as well.
    ///
    /// - Throws: ``ImageDecodingError/Fault/unsupported`` if a required `firn-decoder` is missing.
    func metadata(_ limits: ImageLimits) throws(ImageDecodingError) -> CodecWorkers? {
        try workers(of: FIRN_CODEC_PNG, limits)
    }
}
