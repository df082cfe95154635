public import FirnImage

extension ImageProcessors {
    /// Turns an image by quarters.
    public struct Rotate: ImageProcessing, Hashable {
        /// How far.
        public enum Turn: Int, Hashable, Sendable, CaseIterable {
            /// A quarter clockwise.
            case right = 90
            /// Half a turn.
            case half = 180
            /// A quarter anticlockwise.
            case left = 270
        }

        /// How far.
        public let turn: Turn

        /// Turns images.
        public init(_ turn: Turn) { self.turn = turn }

        /// `firn/rotate?90`; degrees clockwise.
        public var identifier: String { "firn/rotate?\(turn.rawValue)" }

        /// The turned image.
        ///
        /// - Throws: ``/FirnImage/BitmapError`` if there is no memory; `CancellationError`.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer { try change(container, context) }
    }

    /// Mirrors an image.
    public struct Flip: ImageProcessing, Hashable {
        /// Which sides change places.
        public enum Axis: String, Hashable, Sendable, CaseIterable {
            /// Left and right.
            case horizontal
            /// Top and bottom.
            case vertical
        }

        /// Which sides change places.
        public let axis: Axis

        /// Mirrors images. Default: left and right change places.
        public init(_ axis: Axis = .horizontal) { self.axis = axis }

        /// `firn/flip?horizontal`.
        public var identifier: String { "firn/flip?\(axis.rawValue)" }

        /// The mirrored image.
        ///
        /// - Throws: ``/FirnImage/BitmapError`` if there is no memory; `CancellationError`.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer { try change(container, context) }
    }
}

extension ImageProcessors.Rotate: ImageProcessor {
    var orientation: Orientation {
        switch turn {
        case .right: .right
        case .half: .down
        case .left: .left
        }
    }

    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap { try image.turned(orientation, run) }
}

extension ImageProcessors.Flip: ImageProcessor {
    var orientation: Orientation { axis == .horizontal ? .upMirrored : .downMirrored }

    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap { try image.turned(orientation, run) }
}
