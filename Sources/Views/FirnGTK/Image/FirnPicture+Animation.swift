#if GTK
public import Firn

// Replaces first frames with their animations.
extension FirnPicture {
    /// Plays an animation in place of the current image, until other content is shown. A running transition
    /// continues.
    public func play(_ animation: AnimatedImage) {
        playedSource = nil
        play(animation, continuing: nil)
    }

    private func play(_ animation: AnimatedImage, continuing former: AnimationPlayer?) {
        let first: ImageTexture? =
            switch layer {
            case .texture(let texture): texture
            case .animation(let player): player.texture
            case .nothing, .color: nil
            }
        replaceLayer(with: .animation(AnimationPlayer(animation, first: first, continuing: former)))
    }

    /// Returns whether the animation of this image plays already, at another size. It then plays on until its frames at
    /// the new size are there.
    func goesOnPlaying(_ response: ImageResponse) -> Bool {
        guard playsAnimations, response.container.isAnimated, case .animation = layer else { return false }
        return playedSource != nil && playedSource == PlayedSource(response, of: binding.request)
    }

    /// Plays the animation whose first frame is shown. Does nothing if the image is not animated.
    func playIfAnimated(_ response: ImageResponse) {
        guard playsAnimations, response.container.isAnimated else { return }
        let source = PlayedSource(response, of: binding.request)
        animationSearch += 1
        let search = animationSearch
        AnimationTable.shared.findAnimation(of: response, pipeline: context.pipeline) { [weak self] animation in
            guard let self, self.animationSearch == search, let animation else { return }
            var former: AnimationPlayer?
            if source == self.playedSource, case .animation(let player) = self.layer { former = player }
            self.playedSource = source
            if former?.image !== animation { self.play(animation, continuing: former) }
        }
    }

    func playsAnimationsChanged() {
        animationSearch += 1
        if playsAnimations {
            let content = binding.content
            if content.kind == .image, let response = content.response { playIfAnimated(response) }
        } else if case .animation(let player) = layer {
            replaceLayer(with: player.texture.map { .texture($0) } ?? .nothing)
        }
    }
}
#endif
