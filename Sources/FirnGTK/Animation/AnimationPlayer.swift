import CGTK4
import FirnImage
import FirnPipeline

/// One place where an animation is shown: what frame to paint, as the frame clock goes.
///
/// Frames are decoded only while it runs. Players of one ``AnimatedImage`` share its frames, and their textures.
@MainActor
final class AnimationPlayer {
    let image: AnimatedImage
    /// What is to be painted; the last frame shown, while stopped.
    private(set) var texture: ImageTexture?
    private var viewer: AnimationViewer?

    /// - Parameter first: painted before the first frame is ready.
    init(_ image: AnimatedImage, first: ImageTexture? = nil) {
        self.image = image
        texture = first
    }

    var isRunning: Bool { viewer != nil }
    var isFinished: Bool { viewer?.isFinished ?? false }

    /// Begins to watch.
    func start() {
        if viewer == nil { viewer = image.makeViewer() }
    }

    /// Stops watching: nothing is decoded for this player any more.
    func stop() {
        viewer?.detach()
        viewer = nil
    }

    /// Takes the frame that is due.
    ///
    /// - Returns: whether another one is to be painted than before.
    func advance() -> Bool {
        guard let frame = viewer?.frame(), let next = try? ImageTexture.of(frame) else { return false }
        if let texture, texture.pointer == next.pointer { return false }
        texture = next
        return true
    }
}
