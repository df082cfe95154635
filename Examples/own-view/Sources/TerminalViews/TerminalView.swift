public import Firn
public import FirnBinding

/// A view that draws with characters: dark pixels as `#`, light ones as `.`.
@MainActor
public final class TerminalView: ImageDisplaying {
    private let context: BindingContext
    private lazy var binding = ViewBinding(view: self, context: context)
    private var viewer: AnimationViewer?
    private var lines: [String] = []
    private let (wakes, waker) = AsyncStream.makeStream(of: Void.self)

    /// Creates a view without an image.
    public init(context: BindingContext) {
        self.context = context
        binding.onCompletion = { [waker] result in if case .failure = result { waker.finish() } }
    }

    /// Loads and shows an image.
    public func show(_ request: ImageRequest) { binding.load(request) }

    /// Called by the binding whenever the content has changed.
    public func display(_ content: DisplayedContent) {
        print("view: \(content.kind)")
        guard let response = content.response else { return }
        let pipeline = context.pipeline
        Task {
            // May open a file, so not on the drawing thread.
            let decoder = await Task.detached { pipeline.animationDecoder(for: response) }.value
            viewer = decoder.map { AnimatedImage(decoder: $0).makeViewer { [waker] in waker.yield() } }
            waker.yield()
        }
    }

    /// Draws each frame when it is due.
    ///
    /// - Returns: the last frame; `nil` if the image is not an animation or was not loaded.
    public func play() async -> Bitmap? {
        for await _ in wakes {
            guard let viewer else { return nil }
            if let frame = viewer.frame() { draw(frame) }
            if viewer.isFinished {
                // The last frame may have just become due.
                let last = viewer.frame()
                if let last { draw(last) }
                return last
            }
            if let due = viewer.nextChange {
                let wait = due - viewer.image.time
                Task { [waker] in
                    try? await Task.sleep(for: wait)
                    waker.yield()
                }
            }
        }
        return nil
    }

    private func draw(_ image: Bitmap) {
        let size = image.size
        let new = image.withUnsafeBytes { bytes in
            (0..<size.height).map { row in
                String((0..<size.width).map { bytes[row * image.bytesPerRow + $0 * 4 + 1] < 128 ? "#" : "." })
            }
        }
        guard new != lines else { return }
        lines = new
        print("frame:", new.joined(separator: " "))
    }
}
