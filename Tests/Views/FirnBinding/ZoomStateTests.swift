import FirnImage
import Testing

@testable import FirnBinding

@Suite struct ZoomStateTests {
    private typealias Point = ZoomState.Point

    private func view(_ width: Int, _ height: Int, isVector: Bool = false) -> ZoomState {
        var view = ZoomState()
        view.setRoom(width: 1_000, height: 500)
        view.setImage(PixelSize(width: width, height: height), isVector: isVector)
        return view
    }

    @Test func `An image is shown whole at first, a small one pixel by pixel, and a vector image fills the view`() {
        #expect(view(4_000, 4_000).scale == 0.125)
        #expect(view(100, 100).scale == 1)
        #expect(view(100, 100, isVector: true).scale == 5)
        #expect(view(100, 100).center == Point(50, 50))
    }

    @Test func `A tiny image is enlarged by a whole number, so that it is visible`() {
        #expect(view(1, 1).scale == 16)
        #expect(view(3, 7).scale == 2)
        #expect(view(16, 1).scale == 1)
        var view = view(1, 1)
        view.setRoom(width: 4, height: 4)
        #expect(view.scale == 4)
    }

    @Test func `A filling image leaves no margin on either side, in whatever direction it lies`() {
        var view = view(4_000, 1_000)
        #expect(view.fillingScale == 0.5)
        view.turn(by: 1)
        #expect(view.fillingScale == 1)
    }

    @Test func `The next image keeps scale and place if that is wanted, but no whole one does`() {
        var view = view(4_000, 4_000)
        view.keepsPosition = true
        view.clear()
        view.setImage(PixelSize(width: 2_000, height: 2_000), isVector: false)
        #expect(view.isFitted)
        view.zoom(to: 2, at: .zero)
        view.setCenter(Point(500, 1_000))
        view.clear()
        view.clear()
        view.setImage(PixelSize(width: 8_000, height: 4_000), isVector: false)
        #expect(view.scale == 2 && view.center == Point(2_000, 2_000))
        view.keepsPosition = false
        view.clear()
        view.setImage(PixelSize(width: 4_000, height: 4_000), isVector: false)
        #expect(view.isFitted)
    }

    @Test func `The scale follows the size of the view until the user zooms`() {
        var view = view(4_000, 4_000)
        view.setRoom(width: 1_000, height: 1_000)
        #expect(view.scale == 0.25)
        view.zoom(to: 2, at: .zero)
        view.setRoom(width: 500, height: 500)
        #expect(view.scale == 2)
        view.fit()
        #expect(view.scale == 0.125)
    }

    @Test func `Zooming keeps the point under the pointer`() {
        var view = view(4_000, 4_000)
        view.zoom(to: 1, at: view.room / 2)
        let pointer = Point(700, 100)
        let kept = view.imagePoint(pointer)
        view.zoom(by: 1.5, at: pointer)
        #expect(ZoomState.length(view.imagePoint(pointer) - kept) < 1e-9)
    }

    @Test(arguments: 0..<4) func `A turned image has its corners where they belong`(_ turns: Int) {
        var view = view(400, 200)
        view.turn(by: turns)
        let corner = view.viewPoint(.zero)
        let expected = [Point(300, 150), Point(600, 50), Point(700, 350), Point(400, 450)]
        #expect(corner == expected[turns])
        #expect(view.imagePoint(corner) == .zero)
        view.turn(by: 4 - turns)
        #expect(view.turns == 0)
    }

    @Test func `A drag moves the image, a fast one goes on, and ends at the edge`() {
        var view = view(100_000, 100_000)
        view.zoom(to: 1, at: .zero)
        view.setCenter(Point(50_000, 50_000))
        view.beginDrag(at: 0)
        for step in 1...5 { view.drag(to: Point(-20, 0) * Double(step), at: Double(step) * 0.01) }
        #expect(view.center == Point(50_100, 50_000))
        view.endDrag(at: 0.05)
        #expect(view.isMoving)
        var time = 0.05
        while view.advance(to: time + 0.016), time < 10 { time += 0.016 }
        #expect(!view.isMoving)
        // 2,000 pixels a second for 0.325 seconds.
        #expect(abs(view.center.x - 50_750) < 20)
        view.coast(Point(-1e9, 0), time: time)
        _ = view.advance(to: time + 0.016)
        #expect(view.center.x == 99_500)
        #expect(!view.isMoving)
    }

    @Test func `A slow drag does not go on`() {
        var view = view(100_000, 100_000)
        view.zoom(to: 1, at: .zero)
        view.beginDrag(at: 0)
        view.drag(to: Point(-1, 0), at: 0.05)
        view.endDrag(at: 0.1)
        #expect(!view.isMoving)
        view.beginDrag(at: 1)
        view.drag(to: Point(-300, 0), at: 1.02)
        view.endDrag(at: 2)
        #expect(!view.isMoving, "the pointer had stopped")
    }

    @Test func `Flights end where they were to end, and repeated ones add up`() {
        var view = view(100_000, 100_000)
        view.fly(to: 2, at: Point(10, 10), time: 0)
        #expect(view.finalScale == 2)
        #expect(view.advance(to: 0) && view.scale > view.minimumScale, "the first frame shows progress")
        _ = view.advance(to: 0.1)
        #expect(view.scale > view.minimumScale && view.scale < 2)
        _ = view.advance(to: 1)
        #expect(view.scale == 2)
        view.setCenter(Point(50_000, 50_000))
        view.fly(by: Point(100, 0), time: 2)
        view.fly(by: Point(100, 0), time: 2)
        view.finish()
        #expect(view.center == Point(50_100, 50_000))
    }

    @Test func `Numbers that are none change nothing`() {
        var view = view(4_000, 4_000)
        let before = view
        view.zoom(to: .nan, at: .zero)
        view.zoom(to: 0, at: .zero)
        view.setCenter(Point(.nan, 0))
        view.fly(to: .infinity, at: .zero, time: 0)
        #expect(view == before)
    }
}
