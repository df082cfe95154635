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
