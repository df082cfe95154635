internal import FirnImage

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
