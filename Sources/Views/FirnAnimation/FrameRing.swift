/// The frames of an animation in memory, and the frame being decoded.
///
/// Invariant: after ``plan(wanted:pinned:capacity:)`` there are at most `capacity` frames, including the frame being
/// decoded, unless more are pinned.
struct FrameRing {
    private(set) var images: [Int: Bitmap] = [:]
    /// Released images that were not taken yet. Freeing megabytes takes time and must not happen under a lock.
    private(set) var released: [Bitmap] = []
    /// The frames that cannot be decoded.
    private(set) var failed: Set<Int> = []
    /// The frames that lacked bytes when they were last decoded.
    private var lacking: Set<Int> = []
    /// The frame being decoded.
    private(set) var decoding: Int?

    /// The number of frames in memory, including the frame being decoded.
    var count: Int { images.count + (decoding.map { images[$0] == nil ? 1 : 0 } ?? 0) }
    /// The bytes of the frames in memory.
    var bytes: Int { images.values.reduce(0) { $0 + $1.cost } }

    /// Returns whether a frame cannot be decoded from the bytes so far.
    func isHopeless(_ frame: Int) -> Bool { failed.contains(frame) || lacking.contains(frame) }

    /// Releases the frames that are neither pinned nor among the first wanted frames, and returns the frame to decode
    /// next.
    ///
    /// - Parameters:
    ///   - wanted: the wanted frames, most urgent first.
    ///   - pinned: the frames to keep.
    /// - Returns: the first wanted frame that is missing and fits; `nil` while a frame is being decoded.
    mutating func plan(wanted: [Int], pinned: Set<Int>, capacity: Int) -> Int? {
        var kept = pinned
        // The frame being decoded keeps its place until it is done, wanted or not.
        if let decoding { kept.insert(decoding) }
        // There is always room for one more than the pinned frames.
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

    /// Records that the decode of a frame starts.
    mutating func begin(_ frame: Int) { decoding = frame }

    /// Records the result of the running decode.
    mutating func end(_ result: Result<Bitmap, ImageError>) {
        guard let frame = decoding else { return }
        decoding = nil
        switch result {
        case .success(let image): images[frame] = image
        case .failure(let error) where error.fault == .cancelled: break
        case .failure(let error) where error.fault == .incomplete: lacking.insert(frame)
        case .failure: failed.insert(frame)
        }
    }

    /// Retries the frames that lacked bytes.
    mutating func retryLacking() { lacking = [] }

    /// Releases all images except `frames`.
    mutating func keepOnly(_ frames: Set<Int>) {
        for frame in images.keys where !frames.contains(frame) {
            if let image = images.removeValue(forKey: frame) { released.append(image) }
        }
    }

    /// Removes and returns the released images.
    mutating func takeReleased() -> [Bitmap] { exchange(&released, with: []) }
}
