import FirnSystem

/// Painting without a graphics card.
enum SoftwarePainting {
    /// Has GTK load no GL where the user wants it to paint by cairo. It would look for a driver all the same, and find Mesa's,
    /// which paints in software by a compiler: 45 MiB of it. To be called before GTK is made ready.
    static func leaveOutGL() {
        guard let renderer = getenv("GSK_RENDERER"), String(cString: renderer) == "cairo" else { return }
        let former = getenv("GDK_DEBUG").map { String(cString: $0) + "," } ?? ""
        _ = setenv("GDK_DEBUG", former + "gl-disable", 1)
    }
}
