#if GTK
import FirnSystem

/// Painting without a graphics card.
enum SoftwarePainting {
    /// Prevents GTK from loading GL if the user selected the cairo renderer. GTK would load Mesa's software driver
    /// anyway, which takes 45 MiB. Call it before the initialization of GTK.
    static func disableGL() {
        guard let renderer = getenv("GSK_RENDERER"), String(cString: renderer) == "cairo" else { return }
        let former = getenv("GDK_DEBUG").map { String(cString: $0) + "," } ?? ""
        _ = setenv("GDK_DEBUG", former + "gl-disable", 1)
    }
}
#endif
