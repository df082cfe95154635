import CFirnCodecs
import FirnSync
import FoundationEssentials

/// Converts pixels of one layout, in the colors of one source, to pixels of another layout in a target's colors.
///
/// Safety: the C objects are immutable after creation (lcms2's own cache is off), so several threads may use them at
/// once.
final class ColorTransform: ColorConverting, @unchecked Sendable {
    private let handle: OpaquePointer
    /// True if colors are converted through linear light; otherwise by an ICC profile, or a description that was
    /// converted to a profile.
    private let isLight: Bool
    /// Converts Display P3 with 16 bits, to which HDR was tone-mapped, to the target; `nil` for sRGB.
    private let next: ColorTransform?

    /// The result of making a transform, and the transform.
    typealias Made = (result: firn_color_result, transform: ColorTransform?)

    private init(_ handle: OpaquePointer, isLight: Bool = false, next: ColorTransform? = nil) {
        self.handle = handle
        self.isLight = isLight
        self.next = next
    }

    deinit { if isLight { firn_light_free(handle) } else { firn_transform_free(handle) } }

    /// Creates a transform; `nil` if none is needed or possible, as the result states.
    static func make(
        _ source: ColorSource, from: SampleLayout, to: SampleLayout, _ target: ColorTarget = ColorTarget()
    ) -> Made {
        switch source {
        case .profile(let profile):
            make(ProfileTransform(profile: profile, from: from, to: to, target: target))
        case .description(let description): make(description, from: from, to: to, target)
        }
    }

    private static func make(
        _ description: ColorDescription, from: SampleLayout, to: SampleLayout, _ target: ColorTarget
    ) -> Made {
        var color = firn_color(description)
        // Half floats need linear light anyway, and lcms2 does not handle absolute luminances.
        if description.isHighDynamicRange || to == .rgbaHalf {
            var next: ColorTransform?
            if target.profile != nil, to != .rgbaHalf {
                var displayP3 = ColorDescription()
                (displayP3.primariesCode, displayP3.transferCode) = (12, 13)
                let made = make(displayP3, from: .rgba16, to: to, target)
                // A target of the same colors needs only its layout.
                guard made.result == FIRN_COLOR_TRANSFORM || made.result == FIRN_COLOR_SAME else { return made }
                next = made.transform
            }
            let isWide = target.profile != nil && to != .rgbaHalf
            let middle = next == nil ? to : .rgba16
            let light = firn_light_make(&color, from.library, middle.library, isWide)
            return light.map { (FIRN_COLOR_TRANSFORM, ColorTransform($0, isLight: true, next: next)) }
                ?? (FIRN_COLOR_UNUSABLE, nil)
        }
        var handle: OpaquePointer?
        let result = target.withTarget {
            firn_transform_make_described(&color, from.library, to.library, $0, &handle)
        }
        return (result, handle.map { ColorTransform($0) })
    }

    /// Creates a transform; `nil` if none is needed or possible, as the result states.
    static func make(_ transform: ProfileTransform) -> Made {
        guard let model = transform.model else { return (FIRN_COLOR_UNUSABLE, nil) }
        var handle: OpaquePointer?
        let result = transform.profile.icc.withUnsafeBytes { bytes in
            transform.target.withTarget {
                firn_transform_make(
                    bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, model, transform.from.library,
                    transform.to.library, $0, &handle)
            }
        }
        return (result, handle.map { ColorTransform($0) })
    }

    var bytesAtOnce: Int { 0 }

