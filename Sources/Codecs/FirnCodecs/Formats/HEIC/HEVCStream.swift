import CFirnCodecs

/// A decoder of the units of one HEVC track: the calls of `firn_hevc.h`.
///
/// A decoder that failed stays failed. One thread at a time uses it.
protocol HEVCStream: AnyObject {
    /// Feeds one unit of a sample.
    func push(_ unit: [UInt8], sample: Int) throws(ImageError)

    /// Says that no units follow.
    func end()

    /// Does a bounded amount of work. The planes of an image are available only if it is the image of `sample`.
    ///
    /// - Returns: `more` also if an image is ready; `end` if the stream and its images have ended.
    func step(toward sample: Int) throws(ImageError) -> RowProgress.State

    /// Returns the next image in presentation order, whose planes are valid until ``drop()``; `nil` if none is ready.
    func image() -> (sample: Int, planes: firn_planes)?

    /// Releases that image.
    func drop()
}

/// A decoder in this process.
///
/// A unit is decoded on another thread (``DetachedCall``), since libde265 cannot be interrupted. Once the watch has
/// ended a call, that thread alone uses the C object.
final class LocalHEVCStream: HEVCStream {
    // Safety: one thread at a time uses the C object. The caller waits for the other thread, or gives the object up.
    private final class Object: @unchecked Sendable {
        let handle: OpaquePointer
        init(_ handle: OpaquePointer) { self.handle = handle }
        deinit { firn_hevc_close(handle) }
    }

    private let watch: DecodingWatch
    /// `nil` once the watch has ended a call.
    private var object: Object?

    /// - Throws: ``ImageError/Fault/limit`` if the system has no memory, or the decoder is left out of this
    ///   build.
    init(_ watch: DecodingWatch) throws(ImageError) {
        guard let handle = firn_hevc_open() else { throw .limit("no memory for a decoder") }
        self.watch = watch
        object = Object(handle)
    }

    func push(_ unit: [UInt8], sample: Int) throws(ImageError) {
        guard let object else { throw watch.ended ?? .late }
        let status = unit.withUnsafeBufferPointer {
            firn_hevc_push(object.handle, $0.baseAddress, $0.count, Int64(sample))
        }
        guard status == FIRN_OK else { throw error(status, object) }
    }

    func end() {
        if let object { firn_hevc_end(object.handle) }
    }

    func step(toward sample: Int) throws(ImageError) -> RowProgress.State {
        guard let object, let status = DetachedCall.run(watch, { firn_hevc_step(object.handle) }) else {
            object = nil
            throw watch.ended ?? .late
        }
        return switch status {
        case FIRN_OK: .more
        case FIRN_NEED_DATA: .needsBytes
        case FIRN_END: .end
        default: throw error(status, object)
        }
    }

    func image() -> (sample: Int, planes: firn_planes)? {
        guard let object else { return nil }
        var planes = firn_planes()
        var number: Int64 = 0
        return firn_hevc_image(object.handle, &planes, &number) ? (Int(clamping: number), planes) : nil
    }

    func drop() {
        if let object { firn_hevc_drop(object.handle) }
    }

    private func error(_ status: firn_status, _ object: Object) -> ImageError {
        ImageError(ImageError.fault(status), at: .decoding, String(cString: firn_hevc_message(object.handle)))
    }
}

extension DecoderHost {
    /// Creates a decoder of an HEVC track of a complete file.
    func open(
        _ parameters: HEVCParameters, _ limits: ImageLimits, _ file: ByteChain
    ) throws(ImageError) -> any HEVCStream {
        guard let workers = try workers(of: FIRN_CODEC_HEIC, limits) else { return try LocalHEVCStream(watch) }
        return try RemoteHEVCStream(workers, parameters, file)
    }
}

/// A decoder of an HEVC track in a worker. All replies are checked.
final class RemoteHEVCStream: HEVCStream {
    private let workers: CodecWorkers
    private var policy: WorkerPolicy { workers.policy }
    private let parameters: HEVCParameters
    /// The file, which is recorded if it ends workers.
    private let file: ByteChain
    private let worker: WorkerConnection
    /// The memory for one image. Its descriptor is sent with the first request.
    private let surface: SharedMemory
    /// Records that the worker does not have.
    private var records: [UInt8] = []
    private var unitsWithoutImage = 0
    private var isEnd = false
    private var isEndSent = false
    private var ready: (sample: Int, planes: firn_planes)?
    private var failure: ImageError?

