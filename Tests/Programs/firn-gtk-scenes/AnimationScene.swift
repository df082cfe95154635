#if GTK
import CGTK4
import FirnAnimation
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport

/// Checks an animation in two widgets: it plays, shares its frames, and stops while it is not visible.
@MainActor
enum AnimationScene {
    static func play(_ checks: Checks) async {
        let loading = SceneLoading()
        let scripted = ScriptedAnimationDecoder()
        let file = ScriptedAnimation(size: PixelSize(width: 60, height: 60), durations: [40, 40, 40, 40], loopCount: 0)
        let decoder = ImageDecoder(decoders: [scripted])
        do { try decoder.setData(file.data, allDataReceived: true) } catch { checks.expect(false, "\(error)") }
        var options = DecodingOptions()
        options.pixelFormat = .rgb8
        let animation = AnimatedImage(decoder: decoder, options: options)
        guard let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0) else { return }
        let images = (0..<2).map { _ in FirnPicture(context: loading.context) }
        for image in images {
            gtk_widget_set_hexpand(image.widget, 1)
            gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), image.widget)
            image.play(animation)
        }
        let window = SceneWindow(width: 200, height: 100, box)
        checks.expect(animation.decodedFrames == 0, "nothing is decoded before it is seen")
        await window.present(checks)
        await shows([1, 2, 3, 4], at: 50, window, checks)
        await shows([1, 2, 3, 4], at: 150, window, checks)
        checks.expect(animation.residentFrames <= 8, "both share the frames: \(animation.residentFrames)")

        await steps(images[1], window, checks)
        gtk_widget_set_visible(box, 0)
        await checks.wait("the frames are let go where nobody looks") { animation.residentFrames == 0 }
        let decoded = animation.decodedFrames
        for _ in 0..<60 { await Turn.next() }
        checks.expect(animation.decodedFrames == decoded, "and none is decoded")
        gtk_widget_set_visible(box, 1)
        await shows([1, 2, 3, 4], at: 50, window, checks)
        await playsAsPaintable(animation, window, box, checks)
        window.close()
        await checks.wait("the end lets go of the frames") { animation.residentFrames == 0 }
    }

    /// Checks that a paused animation shows the frames that it is asked for, and then plays on.
    private static func steps(_ image: FirnPicture, _ window: SceneWindow, _ checks: Checks) async {
        image.playsAnimations = false
        image.stepAnimation(by: 0)
        for _ in 0..<20 { await Turn.next() }
        var level = Int(window.shot()?.color(150, 50).x ?? 0)
        checks.expect((1...4).contains(level), "a frame is shown: \(level)")
        for step in [1, 1, 1, 1, -1, -1, -1, -1, -1, 2] {
            level = (level - 1 + step + 4) % 4 + 1
            image.stepAnimation(by: step)
            await shows([UInt8(level)], at: 150, window, checks)
            for _ in 0..<30 { await Turn.next() }
            let color = window.shot()?.color(150, 50).x
            checks.expect(color == nil || color.map(Int.init) == level, "it stays: \(color as Any), \(level)")
        }
        image.playsAnimations = true
        await shows([1, 2, 3, 4], at: 150, window, checks)
    }

    /// Checks the animation in a GTK widget.
    private static func playsAsPaintable(
        _ animation: AnimatedImage, _ window: SceneWindow, _ box: UnsafeMutablePointer<GtkWidget>, _ checks: Checks
    ) async {
        let moving = AnimatedPaintable(animation)
        guard let image = gtk_picture_new_for_paintable(moving.pointer) else { return }
        gtk_widget_set_hexpand(image, 1)
        moving.attach(to: image)
        gtk_box_prepend(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), image)
        await checks.wait("GTK's own widget has its place") { gtk_widget_get_width(image) > 20 }
        let middle = Int(gtk_widget_get_width(image)) / 2
        await shows([1, 2, 3, 4], at: middle, window, checks)
        gtk_widget_set_visible(image, 0)
        moving.detach()
    }

    /// Waits until each level was seen.
    private static func shows(_ levels: Set<UInt8>, at x: Int, _ window: SceneWindow, _ checks: Checks) async {
        var missing = levels
        await checks.wait("frames \(levels.sorted()) at \(x)") {
            if let color = window.shot()?.color(x, 50) { missing.remove(color.x) }
            return missing.isEmpty
        }
    }
}
#endif