    func apply(_ samples: UnsafeRawPointer, bytesPerRow: Int, to target: PixelBlock) {
        if let next {
            let bytes = Int(target.width) * SampleLayout.rgba16.bytesPerPixel
            withUnsafeTemporaryAllocation(byteCount: max(1, bytes), alignment: 8) { row in
                guard let base = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                for y in 0..<Int(target.rows) {
                    let source = (samples + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
                    firn_light_rows(handle, source, bytesPerRow, base, bytes, target.width, 1)
                    var line = target
                    (line.base, line.rows) = (target.base + y * target.bytesPerRow, 1)
                    next.apply(base, bytesPerRow: bytes, to: line)
                }
            }
            return
        }
        let convert = isLight ? firn_light_rows : firn_transform_rows
        convert(
            handle, samples.assumingMemoryBound(to: UInt8.self), bytesPerRow, target.base, target.bytesPerRow,
            target.width, target.rows)
    }
}

/// Some rows of an image that is being written.
struct PixelBlock {
    /// The first byte of the first row.
    var base: UnsafeMutablePointer<UInt8>
    /// The distance between the starts of two rows, in bytes.
    var bytesPerRow: Int
    /// The number of columns.
    var width: UInt32
    /// The number of rows.
    var rows: UInt32
    /// The pixel format; colors may still be straight.
    var format: PixelFormat

    /// Refers to `rows` of `pixels`.
    init(_ pixels: borrowing MutablePixels, rows: Range<Int>) {
        base = pixels.row(rows.lowerBound).assumingMemoryBound(to: UInt8.self)
        bytesPerRow = pixels.bytesPerRow
        width = UInt32(clamping: pixels.size.width)
        self.rows = UInt32(clamping: rows.count)
        format = pixels.format
    }
}

/// The parameters of a transform by a profile.
struct ProfileTransform: Hashable {
    let profile: ColorProfile
    let from: SampleLayout
    let to: SampleLayout
    var target = ColorTarget()

    /// The model of the C interface; `nil` for one that no image has.
    var model: firn_model? {
        switch profile.model {
        case .gray: FIRN_MODEL_GRAY
        case .rgb: FIRN_MODEL_RGB
        case .cmyk: FIRN_MODEL_CMYK
        case .lab: nil
        }
    }
}

/// Converts the colors of one image by a transform in a worker.
///
/// The worker is acquired with the first rows. After the image, a few workers are kept for the next images with the
/// same profiles, because making a transform takes as long as converting thousands of pixels.
///
/// Safety: guarded by the session of the image, which one thread at a time uses. Between two images, a worker is in
/// ``idle``, under its lock.
final class RemoteTransform: ColorConverting, @unchecked Sendable {
    /// The bytes of pixels that one message converts in place.
    let bytesAtOnce = Int(FIRN_ARENA_STRIP)

    private let transform: ProfileTransform
    private let workers: CodecWorkers
    private var worker: WorkerConnection?
    /// The bytes of the strip that have held pixels of the image.
    private var stripUsed = 0

    init(_ transform: ProfileTransform, _ workers: CodecWorkers) {
        self.transform = transform
        self.workers = workers
    }

    deinit {
        if let worker { keep(worker) }
    }

    /// Returns whether the colors have to be converted, as the worker reports it.
    func result() throws(ImageError) -> firn_color_result {
        let (worker, result) = try open()
        if result == FIRN_COLOR_TRANSFORM { self.worker = worker } else { workers.giveBack(worker) }
        return result
    }

    func apply(_ samples: UnsafeRawPointer, bytesPerRow: Int, to target: PixelBlock) throws(ImageError) {
        let (from, to) = (transform.from.bytesPerPixel, transform.to.bytesPerPixel)
        let isInPlace = from == to
        let room = isInPlace ? bytesAtOnce : bytesAtOnce / 2
        let most = room / max(from, to)
        let width = Int(target.width)
        guard width > 0 else { return }
        let rowsAtOnce = max(1, most / width)
        for first in stride(from: 0, to: Int(target.rows), by: rowsAtOnce) {
            let rows = first..<min(first + rowsAtOnce, Int(target.rows))
            // A row that is longer than the strip is converted in parts.
            for left in stride(from: 0, to: width, by: most) {
                let count = min(most, width - left)
                try convert(rows.count * count, from: room * (isInPlace ? 0 : 1)) { strip in
                    for (index, y) in rows.enumerated() {
                        (strip + index * count * from).copyMemory(
                            from: samples + y * bytesPerRow + left * from, byteCount: count * from)
                    }
                } take: { converted in
                    for (index, y) in rows.enumerated() {
                        UnsafeMutableRawPointer(target.base + y * target.bytesPerRow + left * to).copyMemory(
                            from: converted + index * count * to, byteCount: count * to)
                    }
                }
            }
        }
    }

