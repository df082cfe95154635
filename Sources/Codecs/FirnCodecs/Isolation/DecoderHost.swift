import CFirnCodecs
import FoundationEssentials

/// The process in which the decoders of one file run: this one or another.
struct DecoderHost {
    private let isolation: DecoderIsolation
    private let origin: ImageOrigin
    /// Ends the calls for the file; a decode in another process ends within milliseconds.
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

    /// Creates a decoder that is fed.
    ///
    /// - Throws: ``ImageError/Fault/limit`` if there is no memory, ``ImageError/Fault/unsupported`` if
    ///   the codec is left out of this build, or a required `firn-decoder` is missing.
    func open(_ codec: firn_codec, _ limits: ImageLimits) throws(ImageError) -> any DecoderCalls {
        if let workers = try workers(of: codec, limits) { return RemoteDecoder(workers) }
        return try LocalDecoder(codec, limits, watch)
    }

    /// Creates a decoder of a complete file.
    ///
    /// - Parameter feeds: whether the codec gets the bytes in one piece; otherwise it has random access.
    /// - Returns: `nil` if the file has to be fed.
    func open(
        _ codec: firn_codec, whole file: ByteChain, feeds: Bool, _ limits: ImageLimits
    ) throws(ImageError) -> (any DecoderCalls)? {
        if let workers = try workers(of: codec, limits) {
            let decoder = RemoteDecoder(workers)
            try decoder.setInput(file, feeds: feeds)
            return decoder
        }
        return feeds ? nil : try LocalDecoder(codec, limits, watch, reaching: file)
    }

    /// Returns the workers that run a codec's decoders; `nil` for this process.
    func workers(of codec: firn_codec, _ limits: ImageLimits) throws(ImageError) -> CodecWorkers? {
        guard isolates(codec) else { return nil }
        guard let path = WorkerProgram.path(isolation, for: codec) else { throw WorkerProgram.missing }
        return CodecWorkers(
            service: DecoderService.service(of: path), policy: WorkerPolicy(codec, isolation, limits), watch: watch)
    }

    /// Returns the workers that read color profiles and compressed texts; `nil` if this process does, because it also
    /// decodes PNG.
    ///
    /// - Throws: ``ImageError/Fault/unsupported`` if a required `firn-decoder` is missing.
    func metadata(_ limits: ImageLimits) throws(ImageError) -> CodecWorkers? {
        try workers(of: FIRN_CODEC_PNG, limits)
    }
}

/// The workers of a codec for one file. The workers of PNG also read color profiles (lcms2) and compressed texts (zlib)
/// for files of all formats. All their replies are checked.
struct CodecWorkers {
    /// Starts workers.
    let service: DecoderService
    let policy: WorkerPolicy
    /// Ends a wait for a worker.
    let watch: DecodingWatch

    /// Decompresses a zlib stream.
    ///
    /// - Returns: `nil` if it is damaged, or has more than `most` bytes.
    /// - Throws: ``ImageError`` if the worker ended.
    func unpacked(_ data: Data, most: Int) throws(ImageError) -> Data? {
        guard !data.isEmpty else { return nil }
        let worker = try service.worker(policy, watch)
        var request = firn_worker_request(FIRN_CALL_UNPACK)
        request.most = UInt64(clamping: most)
        let text: Data? = try use(worker) { worker throws(WorkerEnd) in
            let reply = try open(&request, data, worker)
            guard reply.status == 0 else { return nil }
            guard let length = Int(exactly: reply.stride), length <= max(0, most) else { throw .nonsense }
            var text = Data(capacity: length)
            try worker.take(length, reply, FIRN_CALL_TAKE, watch) { text.append(contentsOf: $0) }
            return text
        }
        giveBack(worker)
        return text
    }

    /// Closes the image of a worker, and keeps the worker if it may decode another one.
    func giveBack(_ worker: WorkerConnection) {
        guard worker.end == nil else { return }
        worker.closeImage()
        service.giveBack(worker, policy)
    }

    /// Sends the first request to a worker, with `input`.
    func open(
        _ request: inout firn_worker_request, _ input: Data, _ worker: WorkerConnection
    ) throws(WorkerEnd) -> firn_worker_reply {
        var descriptors: [Int32] = []
        request.memory = UInt64(clamping: policy.memory(input: input.count))
        request.share(worker.arena, &descriptors)
        request.add(FIRN_REQUEST_HAS_INPUT)
        request.input = UInt64(clamping: input.count)
        var memory: SharedMemory?
        if input.count <= FIRN_ARENA_INBOX {
            request.add(FIRN_REQUEST_INPUT_IN_INBOX)
            input.withUnsafeBytes { worker.fillInbox($0) }
        } else {
            memory = input.withUnsafeBytes { SharedMemory($0) }
            guard let memory else { throw .refused("no memory to share") }
            descriptors.append(memory.descriptor)
        }
        let reply = try worker.call(request, descriptors, watch)
        withExtendedLifetime(memory) {}
        worker.arena.closeDescriptor()
        return reply
    }

    /// Calls `body` with a worker, and turns its end into an error.
    func use<Result>(
        _ worker: WorkerConnection, _ body: (WorkerConnection) throws(WorkerEnd) -> Result
    ) throws(ImageError) -> Result {
        do throws(WorkerEnd) {
            return try body(worker)
        } catch {
            throw worker.ended(error).error
        }
    }
}
