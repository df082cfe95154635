#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline
import FirnSystem

/// Checks that a widget loads another size when its window moves to a screen of another scale.
@MainActor
enum ScaleScene {
    static func play(_ checks: Checks) async {
        let loading = SceneLoading()
        loading.serve(3)
        let image = FirnPicture(context: loading.context)
        image.naturalSize = PixelSize(width: 150, height: 150)
        gtk_widget_set_halign(image.widget, GTK_ALIGN_START)
        gtk_widget_set_valign(image.widget, GTK_ALIGN_START)
        image.request = loading.request(3)
        let window = SceneWindow(width: 160, height: 160, image.widget)
        await window.present(checks)
        await has(150, image, checks)
        // A test display has one screen, so its scale is changed. What widgets notice is the same.
        guard checks.expect(setScale(2), "the display has scales") else { return }
        await has(300, image, checks)
        _ = setScale(1)
        await checks.wait("the scale is 1 again") { gtk_widget_get_scale_factor(image.widget) == 1 }
        window.close()
    }

    private static func has(_ side: Int, _ image: FirnPicture, _ checks: Checks) async {
        await checks.wait("an image of \(side) pixels") {
            image.binding.phase.response?.image.size == PixelSize(width: side, height: side)
        }
    }

    private static func setScale(_ scale: Int32) -> Bool {
        typealias SetScale = @convention(c) (OpaquePointer?, Int32) -> Void
        guard let function = dlsym(dlopen(nil, RTLD_NOW), "gdk_x11_display_set_surface_scale") else { return false }
        unsafeBitCast(function, to: SetScale.self)(gdk_display_get_default(), scale)
        return true
    }
}
#endif
