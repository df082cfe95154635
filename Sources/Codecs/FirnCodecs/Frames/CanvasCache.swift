import FirnImage

/// Stored canvases of an animation, so that decoding a frame need not start at the first one.
///
/// Data structure: the canvas stored last, for frames shown in order, and key canvases, one every `spacing` frames, for
/// frames shown in any order. If the key canvases exceed the limit, the spacing doubles and every second one is
/// dropped, so that they stay spread over the animation.
///
/// Invariant: `keyBytes` is the total of the key canvases, and at most `maximumBytes`.
struct CanvasCache {
    /// The limit of bytes for key canvases. The canvas stored last is kept whatever its size.
    let maximumBytes: Int
    private(set) var spacing = 8
    private(set) var keyBytes = 0
    private var keys: [Int: Bitmap] = [:]
    private var latest: (index: Int, canvas: Bitmap)?

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// The canvas under frame `index`, if it is stored.
    subscript(index: Int) -> Bitmap? { latest?.index == index ? latest?.canvas : keys[index] }

    /// Returns whether ``store(_:under:)`` would store a canvas as a key.
    func isKey(_ index: Int) -> Bool { index > 0 && index % spacing == 0 }

    /// Stores the canvas under frame `index`.
    mutating func store(_ canvas: Bitmap, under index: Int) {
        latest = (index, canvas)
        guard isKey(index), keys[index] == nil, canvas.cost <= maximumBytes else { return }
        keys[index] = canvas
        keyBytes += canvas.cost
        while keyBytes > maximumBytes {
            // The number of frames bounds the spacing, so it cannot overflow.
            spacing *= 2
            for (key, canvas) in keys where !isKey(key) {
                keys[key] = nil
                keyBytes -= canvas.cost
            }
        }
    }

    /// Drops all canvases.
    mutating func removeAll() { self = CanvasCache(maximumBytes: maximumBytes) }
}
