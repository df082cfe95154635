import FirnImage

/// A rectangle of the canvas, clipped to it.
struct CanvasArea: Equatable {
    var columns: Range<Int>
    var rows: Range<Int>

    /// The whole area of a canvas.
    init(_ canvas: PixelSize) {
        columns = 0..<max(0, canvas.width)
        rows = 0..<max(0, canvas.height)
    }

    /// The area of a canvas that a frame at `x` and `y`, which are not negative, covers.
    init(x: Int, y: Int, size: PixelSize, on canvas: PixelSize) {
        // Positions and sides come from fields of at most 32 bits.
        let left = min(max(0, x), max(0, canvas.width))
        let top = min(max(0, y), max(0, canvas.height))
        columns = left..<max(left, min(canvas.width, x + size.width))
        rows = top..<max(top, min(canvas.height, y + size.height))
    }

    var isEmpty: Bool { columns.isEmpty || rows.isEmpty }
}

extension StoredFrame {
    /// Returns the part of a canvas that the frame covers.
    func area(on canvas: PixelSize) -> CanvasArea { CanvasArea(x: x, y: y, size: size, on: canvas) }
}
