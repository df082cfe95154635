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
                    from: source.base, to: target.base, bytesPerRow: target.bytesPerRow, width: turned.width, rows: rows)
            }
        }
    }
}
