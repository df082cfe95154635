#if GTK
import CFirnAdwaita
import FirnGTK

/// The header bar of the grid (open, search, sort, menu) and the search bar below it.
@MainActor
final class GalleryHeader {
    /// The header bar and the search.
    let widget: Widget
    private let header: Widget = adw_header_bar_new()
    let search: Widget = gtk_search_entry_new()
    var onSearch: ((String) -> Void)?
    /// Called with the text when Enter is pressed, which may be before ``onSearch`` is called with it.
    var onEnter: ((String) -> Void)?
    private let bar: Widget = gtk_search_bar_new()
    private let title: Widget = adw_window_title_new(tr("Gallery"), nil)

    init() {
        adw_header_bar_set_title_widget(header.opaque, title)
        adw_header_bar_set_centering_policy(header.opaque, ADW_CENTERING_POLICY_LOOSE)
        adw_header_bar_pack_start(
            header.opaque, .button("document-open-symbolic", tr("Open a Folder"), action: "win.open"))
        let find = Widget.button("system-search-symbolic", tr("Search"), isToggle: true)
        adw_header_bar_pack_start(header.opaque, find)
        adw_header_bar_pack_end(
            header.opaque,
            GalleryMenu.button(
                "open-menu-symbolic", tr("Main Menu"),
                [
                    [(tr("_Larger Images"), "larger"), (tr("_Smaller Images"), "smaller")],
                    [(tr("Slide S_how"), "slides"), (tr("_Full Screen"), "fullscreen")],
                    [(tr("_Keyboard Shortcuts"), "shortcuts"), (tr("_About Gallery"), "about")],
                ], isPrimary: true))
        adw_header_bar_pack_end(
            header.opaque,
            GalleryMenu.button(
                "view-sort-descending-symbolic", tr("Sort"),
                [
                    [(tr("_Name"), "sort::name"), (tr("_Date"), "sort::date"), (tr("_Size"), "sort::size")],
                    [(tr("_Reversed"), "reversed")],
                ]))
        adw_header_bar_pack_end(
            header.opaque, .button("selection-mode-symbolic", tr("Select"), action: "win.select", isToggle: true))
        let clamp: Widget = adw_clamp_new()
        adw_clamp_set_maximum_size(clamp.opaque, 400)
        adw_clamp_set_child(clamp.opaque, search)
        gtk_widget_set_hexpand(clamp, 1)
        gtk_search_bar_set_child(bar.opaque, clamp)
        gtk_search_bar_connect_entry(bar.opaque, OpaquePointer(search))
        AccessibleText.set(GTK_ACCESSIBLE_PROPERTY_LABEL, tr("Search by name"), of: search.opaque)
        widget = .box(GTK_ORIENTATION_VERTICAL, [header, bar])
        g_object_bind_property(
            find.object, "active", bar.object, "search-mode-enabled", G_BINDING_BIDIRECTIONAL)
        SignalClosure.connect(search.object, "search-changed") { [weak self] in
            if let self { self.onSearch?(self.text) }
        }
        SignalClosure.connect(search.object, "activate") { [weak self] in self?.enter() }
    }

    /// Makes room for the title in a narrow window.
    func fit(width: gint) { header.fitHeader(width: width) }

    /// Shows the name and the number of images.
    func describe(_ name: String, _ count: String) {
        adw_window_title_set_title(title.opaque, name)
        adw_window_title_set_subtitle(title.opaque, count)
        gtk_widget_set_tooltip_text(title, count)
    }

    /// The number of images, and of files that are not shown.
    var count: String { String(cString: adw_window_title_get_subtitle(title.opaque)) }

    /// Searches for the typed text at once and opens the first result.
    func enter() { onEnter?(text) }

    /// Types a character at the end, or Return; for tests.
    func type(_ key: UInt32) {
        if key == GDK_KEY_Return { return enter() }
        guard let scalar = Unicode.Scalar(gdk_keyval_to_unicode(key)), scalar.value > 0x1F else { return }
        gtk_editable_set_text(search.opaque, text + String(scalar))
    }

