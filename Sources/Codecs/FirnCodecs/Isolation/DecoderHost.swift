import CFirnCodecs
import FirnImage

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
    func isolates(_ codec: firn_codec) -> Bool { isolation.isolates(WorkerPolicy.format(codec), from: origin) }

    /// Creates a decoder whose bytes are fed.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if there is no memory, ``ImageDecodingError/Fault/unsupported`` if
    ///   the codec is left out of this build, or a required `firn-decoder` is missing.
    func open(_ codec: firn_codec, _ limits: ImageLimits) throws(ImageDecodingError) -> any DecoderCalls {
        if let worker = try worker(codec, limits) { return worker }
        return try LocalDecoder(codec, limits)
    }

    /// Creates a decoder of a complete file.
    ///
    /// - Parameter feeds: whether the codec gets the bytes in one piece; otherwise it reads where it likes.
    /// - Returns: `nil` if the file has to be fed.
    func open(
        _ codec: firn_codec, whole file: ByteChain, feeds: Bool, _ limits: ImageLimits
    ) throws(ImageDecodingError) -> (any DecoderCalls)? {
        if let worker = try worker(codec, limits) {
            try worker.setInput(file, feeds: feeds)
            return worker
        }
        return feeds ? nil : try LocalDecoder(codec, limits, reaching: file)
    }

    /// Returns the service whose workers run a codec's decoders, and what they may use; `nil` for this process.
    ///
    /// - Throws: ``ImageDecodingError/Fault/unsupported`` if a required `firn-decoder` is missing.
    func worker(
        of codec: firn_codec, _ limits: ImageLimits
    ) throws(ImageDecodingError) -> (service: DecoderService, policy: WorkerPolicy)? {
        guard isolates(codec) else { return nil }
        guard let path = WorkerProgram.path(isolation, for: codec) else { throw WorkerProgram.missing }
        return (DecoderService.service(of: path), WorkerPolicy(codec, isolation, limits))
    }

    /// Returns the workers that read color profiles and compressed texts; `nil` if this process reads them, because it
    /// decodes JPEG and PNG as well.
    ///
    /// - Throws: ``ImageDecodingError/Fault/unsupported`` if a required `firn-decoder` is missing.
    func metadata(_ limits: ImageLimits) throws(ImageDecodingError) -> MetadataWorkers? {
        guard let (service, policy) = try worker(of: FIRN_CODEC_PNG, limits) else { return nil }
        return MetadataWorkers(service: service, policy: policy, watch: watch)
    }

    private func worker(_ codec: firn_codec, _ limits: ImageLimits) throws(ImageDecodingError) -> RemoteDecoder? {
        guard let (service, policy) = try worker(of: codec, limits) else { return nil }
        return RemoteDecoder(service, policy, watch)
    }
}

extension DecoderHost {
    /// Creates a decoder of an HEVC track of a complete file.
    func open(
        _ parameters: HEVCParameters, _ limits: ImageLimits, _ file: ByteChain
    ) throws(ImageDecodingError) -> any HEVCStream {
        guard let (service, policy) = try worker(of: FIRN_CODEC_HEIC, limits) else { return try LocalHEVCStream() }
        return try RemoteHEVCStream(service, policy, parameters, file)
    }
}
