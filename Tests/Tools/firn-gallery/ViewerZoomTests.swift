#if GTK
import Firn
import Testing

@testable import firn_gallery

/// Tests the size at which the gallery's viewer shows an image.
@Suite struct ViewerZoomTests {
    private static func zoom(_ width: Int, _ height: Int, screenScale: Double = 1) -> ViewerZoom {
        var zoom = ViewerZoom()
        zoom.image = PixelSize(width: width, height: height)
        zoom.room = (800, 600)
        zoom.screenScale = screenScale
        return zoom
    }

    @Test func `An image fits until it is enlarged, and fits again when it is reduced`() {
        var zoom = ViewerZoomTests.zoom(4_000, 3_000)
        #expect(zoom.size == nil)
        #expect(zoom.text == "20 %")
        zoom.multiply(by: 2)
        #expect(zoom.size.map { [$0.width, $0.height] } == [1_600, 1_200])
        zoom.multiply(by: 0.25)
        #expect(zoom.size == nil)
    }

    @Test(arguments: [1.0, 2.0])
    func `At 100 percent a pixel of the image is a pixel of the screen`(_ scale: Double) {
        var zoom = ViewerZoomTests.zoom(4_000, 3_000, screenScale: scale)
        zoom.showPixels()
        #expect(zoom.size.map { [$0.width, $0.height] } == [Int(4_000 / scale), Int(3_000 / scale)])
        #expect(zoom.text == "100 %")
    }

    @Test func `An image is never enlarged beyond the limit of widgets`() {
        var zoom = ViewerZoomTests.zoom(20_000, 100)
        for _ in 0..<50 { zoom.multiply(by: 1.5) }
        #expect(zoom.size.map { max($0.width, $0.height) <= 32_000 } == true)
    }

    @Test(arguments: [1.0, 2.0])
    func `A drawing is enlarged, up to the pixels that are rendered at most`(_ scale: Double) {
        var zoom = ViewerZoomTests.zoom(24, 24, screenScale: scale)
        zoom.isVector = true
        for _ in 0..<50 { zoom.multiply(by: 1.5) }
        let side = zoom.size.map { Double($0.width) * scale } ?? 0
        #expect(side > 4_000 && side * side <= 0x1p25)
    }

    @Test func `There is no zoom before the image is known`() {
        var zoom = ViewerZoom()
        zoom.room = (800, 600)
        zoom.multiply(by: 2)
        zoom.showPixels()
        #expect(zoom.size == nil)
        #expect(zoom.text == nil)
    }
}
#endif
