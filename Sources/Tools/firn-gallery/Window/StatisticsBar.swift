#if GTK
import CGTK4
import FirnDemoServer
import FirnGTK
import FirnReport

/// The bar with statistics of caches and network, updated twice a second, and the demonstration's choices.
@MainActor
final class StatisticsBar {
    let widget: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    var onCollection: ((DemoCollection) -> Void)?
    /// Returns the description of the large image; empty if there is none.
    var detail: (() -> String)?
    private let label: Widget = gtk_label_new("")
    private let pipeline: ImagePipeline
    private let context: BindingContext
    private let network: SlowLoader
    private var updating: Task<Void, Never>? { didSet { oldValue?.cancel() } }

    init(pipeline: ImagePipeline, context: BindingContext, network: SlowLoader, collection: DemoCollection?) {
        (self.pipeline, self.context, self.network) = (pipeline, context, network)
        let policies = StatisticsBar.choice(
            ImageReusePolicy.allCases, \.rawValue, context.policy, tr("What becomes of images that scroll away")
        ) { context.policy = $0 }
        let networks = StatisticsBar.choice(
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
        for choice in [policies, networks] { gtk_flow_box_append(choices.opaque, choice) }
        if let collection {
            let collections = StatisticsBar.choice(
                DemoCollection.allCases, \.rawValue, collection, tr("What is shown")
            ) { [weak self] in self?.onCollection?($0) }
            gtk_flow_box_append(choices.opaque, collections)
        }
        let box = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 6, [label, choices])
        box.margin(12, 6)
        widget.append(gtk_separator_new(GTK_ORIENTATION_HORIZONTAL))
        widget.append(box)
    }

    isolated deinit { updating = nil }

    func start() {
        updating = Task { [weak self] in
            while !Task.isCancelled {
                guard let self else { return }
                self.update()
                try? await Task.sleep(for: .milliseconds(500))
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

    /// Creates a drop-down list of values.
    ///
    /// - Parameter onChoice: called with the value of the selected item.
    private static func choice<Value: Equatable & Sendable>(
        _ values: [Value], _ name: (Value) -> String, _ chosen: Value, _ hint: String,
        _ onChoice: @escaping @MainActor (Value) -> Void
    ) -> Widget {
        let strings = gtk_string_list_new(nil)
        for value in values { gtk_string_list_append(strings, name(value)) }
        let list: Widget = gtk_drop_down_new(strings, nil)
        gtk_drop_down_set_selected(list.opaque, guint(values.firstIndex(of: chosen) ?? 0))
        gtk_widget_set_tooltip_text(list, hint)
        SignalClosure.connect(list.object, "notify::selected") {
            let place = Int(gtk_drop_down_get_selected(list.opaque))
            if values.indices.contains(place) { onChoice(values[place]) }
        }
        return list
    }
}
#endif
