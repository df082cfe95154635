import FirnImage

/// One frame as a file stores it.
struct StoredFrame: Equatable {
    /// What happens to the frame's area before the next frame is drawn.
    enum Disposal { case keep, background, previous }

    /// The longest duration of a frame in milliseconds: 49 days, the most that any format but HEIF can state.
    ///
    /// The sum of all frames of a file then fits into every number.
    static let longestDuration = Int(UInt32.max)

    /// The left and top edge on the canvas.
    var x = 0
    var y = 0
    /// The size of the frame's own pixels.
    var size: PixelSize
    /// The stored duration in milliseconds, at most ``longestDuration``; `nil` if the file states none.
    var duration: Int?
    var disposal = Disposal.keep
    /// Whether the canvas shows through transparent pixels; otherwise they replace it.
    var blends = true
    var hasAlpha = false
    /// Whether all of the frame's bytes have been received.
    var isComplete = false

    init(size: PixelSize) { self.size = size }
}
