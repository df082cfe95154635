#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials

/// Checks that callbacks may change widgets: two labels follow an image and a zoomed one, whose callbacks are caused by
/// the first layout, by a window that is resized in each frame, and by pages of a stack that change places.
@MainActor
enum LayoutScene {
    static func play(_ checks: Checks) async {
        let loading = SceneLoading(decoders: [PlaceImage(), NumberedImage()])
        loading.loader.respond(to: SceneLoading.url(1), with: PlaceImage.data(PixelSize(width: 900, height: 600)))
        loading.serve(2)
        // In memory, so that the layout finds them at once.
        for request in [loading.request(1), loading.request(2).fitted(to: TargetSize(PixelSize(80)), format: .rgb8)] {
            _ = try? await loading.pipeline.image(for: request)
        }
        let stage = Stage(loading)
        await stage.window.present(checks)
        await stage.isPainted("at first", checks)
        for step in 0..<60 {
            stage.window.resize(width: 300 + step * 37 % 400, height: 260 + step * 53 % 300)
            await Turn.frames(1, of: stage.window)
            await stage.isPainted("resized \(step) times", checks)
        }
        await checks.wait("the whole image is shown") { stage.view.isSharp }
        for step in 0..<20 {
            gtk_stack_set_visible_child(stage.stack, step % 2 == 0 ? stage.image.widget : stage.view.widget)
            await Turn.frames(step % 3, of: stage.window)
            await stage.isPainted("turned \(step) pages", checks)
        }
        checks.expect(stage.calls > 10, "the program heard of \(stage.calls) changes")
        if let path = checks.shot { stage.window.shot()?.save(path) }
        stage.view.request = nil
        stage.window.close()
    }

    /// A window with labels above a stack of two pages.
    @MainActor
    private final class Stage {
        let view: FirnZoomView
        let image: FirnPicture
        let window: SceneWindow
        let stack: OpaquePointer
        private(set) var calls = 0
        private let labels: [UnsafeMutablePointer<GtkWidget>]

        init(_ loading: SceneLoading) {
            view = FirnZoomView(context: loading.context)
            image = FirnPicture(context: loading.context)
            labels = [gtk_label_new("view"), gtk_label_new("image")]
            let pages: UnsafeMutablePointer<GtkWidget> = gtk_stack_new()
            stack = OpaquePointer(pages)
            gtk_stack_add_child(stack, view.widget)
            gtk_stack_add_child(stack, image.widget)
            gtk_widget_set_vexpand(pages, 1)
            let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
            for label in labels { gtk_label_set_ellipsize(OpaquePointer(label), PANGO_ELLIPSIZE_END) }
            for child in labels + [pages] {
                gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), child)
            }
            window = SceneWindow(width: 640, height: 480, box)
            view.onChange = { [weak self] in self?.write(0) }
            view.onPhaseChange = { [weak self] _ in self?.write(0) }
            image.onPhaseChange = { [weak self] _ in self?.write(1) }
            view.request = loading.request(1)
            image.request = loading.request(2)
        }

        /// Sets a text of another width. Another height would change the size of the view, which calls again.
        private func write(_ label: Int) {
            calls += 1
            gtk_label_set_text(
                OpaquePointer(labels[label]), String(repeating: "zoom \(view.zoom) ", count: 1 + calls % 3))
        }

        /// Checks that both labels have a place and are painted.
        func isPainted(_ moment: String, _ checks: Checks) async {
            var shot: Shot?
            await checks.wait("a screenshot, \(moment)") {
                shot = window.shot()
                return shot != nil
            }
            for label in labels {
                var bounds = graphene_rect_t()
                guard let shot, gtk_widget_compute_bounds(label, window.widget, &bounds) != 0 else { continue }
                let (left, top) = (Int(bounds.origin.x), Int(bounds.origin.y))
                let (width, height) = (Int(bounds.size.width), Int(bounds.size.height))
                let background = shot.color(left, top)
                let isPainted = (0..<height).contains { y in
                    (0..<width).contains { shot.color(left + $0, top + y) != background }
                }
                checks.expect(height > 0 && isPainted, "a label of \(width) × \(height) is painted, \(moment)")
            }
        }
    }
}
#endif
