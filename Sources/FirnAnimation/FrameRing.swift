import FirnImage

/// The frames of an animation that are resident, and the one that is being decoded.
///
/// Invariant: after ``plan(wanted:pinned:capacity:)`` there are no more resident frames, the one being decoded among
/// them, than `capacity`, unless as many are pinned.
struct FrameRing {
    private(set) var images: [Int: Bitmap] = [:]
    /// Images let go of, until somebody takes them: giving back megabytes takes a while, and is not done under a lock.
    private(set) var released: [Bitmap] = []
    /// Frames that cannot be decoded.
    private(set) var failed: Set<Int> = []
    /// Frames that could not be decoded of the bytes so far.
    private var lacking: Set<Int> = []
    /// The frame that is being decoded.
    private(set) var decoding: Int?

    /// Resident frames, the one being decoded among them.
    var count: Int { images.count + (decoding.map { images[$0] == nil ? 1 : 0 } ?? 0) }
    /// Bytes of the pixels that are there.
    var bytes: Int { images.values.reduce(0) { $0 + $1.cost } }

    /// Whether a frame is not to be waited for.
    func isHopeless(_ frame: Int) -> Bool { failed.contains(frame) || lacking.contains(frame) }

    /// Releases what is neither pinned nor among the first frames wanted, and says what to decode next.
    ///
    /// - Parameters:
    ///   - wanted: frames, the most urgent first.
    ///   - pinned: frames that stay.
    /// - Returns: the first frame wanted that is not there and for which there is room; `nil` while one is being decoded.
    mutating func plan(wanted: [Int], pinned: Set<Int>, capacity: Int) -> Int? {
        var kept = pinned
        // What is being decoded takes its place until it is done, wanted or not.
        if let decoding { kept.insert(decoding) }
        // However many are pinned, there is room for one to go on with.
        let room = max(capacity, pinned.count + 1)
        var next: Int?
        for frame in wanted where !isHopeless(frame) {
            guard kept.contains(frame) || kept.count < room else { break }
            kept.insert(frame)
            if next == nil, images[frame] == nil { next = frame }
        }
        keepOnly(kept)
        return decoding == nil ? next : nil
    }

    /// The decode of a frame begins.
    mutating func begin(_ frame: Int) { decoding = frame }

    /// The decode under way has ended.
    mutating func end(_ result: Result<Bitmap, ImageDecodingError>) {
        guard let frame = decoding else { return }
        decoding = nil
        switch result {
        case .success(let image): images[frame] = image
        case .failure(let error) where error.fault == .cancelled: break
        case .failure(let error) where error.fault == .incomplete: lacking.insert(frame)
        case .failure: failed.insert(frame)
        }
    }

    /// More bytes have come.
    mutating func retryLacking() { lacking = [] }

    /// Releases all images but these.
    mutating func keepOnly(_ frames: Set<Int>) {
        for frame in images.keys where !frames.contains(frame) {
            if let image = images.removeValue(forKey: frame) { released.append(image) }
        }
    }

    /// The images let go of since the last call.
    mutating func takeReleased() -> [Bitmap] {
        defer { released = [] }
        return released
    }
}
