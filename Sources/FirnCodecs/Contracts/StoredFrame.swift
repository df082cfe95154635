import FirnImage

/// One frame as a file stores it.
struct StoredFrame: Equatable {
    /// What becomes of the frame's area before the next frame.
    enum Disposal { case keep, background, previous }

    /// Left and top edge on the canvas.
    var x = 0
    var y = 0
    /// Size of the frame's own pixels.
    var size: PixelSize
    /// Milliseconds as stored; `nil` where the file states none.
    var duration: Int?
    var disposal = Disposal.keep
    /// Whether transparent pixels let show what is below; otherwise they replace it.
    var blends = true
    var hasAlpha = false
    /// Whether all of the frame's bytes have come.
    var isComplete = false

    init(size: PixelSize) { self.size = size }
}
