import CFirnCodecs
import FirnImage

/// Where the decoders of one file run: in this process, or in another one.
struct DecoderHost {
    /// `nil` stands for the standard isolation at the time of the call.
    private let isolation: DecoderIsolation
    private let cancellation: CancellationFlag

    /// - Parameters:
    ///   - isolation: `nil` for the standard one.
    ///   - cancellation: stops a decode in another process within some milliseconds.
    init(_ isolation: DecoderIsolation?, _ cancellation: CancellationFlag) {
        self.isolation = isolation ?? .standard
        self.cancellation = cancellation
    }

    /// This process.
    static let own = DecoderHost(DecoderIsolation.none, CancellationFlag())

    /// Whether a codec's decoder runs in another process.
    func isolates(_ codec: firn_codec) -> Bool { isolation.isolates(WorkerPolicy.format(codec)) }

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

    /// Creates a decoder of an HEVC track of a complete file.
    func open(
        _ parameters: HEVCParameters, _ limits: ImageLimits, _ file: ByteChain
    ) throws(ImageDecodingError) -> any HEVCStream {
        guard let service = try service(FIRN_CODEC_HEIC) else { return try LocalHEVCStream() }
        let policy = WorkerPolicy(FIRN_CODEC_HEIC, isolation, limits)
        return try RemoteHEVCStream(service, policy, limits, cancellation, parameters, file)
    }

    private func worker(_ codec: firn_codec, _ limits: ImageLimits) throws(ImageDecodingError) -> RemoteDecoder? {
        guard let service = try service(codec) else { return nil }
        return RemoteDecoder(service, WorkerPolicy(codec, isolation, limits), limits, cancellation)
    }

    /// Returns the service whose workers run a codec's decoders; `nil` for this process.
    private func service(_ codec: firn_codec) throws(ImageDecodingError) -> DecoderService? {
        guard isolates(codec) else { return nil }
        guard let path = WorkerProgram.path(isolation, for: codec) else { throw WorkerProgram.missing }
        return DecoderService.service(of: path)
    }
}
