#if GTK
import CFirnAdwaita

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
