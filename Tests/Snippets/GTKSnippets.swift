#if GTK
import CGTK4
import Firn
import FirnGTK
import FoundationEssentials

/// The code of the articles on GTK.
@MainActor enum GTKSnippets {
    static func image(_ box: UnsafeMutablePointer<GtkWidget>) {
        // snippet.gtk-image
        GLibMainExecutor.install()  // once, before the loop runs
        let context = BindingContext.gtk(pipeline: .shared)  // one for a window or a list
        let image = FirnPicture(context: context)
        image.request = ImageRequest(url: "https://example.org/photo.jpg")
        image.alternativeText = "A bridge at dawn"
        image.cornerRadius = 8
        box.append(image)
        // snippet.end
    }

    static func list(
        _ context: BindingContext, _ paths: [String], _ selection: OpaquePointer,
        _ scrolled: UnsafeMutablePointer<GtkWidget>
    ) -> ImageListScroll {
        // snippet.gtk-list
        let factory = ImageListFactory(context: context) { item in
            ImageRequest(path: item.string)
        }
        // The grid takes one reference, we keep ours.
        g_object_ref(UnsafeMutableRawPointer(factory.pointer))
        let grid = gtk_grid_view_new(selection, factory.pointer)
        gtk_scrolled_window_set_child(scrolled.opaque, grid)
        let scroll = ImageListScroll(
            of: factory, in: scrolled, itemCount: paths.count, columns: 6
        ) { place in
            ImageRequest(path: paths[place])
        }
        // snippet.end
        return scroll
    }

    static func movingCells(_ context: BindingContext) -> ImageListFactory {
        // snippet.gtk-moving-cells
        let factory = ImageListFactory(context: context) { item in
            ImageRequest(path: item.string)
        }
        factory.playsAnimations = true
        // snippet.end
        return factory
    }

    static func rows(_ context: BindingContext) -> ImageListFactory {
        // snippet.gtk-rows
        let factory = ImageListFactory(context: context) { image in
            guard let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12),
                let label = gtk_label_new(nil)
            else { return image.widget }
            row.append(image)
            row.append(label)
            return row
        } request: { item in
            ImageRequest(path: item.string)
        }
        factory.cellSize = PixelSize(width: 96, height: 64)
        factory.didBind = { image, item in
            guard let label = gtk_widget_get_last_child(item.cell) else { return }
            gtk_label_set_text(label.opaque, item.string)
            image.alternativeText = item.string
        }
        // snippet.end
        return factory
    }

    static func ownFactory(
        _ cells: ImageListCells, _ scrolled: UnsafeMutablePointer<GtkWidget>, _ paths: [String]
    ) -> ImageListScroll {
        // snippet.gtk-own-factory
        let scroll = ImageListScroll(
            of: cells, in: scrolled, itemCount: paths.count
        ) { place in
            ImageRequest(path: paths[place])
        }
        // snippet.end
        return scroll
    }

    static func zoom(_ context: BindingContext) -> FirnZoomView {
        // snippet.gtk-zoom
        let map = FirnZoomView(ImageRequest(path: "/maps/city.tif"), context: context)
        map.alternativeText = "The city from above"
        map.onChange = { [weak map] in
            guard let map else { return }
            print("\(Int(map.zoom * 100)) % at \(map.center)")
        }
        map.overlay = { [weak map] snapshot in
            guard let map else { return }
            let place = map.viewPoint(x: 12_000, y: 9_000)
            var mark = graphene_rect_t(
                origin: graphene_point_t(x: Float(place.x) - 4, y: Float(place.y) - 4),
                size: graphene_size_t(width: 8, height: 8))
            var red = GdkRGBA(red: 1, green: 0, blue: 0, alpha: 1)
            gtk_snapshot_append_color(snapshot, &red, &mark)
        }
        // snippet.end
        return map
    }

    // MARK: Of symbols

    static func symbolZoom(_ box: UnsafeMutablePointer<GtkWidget>) {
        // snippet.symbol-zoom
        let view = FirnZoomView("file:///maps/city.tif")
        box.append(view)
        // snippet.end
    }

    static func symbolCells(_ cells: ImageListCells, _ image: FirnPicture, _ position: Int, _ path: String) {
        // snippet.symbol-cells
        // When the factory binds an item to a cell:
        cells.bind(image, to: position)
        image.request = ImageRequest(path: path)
        // When it unbinds the cell:
        cells.unbind(image)
        // snippet.end
    }

    static func symbolImage(_ box: UnsafeMutablePointer<GtkWidget>) {
        // snippet.symbol-image
        let image = FirnPicture("https://example.org/photo.jpg")
        box.append(image)
        // snippet.end
    }

    static func symbolWidget(_ window: UnsafeMutablePointer<GtkWidget>) {
        // snippet.symbol-widget
        let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
        box.append(FirnPicture("https://example.org/photo.jpg"))
        gtk_window_set_child(window.cast(), box)
        // snippet.end
    }

    private struct Photo { let url: URL }

    private static func symbolList(_ photos: [Photo], _ window: UnsafeMutablePointer<GtkWindow>) {
        // snippet.symbol-list
        let list = FirnImageList(photos) { $0.url }
        gtk_window_set_child(window, list.widget)
        // snippet.end
    }

    static func symbolFactory(_ context: BindingContext, _ model: OpaquePointer) {
        // snippet.symbol-factory
        let factory = ImageListFactory(context: context) { item in
            ImageRequest(path: item.string)
        }
        let grid = gtk_grid_view_new(model, factory.pointer)
        // snippet.end
        print(grid as Any)
    }

    static func symbolScroll(
        _ factory: ImageListFactory, _ scrolled: UnsafeMutablePointer<GtkWidget>, _ paths: [String]
    ) -> ImageListScroll {
        // snippet.symbol-scroll
        let scroll = ImageListScroll(
            of: factory, in: scrolled, itemCount: paths.count, columns: 6
        ) { place in
            ImageRequest(path: paths[place])
        }
        // snippet.end
        return scroll
    }

    static func symbolPaintable(_ animation: AnimatedImage) {
        // snippet.symbol-paintable
        let moving = AnimatedPaintable(animation)
        let image = gtk_picture_new_for_paintable(moving.pointer)
        if let image { moving.attach(to: image) }
        // snippet.end
    }

    static func symbolLoop(_ application: UnsafeMutablePointer<GApplication>) {
        // snippet.symbol-loop
        GLibMainExecutor.install()  // once, on the main thread, before the loop runs
        g_application_run(application, 0, nil)
        // snippet.end
    }
}
#endif