    /// - Throws: ``ImageError`` if no worker can be started, or the file ended workers before.
    init(_ workers: CodecWorkers, _ parameters: HEVCParameters, _ file: ByteChain) throws(ImageError) {
        let (service, policy) = (workers.service, workers.policy)
        if service.remembersCrashes, let source = CrashMemory.Source(file, policy.codec),
            let refusal = service.refusal(of: source, to: .track, policy.limits)
        {
            throw refusal
        }
        guard let surface = SharedMemory(length: parameters.planesLength) else {
            throw .limit("no memory to share the image with firn-decoder")
        }
        self.workers = workers
        self.parameters = parameters
        self.file = file
        self.surface = surface
        worker = try service.worker(policy, workers.watch)
    }

    deinit {
        if worker.end == nil { worker.closeImage() }
    }

    // MARK: Units

    func push(_ unit: [UInt8], sample: Int) throws(ImageError) {
        if let failure { throw failure }
        guard let length = UInt32(exactly: unit.count), length <= Int32.max / 2, let number = UInt32(exactly: sample)
        else { throw .limit("a unit is too long for libde265") }
        for value in [length, number] { withUnsafeBytes(of: value) { records.append(contentsOf: $0) } }
        records.append(contentsOf: unit)
        unitsWithoutImage += 1
    }

    func end() { isEnd = true }

    // MARK: Images

    func step(toward sample: Int) throws(ImageError) -> RowProgress.State {
        if let failure { throw failure }
        if ready != nil { return .more }
        do throws(WorkerEnd) {
            let reply = try call(sample)
            let status = firn_status(rawValue: UInt32(bitPattern: reply.status))
            switch status {
            case FIRN_OK:
                // A unit brings at most one image.
                guard unitsWithoutImage > 0, let number = Int(exactly: reply.sample) else { throw .nonsense }
                unitsWithoutImage -= 1
                ready = (number, number == sample ? try planes(reply) : firn_planes())
                return .more
            case FIRN_NEED_DATA where !isEndSent: return records.isEmpty && !isEnd ? .needsBytes : .more
            case FIRN_END where isEndSent: return .end
            case FIRN_DATA, FIRN_UNSUPPORTED, FIRN_LIMIT, FIRN_MEMORY:
                failure = ImageError(status, reply.text)
            default: throw .nonsense
            }
        } catch {
            let end = worker.ended(error)
            failure = end.error
            workers.service.note(end, of: CrashMemory.Source(file, policy.codec), during: .track, policy.limits)
        }
        throw failure ?? WorkerEnd.nonsense.error
    }

    func image() -> (sample: Int, planes: firn_planes)? { ready }

    func drop() { ready = nil }

    /// Sends the next records.
    private func call(_ sample: Int) throws(WorkerEnd) -> firn_worker_reply {
        var request = firn_worker_request(FIRN_CALL_UNITS, first: sample)
        let count = min(records.count, FIRN_ARENA_INBOX)
        if count > 0 {
            records.withUnsafeBytes { bytes in
                if let first = bytes.baseAddress { worker.arena.base.copyMemory(from: first, byteCount: count) }
            }
            records.removeFirst(count)
            request.add(FIRN_REQUEST_FEEDS)
            request.fed = UInt32(clamping: count)
        }
        if isEnd, records.isEmpty {
            request.add(FIRN_REQUEST_LAST)
            isEndSent = true
        }
        request.memory = UInt64(clamping: policy.memory(input: surface.length))
        var descriptors: [Int32] = []
        if surface.descriptor >= 0 { request.surface = UInt64(clamping: surface.length) }
        for memory in [worker.arena, surface] { request.share(memory, &descriptors) }
        let reply = try worker.call(request, descriptors, workers.watch)
        worker.arena.closeDescriptor()
        surface.closeDescriptor()
        return reply
    }

    /// Returns the planes of a reply, whose memory is the surface.
    private func planes(_ reply: firn_worker_reply) throws(WorkerEnd) -> firn_planes {
        var image = firn_planes()
        image.planes = (try plane(reply.planes.0), try plane(reply.planes.1), try plane(reply.planes.2))
        return image
    }

    private func plane(_ plane: firn_worker_plane) throws(WorkerEnd) -> firn_plane {
        if plane.width == 0 { return firn_plane() }
        let size = parameters.codedSize
        // Sides have at most 17 bits, so a row has at most 18.
        guard plane.width <= size.width, (1...size.height).contains(Int(plane.height)), (8...16).contains(plane.bits),
            let stride = Int(exactly: plane.stride), let offset = Int(exactly: plane.offset),
            stride >= Int(plane.width) * (plane.bits > 8 ? 2 : 1), offset >= 0, offset <= surface.length,
            stride <= (surface.length - offset) / Int(plane.height)
        else { throw .nonsense }
        return firn_plane(
            base: UnsafeRawPointer(surface.base + offset).assumingMemoryBound(to: UInt8.self), stride: stride,
            width: plane.width, height: plane.height, bits: plane.bits)
    }
}
