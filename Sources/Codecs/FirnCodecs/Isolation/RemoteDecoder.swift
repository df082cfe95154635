import CFirnCodecs
import FoundationEssentials

/// A decoder in a worker: each call of `firn_decode.h` is a request. All replies are checked.
///
/// A failure is sticky: later calls return its status.
final class RemoteDecoder: DecoderCalls {
    private let workers: CodecWorkers
    private var policy: WorkerPolicy { workers.policy }
    private var worker: WorkerConnection?
    private var failure: (status: firn_status, error: ImageError)?
    /// True if the worker has the image open.
    private var isOpen = false
    /// The bytes of the last rows, if the worker has closed the image after them; otherwise `nil`.
    private var closedWith: Int?
    private var input = WorkerInput()
    /// The memory that the next request shares.
    private var memoryToSend: SharedMemory?
    /// Frames that the worker described, from the frame `first` on.
    private var described: (first: Int, frames: [firn_worker_frame]) = (0, [])
    private var rows: WorkerRows?
    private var previewMemory: SharedMemory?
    /// The call, and the file's identity in the crash memory; `nil` for a file that is fed.
    private var current = CrashMemory.Call.header
    private var source: CrashMemory.Source?

    init(_ workers: CodecWorkers) { self.workers = workers }

    deinit {
        guard let worker, worker.end == nil else { return }
        if let closedWith { worker.leaveImage(rowBytes: closedWith) } else { worker.closeImage() }
        // No other image gets the surface, so the worker may keep its mapping.
        if failure == nil { workers.service.giveBack(worker, policy) }
    }

    /// Gives the decoder a complete file.
    func setInput(_ file: ByteChain, feeds: Bool) throws(ImageError) {
        if let refusal = refusal(of: file, to: .header) { throw refusal }
        try input.take(file, feeds: feeds)
    }

    /// Returns the error of a call that ended workers before; `nil` if it may be tried.
    private func refusal(of file: ByteChain?, to call: CrashMemory.Call) -> ImageError? {
        guard let file, workers.service.remembersCrashes,
            let source = self.source ?? CrashMemory.Source(file, policy.codec)
        else { return nil }
        self.source = source
        return workers.service.refusal(of: source, to: call, policy.limits)
    }

    func feed(_ bytes: Data, isLast: Bool) { input.feed(bytes, isLast: isLast) }

    var hasFailed: Bool { failure != nil }

    func error(_ status: firn_status) -> ImageError {
        failure?.error ?? ImageError(status, "the decoder failed")
    }

    // MARK: The header

    func header(page: Int?, _ take: (firn_header) -> Void) -> firn_status {
        if page != nil { rows = nil }
        let request = firn_worker_request(page == nil ? FIRN_CALL_HEADER : FIRN_CALL_PAGE, first: page ?? 0)
        return exchange(request) { worker, reply throws(WorkerEnd) in
            guard let header = reply.header.checked(self.policy.limits) else { throw .nonsense }
            // The strip holds the first bytes of the blobs.
            var blobs: [UInt8] = []
            blobs.reserveCapacity(header.blobLength)
            try worker.take(header.blobLength, reply, FIRN_CALL_BLOBS, self.workers.watch) {
                blobs.append(contentsOf: $0)
            }
            header.pass(blobs, to: take)
            if page == nil { self.described = (0, [reply.frame]) }
        }
    }

    func frame(_ index: Int, _ frame: inout firn_frame) -> firn_status {
        if let failure { return failure.status }
        if !(described.first..<described.first + described.frames.count).contains(index) {
            let status = describe(from: index)
            guard status == FIRN_OK else { return status }
        }
        let known = described.frames[index - described.first]
        frame = firn_frame(
            width: known.width, height: known.height, duration: known.duration, alpha: known.alpha != 0,
            extent: firn_extent(known.extent), orientation: known.orientation)
        return FIRN_OK
    }

    /// Requests the frames from `index` on, as many as fit into the strip.
    private func describe(from index: Int) -> firn_status {
        exchange(firn_worker_request(FIRN_CALL_FRAMES, first: index)) { worker, reply throws(WorkerEnd) in
            let count = Int(reply.done)
            let size = MemoryLayout<firn_worker_frame>.stride
            guard count > 0, count <= WorkerRows.stripLength / size else { throw .nonsense }
            self.described = (
                index,
                (0..<count).map { worker.strip.loadUnaligned(fromByteOffset: $0 * size, as: firn_worker_frame.self) }
            )
        }
    }

