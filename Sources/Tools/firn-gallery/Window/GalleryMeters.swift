#if GTK
import CGTK4
import Firn
import FirnGTK
import FirnReport

/// A line with the state of caches and network, updated twice a second.
@MainActor
final class GalleryMeters {
    let widget: UnsafeMutablePointer<GtkWidget>
    private let pipeline: ImagePipeline
    private let context: BindingContext
    private let condition: @MainActor () -> String
    private var task: Task<Void, Never>?

    /// - Parameter condition: returns the simulated network condition.
    init(pipeline: ImagePipeline, context: BindingContext, condition: @escaping @MainActor () -> String) {
        guard let label = gtk_label_new("") else { fatalError("GTK made no label") }
        widget = label
        self.pipeline = pipeline
        self.context = context
        self.condition = condition
        gtk_widget_set_margin_top(label, 4)
        gtk_widget_set_margin_bottom(label, 4)
        gtk_label_set_ellipsize(OpaquePointer(label), PANGO_ELLIPSIZE_END)
        task = Task { [weak self] in
            while !Task.isCancelled {
                guard let self else { return }
                self.update()
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    isolated deinit { task?.cancel() }

    private func update() {
        let statistics = pipeline.statistics
        let kept = (pipeline.configuration.imageCache as? ImageCache)?.statistics.bytes ?? 0
        let words = [
            "memory \(ByteText.text(kept)), \(statistics.memoryHits) hits",
            "disk \(statistics.diskHits) hits",
            "network (\(condition())) \(statistics.transfers) transfers, \(ByteText.text(statistics.bytesLoaded)), "
                + "wasted \(ByteText.text(statistics.bytesWasted))",
            "decoded \(statistics.decodes)",
            "shown \(context.statistics.memoryHits + context.statistics.deliveries), "
                + "taken over \(context.statistics.takenOver)",
        ]
        gtk_label_set_text(OpaquePointer(widget), words.joined(separator: "   ·   "))
    }
}
#endif