    private var text: String { gtk_editable_get_text(search.opaque).map { String(cString: $0) } ?? "" }

    /// True if the search bar is open. Closing it ends the search.
    var isSearching: Bool {
        get { gtk_search_bar_get_search_mode(bar.opaque) != 0 }
        set {
            gtk_search_bar_set_search_mode(bar.opaque, newValue ? 1 : 0)
            if newValue { gtk_widget_grab_focus(search) }
        }
    }
}

/// The bar below the grid while images are selected: their number and the actions on them.
@MainActor
final class SelectionBar {
    let widget: Widget = gtk_action_bar_new()
    private let count = Widget.text("", classes: ["heading"])

    init() {
        let bar = widget.opaque
        gtk_action_bar_pack_start(bar, .button("edit-copy-symbolic", tr("Copy"), action: "win.copy"))
        gtk_action_bar_pack_start(bar, .button("user-trash-symbolic", tr("Move to the trash"), action: "win.trash"))
        gtk_action_bar_set_center_widget(bar, count)
        let leave = Widget.button(text: tr("_Cancel"), action: "win.unselect")
        leave.label(tr("Select Nothing"))
        gtk_action_bar_pack_end(bar, leave)
        gtk_action_bar_set_revealed(bar, 0)
    }

    /// The text of the bar; empty while it is hidden.
    var text: String {
        gtk_action_bar_get_revealed(widget.opaque) != 0 ? String(cString: gtk_label_get_text(count.opaque)) : ""
    }

    /// Shows the number of selected images. Hides the bar for a single one, which is just the current image, unless the
    /// user selects by clicking.
    func show(_ selected: Int, isSelecting: Bool) {
        let isShown = isSelecting || selected > 1
        // Keeps the text while the bar slides away.
        if isShown { gtk_label_set_text(count.opaque, tr("%1 selected", "%1 selected", count: selected)) }
        gtk_action_bar_set_revealed(widget.opaque, isShown ? 1 : 0)
        // Messages are shown above the bar.
        gtk_widget_get_root(widget).map { Widget($0).style("selecting", isShown) }
    }
}

/// Styles that libadwaita has no class for.
@MainActor
enum GalleryStyle {
    private static let text = """
        .surround { background-color: #1a1a1a; }
        .selecting toast { margin-bottom: 60px; }
        headerbar > windowhandle > box > box { border-spacing: 3px; }
        gridview.gallery { padding: 6px; }
        gridview.gallery > child { padding: 6px; border-radius: 9px; }
        gridview.gallery > child:selected { background-color: alpha(@accent_bg_color, 0.3); }
        gridview.gallery .edge {
            outline: 1px solid alpha(currentColor, 0.2); outline-offset: -1px; border-radius: 6px;
        }
        gridview.gallery .transparent {
            background: conic-gradient(#aaa 25%, #ddd 0 50%, #aaa 0 75%, #ddd 0) 0 0 / 16px 16px;
        }
        gridview.gallery .mark {
            margin: 6px; padding: 3px; border-radius: 99px; color: transparent;
            background-color: alpha(black, 0.4); box-shadow: inset 0 0 0 2px white;
        }
        gridview.gallery > child:selected .mark { color: @accent_fg_color; background-color: @accent_bg_color; }
        @keyframes turn { to { -gtk-icon-transform: rotate(1turn); } }
        .busy { animation: turn 1s steps(12) infinite; }
        row.property label.title { font-size: smaller; opacity: 0.6; }
        row.property label.subtitle { font-size: inherit; opacity: 1; }
        """

    static func load() {
        guard let display = gdk_display_get_default(), let provider = gtk_css_provider_new() else { return }
        gtk_css_provider_load_from_data(provider, text, -1)
        gtk_style_context_add_provider_for_display(
            display, OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(UnsafeMutableRawPointer(provider))
    }
}
#endif
