#if GTK
import CGTK4
import Firn
import FirnGTK
import FirnDemoServer

/// The bar at the top: search, open, the demonstration's collections, network speed, the policy for scrolled-away
/// images, cell size.
@MainActor
final class GalleryHeader {
    let widget: UnsafeMutablePointer<GtkWidget>
    let search: UnsafeMutablePointer<GtkWidget>
    private let policies: GalleryChoice
    private let networks: GalleryChoice
    private let zoom: UnsafeMutablePointer<GtkWidget>

    var onSearch: ((String) -> Void)?
    var onCell: ((Int) -> Void)?
    var onOpen: (() -> Void)?
    var onPolicy: ((ImageReusePolicy) -> Void)?
    var onNetwork: ((LineCondition) -> Void)?
    var onCollection: ((DemoCollection) -> Void)?

    init(cell: Int, policy: ImageReusePolicy, network: LineCondition, collection: DemoCollection?) {
        guard let bar = gtk_header_bar_new(), let search = gtk_search_entry_new(),
            let open = gtk_button_new_from_icon_name("folder-open-symbolic"),
            let zoom = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 60, 480, 20)
        else { fatalError("GTK made no header") }
        widget = bar
        self.search = search
        self.zoom = zoom
        policies = GalleryChoice(
            ImageReusePolicy.allCases.map { "scrolled away: \($0.rawValue)" },
            chosen: ImageReusePolicy.allCases.firstIndex(of: policy) ?? 0,
            hint: "What becomes of images that scroll away")
        networks = GalleryChoice(
            LineCondition.all.map { "network: \($0.name)" }, chosen: LineCondition.all.firstIndex(of: network) ?? 0,
            hint: "How fast the network is made to be")
        let header = OpaquePointer(bar)
        gtk_widget_set_tooltip_text(open, "Open a folder (Ctrl+O)")
        gtk_widget_set_tooltip_text(zoom, "Size of the cells (Ctrl+plus, Ctrl+minus)")
        gtk_widget_set_size_request(zoom, 120, -1)
        gtk_range_set_value(range, Double(cell))
        gtk_header_bar_pack_start(header, open)
        gtk_header_bar_pack_start(header, search)
        if let collection {
            let collections = GalleryChoice(
                DemoCollection.allCases.map(\.rawValue),
                chosen: DemoCollection.allCases.firstIndex(of: collection) ?? 0,
                hint: "What is shown")
            gtk_header_bar_set_title_widget(header, collections.widget)
            collections.onChoice = { [weak self] in self?.onCollection?(DemoCollection.allCases[$0]) }
        }
        gtk_header_bar_pack_end(header, zoom)
        gtk_header_bar_pack_end(header, policies.widget)
        gtk_header_bar_pack_end(header, networks.widget)
        policies.onChoice = { [weak self] in self?.onPolicy?(ImageReusePolicy.allCases[$0]) }
        networks.onChoice = { [weak self] in self?.onNetwork?(LineCondition.all[$0]) }
        SignalClosure.connect(UnsafeMutableRawPointer(zoom), "value-changed") { [weak self] in
            guard let self else { return }
            self.onCell?(Int(gtk_range_get_value(self.range)))
        }
        SignalClosure.connect(UnsafeMutableRawPointer(search), "search-changed") { [weak self] in
            guard let self, let text = gtk_editable_get_text(OpaquePointer(self.search)) else { return }
            self.onSearch?(String(cString: text))
        }
        SignalClosure.connect(UnsafeMutableRawPointer(open), "clicked") { [weak self] in self?.onOpen?() }
    }

    private var range: UnsafeMutablePointer<GtkRange> {
        UnsafeMutableRawPointer(zoom).assumingMemoryBound(to: GtkRange.self)
    }

    /// Changes the size of cells.
    func scaleCells(by step: Double) { gtk_range_set_value(range, gtk_range_get_value(range) + step) }

    /// Selects the next policy.
    func nextPolicy() { policies.next() }

    /// Selects the next network.
    func nextNetwork() { networks.next() }

    /// Clears the search.
    func clearSearch() { gtk_editable_set_text(OpaquePointer(search), "") }
}
#endif
