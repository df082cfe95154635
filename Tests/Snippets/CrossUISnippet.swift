#if GTK
import CGTK4
import Firn
import FirnGTK
import FoundationEssentials

// The code of the article on SwiftCrossUI, checked against stand-ins: the package is not among those that are
// fetched for the tests. The stand-ins have what the code uses, as SwiftCrossUI declares it.

@MainActor enum Gtk {
    @MainActor class Widget {
        let pointer: UnsafeMutableRawPointer?
        init<T>(_ pointer: UnsafeMutablePointer<T>?) { self.pointer = UnsafeMutableRawPointer(pointer) }
    }
}

struct GtkWidgetRepresentableContext<Representable: GtkWidgetRepresentable> {}

struct ProposedViewSize {
    var width: Double?
    var height: Double?
}

struct ViewSize {
    init(_ width: Double, _ height: Double) {}
}

@MainActor protocol GtkWidgetRepresentable {
    associatedtype GtkWidgetType: Gtk.Widget
    typealias Context = GtkWidgetRepresentableContext<Self>
    func makeGtkWidget(context: Context) -> GtkWidgetType
    func updateGtkWidget(_ gtkWidget: GtkWidgetType, context: Context)
    func sizeThatFits(_ proposal: ProposedViewSize, gtkWidget: GtkWidgetType, context: Context) -> ViewSize
}

// snippet.cross-ui
/// A widget of SwiftCrossUI around Firn's.
final class PhotoWidget: Gtk.Widget {
    static let context = BindingContext.gtk(pipeline: .shared)
    let image = FirnPicture(context: PhotoWidget.context)

    init() { super.init(image.widget) }
}

/// A view of SwiftCrossUI that shows the image at an address.
struct Photo: GtkWidgetRepresentable {
    var url: String

    func makeGtkWidget(context: Context) -> PhotoWidget { PhotoWidget() }

    func updateGtkWidget(_ widget: PhotoWidget, context: Context) {
        widget.image.request = ImageRequest(url: url)
    }

    /// Takes all the space that is proposed.
    /// `frame(width:height:)` around the view sets the size.
    func sizeThatFits(
        _ proposal: ProposedViewSize, gtkWidget: PhotoWidget, context: Context
    ) -> ViewSize {
        ViewSize(proposal.width ?? 100, proposal.height ?? 100)
    }
}
// snippet.end

// snippet.cross-ui-list
/// A widget of SwiftCrossUI around a grid of images.
final class PhotoGridWidget: Gtk.Widget {
    let list = FirnImageList([]) { (url: URL) in url }

    init() { super.init(list.widget) }
}

/// A view of SwiftCrossUI that shows images in a grid.
struct Photos: GtkWidgetRepresentable {
    var urls: [URL]

    func makeGtkWidget(context: Context) -> PhotoGridWidget { PhotoGridWidget() }

    func updateGtkWidget(_ widget: PhotoGridWidget, context: Context) {
        if widget.list.items != urls { widget.list.items = urls }
    }

    func sizeThatFits(
        _ proposal: ProposedViewSize, gtkWidget: PhotoGridWidget, context: Context
    ) -> ViewSize {
        ViewSize(proposal.width ?? 400, proposal.height ?? 400)
    }
}
// snippet.end
#endif
