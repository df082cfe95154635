#if GTK
import CGTK4
import Firn
import FirnGTK

/// The zoom of the image and its visible part.
extension GalleryViewer {
    /// Changes the zoom. Requests the image again if it would be stretched.
    func change(_ body: (inout ViewerZoom) -> Void) {
        measureRoom()
        let before = zoom
        body(&zoom)
        guard zoom != before || zoom.scale == nil else { return }
        middle = middlePoint
        let size = zoom.size
        gtk_widget_set_halign(image.widget, size == nil ? GTK_ALIGN_FILL : GTK_ALIGN_CENTER)
        gtk_widget_set_valign(image.widget, size == nil ? GTK_ALIGN_FILL : GTK_ALIGN_CENTER)
        gtk_widget_set_size_request(image.widget, gint(size?.width ?? -1), gint(size?.height ?? -1))
        describe()
    }

    func measureRoom() {
        zoom.room = (Double(gtk_widget_get_width(scrolled)), Double(gtk_widget_get_height(scrolled)))
        zoom.screenScale = Double(max(1, gtk_widget_get_scale_factor(scrolled)))
    }

    var adjustments: [UnsafeMutablePointer<GtkAdjustment>] {
        let window = OpaquePointer(scrolled)
        return [gtk_scrolled_window_get_hadjustment(window), gtk_scrolled_window_get_vadjustment(window)]
            .compactMap(\.self)
    }

    var position: (x: Double, y: Double) {
        get { (gtk_adjustment_get_value(adjustments[0]), gtk_adjustment_get_value(adjustments[1])) }
        set {
            gtk_adjustment_set_value(adjustments[0], newValue.x)
            gtk_adjustment_set_value(adjustments[1], newValue.y)
        }
    }

    /// The part that is visible; `nil` if that is the whole image.
    var visiblePart: VisiblePart? {
        guard let size = zoom.image, zoom.scale != nil else { return nil }
        let parts = adjustments.map {
            (
                start: gtk_adjustment_get_value($0), page: gtk_adjustment_get_page_size($0),
                all: gtk_adjustment_get_upper($0)
            )
        }
        let part = VisiblePart(of: size, across: parts[0], along: parts[1])
        return part.flatMap { $0.width < size.width || $0.height < size.height ? $0 : nil }
    }

    private var middlePoint: (x: Double, y: Double) {
        let parts = adjustments.map { adjustment in
            let length = gtk_adjustment_get_upper(adjustment)
            guard length > 0 else { return 0.5 }
            return (gtk_adjustment_get_value(adjustment) + gtk_adjustment_get_page_size(adjustment) / 2) / length
        }
        return (parts[0], parts[1])
    }

    func keepMiddle() {
        guard let middle else { return }
        self.middle = nil
        func value(_ part: Double, _ adjustment: UnsafeMutablePointer<GtkAdjustment>) -> Double {
            part * gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment) / 2
        }
        position = (value(middle.x, adjustments[0]), value(middle.y, adjustments[1]))
    }
}
#endif
