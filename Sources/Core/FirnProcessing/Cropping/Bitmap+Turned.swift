internal import FirnImage

extension ImageOrientation {
    /// Returns the single turn that applies this one first and then `next`.
    func followed(by next: ImageOrientation) -> ImageOrientation {
        let (a, b) = (next.steps, steps)
        let both = SIMD4(
            a.x * b.x + a.y * b.z, a.x * b.y + a.y * b.w, a.z * b.x + a.w * b.z, a.z * b.y + a.w * b.w)
        return ImageOrientation.allCases.first { $0.steps == both } ?? .up
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
                    rows: rows)
            }
        }
    }
}
