#if GTK
import CGTK4
import FirnDemoServer
import FirnGTK
import FirnReport

/// The statistics below the window: the state of caches and network, updated twice a second while it is shown, and
/// the demonstration's choices.
@MainActor
final class StatisticsBar {
    let widget: Widget = gtk_revealer_new()
    var onCollection: ((DemoCollection) -> Void)?
    /// Returns the facts about the large image; empty if there is none.
    var detail: (() -> String)?
    private let label: Widget = gtk_label_new("")
    let policies: GalleryChoice
    let networks: GalleryChoice
    private let pipeline: ImagePipeline
    private let context: BindingContext
    private let network: SlowLoader
    private var updating: Task<Void, Never>? { didSet { oldValue?.cancel() } }

    init(pipeline: ImagePipeline, context: BindingContext, network: SlowLoader, collection: DemoCollection?) {
        self.pipeline = pipeline
        self.context = context
        self.network = network
        policies = GalleryChoice(
            ImageReusePolicy.allCases, \.rawValue, context.policy, tr("What becomes of images that scroll away")
        ) { context.policy = $0 }
        networks = GalleryChoice(
            LineCondition.all, \.name, network.condition, tr("Simulated network")
        ) { network.condition = $0 }
        gtk_label_set_wrap(label.opaque, 1)
        gtk_label_set_xalign(label.opaque, 0)
        gtk_label_set_selectable(label.opaque, 1)
        gtk_widget_set_can_focus(label, 0)
        for name in ["caption", "numeric"] { gtk_widget_add_css_class(label, name) }
        let choices: Widget = gtk_flow_box_new()
        gtk_flow_box_set_selection_mode(choices.opaque, GTK_SELECTION_NONE)
        gtk_flow_box_set_max_children_per_line(choices.opaque, 3)
        for choice in [policies, networks] { gtk_flow_box_append(choices.opaque, choice.widget) }
        if let collection {
            let collections = GalleryChoice(
                DemoCollection.allCases, \.rawValue, collection, tr("What is shown")
            ) { [weak self] in self?.onCollection?($0) }
            gtk_flow_box_append(choices.opaque, collections.widget)
        }
        let box = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 6, [label, choices])
        box.margin(12, 6)
        let line: Widget = gtk_separator_new(GTK_ORIENTATION_HORIZONTAL)
        let all = Widget.box(GTK_ORIENTATION_VERTICAL, [line, box])
        gtk_revealer_set_child(widget.opaque, all)
        gtk_revealer_set_transition_type(widget.opaque, GTK_REVEALER_TRANSITION_TYPE_SLIDE_UP)
    }

    isolated deinit { updating = nil }

    var isShown: Bool {
        get { gtk_revealer_get_reveal_child(widget.opaque) != 0 }
        set {
            gtk_revealer_set_reveal_child(widget.opaque, newValue ? 1 : 0)
            updating = nil
            guard newValue else { return }
            updating = Task { [weak self] in
                while !Task.isCancelled {
                    guard let self else { return }
                    self.update()
                    try? await Task.sleep(for: .milliseconds(500))
                }
            }
        }
    }

    private func update() {
        let statistics = pipeline.statistics
        let kept = (pipeline.configuration.imageCache as? ImageCache)?.statistics.bytes ?? 0
        let words = [
            detail?() ?? "",
            "memory \(ByteText.text(kept)), \(statistics.memoryHits) hits",
            "disk \(statistics.diskHits) hits",
            "network (\(network.condition.name)) \(statistics.transfers) transfers, "
                + "\(ByteText.text(statistics.bytesLoaded)), wasted \(ByteText.text(statistics.bytesWasted))",
            "decoded \(statistics.decodes)",
            "shown \(context.statistics.memoryHits + context.statistics.deliveries), "
                + "taken over \(context.statistics.takenOver)",
        ]
        gtk_label_set_text(label.opaque, words.filter { !$0.isEmpty }.joined(separator: "  ·  "))
    }
}

/// A drop-down list.
@MainActor
final class GalleryChoice {
    let widget: Widget
    private let count: Int

    /// - Parameter onChoice: called with the value of the selected item.
    init<Value: Equatable & Sendable>(
        _ values: [Value], _ name: (Value) -> String, _ chosen: Value, _ hint: String,
        _ onChoice: @escaping @MainActor (Value) -> Void
    ) {
        let strings = gtk_string_list_new(nil)
        for value in values { gtk_string_list_append(strings, name(value)) }
        widget = gtk_drop_down_new(strings, nil)
        count = values.count
        gtk_drop_down_set_selected(widget.opaque, guint(values.firstIndex(of: chosen) ?? 0))
        gtk_widget_set_tooltip_text(widget, hint)
        // The widget's handler retains this object, so that it lives as long as the widget.
        SignalClosure.connect(widget.object, "notify::selected") {
            if values.indices.contains(self.place) { onChoice(values[self.place]) }
        }
    }

    /// Selects the next item, or the first after the last.
    func next() { gtk_drop_down_set_selected(widget.opaque, guint((place + 1) % max(1, count))) }

    private var place: Int { Int(gtk_drop_down_get_selected(widget.opaque)) }
}
#endif
