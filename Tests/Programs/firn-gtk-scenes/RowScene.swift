#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline

/// Checks lists whose rows have more than an image: cells that a program gives to `ImageListFactory`, and cells of a
/// factory of its own.
@MainActor
enum RowScene {
    private static let count = 1_000

    static func play(_ checks: Checks) async {
        await showsMadeCells(checks)
        await showsCellsOfAnotherFactory(checks)
    }

    private static func loading() -> SceneLoading {
        let loading = SceneLoading()
        for number in 0..<count { loading.serve(number, size: PixelSize(width: 200, height: 200)) }
        return loading
    }

    /// Returns a row with an image and a label.
    private static func row(_ image: FirnPicture) -> UnsafeMutablePointer<GtkWidget> {
        guard let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8), let label = gtk_label_new("") else {
            fatalError("GTK made no row")
        }
        gtk_widget_set_size_request(image.widget, 60, 60)
        let box = UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(box, image.widget)
        gtk_box_append(box, label)
        return row
    }

    private static func setLabel(of row: UnsafeMutablePointer<GtkWidget>, to number: Int) {
        if let label = gtk_widget_get_last_child(row) { gtk_label_set_text(OpaquePointer(label), "\(number)") }
    }

    private static func label(beside image: FirnPicture) -> String {
        guard let label = gtk_widget_get_next_sibling(image.widget) else { return "" }
        return String(cString: gtk_label_get_text(OpaquePointer(label)))
    }

    private static func model() -> OpaquePointer? {
        let strings = gtk_string_list_new(nil)
        for number in 0..<count { gtk_string_list_append(strings, "\(number)") }
        return gtk_no_selection_new(strings)
    }

    // MARK: Cells of ImageListFactory

    private static func showsMadeCells(_ checks: Checks) async {
        let loading = loading()
        var (made, bound) = (0, 0)
        let factory = ImageListFactory(context: loading.context, makeCell: row) { item in
            Int(item.string).map { loading.request($0) }
        }
        factory.didMakeCell = { image in
            made += 1
            checks.expect(gtk_widget_get_parent(image.widget) == nil, "a new image has no parent yet")
        }
        factory.didBind = { image, item in
            bound += 1
            checks.expect(image.request?.description == SceneLoading.url(item.position), "the image has its request")
            setLabel(of: item.cell, to: item.position)
            image.alternativeText = "row \(item.position)"
        }
        g_object_ref(UnsafeMutableRawPointer(factory.pointer))
        await scroll("made", factory.pointer, factory.cells, loading, checks) { position, row in
            guard let focused = gtk_widget_get_parent(row) else { return }
            checks.expect(gtk_widget_get_focusable(focused) != 0, "the widget around row \(position) takes the focus")
            let fault = firn_gtk_test_label(focused, "row \(position)")
            defer { g_free(fault) }
            checks.expect(fault == nil, "its name: \(fault.map { String(cString: $0) } ?? "")")
        }
        checks.expect(made > 0 && made < count, "cells are reused: \(made) made")
        checks.expect(bound > made, "and bound again: \(bound) times")
    }

    // MARK: Cells of another factory

    private static func showsCellsOfAnotherFactory(_ checks: Checks) async {
        let loading = loading()
        let cells = ImageListCells(context: loading.context)
        guard let factory = gtk_signal_list_item_factory_new() else { return }
        let object = UnsafeMutableRawPointer(factory)
        func image(_ item: OpaquePointer) -> FirnPicture? {
            gtk_list_item_get_child(item).flatMap { gtk_widget_get_first_child($0) }.flatMap { FirnPicture.of($0) }
        }
        SignalClosure.connectObject(object, "setup") {
            gtk_list_item_set_child($0, row(FirnPicture(context: loading.context)))
        }
        SignalClosure.connectObject(object, "bind") { item in
            guard let image = image(item), let row = gtk_list_item_get_child(item) else { return }
            let position = Int(gtk_list_item_get_position(item))
            cells.bind(image, to: position)
            image.request = loading.request(position)
            setLabel(of: row, to: position)
        }
        SignalClosure.connectObject(object, "unbind") { item in if let image = image(item) { cells.unbind(image) } }
        await scroll("of another factory", factory, cells, loading, checks)
    }

    // MARK: The list

    private static func scroll(
        _ name: String, _ factory: OpaquePointer, _ cells: ImageListCells, _ loading: SceneLoading, _ checks: Checks,
        visible: (Int, UnsafeMutablePointer<GtkWidget>) -> Void = { _, _ in }
    ) async {
        guard let view = gtk_list_view_new(model(), factory), let scrolled = gtk_scrolled_window_new() else { return }
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), view)
        let scroll = ImageListScroll(of: cells, in: scrolled, itemCount: count) { loading.request($0) }
        let window = SceneWindow(width: 300, height: 400, scrolled)
        await window.present(checks)
        let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))
        for offset in [0.0, 3_000, 20_000, 500] {
            gtk_adjustment_set_value(adjustment, offset)
            await checks.wait("the rows \(name) show their images and labels at \(offset)") {
                isComplete(cells, scroll, window)
            }
        }
        await checks.wait("rows \(name) that are bound and not visible wait for the others") {
            cells.image(at: scroll.visible.upperBound + 2)?.binding.visibility == 0
        }
        replaceItems(of: view)
        scroll.itemCount = count
        // Before the layout of the new rows, about which GTK would warn. Ignored.
        gtk_adjustment_set_value(adjustment, 470)
        await Turn.frames(2, of: window)
        gtk_adjustment_set_value(adjustment, 500)
        await checks.wait("the list scrolls again") { isComplete(cells, scroll, window) }
        for position in scroll.visible {
            let row = cells.image(at: position).flatMap { gtk_widget_get_parent($0.widget) }
            if let row { visible(position, row) }
        }
        if let path = checks.shot { window.shot()?.save(path) }
        window.close()
    }

    private static func replaceItems(of view: UnsafeMutablePointer<GtkWidget>) {
        let strings = gtk_no_selection_get_model(gtk_list_view_get_model(OpaquePointer(view)))
        gtk_string_list_splice(strings, 0, guint(count), nil)
        for number in 0..<count { gtk_string_list_append(strings, "\(number)") }
    }

    private static func isComplete(_ cells: ImageListCells, _ scroll: ImageListScroll, _ window: SceneWindow) -> Bool {
        // Rows at the edges are cut.
        let whole = scroll.visible.dropFirst().dropLast()
        guard whole.count >= 3, let shot = window.shot() else { return false }
        return whole.allSatisfy { position in
            guard let image = cells.image(at: position) else { return false }
            return shot.number(of: image.widget, in: window) == position && label(beside: image) == "\(position)"
        }
    }
}
#endif
