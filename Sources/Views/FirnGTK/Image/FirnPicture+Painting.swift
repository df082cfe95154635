#if GTK
import CGTK4

// Painting of the widget.
extension FirnPicture {
    func redraw() { gtk_widget_queue_draw(widget) }

    /// Paints the current content.
    func paint(into snapshot: OpaquePointer) {
        let area = PaintArea(
            width: Double(gtk_widget_get_width(widget)), height: Double(gtk_widget_get_height(widget)),
            scale: Double(gtk_widget_get_scale_factor(widget)), cornerRadius: max(0, cornerRadius),
            stretches: stretches,
            isPixelated: isPixelated)
        guard area.width > 0, area.height > 0 else { return }
        if let former, let transition, let now = frameTime {
            let frame = transition.transition.frame(at: transition.progress(at: now))
            if transition.transition.isFade {
                paintFade(frame.opacity, from: former, into: snapshot, area)
            } else {
                paint(frame, over: former, into: snapshot, area)
            }
        } else {
            layer.paint(into: snapshot, area, mode: mode)
        }
        if let progress {
            // A bar at the bottom.
            area.clip(to: area.bounds, in: snapshot) {
                var track = graphene_rect_t(x: 0, y: area.height - 3, width: area.width, height: 3)
                var dark = GdkRGBA(red: 0, green: 0, blue: 0, alpha: 0.35)
                gtk_snapshot_append_color(snapshot, &dark, &track)
                track.size.width *= Float(min(1, max(0, progress)))
                var bright = GdkRGBA(red: 1, green: 1, blue: 1, alpha: 0.9)
                gtk_snapshot_append_color(snapshot, &bright, &track)
            }
        }
    }

    private func paintFade(
        _ progress: Double, from former: (layer: ImageLayer, mode: ImageContentMode), into snapshot: OpaquePointer,
        _ area: PaintArea
    ) {
        if let veil = former.layer.veil(progress) {
            layer.paint(into: snapshot, area, mode: mode)
            veil.paint(into: snapshot, area, mode: former.mode)
        } else if layer.covers(area, mode: mode) {
            // Fades in an opaque image over the former one. Same pixels as a cross-fade, with one off-screen pass
            // instead of two.
            former.layer.paint(into: snapshot, area, mode: former.mode)
            gtk_snapshot_push_opacity(snapshot, progress)
            layer.paint(into: snapshot, area, mode: mode)
            gtk_snapshot_pop(snapshot)
        } else {
            gtk_snapshot_push_cross_fade(snapshot, progress)
            former.layer.paint(into: snapshot, area, mode: former.mode)
            gtk_snapshot_pop(snapshot)
            layer.paint(into: snapshot, area, mode: mode)
            gtk_snapshot_pop(snapshot)
        }
    }

    /// Paints one frame of the program's own transition, clipped to the widget.
    private func paint(
        _ frame: ImageTransition.Frame, over former: (layer: ImageLayer, mode: ImageContentMode),
        into snapshot: OpaquePointer, _ area: PaintArea
    ) {
        var bounds = area.bounds
        gtk_snapshot_push_clip(snapshot, &bounds)
        if frame.formerOpacity > 0 {
            gtk_snapshot_push_opacity(snapshot, frame.formerOpacity)
            former.layer.paint(into: snapshot, area, mode: former.mode)
            gtk_snapshot_pop(snapshot)
        }
        if frame.opacity > 0, frame.scale > 0 {
            gtk_snapshot_push_opacity(snapshot, frame.opacity)
            gtk_snapshot_save(snapshot)
            var center = graphene_point_t(
                x: Float(area.width * (0.5 + frame.x)), y: Float(area.height * (0.5 + frame.y)))
            gtk_snapshot_translate(snapshot, &center)
            gtk_snapshot_scale(snapshot, Float(frame.scale), Float(frame.scale))
            var corner = graphene_point_t(x: Float(-area.width / 2), y: Float(-area.height / 2))
            gtk_snapshot_translate(snapshot, &corner)
            layer.paint(into: snapshot, area, mode: mode)
            gtk_snapshot_restore(snapshot)
            gtk_snapshot_pop(snapshot)
        }
        gtk_snapshot_pop(snapshot)
    }

    // Replaces first frames with their animations.

    /// Plays an animation in place of the current image, until other content is shown. A running transition continues.
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

    /// Returns whether the animation of this image is already shown at another size. It then continues until frames at
    /// the new size are decoded.
    func isPlaying(_ response: ImageResponse) -> Bool {
        guard response.container.isAnimated, case .animation = layer else { return false }
        return playedSource != nil && playedSource == PlayedSource(response, of: binding.request)
    }