    // MARK: Pixels

    func start(_ options: firn_options, _ output: inout firn_output) -> firn_status {
        rows = nil
        previewMemory = nil
        var request = firn_worker_request(FIRN_CALL_START)
        request.add(FIRN_REQUEST_READS)
        if policy.isKept { request.add(FIRN_REQUEST_CLOSES) }
        request.options = options
        let area = options.area
        current = .image([
            options.frame, options.layout.rawValue, options.width, options.height, area.x, area.y, area.width,
            area.height,
        ])
        if let refusal = refusal(of: input.file, to: current) { return fail(refusal) }
        let status = exchange(request) { worker, reply throws(WorkerEnd) in
            guard let rows = WorkerRows(reply.output, layout: options.layout, self.policy.limits) else {
                throw .nonsense
            }
            self.rows = rows
            guard reply.read_status != Int32(clamping: FIRN_PAUSE.rawValue) else { return }
            // Rows that need a surface cannot have been read.
            guard !rows.needsSurface else { throw .nonsense }
            try self.take(reply, reply.read_status, rows, worker)
        }
        if let rows { output = rows.output }
        return status
    }

    func read(_ memory: RowMemory, _ done: inout Int) -> firn_status {
        done = 0
        guard let rows else { return failure?.status ?? FIRN_UNSUPPORTED }
        while true {
            done = rows.copy(to: memory.base, bytesPerRow: memory.bytesPerRow, rows: memory.rows)
            if rows.hasEnded { return FIRN_END }
            if done > 0 { return FIRN_OK }
            if let failure { return failure.status }
            if input.wantsBytes, !input.hasMore, isStarved(rows) { return FIRN_NEED_DATA }
            let status = fetch(rows)
            guard status == FIRN_OK else { return status }
            if rows.isWhole {
                done = rows.copyWhole(to: memory.base, bytesPerRow: memory.bytesPerRow)
                return rows.hasEnded ? FIRN_END : input.wantsBytes && !input.hasMore ? FIRN_NEED_DATA : FIRN_OK
            }
        }
    }

    /// Returns whether the last reply needed bytes and the caller does not know yet.
    private func isStarved(_ rows: WorkerRows) -> Bool {
        defer { rows.needsBytes = false }
        return rows.needsBytes
    }

    /// Makes the worker decode further rows.
    private func fetch(_ rows: WorkerRows) -> firn_status {
        var request = firn_worker_request(FIRN_CALL_READ)
        if policy.isKept { request.add(FIRN_REQUEST_CLOSES) }
        if rows.needsSurface {
            guard let memory = rows.makeSurface() else {
                return fail(FIRN_LIMIT, "no memory to share the image with firn-decoder")
            }
            request.surface = UInt64(clamping: memory.length)
            memoryToSend = memory
        }
        request.stride = UInt64(clamping: rows.surfaceStride)
        request.first = UInt64(clamping: rows.surfaceRows)
        return exchange(request, accepts: [FIRN_END, FIRN_NEED_DATA]) { worker, reply throws(WorkerEnd) in
            try self.take(reply, reply.status, rows, worker)
        }
    }

    /// Takes the rows of a reply, whose status is that of a read.
    private func take(
        _ reply: firn_worker_reply, _ status: Int32, _ rows: WorkerRows, _ worker: WorkerConnection
    ) throws(WorkerEnd) {
        let status = firn_status(rawValue: UInt32(bitPattern: status))
        switch status {
        case FIRN_OK, FIRN_END, FIRN_NEED_DATA:
            // A worker decodes until there are rows, so that a call takes one round trip.
            guard status != FIRN_OK || reply.done > 0 || rows.isWhole else { throw .nonsense }
            try rows.take(reply, from: worker.strip, isEnd: status == FIRN_END)
            if reply.is_closed != 0, status == FIRN_END { closedWith = rows.stripBytes }
            rows.needsBytes = status == FIRN_NEED_DATA
            if status == FIRN_NEED_DATA { input.wantsBytes = true }
        case FIRN_DATA, FIRN_UNSUPPORTED, FIRN_LIMIT, FIRN_MEMORY: _ = fail(status, reply.text)
        default: throw .nonsense
        }
    }

