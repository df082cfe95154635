#if GTK
import CGTK4
import Firn
import FirnGTK
import FoundationEssentials

// The code of the article on adwaita-swift, checked against stand-ins: the package is not among those that are fetched
// for the tests. The stand-ins have what the code uses, as adwaita-swift declares it.

protocol ViewRenderData {}

struct WidgetData {}

final class ViewStorage {
    let opaquePointer: OpaquePointer?
    var fields: [String: Any] = [:]
    init(_ pointer: OpaquePointer?) { opaquePointer = pointer }
}

protocol AdwaitaWidget {
    func container<Data>(data: WidgetData, type: Data.Type) -> ViewStorage where Data: ViewRenderData
    func update<Data>(
        _ storage: ViewStorage, data: WidgetData, updateProperties: Bool, type: Data.Type
    ) where Data: ViewRenderData
}

// snippet.adwaita-swift-photo
/// A view of adwaita-swift that shows the image at a URL.
struct PhotoView: AdwaitaWidget {
    var url: URL

    func container<Data>(
        data: WidgetData, type: Data.Type
    ) -> ViewStorage where Data: ViewRenderData {
        nonisolated(unsafe) var storage = ViewStorage(nil)
        // adwaita-swift creates and updates views on the main thread.
        MainActor.assumeIsolated {
            let image = FirnPicture(context: .gtk)
            storage = ViewStorage(image.widget.opaque)
            storage.fields["image"] = image
        }
        update(storage, data: data, updateProperties: true, type: type)
        return storage
    }

    func update<Data>(
        _ storage: ViewStorage, data: WidgetData, updateProperties: Bool,
        type: Data.Type
    ) where Data: ViewRenderData {
        guard updateProperties, let image = storage.fields["image"] as? FirnPicture
        else { return }
        MainActor.assumeIsolated { image.request = ImageRequest(url: url) }
    }
}
// snippet.end

// snippet.adwaita-swift-photos
/// A view of adwaita-swift that shows images in a grid.
struct PhotoGrid: AdwaitaWidget {
    var urls: [URL]

    func container<Data>(
        data: WidgetData, type: Data.Type
    ) -> ViewStorage where Data: ViewRenderData {
        nonisolated(unsafe) var storage = ViewStorage(nil)
        MainActor.assumeIsolated {
            let list = FirnImageList(urls) { $0 }
            storage = ViewStorage(list.widget.opaque)
            storage.fields["list"] = list
        }
        return storage
    }

    func update<Data>(
        _ storage: ViewStorage, data: WidgetData, updateProperties: Bool,
        type: Data.Type
    ) where Data: ViewRenderData {
        guard let list = storage.fields["list"] as? FirnImageList<URL> else { return }
        MainActor.assumeIsolated { if list.items != urls { list.items = urls } }
    }
}
// snippet.end
#endif
