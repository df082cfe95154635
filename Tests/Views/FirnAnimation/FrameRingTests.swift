import FirnImage
import Testing

@testable import FirnAnimation
@testable import FirnPipeline

@Suite struct FrameRingTests {
    private func image() throws -> Bitmap { try Bitmap(size: PixelSize(width: 4, height: 2)) { _ in } }

    /// Decodes all planned frames; returns them.
    private func fill(
        _ ring: inout FrameRing, wanted: [Int], pinned: Set<Int> = [], capacity: Int
    ) throws -> [Int] {
        var decoded: [Int] = []
        while let next = ring.plan(wanted: wanted, pinned: pinned, capacity: capacity) {
            ring.begin(next)
            #expect(ring.count <= max(capacity, pinned.count + 1))
            ring.end(.success(try image()))
            decoded.append(next)
        }
        return decoded
    }

    @Test func `the most urgent frames are decoded first, as far as they fit`() throws {
        var ring = FrameRing()
        #expect(try fill(&ring, wanted: [3, 4, 5, 6, 7], capacity: 3) == [3, 4, 5])
        #expect(Set(ring.images.keys) == [3, 4, 5])
        #expect(ring.bytes == 3 * 128)
    }

    @Test func `unwanted frames are released, pinned ones stay`() throws {
        var ring = FrameRing()
        _ = try fill(&ring, wanted: [0, 1, 2], capacity: 3)
        #expect(try fill(&ring, wanted: [2, 3, 4], pinned: [0], capacity: 3) == [3])
        #expect(Set(ring.images.keys) == [0, 2, 3])
    }

    @Test func `there is room for one more however many are pinned`() throws {
        var ring = FrameRing()
        _ = try fill(&ring, wanted: [0, 1, 2], capacity: 3)
        #expect(try fill(&ring, wanted: [7, 8], pinned: [0, 1, 2], capacity: 2) == [7])
        #expect(ring.count == 4)
    }

    @Test func `one frame is decoded at a time, and its place is reserved`() throws {
        var ring = FrameRing()
        #expect(ring.plan(wanted: [0, 1], pinned: [], capacity: 2) == 0)
        ring.begin(0)
        #expect(ring.count == 1)
        #expect(ring.plan(wanted: [1, 2], pinned: [], capacity: 2) == nil)
        ring.end(.success(try image()))
        #expect(ring.plan(wanted: [1, 2], pinned: [], capacity: 2) == 1)
        #expect(ring.count == 0)
    }

    @Test func `a damaged frame is tried once, an incomplete one again with more bytes, a cancelled one at once`() {
        var ring = FrameRing()
        func next() -> Int? { ring.plan(wanted: [0, 1, 2], pinned: [], capacity: 3) }
        func end(_ fault: ImageError.Fault) {
            if let frame = next() { ring.begin(frame) }
            ring.end(.failure(ImageError(fault, at: .decoding, "")))
        }
        end(.cancelled)
        #expect(next() == 0)
        end(.data)
        #expect(next() == 1)
        end(.incomplete)
        #expect(next() == 2)
        ring.retryLacking()
        #expect(next() == 1)
        #expect(ring.failed == [0])
    }
}
