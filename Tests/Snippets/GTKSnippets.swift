#if FIRN_GTK
    import CGTK4
    import Firn
    import FirnGTK

    /// The code of the articles on GTK.
    @MainActor enum GTKSnippets {
        static func picture(_ box: UnsafeMutablePointer<GtkBox>) {
            // snippet.gtk-picture
            GLibMainExecutor.install()  // once, before the loop runs
            let context = BindingContext.gtk(pipeline: .shared)  // one for a window or a list
            let picture = FirnPicture(context: context)
            picture.request = ImageRequest(url: "https://example.org/photo.jpg")
            picture.alternativeText = "A bridge at dawn"
            picture.cornerRadius = 8
            gtk_box_append(box, picture.widget)
            // snippet.end
        }

        static func list(
            _ context: BindingContext, _ paths: [String], _ selection: OpaquePointer,
            _ scrolled: UnsafeMutablePointer<GtkWidget>
        ) -> PictureListScroll {
            // snippet.gtk-list
            let factory = PictureListFactory(context: context) { item in ImageRequest(path: item.string) }
            g_object_ref(UnsafeMutableRawPointer(factory.pointer))  // the grid takes one reference, we keep ours
            let grid = gtk_grid_view_new(selection, factory.pointer)
            gtk_scrolled_window_set_child(OpaquePointer(scrolled), grid)
            let scroll = PictureListScroll(of: factory, in: scrolled, itemCount: paths.count, columns: 6) { place in
                ImageRequest(path: paths[place])
            }
            // snippet.end
            return scroll
        }
    }
#endif
