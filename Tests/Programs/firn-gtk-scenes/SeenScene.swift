#if GTK
import CGTK4
import FirnAnimation
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport

/// Checks that animations which cannot be seen decode nothing and go on where they were, in Firn's widget and in GTK's.
@MainActor
enum SeenScene {
    /// A long animation, whose frames tell whether it has started over.
    private static let long = ScriptedAnimation(
        size: PixelSize(width: 60, height: 60), durations: Array(repeating: 20, count: 250), loopCount: 0)
    private static let once = ScriptedAnimation(
        size: PixelSize(width: 400, height: 400), durations: [40, 40, 40, 40], loopCount: 1)

    static func play(_ checks: Checks) async {
        do {
            for isPaintable in [false, true] { try await playsWhereSeen(isPaintable, checks) }
            await staysAtItsEnd(checks)
        } catch { checks.expect(false, "\(error)") }
    }

    private static func animation(_ file: ScriptedAnimation) throws -> AnimatedImage {
        let decoder = ImageDecoder(decoders: [ScriptedAnimationDecoder()])
        try decoder.setData(file.data, allDataReceived: true)
        var options = DecodingOptions()
        options.pixelFormat = .rgb8
        return AnimatedImage(decoder: decoder, options: options)
    }

    // MARK: Endless animations

    private static func playsWhereSeen(_ isPaintable: Bool, _ checks: Checks) async throws {
        let animation = try animation(long)
        let moving = isPaintable ? AnimatedPaintable(animation) : nil
        let image = isPaintable ? nil : FirnPicture(context: SceneLoading().context)
        guard let view = image?.widget ?? gtk_picture_new_for_paintable(moving?.pointer),
            let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), let tall = gtk_drawing_area_new(),
            let scrolled = gtk_scrolled_window_new(), let other = gtk_drawing_area_new(), let stack = gtk_stack_new()
        else { return }
        image?.play(animation)
        moving?.attach(to: view)
        gtk_widget_set_size_request(view, 100, 100)
        gtk_widget_set_size_request(tall, 100, 4_000)
        let column = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(column, view)
        gtk_box_append(column, tall)
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), box)
        gtk_stack_add_child(OpaquePointer(stack), scrolled)
        gtk_stack_add_child(OpaquePointer(stack), other)
        let window = SceneWindow(width: 200, height: 200, stack)
        await window.present(checks)
        let name = isPaintable ? "paintable" : "widget"
        let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))

        await rests("\(name), scrolled away", view, animation, window, checks) {
            gtk_adjustment_set_value(adjustment, $0 ? 3_000 : 0)
        }
        await rests("\(name), on another page", view, animation, window, checks) {
            gtk_stack_set_visible_child(OpaquePointer(stack), $0 ? other : scrolled)
        }
        await rests("\(name), transparent", view, animation, window, checks) {
            gtk_widget_set_opacity(box, $0 ? 0 : 1)
        }
        checks.expect(BackgroundScene.minimize(window), "the X server takes the window off the screen")
        await checks.wait("\(name): a minimized window keeps no frames") { animation.residentFrames == 0 }
        window.close()
        moving?.detach()
    }

    /// Checks that the animation rests while it is hidden, and then goes on.
    private static func rests(
        _ name: String, _ view: UnsafeMutablePointer<GtkWidget>, _ animation: AnimatedImage, _ window: SceneWindow,
        _ checks: Checks, hide: (Bool) -> Void
    ) async {
        let least: UInt8 = 30
        var former: UInt8 = 0
        await checks.wait("\(name): it has played for a while") {
            former = level(view, window)
            return former >= least && former < 150
        }
        hide(true)
        await checks.wait("\(name): the frames are released") { animation.residentFrames == 0 }
        let decoded = animation.decodedFrames
        await Turn.frames(30, of: window)
        checks.expect(animation.decodedFrames == decoded, "\(name): no frame is decoded")
        hide(false)
        var seen: UInt8 = 0
        await checks.wait("\(name): it plays again") {
            seen = level(view, window)
            return seen > 0 && animation.residentFrames > 0
        }
        checks.expect(seen >= former, "\(name): it goes on from frame \(former), not from \(seen)")
    }

    /// Returns the level of the frame that a widget shows; 0 if it is not on the screen.
    private static func level(_ view: UnsafeMutablePointer<GtkWidget>, _ window: SceneWindow) -> UInt8 {
        var bounds = graphene_rect_t()
        guard gtk_widget_get_mapped(view) != 0, gtk_widget_compute_bounds(view, window.widget, &bounds) != 0,
            let color = window.shot()?.color(
                Int(bounds.origin.x + bounds.size.width / 2), Int(bounds.origin.y + bounds.size.height / 2))
        else { return 0 }
        // The window's own background is gray or white.
        return color.x == color.y && color.y == color.z && color.x < 240 ? color.x : 0
    }

    // MARK: Animations that end

    /// Checks that an animation that has played to its end stays there: on a page that is shown again, and in a widget
    /// that grows and loads the frames at another size.
    private static func staysAtItsEnd(_ checks: Checks) async {
        let loading = SceneLoading(decoders: [ScriptedAnimationDecoder()])
        loading.loader.respond(to: SceneLoading.url(1), with: once.data)
        let image = FirnPicture(context: loading.context)
        guard let stack = gtk_stack_new(), let other = gtk_drawing_area_new() else { return }
        gtk_stack_add_child(OpaquePointer(stack), image.widget)
        gtk_stack_add_child(OpaquePointer(stack), other)
        let window = SceneWindow(width: 100, height: 100, stack)
        image.request = loading.request(1)
        await window.present(checks)
        await checks.wait("it plays to its end") { level(image.widget, window) == 4 }

        gtk_stack_set_visible_child(OpaquePointer(stack), other)
        await checks.wait("another page is shown") { gtk_widget_get_mapped(image.widget) == 0 }
        gtk_stack_set_visible_child(OpaquePointer(stack), image.widget)
        await checks.wait("its page is back") { gtk_widget_get_mapped(image.widget) != 0 }
        await staysAtEnd("on its page", image, window, checks)

        window.resize(width: 300, height: 300)
        await checks.wait("a larger image is there") {
            image.binding.phase.response?.image.size == PixelSize(width: 300, height: 300)
        }
        await staysAtEnd("in a larger widget", image, window, checks)
        window.close()
    }

    private static func staysAtEnd(
        _ place: String, _ image: FirnPicture, _ window: SceneWindow, _ checks: Checks
    ) async {
        var levels: Set<UInt8> = []
        for _ in 0..<40 {
            await Turn.frames(1, of: window)
            levels.insert(level(image.widget, window))
        }
        checks.expect(levels == [4], "\(place), it stays at its last frame: \(levels.sorted())")
    }
}
#endif
