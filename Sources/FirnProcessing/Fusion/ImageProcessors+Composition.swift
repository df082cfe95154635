public import FirnImage

extension ImageProcessors {
    /// Several processors, one after the other, as one.
    ///
    /// Adjacent ones are done together where that gives the same image, at most a level of 8 bits apart: what is cut off a
    /// resized image is never computed, turns come after the image has become small, matrices of colors are one.
    public struct Composition: ImageProcessing, Hashable {
        /// The processors, in order.
        public let processors: [any ImageProcessing]

        /// Joins processors.
        public init(_ processors: [any ImageProcessing]) { self.processors = processors }

        /// The identifiers of all, in order: `firn/composition?[…][…]`.
        public var identifier: String { "firn/composition?" + processors.map { "[\($0.identifier)]" }.joined() }

        /// That of the first processor that is no turn or mirror, as it is before these.
        public var decodingTarget: TargetSize? { Composition.decodingTarget(of: processors) }

        /// Whether both have equal processors.
        public static func == (a: Composition, b: Composition) -> Bool { a.identifier == b.identifier }

        /// Feeds the identifier.
        public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

        /// What the last one makes of what the others made.
        ///
        /// - Throws: what the first of them throws that fails.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer {
            try FusionPlan(all).steps.reduce(container) { try $1.processor.process($0, context: context) }
        }

        /// The same without doing any of them together.
        func processStepByStep(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            try all.reduce(container) { try $1.process($0, context: context) }
        }

        /// The processors with those of compositions in their place.
        private var all: [any ImageProcessing] {
            processors.flatMap { ($0 as? Composition)?.all ?? [$0] }
        }
    }
}

extension ImageProcessors.Composition {
    /// The size from which on the result of processors no longer depends on more pixels, if there is one: turns and mirrors do not
    /// change which that is, but for its sides.
    package static func decodingTarget(of processors: [any ImageProcessing]) -> TargetSize? {
        var transposes = false
        for processor in Self(processors).all {
            switch processor {
            case let rotate as ImageProcessors.Rotate: transposes = transposes != rotate.orientation.transposes
            case is ImageProcessors.Flip: break
            default:
                guard var target = processor.decodingTarget else { return nil }
                if transposes { target.size = target.size.transposed }
                return target
            }
        }
        return nil
    }

    /// The processors of a request with those joined that are better done together, so that they become one job.
    ///
    /// Each of the others stays a job of its own, which requests that go on differently can share.
    package static func joined(_ processors: [any ImageProcessing]) -> [any ImageProcessing] {
        if processors.count < 2 { return processors }
        return FusionPlan(processors).steps.map { step in
            step.range.count == 1
                ? processors[step.range.lowerBound] : ImageProcessors.Composition(Array(processors[step.range]))
        }
    }
}
