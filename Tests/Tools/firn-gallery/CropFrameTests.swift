#if GTK
import Testing

@testable import firn_gallery

/// Tests how the rectangle of a crop follows the pointer and the keys.
@Suite struct CropFrameTests {
    private let room = CropFrame((0, 0), (400, 300))
    private let frame = CropFrame((300, 200), (100, 100))

    @Test func `Any two corners make a rectangle`() {
        #expect([frame.left, frame.top, frame.right, frame.bottom] == [100, 100, 300, 200])
    }

    @Test func `A press takes hold of a side, a corner, the whole rectangle or nothing`() {
        #expect(frame.sides(at: 102, 150, reach: 10) == .left)
        #expect(frame.sides(at: 95, 205, reach: 10) == [.left, .bottom])
        #expect(frame.sides(at: 300, 96, reach: 10) == [.right, .top])
        #expect(frame.sides(at: 200, 150, reach: 10) == .all)
        #expect(frame.sides(at: 50, 150, reach: 10).isEmpty)
    }

    @Test func `A small rectangle can still be moved`() {
        let small = CropFrame((100, 100), (120, 120))
        #expect(small.sides(at: 110, 110, reach: 14) == .all)
        #expect(small.sides(at: 121, 110, reach: 14) == .right)
    }

    @Test func `The whole rectangle stops at the edges and keeps its size`() {
        let moved = frame.moved(.all, by: 500, -500, in: room, least: 1)
        #expect(moved == CropFrame((200, 0), (400, 100)))
    }

    @Test func `A side stops at the edge, and at the least length`() {
        #expect(frame.moved(.left, by: -500, 0, in: room, least: 1) == CropFrame((0, 100), (300, 200)))
        #expect(frame.moved(.left, by: 500, 0, in: room, least: 8) == CropFrame((292, 100), (300, 200)))
        let corner = frame.moved([.right, .bottom], by: 30, 500, in: room, least: 1)
        #expect(corner == CropFrame((100, 100), (330, 300)))
    }

    @Test func `A rectangle outside the image is rejected`() {
        #expect(CropFrame((-50, -50), (50, 20)).clipped(to: room) == CropFrame((0, 0), (50, 20)))
        #expect(CropFrame((-50, -50), (-10, 20)).clipped(to: room) == nil)
    }
}
#endif
