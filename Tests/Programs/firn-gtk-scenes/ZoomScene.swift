#if GTK
import CGTK4
import FirnBinding
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials

/// Checks a widget that shows an image of a gigapixel in tiles: pixels at several scales and turns, a pan within a
/// memory budget, actions, the overlay, another image, failure and retry.
@MainActor
enum ZoomScene {
    private static let side = 40_000

    static func play(_ checks: Checks) async {
        let loading = SceneLoading(decoders: [PlaceImage(), NumberedImage()])
        // The limit of one decode is not that of the image.
        loading.loader.respond(
            to: SceneLoading.url(1), with: PlaceImage.data(PixelSize(width: side, height: side / 2)))
        await shows(loading, checks)
        await Turn.next()
        checks.expect(FirnZoomView.liveCount == 0, "\(FirnZoomView.liveCount) views are left")
        checks.expect(FirnPicture.liveCount == 0, "\(FirnPicture.liveCount) images are left")
    }

    private static func shows(_ loading: SceneLoading, _ checks: Checks) async {
        let stage = await ZoomStage(loading.request(1), context: loading.context, checks)
        let view = stage.view
        await stage.settle("opened")
        checks.expect(view.imageSize == PixelSize(width: side, height: side / 2), "the size: \(view.imageSize as Any)")
        checks.expect(view.isFitted && view.zoom == 640.0 / 40_000, "the whole image is shown: \(view.zoom)")
        checks.expect(view.tileBytes == 0, "without tiles")
        for rotation in 0..<4 {
            view.rotation = rotation
            for (zoom, x, y) in [(0.11, 0.3, 0.6), (0.5, 0.5, 0.5), (1, 0.9, 0.2), (2.7, 0, 1)] {
                view.zoom = zoom
                view.center = (x * Double(side), y * Double(side) / 2)
                let text = "zoom \(zoom), \(rotation) turns"
                await stage.settle(text)
                await stage.hasColors(text) { stage.placeColor($0, $1) }
            }
        }
        await pans(stage)
        await acts(stage)
        await isHandled(stage)
        await isTouched(stage)
        await paintsOver(stage)
        await paintsPixels(stage)
        await isCompared(stage, loading)
        await fails(stage, loading)
        stage.window.close()
    }

    /// Moves through the image within a small budget.
    private static func pans(_ stage: ZoomStage) async {
        let view = stage.view
        view.rotation = 0
        view.tileBudget = 12 << 20
        view.zoom = 1
        view.center = (1_000, 1_000)
        await stage.settle("before the pan")
        let before = ImageTexture.liveCount
        var most = 0
        for step in 0..<90 {
            view.center = (1_000 + Double(step) * 60, 1_000 + Double(step) * 20)
            await Turn.frames(1, of: stage.window)
            most = max(most, view.tileBytes)
        }
        stage.checks.expect(most <= 12 << 20, "\(most) bytes of tiles")
        stage.checks.expect(most > 3 << 20, "tiles are kept: \(most) bytes")
        await stage.settle("after the pan")
        await stage.hasColors("after the pan") { stage.placeColor($0, $1) }
        // Tiles of 256 pixels within the budget are kept.
        let others = ImageTexture.liveCount - view.tileBytes / (4 * 256 * 256)
        stage.checks.expect(others <= before, "\(others) textures are left, \(before) before")
    }

    private static func acts(_ stage: ZoomStage) async {
        let (view, checks) = (stage.view, stage.checks)
        var changes = 0
        view.onChange = { changes += 1 }
        await stage.act("zoom.out")
        checks.expect(abs(view.zoom - 1 / 1.5) < 1e-9, "zoomed out: \(view.zoom)")
        await stage.act("zoom.in")
        await stage.act("zoom.in")
        checks.expect(abs(view.zoom - 1.5) < 1e-9, "zoomed in: \(view.zoom)")
        checks.expect(changes > 2, "the program hears of it")
        let before = view.center
        await stage.act("pan.right")
        checks.expect(abs(view.center.x - before.x - 640 / 4 / 1.5) < 1, "moved right: \(before), \(view.center)")
        await stage.act("pan.start")
        checks.expect(view.imagePoint(x: 0, y: 0) == (0, 0), "at the start: \(view.imagePoint(x: 0, y: 0))")
        await stage.act("rotate.right")
        checks.expect(view.rotation == 1, "turned")
        await stage.act("rotate.left")
        await stage.act("zoom.pixels")
        checks.expect(view.zoom == 1, "pixel by pixel")
        await stage.act("zoom.fit")
        checks.expect(view.isFitted, "whole again")
        view.onChange = nil
    }

