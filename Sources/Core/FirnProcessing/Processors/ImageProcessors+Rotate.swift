extension ImageProcessors {
    /// Rotates an image by quarter turns.
    package struct Rotate: TurningProcessor, Hashable {
        /// The angle of a rotation.
        package enum Turn: Int, Hashable, Sendable, CaseIterable {
            /// A quarter turn clockwise.
            case right = 90
            /// A half turn.
            case half = 180
            /// A quarter turn counterclockwise.
            case left = 270
        }

        package let turn: Turn

        package init(_ turn: Turn) { self.turn = turn }

        /// The identifier with the degrees clockwise: `firn/rotate?90`.
        package var identifier: String { "firn/rotate?\(turn.rawValue)" }

        package var orientation: ImageOrientation {
            switch turn {
            case .right: .right
            case .half: .down
            case .left: .left
            }
        }
    }

    /// Mirrors an image.
    package struct Flip: TurningProcessor, Hashable {
        /// The sides that are exchanged.
        package enum Axis: String, Hashable, Sendable, CaseIterable {
            /// Left and right.
            case horizontal
            /// Top and bottom.
            case vertical
        }

        /// The sides that are exchanged.
        package let axis: Axis

        /// Creates a processor that mirrors images. Default: left and right are exchanged.
        package init(_ axis: Axis = .horizontal) { self.axis = axis }

        /// The identifier, like `firn/flip?horizontal`.
        package var identifier: String { "firn/flip?\(axis.rawValue)" }

        package var orientation: ImageOrientation { axis == .horizontal ? .upMirrored : .downMirrored }
    }
}

/// A processor that only turns or mirrors an image and its gain map.
package protocol TurningProcessor: ImageProcessor {
    var orientation: ImageOrientation { get }
}

extension TurningProcessor {
    package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        try image.turned(orientation, run)
    }

    package func processed(_ map: GainMap, of image: Bitmap, _ run: ProcessingRun) throws -> GainMap? {
        try map.turned(orientation, run)
    }
}

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
    /// Does the same as ``Bitmap/oriented(_:)`` in stripes, so that it can be cancelled.
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