    /// Converts `pixels` pixels in the worker: `fill` writes them to the strip, `take` reads them from byte `offset` of
    /// it.
    private func convert(
        _ pixels: Int, from offset: Int, fill: (UnsafeMutableRawPointer) -> Void, take: (UnsafeRawPointer) -> Void
    ) throws(ImageError) {
        var request = firn_worker_request(FIRN_CALL_CONVERT)
        request.fed = UInt32(clamping: pixels)
        if worker == nil { worker = reuseWorker() }
        if worker == nil { worker = try open().worker }
        guard let worker else { return }
        stripUsed = max(stripUsed, offset + pixels * max(transform.from.bytesPerPixel, transform.to.bytesPerPixel))
        try workers.use(worker) { worker throws(WorkerEnd) in
            fill(worker.strip)
            let reply = try worker.call(request, [], workers.watch)
            guard reply.status == 0, Int(reply.done) == pixels else { throw .nonsense }
            take(UnsafeRawPointer(worker.strip) + offset)
        }
    }

    // MARK: Workers

    private func open() throws(ImageError) -> (worker: WorkerConnection, result: firn_color_result) {
        let worker = try workers.service.worker(workers.policy, workers.watch)
        guard let model = transform.model else { return (worker, FIRN_COLOR_UNUSABLE) }
        var request = firn_worker_request(FIRN_CALL_COLORS)
        request.colors.model = model.rawValue
        request.colors.from = transform.from.library.rawValue
        request.colors.to = transform.to.library.rawValue
        request.colors.relative = transform.target.intent == .relative ? 1 : 0
        request.colors.source = UInt64(clamping: transform.profile.icc.count)
        let profiles = transform.profile.icc + (transform.target.profile?.icc ?? Data())
        let result = try workers.use(worker) { worker throws(WorkerEnd) in
            let reply = try workers.open(&request, profiles, worker)
            let result = firn_color_result(rawValue: UInt32(bitPattern: reply.read_status))
            guard reply.status == 0,
                [FIRN_COLOR_TRANSFORM, FIRN_COLOR_SAME, FIRN_COLOR_UNUSABLE, FIRN_COLOR_BAD_TARGET].contains(result)
            else { throw .nonsense }
            return result
        }
        return (worker, result)
    }

    private typealias Kept = (transform: ProfileTransform, worker: WorkerConnection, workers: CodecWorkers)

    /// The workers whose transform the next image may need, the oldest first.
    private static let idle = Locked<[Kept]>([])
    private static let maximumIdle = 4

    /// Clears the pixels of the image, and keeps the worker with its transform unless it has reached its limit of
    /// images.
    private func keep(_ worker: WorkerConnection) {
        guard worker.end == nil else { return }
        worker.leaveImage(rowBytes: stripUsed)
        guard worker.served < workers.policy.imagesPerWorker else { return workers.giveBack(worker) }
        let oldest = RemoteTransform.idle.withLock { idle -> Kept? in
            idle.append((transform, worker, workers))
            return idle.count > RemoteTransform.maximumIdle ? idle.removeFirst() : nil
        }
        if let oldest { oldest.workers.giveBack(oldest.worker) }
    }

    private func reuseWorker() -> WorkerConnection? {
        while true {
            let worker = RemoteTransform.idle.withLock { idle -> WorkerConnection? in
                let index = idle.lastIndex {
                    $0.transform == transform && $0.workers.service === workers.service
                        && $0.worker.served < workers.policy.imagesPerWorker
                        && $0.worker.maximumMemory >= workers.policy.maximumMemory
                }
                return index.map { idle.remove(at: $0).worker }
            }
            guard let worker, worker.hasEnded else { return worker }
        }
    }
}