    func preview(_ target: RowMemory) -> firn_status {
        guard let rows, failure == nil, closedWith == nil else { return failure?.status ?? FIRN_NEED_DATA }
        var request = firn_worker_request(FIRN_CALL_PREVIEW)
        if previewMemory == nil {
            guard let memory = SharedMemory(length: rows.wholeLength) else { return FIRN_NEED_DATA }
            previewMemory = memory
            request.surface = UInt64(clamping: memory.length)
            memoryToSend = memory
        }
        request.stride = UInt64(clamping: rows.wholeStride)
        let image = current
        if case .image(let image) = image { current = .preview(image) }
        defer { current = image }
        return exchange(request, feeds: false) { _, _ throws(WorkerEnd) in
            guard let memory = self.previewMemory else { return }
            rows.copyRows(
                from: memory.base, stride: rows.wholeStride, to: target.base, bytesPerRow: target.bytesPerRow,
                0..<rows.height)
        }
    }

    // MARK: Requests

    /// Sends a request, and again with further fed bytes as long as it needs them.
    ///
    /// - Parameters:
    ///   - accepts: statuses that count as success, apart from `FIRN_OK`.
    ///   - feeds: whether the call is repeated with further bytes.
    ///   - take: reads a successful reply.
    /// - Returns: `FIRN_OK` after `take`; otherwise the status of the call.
    private func exchange(
        _ request: firn_worker_request, accepts: [firn_status] = [], feeds: Bool = true,
        _ take: (WorkerConnection, firn_worker_reply) throws(WorkerEnd) -> Void
    ) -> firn_status {
        if let failure { return failure.status }
        // Without any bytes, a worker can only ask for some.
        guard isOpen || input.file != nil || input.hasMore else { return FIRN_NEED_DATA }
        do throws(ImageError) {
            let worker = if let worker { worker } else { try workers.service.worker(policy, workers.watch) }
            self.worker = worker
            while true {
                let status = try once(request, worker, accepts, take)
                guard status == FIRN_NEED_DATA, feeds else { return status }
                input.wantsBytes = true
                guard input.hasMore else { return status }
            }
        } catch {
            return fail(error)
        }
    }

    private func once(
        _ request: firn_worker_request, _ worker: WorkerConnection, _ accepts: [firn_status],
        _ take: (WorkerConnection, firn_worker_reply) throws(WorkerEnd) -> Void
    ) throws(ImageError) -> firn_status {
        var request = request
        var descriptors: [Int32] = []
        prepare(&request, worker, &descriptors)
        do throws(WorkerEnd) {
            let reply = try worker.call(request, descriptors, isSmall: input.isSmall, workers.watch)
            memoryToSend?.closeDescriptor()
            memoryToSend = nil
            if request.call == FIRN_CALL_OPEN.rawValue { worker.arena.closeDescriptor() }
            let status = firn_status(rawValue: UInt32(bitPattern: reply.status))
            if status == FIRN_OK || accepts.contains(status) {
                try take(worker, reply)
                return FIRN_OK
            }
            guard status.rawValue > FIRN_END.rawValue else {
                guard status == FIRN_NEED_DATA else { throw .nonsense }
                return status
            }
            guard status.rawValue <= FIRN_MEMORY.rawValue else { throw .nonsense }
            return fail(status, reply.text)
        } catch {
            let end = worker.ended(error)
            // Order: identified again, because the file may have changed since.
            let named = input.file.flatMap { CrashMemory.Source($0, policy.codec) }
            workers.service.note(end, of: named, during: current, policy.limits)
            throw end.error
        }
    }

    /// Adds what a request needs: the arena and the input of a new image, memory, and the next fed bytes.
    private func prepare(_ request: inout firn_worker_request, _ worker: WorkerConnection, _ descriptors: inout [Int32])
    {
        if !isOpen {
            isOpen = true
            request.call = FIRN_CALL_OPEN.rawValue
            request.codec = policy.codec.rawValue
            request.limits = firn_limits(policy.limits)
            request.memory = UInt64(clamping: policy.memory(input: input.length))
            request.share(worker.arena, &descriptors)
            input.open(&request, worker, &descriptors)
        } else if let memory = memoryToSend {
            request.share(memory, &descriptors)
        }
        input.sendNext(&request, worker, policy)
        if input.isSmall { request.add(FIRN_REQUEST_IS_SMALL) }
    }

    private func fail(_ error: ImageError) -> firn_status {
        let status = error.fault == .limit ? FIRN_LIMIT : error.fault == .unsupported ? FIRN_UNSUPPORTED : FIRN_DATA
        failure = failure ?? (status, error)
        return status
    }

    private func fail(_ status: firn_status, _ message: String) -> firn_status {
        fail(ImageError(status, message.isEmpty ? "the decoder failed" : message))
    }
}