    /// Checks the wheel, a drag with momentum, and a double click.
    private static func isHandled(_ stage: ZoomStage) async {
        let (view, checks) = (stage.view, stage.checks)
        let widget = view.widget
        view.zoom = 1
        view.center = (20_000, 10_000)
        let before = view.imagePoint(x: 100, y: 50)
        Gesture.emit("motion", of: gtk_event_controller_motion_get_type(), on: widget, .number(100), .number(50))
        Gesture.emit("scroll", of: gtk_event_controller_scroll_get_type(), on: widget, .number(0), .number(-1))
        checks.expect(abs(view.zoom - 1.25) < 1e-9, "the wheel zooms: \(view.zoom)")
        let after = view.imagePoint(x: 100, y: 50)
        checks.expect(abs(after.x - before.x) + abs(after.y - before.y) < 1e-6, "at the pointer: \(before), \(after)")

        let start = view.center.x
        let drag = gtk_gesture_drag_get_type()
        Gesture.emit("drag-begin", of: drag, on: widget, .number(300), .number(200))
        Gesture.emit("drag-update", of: drag, on: widget, .number(-3), .number(0))
        checks.expect(view.center.x == start, "a click may move the pointer a little")
        for step in 1...6 {
            Gesture.emit("drag-update", of: drag, on: widget, .number(Double(step) * -20), .number(0))
            await Turn.next()
        }
        let end = view.center.x
        checks.expect(abs(end - start - 120 / 1.25) < 1e-6, "the drag moves: \(end - start)")
        Gesture.emit("drag-end", of: drag, on: widget, .number(-120), .number(0))
        await checks.wait("it goes on") { view.center.x > end + 20 }
        await stage.settle("after the momentum")
        await stage.hasColors("after the momentum") { stage.placeColor($0, $1) }

        let click = gtk_gesture_click_get_type()
        Gesture.emit("pressed", of: click, on: widget, .count(2), .number(320), .number(240))
        await checks.wait("a double click shows the whole image") { view.isFitted }
        Gesture.emit("pressed", of: click, on: widget, .count(2), .number(320), .number(240))
        await checks.wait("and pixels of the image again") { view.zoom == 1 }
    }

    /// Checks a pinch and swipes by the signals of their controllers: the display has no touch screen. The start of a
    /// pinch is not emitted, since GTK handles it and needs the events.
    private static func isTouched(_ stage: ZoomStage) async {
        let (view, checks) = (stage.view, stage.checks)
        let (widget, pinch) = (view.widget, gtk_gesture_zoom_get_type())
        view.zoom = 1
        view.center = (20_000, 10_000)
        Gesture.emit("scale-changed", of: pinch, on: widget, .number(1.5))
        Gesture.emit("scale-changed", of: pinch, on: widget, .number(2))
        checks.expect(view.zoom == 2 && view.center == (20_000, 10_000), "the pinch zooms: \(view.zoom)")
        Gesture.emit("end", of: pinch, on: widget, .sequence)

        var steps: [Int] = []
        view.onSwipe = { steps.append($0) }
        let (swipe, scroll) = (gtk_gesture_swipe_get_type(), gtk_event_controller_scroll_get_type())
        Gesture.emit("swipe", of: swipe, on: widget, .number(-900), .number(50))
        checks.expect(steps == [], "a swipe over a zoomed image moves the image")
        view.zoomToFit()
        Gesture.emit("swipe", of: swipe, on: widget, .number(-900), .number(50))
        Gesture.emit("swipe", of: swipe, on: widget, .number(900), .number(-50))
        Gesture.emit("swipe", of: swipe, on: widget, .number(900), .number(800))
        Gesture.emit("swipe", of: swipe, on: widget, .number(100), .number(0))
        checks.expect(steps == [1, -1], "swipes to the side lead to other images: \(steps)")
        Gesture.emit("decelerate", of: scroll, on: widget, .number(900), .number(0))
        checks.expect(steps == [1, -1, 1], "two fingers on a touchpad, too: \(steps)")
        gtk_widget_set_direction(widget, GTK_TEXT_DIR_RTL)
        Gesture.emit("swipe", of: swipe, on: widget, .number(-900), .number(50))
        checks.expect(steps == [1, -1, 1, -1], "from right to left, the next image is at the left: \(steps)")
        gtk_widget_set_direction(widget, GTK_TEXT_DIR_LTR)
        view.onSwipe = nil
    }

