import FirnImage

/// A step from the bytes to the image of a request. Equal steps after equal steps share a job.
enum RequestStep: Equatable, Sendable {
    /// Decodes all pixels in the screen's layout, as most requests do. Counts no references.
    case plainDecode
    indirect case decode(Decode)
    case process(Box<any ImageProcessing>)
    /// Decodes, processes and makes a result that is no image.
    case render(Box<ImageRendering>)

    /// The options of a decode. `isExact` requests exactly the target size, not just enough pixels.
    struct Decode: Equatable, Sendable {
        var target: TargetSize?
        /// The size at which a vector image is rendered, if there is no target.
        var vectorTarget: TargetSize?
        /// The part to decode; `nil` for the whole image.
        var region: ImageRegion?
        var isExact = false
        var format = PixelFormat.bgra8Premultiplied
        /// Those of the request that change the pixels.
        var options: ImageRequest.Options = []
        /// True if the decode verifies all bytes: it reads every byte and discards the pixels.
        var isProof = false

        static let plain = Decode()
        /// Decodes every pixel and discards it.
        static let proof = Decode(isProof: true)
    }

    static func == (a: RequestStep, b: RequestStep) -> Bool {
        switch (a, b) {
        case (.plainDecode, .plainDecode): true
        case (.decode(let a), .decode(let b)): a == b
        case (.process(let a), .process(let b)):
            a === b || a.value.identifier == b.value.identifier
        case (.render(let a), .render(let b)):
            a === b || a.value.identifier == b.value.identifier
        default: false
        }
    }
}
