public import FirnAnimation
import FirnImage
import FirnBinding
import FirnPipeline

// Replaces first frames with their animations.
extension FirnPicture {
    /// Plays an animation in place of the current image, until other content is shown. A running transition
    /// continues.
    public func play(_ animation: AnimatedImage) {
        let first: ImageTexture? = if case .texture(let texture) = layer { texture } else { nil }
        replaceLayer(with: .animation(AnimationPlayer(animation, first: first)))
    }

    /// Plays the animation whose first frame is shown. Does nothing if the image is not animated.
    func playIfAnimated(_ response: ImageResponse) {
        guard playsAnimations, response.container.isAnimated else { return }
        pendingAnimation = Task { [weak self, pipeline = context.pipeline] in
            let animation = await AnimationTable.shared.animation(of: response, pipeline: pipeline)
            guard let animation, !Task.isCancelled, let self else { return }
            self.play(animation)
        }
    }

    func playsAnimationsChanged() {
        pendingAnimation = nil
        if playsAnimations {
            let content = binding.content
            if content.kind == .image, let response = content.response { playIfAnimated(response) }
        } else if case .animation(let player) = layer {
            replaceLayer(with: player.texture.map { .texture($0) } ?? .nothing)
        }
    }
}
