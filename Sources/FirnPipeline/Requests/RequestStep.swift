import FirnImage

/// What is done to the bytes of a request, step by step. Equal steps after equal steps are one job.
///
/// A class, so that the tables copy a reference and not a picture's worth of parameters.
final class RequestStep: Equatable, Sendable {
    let action: Action

    enum Action: Sendable {
        /// Decode; `isExact` asks for the target's very size and not just for enough pixels.
        case decode(target: TargetSize?, isExact: Bool, format: PixelFormat)
        /// Process.
        case process(any ImageProcessing)
    }

    init(_ action: Action) { self.action = action }

    static func == (a: RequestStep, b: RequestStep) -> Bool {
        if a === b { return true }
        return switch (a.action, b.action) {
        case (.decode(let t, let e, let f), .decode(let u, let g, let h)): t == u && e == g && f == h
        case (.process(let p), .process(let q)): p.identifier == q.identifier
        default: false
        }
    }

    /// The steps of a plain request: nothing is made for it.
    static let plain = [
        RequestStep(.decode(target: nil, isExact: false, format: .bgra8Premultiplied))
    ]
}
