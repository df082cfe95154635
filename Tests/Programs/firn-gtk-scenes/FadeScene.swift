#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting

/// Checks that an image fades in, and does not if the user prefers reduced motion.
@MainActor
enum FadeScene {
    static func play(_ checks: Checks) async {
        var options = ImageLoadingOptions(
            // Slow, so that even a busy machine paints some frames of the transition.
            placeholder: .color(SRGBColor(red: 0, green: 0, blue: 0)),
            transition: .fadeIn(duration: .seconds(3)))
        options.isProgressiveRenderingEnabled = false
        let loading = SceneLoading(options: options)
        let image = FirnPicture(context: loading.context)
        image.cornerRadius = 40
        let window = SceneWindow(width: 200, height: 200, image.widget)
        await window.present(checks)
        // Number 511: the halves differ, and the left one has the brightest color.
        let levels = await watch(511, image, loading, window, checks)
        checks.expect(Set(levels).count >= 3, "levels between black and the image are seen: \(levels)")
        checks.expect(zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 }, "it only gets brighter: \(levels)")
        let corner = window.shot()?.color(1, 1) ?? .zero
        checks.expect(corner != SIMD4(240, 240, 240, 255), "the corners are round: \(corner)")

        setAnimations(false)
        let still = await watch(510, image, loading, window, checks)
        checks.expect(Set(still).count <= 2, "no motion where none is wanted: \(still)")
        setAnimations(true)
        await fromImageToImage(image, loading, window, checks)
        window.close()
    }

    /// Returns the brightness of a spot until the image is shown.
    private static func watch(
        _ number: Int, _ image: FirnPicture, _ loading: SceneLoading, _ window: SceneWindow, _ checks: Checks
    ) async -> [UInt8] {
        // The response is held back: one that arrives before the call returns is shown at once, without a fade.
        loading.loader.hold(SceneLoading.url(number))
        loading.serve(number)
        image.request = loading.request(number)
        checks.expect(image.binding.phase.isLoading, "it loads")
        loading.loader.release(SceneLoading.url(number))
        var levels: [UInt8] = []
        await checks.wait("image \(number) is shown") {
            let shot = window.shot()
            // A window that is about to be repainted has no content.
            if let level = shot?.color(50, 100), level.w == 255 { levels.append(level.y) }
            return shot?.number(of: image.widget, in: window) == number
        }
        return levels
    }

    /// Checks the transition between two images: both are visible, which a veil over the next one could not do.
    private static func fromImageToImage(
        _ image: FirnPicture, _ loading: SceneLoading, _ window: SceneWindow, _ checks: Checks
    ) async {
        image.options = ImageLoadingOptions(placeholder: .keep, transition: .fadeIn(duration: .seconds(3))).forGTK
        let levels = await watch(0, image, loading, window, checks)
        checks.expect(Set(levels).count >= 3, "levels between two images are seen: \(levels)")
        checks.expect(
            zip(levels, levels.dropFirst()).allSatisfy { Int($0) + 2 >= Int($1) },
            "it only gets darker, but for rounding: \(levels)")
        loading.context.isInMotion = true
        // The left half of number 503 has level 208, that of number 0 has 16.
        let moving = await watch(503, image, loading, window, checks)
        checks.expect(
            !moving.contains { $0 > 60 && $0 < 180 }, "no transition in a list that is scrolled fast: \(moving)")
    }

    private static func setAnimations(_ isOn: Bool) {
        var value = GValue()
        g_value_init(&value, GType(5 << 2))
        g_value_set_boolean(&value, isOn ? 1 : 0)
        g_object_set_property(
            UnsafeMutableRawPointer(gtk_settings_get_default()).assumingMemoryBound(to: GObject.self),
            "gtk-enable-animations", &value)
        g_value_unset(&value)
    }
}
#endif