    private static func paintsOver(_ stage: ZoomStage) async {
        let view = stage.view
        view.zoom = 1
        view.center = (5_000, 5_000)
        view.overlay = { snapshot in
            let place = view.viewPoint(x: 5_000, y: 5_000)
            var bounds = graphene_rect_t(
                origin: graphene_point_t(x: Float(place.x), y: Float(place.y)),
                size: graphene_size_t(width: 8, height: 8))
            var red = GdkRGBA(red: 1, green: 0, blue: 0, alpha: 1)
            gtk_snapshot_append_color(snapshot, &red, &bounds)
        }
        await Turn.frames(2, of: stage.window)
        let found = await stage.shot()?.color(324, 244) ?? .zero
        stage.checks.expect(found == SIMD4(255, 0, 0, 255), "the overlay is painted: \(found)")
        if let path = stage.checks.shot { stage.window.shot()?.save(path) }
        view.overlay = nil
    }

    /// Checks the edge between two pixels of different colors, enlarged 8 times.
    private static func paintsPixels(_ stage: ZoomStage) async {
        // Within a tile.
        let (view, edge) = (stage.view, 41 * PlaceImage.cell)
        view.zoom = 8
        view.center = (Double(edge), Double(edge) + 64)
        let (left, right) = (PlaceImage.color(edge - 1, edge + 64), PlaceImage.color(edge, edge + 64))
        func isSharp(_ text: String) async -> Bool {
            await stage.settle(text)
            let shot = await stage.shot()
            let (first, second) = (shot?.color(319, 240) ?? .zero, shot?.color(320, 240) ?? .zero)
            return (0..<3).allSatisfy { first[$0] == left[$0] && second[$0] == right[$0] }
        }
        stage.checks.expect(await !isSharp("interpolated"), "an edge is interpolated")
        view.isPixelated = true
        stage.checks.expect(await isSharp("sharp pixels"), "an edge is sharp")
    }

    /// Checks that another view shows the same part of an image of half the size.
    private static func isCompared(_ stage: ZoomStage, _ loading: SceneLoading) async {
        let (view, checks) = (stage.view, stage.checks)
        loading.loader.respond(
            to: SceneLoading.url(9), with: PlaceImage.data(PixelSize(width: side / 2, height: side / 4)))
        let other = await ZoomStage(loading.request(9), context: loading.context, checks)
        await other.settle("the other image")
        view.zoom = 0.5
        view.center = (10_000, 6_000)
        other.view.showPart(of: view)
        checks.expect(other.view.zoom == 1, "the zoom of the other: \(other.view.zoom)")
        checks.expect(other.view.center == (5_000, 3_000), "its place: \(other.view.center)")
        view.zoomToFit()
        view.rotation = 1
        other.view.showPart(of: view)
        checks.expect(other.view.isFitted && other.view.rotation == 1, "it is whole and turned, too")
        view.rotation = 0
        other.window.close()
    }

    private static func fails(_ stage: ZoomStage, _ loading: SceneLoading) async {
        let (view, checks) = (stage.view, stage.checks)
        loading.serve(7, size: PixelSize(width: 100, height: 60))
        view.request = loading.request(7)
        await stage.settle("a small image")
        checks.expect(view.zoom == 1 && view.isFitted, "it is shown pixel by pixel")
        let number = await stage.shot()?.number(x: 270, y: 210, width: 100, height: 60)
        checks.expect(number == 7, "in the middle: \(number as Any)")
        view.zoom = 16
        view.center = (50, 30)
        await stage.settle("a small image enlarged")
        let enlarged = await stage.shot()
        let edge = (enlarged?.color(319, 240) ?? .zero, enlarged?.color(320, 240) ?? .zero)
        let sharp = NumberedImage.number(left: edge.0, right: edge.1)
        checks.expect(sharp == 7, "its pixels are sharp, too: \(edge)")
        var phases = 0
        view.onPhaseChange = { if $0.error != nil { phases += 1 } }
        loading.loader.respond(to: SceneLoading.url(8), with: .init("no image".utf8))
        view.request = loading.request(8)
        await checks.wait("the failure is reported") { phases == 1 }
        checks.expect(view.imageSize == nil && !view.isSharp, "and no image is shown")
        await Turn.frames(2, of: stage.window)
        let color = await stage.shot()?.color(320, 240) ?? .zero
        checks.expect(NumberedImage.number(left: color, right: color) == nil, "nor the former one: \(color)")
        loading.serve(8, size: PixelSize(width: 100, height: 60))
        view.retry()
        await stage.settle("after another try")
        let next = await stage.shot()?.number(x: 270, y: 210, width: 100, height: 60)
        checks.expect(next == 8, "the image is shown: \(next as Any)")
        view.onPhaseChange = nil
    }
}
#endif
