import FirnImage

/// One thing that is done to what a request has so far. Equal steps after equal steps are one job.
enum RequestStep: Equatable, Sendable {
    /// Decode all pixels in the screen's layout: what most requests want. Counts no references.
    case plainDecode
    /// Decode otherwise.
    case decode(Decode)
    /// Process.
    case process(Process)

    /// How to decode; `isExact` asks for the target's very size and not just for enough pixels.
    final class Decode: Sendable {
        let target: TargetSize?
        let isExact: Bool
        let format: PixelFormat
        /// Whether the decode is to show that all bytes are good: it needs every one of them, and its pixels are
        /// dropped.
        let isProof: Bool

        init(target: TargetSize?, isExact: Bool, format: PixelFormat, isProof: Bool = false) {
            self.target = target
            self.isExact = isExact
            self.format = format
            self.isProof = isProof
        }

        /// Decodes every pixel and keeps none.
        static let proof = Decode(target: nil, isExact: false, format: .bgra8Premultiplied, isProof: true)
    }

    final class Process: Sendable {
        let processor: any ImageProcessing

        init(_ processor: any ImageProcessing) { self.processor = processor }
    }

    static func == (a: RequestStep, b: RequestStep) -> Bool {
        switch (a, b) {
        case (.plainDecode, .plainDecode): true
        case (.decode(let a), .decode(let b)):
            a === b || a.target == b.target && a.isExact == b.isExact && a.format == b.format && a.isProof == b.isProof
        case (.process(let a), .process(let b)):
            a === b || a.processor.identifier == b.processor.identifier
        default: false
        }
    }
}
