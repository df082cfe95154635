import FirnImage

/// Canvases of an animation that are kept so that a frame need not be made from the first one on.
///
/// Data structure: the canvas stored last, for frames shown one after the other, and beside it key canvases, one every
/// `spacing` frames, for frames shown in any order. Where the key canvases outgrow the bound, the spacing is doubled and
/// every second one dropped, so that they stay spread over the animation.
/// Invariant: `keyBytes` is what the key canvases hold, and at most `maximumBytes`.
struct KeptCanvases {
    /// Most bytes of the key canvases; the canvas stored last is kept whatever its size.
    let maximumBytes: Int
    private(set) var spacing = 8
    private(set) var keyBytes = 0
    private var keys: [Int: Bitmap] = [:]
    private var latest: (index: Int, canvas: Bitmap)?

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// The canvas under frame `index`, if it is kept.
    subscript(index: Int) -> Bitmap? { latest?.index == index ? latest?.canvas : keys[index] }

    /// Bytes of all canvases; one that is the last one and a key as well is counted twice.
    var bytes: Int { keyBytes + (latest?.canvas.cost ?? 0) }

    /// Whether ``store(_:under:)`` would keep a canvas as a key.
    func isKey(_ index: Int) -> Bool { index > 0 && index % spacing == 0 }

    /// Keeps the canvas under frame `index`.
    mutating func store(_ canvas: Bitmap, under index: Int) {
        latest = (index, canvas)
        guard isKey(index), keys[index] == nil, canvas.cost <= maximumBytes else { return }
        keys[index] = canvas
        keyBytes += canvas.cost
        while keyBytes > maximumBytes {
            // At most the number of frames, so that it cannot overflow.
            spacing *= 2
            for (key, canvas) in keys where !isKey(key) {
                keys[key] = nil
                keyBytes -= canvas.cost
            }
        }
    }

    /// Keeps nothing.
    mutating func removeAll() { self = KeptCanvases(maximumBytes: maximumBytes) }
}
