import CGTK4
import FirnAnimation
import FirnImage
import FirnPipeline

/// Plays an animation in one place: selects the frame to paint at each tick of the frame clock.
///
/// Frames are decoded only while the player runs. Players of one ``AnimatedImage`` share its frames and their textures.
@MainActor
final class AnimationPlayer {
    let image: AnimatedImage
    /// The texture to paint; while stopped, the last frame shown.
    private(set) var texture: ImageTexture?
    private var viewer: AnimationViewer?

    /// - Parameter first: the texture to paint before the first frame is ready.
    init(_ image: AnimatedImage, first: ImageTexture? = nil) {
        self.image = image
        texture = first
    }

    var isRunning: Bool { viewer != nil }
    var isFinished: Bool { viewer?.isFinished ?? false }

    /// Starts playing.
    func start() {
        if viewer == nil { viewer = image.makeViewer() }
    }

    /// Stops playing: no more frames are decoded for this player.
    func stop() {
        viewer?.detach()
        viewer = nil
    }

    /// Selects the frame that is due now.
    ///
    /// - Returns: whether the texture to paint has changed.
    func advance() -> Bool {
        guard let frame = viewer?.frame(), let next = try? ImageTexture.of(frame) else { return false }
        if let texture, texture.pointer == next.pointer { return false }
        texture = next
        return true
    }
}