    /// Plays the animation whose first frame is shown. Does nothing if the image is not animated.
    ///
    /// - Parameter steps: the number of frames to move on by, if the animation is paused.
    func playIfAnimated(_ response: ImageResponse, steps: Int? = nil) {
        var former: AnimationPlayer?
        if case .animation(let player) = layer { former = player }
        guard playsAnimations || former != nil || steps != nil, response.container.isAnimated else { return }
        let source = PlayedSource(response, of: binding.request)
        animationSearch += 1
        let search = animationSearch
        AnimationTable.shared.findAnimation(of: response, pipeline: context.pipeline) { [weak self] animation in
            guard let self, self.animationSearch == search, let animation else { return }
            if source != self.playedSource { former = nil }
            self.playedSource = source
            if former?.image !== animation { self.play(animation, continuing: former) }
            if !self.playsAnimations, case .animation(let player) = self.layer {
                player.pause()
                player.step(by: steps ?? 0)
                self.updatePlaying()
            }
        }
    }

    func playsAnimationsChanged() {
        if case .animation(let player) = layer {
            playsAnimations ? player.unpause() : player.pause()
            updatePlaying()
        } else if playsAnimations, binding.content.kind == .image, let response = binding.content.response {
            playIfAnimated(response)
        } else {
            // Ignores the result of a running search.
            animationSearch += 1
        }
    }

    /// Shows another frame of the animation and sets ``playsAnimations`` to `false`. Continues at the other end after
    /// the last frame, and before the first one. Does nothing if the image is not animated.
    ///
    /// - Parameter frames: the number of frames to move on by; negative to move back.
    public func stepAnimation(by frames: Int) {
        playsAnimations = false
        let content = binding.content
        if case .animation(let player) = layer {
            player.step(by: frames)
            updatePlaying()
        } else if content.kind == .image, let response = content.response {
            playIfAnimated(response, steps: frames)
        }
    }
}

/// The progress of a transition from one image to the next.
struct TransitionRun {
    let transition: ImageTransition
    /// The start by the frame clock, in microseconds; `nil` before the first frame. Not the time of the request, since
    /// an idle frame clock reports the time of its last frame.
    private(set) var start: Int64?

    /// Records the time of a frame; the first one is the start.
    mutating func tick(at time: Int64) { start = start ?? time }

    /// Returns the elapsed share of the duration, which is limited to a minute; 1 or more at the end.
    func progress(at time: Int64) -> Double {
        let duration = min(transition.duration, .seconds(60)) / .microseconds(1)
        return duration > 0 ? start.map { Double(time - $0) / duration } ?? 0 : 1
    }
}

/// The area of a widget that images are painted into.
struct PaintArea {
    /// Width and height in GTK's units.
    let width: Double
    let height: Double
    /// Device pixels for each unit.
    let scale: Double
    /// Corner radius of the painted content, in GTK's units.
    var cornerRadius = 0.0
    /// True if an image fills the area, whatever its aspect ratio.
    var stretches = false
    /// True if each pixel of an image is painted as a rectangle of one color.
    var isPixelated = false

    var bounds: graphene_rect_t { graphene_rect_t(x: 0, y: 0, width: width, height: height) }

    /// Returns the rectangle of an image of this size, which may extend beyond the area.
    ///
    /// Its position is in whole device pixels. An image decoded for this view is painted 1:1, because resampling costs
    /// more than painting.
    func rectangle(of image: PixelSize, mode: ImageContentMode) -> graphene_rect_t {
        if stretches { return bounds }
        let view = PixelSize(width: Int((width * scale).rounded()), height: Int((height * scale).rounded()))
        let fitted = TargetSize(view, mode: mode, upscale: true).resolved(for: image)
        // An image that was resized for this view may differ by one pixel because of rounding.
        let isExact = abs(fitted.width - image.width) <= 1 && abs(fitted.height - image.height) <= 1
        let painted = isExact ? image : fitted
        return graphene_rect_t(
            x: Double((view.width - painted.width) >> 1) / scale,
            y: Double((view.height - painted.height) >> 1) / scale,
            width: Double(painted.width) / scale, height: Double(painted.height) / scale)
    }

    /// Paints inside a rectangle, clipped to the area, with round corners if the radius is not 0.
    func clip(to image: graphene_rect_t, in snapshot: OpaquePointer, _ paint: () -> Void) {
        var (image, area, visible) = (image, bounds, graphene_rect_t())
        guard graphene_rect_intersection(&image, &area, &visible) else { return }
        if cornerRadius > 0 {
            var outline = GskRoundedRect()
            let radius = min(Float(cornerRadius), visible.size.width / 2, visible.size.height / 2)
            gsk_rounded_rect_init_from_rect(&outline, &visible, radius)
            gtk_snapshot_push_rounded_clip(snapshot, &outline)
        } else if !graphene_rect_equal(&visible, &image) {
            gtk_snapshot_push_clip(snapshot, &visible)
        } else {
            return paint()
        }
        paint()
        gtk_snapshot_pop(snapshot)
    }
}

#endif
