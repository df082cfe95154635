extension ImageProcessors {
    /// Runs several processors in order, as one processor.
    ///
    /// Adjacent processors are fused if the result differs by at most one 8-bit level: the part of a resized image that
    /// a crop removes is never computed, rotations run after downscaling, and color matrices are combined.
    package struct Composition: ImageProcessing, Hashable {
        /// The processors, in order.
        package let processors: [any ImageProcessing]

        /// Creates a processor that runs `processors` in order.
        package init(_ processors: [any ImageProcessing]) { self.processors = processors }

        /// The identifiers of all processors, in order: `firn/composition?[…][…]`; for a single processor, its own.
        /// Brackets within an identifier are escaped.
        package var identifier: String {
            if processors.count == 1, let only = processors.first { return only.identifier }
            return "firn/composition?" + processors.map { "[\(KeyText.escaped($0.identifier, "[]"))]" }.joined()
        }

        /// The decoding target of the first processor that is not a rotation or flip, with its sides as before those.
        package var decodingTarget: TargetSize? { Composition.decodingTarget(of: processors) }

        /// Returns whether both have equal processors.
        package static func == (a: Composition, b: Composition) -> Bool { a.identifier == b.identifier }

        package func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

        /// Runs all processors, each on the result of the previous one.
        ///
        /// - Throws: the error of the first processor that fails.
        package func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer {
            try FusionPlan(all).steps.reduce(container) { try $1.processor.process($0, context: context) }
        }

        /// The processors, with compositions replaced by their processors.
        private var all: [any ImageProcessing] {
            processors.flatMap { processor -> [any ImageProcessing] in
                switch processor {
                case let composition as Composition: composition.all
                case let renamed as any RenamedProcessor: Composition([renamed.original]).all
                default: [processor]
                }
            }
        }
    }
}

/// A processor that wraps another under its own name, and is fused like the wrapped processor.
package protocol RenamedProcessor: ImageProcessing {
    var original: any ImageProcessing { get }
}

extension ImageProcessors.Composition {
    /// Returns the size above which more pixels do not change the result of the processors; `nil` if all pixels are
    /// needed. Preceding rotations and flips only swap its sides.
    package static func decodingTarget(of processors: [any ImageProcessing]) -> TargetSize? {
        target(of: processors, isVector: false)
    }

    /// Returns the size at which to render a vector image for the processors, if one of them resizes it. Only
    /// processors that change each pixel independently may precede the resize.
    ///
    /// Equals ``decodingTarget(of:)`` if that is not `nil`. No pixels are mixed, so linear light makes no difference.
    package static func renderingTarget(of processors: [any ImageProcessing]) -> TargetSize? {
        target(of: processors, isVector: true)
    }

    /// Returns the target of the first processor that is not a rotation or flip, with its sides as before those.
    ///
    /// - Parameter isVector: whether the target of a vector image is wanted.
    private static func target(of processors: [any ImageProcessing], isVector: Bool) -> TargetSize? {
        var transposes = false
        for processor in Self(processors).all {
            switch processor {
            case let turn as any TurningProcessor: transposes = transposes != turn.orientation.transposes
            case is ImageProcessors.ColorMatrix where isVector, is ImageProcessors.Flatten where isVector: break
            default:
                let resize = isVector ? processor as? ImageProcessors.Resize : nil
                guard var target = resize?.target ?? processor.decodingTarget,
                    resize == nil || !target.size.isEmpty
                else { return nil }
                if transposes { target.size = target.size.transposed }
                return target
            }
        }
        return nil
    }

    /// Returns the processors of a request, with processors that benefit from fusion joined into one job.
    ///
    /// Each other processor stays a separate job, which requests with different later steps can share.
    package static func joined(_ processors: [any ImageProcessing]) -> [any ImageProcessing] {
        if processors.count < 2 { return processors }
        return FusionPlan(processors).steps.map { step in
            step.range.count == 1
                ? processors[step.range.lowerBound] : ImageProcessors.Composition(Array(processors[step.range]))
        }
    }
}
