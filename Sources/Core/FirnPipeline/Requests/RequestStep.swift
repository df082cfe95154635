import FirnImage

/// A step from the bytes to the image of a request. Equal steps after equal steps share a job.
enum RequestStep: Equatable, Sendable {
    /// Decodes all pixels in the screen's layout, as most requests do. Counts no references.
    case plainDecode
    case decode(Decode)
    case process(Process)
    /// Decodes, processes and makes a result that is no image.
    case render(Render)

    /// The options of a decode. `isExact` requests exactly the target size, not just enough pixels.
    final class Decode: Sendable {
        let target: TargetSize?
        /// The size at which a vector image is rendered, if there is no target.
        let vectorTarget: TargetSize?
        /// The part to decode; `nil` for the whole image.
        let region: ImageRegion?
        let isExact: Bool
        let format: PixelFormat
        /// Those of the request that change the pixels.
        let options: ImageRequest.Options
        /// True if the decode verifies all bytes: it reads every byte and discards the pixels.
        let isProof: Bool

        init(
            target: TargetSize?, vectorTarget: TargetSize? = nil, region: ImageRegion? = nil, isExact: Bool,
            format: PixelFormat,
            options: ImageRequest.Options = [], isProof: Bool = false
        ) {
            self.target = target
            self.vectorTarget = vectorTarget
            self.region = region
            self.isExact = isExact
            self.format = format
            self.options = options.decoding
            self.isProof = isProof
        }

        static let plain = Decode(target: nil, isExact: false, format: .bgra8Premultiplied)
        /// Decodes every pixel and discards it.
        static let proof = Decode(target: nil, isExact: false, format: .bgra8Premultiplied, isProof: true)
    }

    final class Process: Sendable {
        let processor: any ImageProcessing

        init(_ processor: any ImageProcessing) { self.processor = processor }
    }

    final class Render: Sendable {
        let rendering: ImageRendering

        init(_ rendering: ImageRendering) { self.rendering = rendering }
    }

    static func == (a: RequestStep, b: RequestStep) -> Bool {
        switch (a, b) {
        case (.plainDecode, .plainDecode): true
        case (.decode(let a), .decode(let b)):
            a === b
                || a.target == b.target && a.vectorTarget == b.vectorTarget && a.isExact == b.isExact
                    && a.format == b.format && a.isProof == b.isProof
                    && a.region == b.region && a.options == b.options
        case (.process(let a), .process(let b)):
            a === b || a.processor.identifier == b.processor.identifier
        case (.render(let a), .render(let b)):
            a === b || a.rendering.identifier == b.rendering.identifier
        default: false
        }
    }
}
