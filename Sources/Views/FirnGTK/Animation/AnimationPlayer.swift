#if GTK
import CGTK4
import Firn

/// Plays an animation in one place: selects the frame to paint at each tick of the frame clock.
///
/// Frames are decoded only while the player runs; a stopped player goes on from the frame that it showed, and one that
/// has played to its end stays there. Players of one ``AnimatedImage`` share its frames and their textures.
@MainActor
final class AnimationPlayer {
    let image: AnimatedImage
    /// The texture to paint; while stopped, the last frame shown.
    private(set) var texture: ImageTexture?
    private var viewer: AnimationViewer?
    private(set) var isRunning = false

    /// - Parameters:
    ///   - first: the texture to paint before the first frame is ready.
    ///   - former: the player of the same file at another size, which this one continues.
    init(_ image: AnimatedImage, first: ImageTexture? = nil, continuing former: AnimationPlayer? = nil) {
        self.image = image
        texture = first
        if let known = former?.viewer {
            let viewer = image.makeViewer(continuing: known)
            viewer.suspend()
            self.viewer = viewer
        }
    }

    var isFinished: Bool { viewer?.isFinished ?? false }

    /// Starts playing, or goes on.
    func start() {
        guard !isRunning else { return }
        isRunning = true
        guard let viewer else { return viewer = image.makeViewer() }
        if !viewer.isFinished { viewer.resume() }
    }

    /// Stops playing: no more frames are decoded for this player.
    func stop() {
        isRunning = false
        viewer?.suspend()
    }

    /// Selects the frame that is due now.
    ///
    /// - Returns: whether the texture to paint has changed.
    func advance() -> Bool {
        guard isRunning, let frame = viewer?.frame(), let next = try? ImageTexture.of(frame) else { return false }
        if let texture, texture.pointer == next.pointer { return false }
        texture = next
        return true
    }
}
#endif
