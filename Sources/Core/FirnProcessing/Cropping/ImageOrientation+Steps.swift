internal import FirnImage

extension ImageOrientation {
    /// The columns of the rotation matrix: the directions of a step to the right and a step down after turning.
    private var matrix: [Int] {
        switch self {
        case .up: [1, 0, 0, 1]
        case .upMirrored: [-1, 0, 0, 1]
        case .down: [-1, 0, 0, -1]
        case .downMirrored: [1, 0, 0, -1]
        case .leftMirrored: [0, 1, 1, 0]
        case .right: [0, -1, 1, 0]
        case .rightMirrored: [0, -1, -1, 0]
        case .left: [0, 1, -1, 0]
        }
    }

    /// Returns the single turn that applies this one first and then `next`.
    func followed(by next: ImageOrientation) -> ImageOrientation {
        let (a, b) = (next.matrix, matrix)
        let both = [
            a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
            a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
        ]
        return ImageOrientation.allCases.first { $0.matrix == both } ?? .up
    }

    /// Returns the part of an image of `stored` pixels that becomes `columns` × `rows` of the turned image.
    func part(_ columns: Range<Int>, _ rows: Range<Int>, of stored: PixelSize) -> (Range<Int>, Range<Int>) {
        let shown = displaySize(of: stored)
        func mirrored(_ range: Range<Int>, _ length: Int) -> Range<Int> {
            length - range.upperBound..<length - range.lowerBound
        }
        // A negative entry: a step right or down in the stored image is a step left or up in the turned one.
        let isAcross = matrix[0] + matrix[1] < 0
        let isDown = matrix[2] + matrix[3] < 0
        let across = isAcross ? mirrored(columns, shown.width) : columns
        let down = isDown ? mirrored(rows, shown.height) : rows
        return transposes ? (down, across) : (across, down)
    }
}

extension Bitmap {
    /// Does the work of ``Bitmap/oriented(_:)`` in stripes, so that it can be cancelled.
    func turned(_ orientation: ImageOrientation, _ run: ProcessingRun) throws -> Bitmap {
        if orientation == .up { return self }
        let walk = OrientedWalk(
            orientation, size: size, bytesPerPixel: format.bytesPerPixel, bytesPerRow: bytesPerRow)
        let turned = orientation.displaySize(of: size)
        return try run.make(from: self, size: turned, format: format, isOpaque: isOpaque) { source, target in
            try run.stripes(turned.height, pixels: turned.width, multiple: 32) { rows in
                walk.copy(
                    from: source.base, to: target.base, bytesPerRow: target.bytesPerRow, width: turned.width,
                    bytesPerPixel: target.format.bytesPerPixel, rows: rows)
            }
        }
    }
}
