import Dispatch
import FirnImage
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct ImageDecoderTests {
    private let animation = ScriptedAnimation(
        size: PixelSize(width: 5, height: 3), durations: [0, 10, 11, 250], loopCount: 3)
    private let scripted = ScriptedAnimationDecoder()

    private func decoder(_ limits: ImageLimits = ImageLimits()) -> ImageDecoder {
        ImageDecoder(decoders: [scripted], limits: limits)
    }

    private func level(_ bitmap: Bitmap) -> UInt8 { bitmap.withUnsafeBytes { $0[0] } }

    @Test func `type, size, frames and end of a file are known as they arrive`() throws {
        let decoder = decoder()
        let pieces = animation.pieces
        #expect(decoder.status == .unknown)
        #expect(decoder.properties == nil && decoder.format == nil && decoder.repetitionCount == nil)
        try decoder.append(pieces[0].prefix(16))
        #expect(decoder.status == .typeAvailable)
        #expect(decoder.format == ScriptedAnimation.format)
        try decoder.append(pieces[0].dropFirst(16))
        #expect(decoder.status == .sizeAvailable)
        #expect(decoder.size == animation.size)
        #expect(decoder.frameCount == 0)
        try decoder.append(pieces[1])
        #expect(decoder.frameCount == 1)
        #expect(decoder.isFrameComplete(at: 0))
        try decoder.append(pieces[2].dropLast())
        #expect(decoder.frameCount == 2)
        #expect(!decoder.isFrameComplete(at: 1))
        try decoder.append(pieces[2].suffix(1))
        #expect(decoder.isFrameComplete(at: 1))
        for piece in pieces.dropFirst(3) { try decoder.append(piece) }
        #expect(decoder.status == .sizeAvailable && !decoder.isAllDataReceived)
        decoder.finish()
        #expect(decoder.status == .complete && decoder.isAllDataReceived)
        #expect(decoder.frameCount == 4)
        #expect(decoder.repetitionCount == .plays(3))
        #expect(decoder.receivedBytes == animation.data.count)
    }

    @Test func `durations of ten milliseconds and less are shown as a hundred (F18)`() throws {
        let decoder = decoder()
        try decoder.setData(animation.data, allDataReceived: true)
        #expect((0..<4).map { decoder.frameDuration(at: $0) } == [0, 10, 11, 250].map { .milliseconds($0) })
        #expect((0..<4).map { decoder.frameDisplayDuration(at: $0) } == [100, 100, 11, 250].map { .milliseconds($0) })
        #expect(decoder.frameDuration(at: 4) == nil && decoder.frameDuration(at: -1) == nil)
    }

    @Test func `sizes of subsampled frames are rounded up`() throws {
        let decoder = decoder()
        try decoder.setData(animation.data, allDataReceived: true)
        #expect(decoder.frameSize(at: 0) == animation.size)
        #expect(decoder.frameSize(at: 1, subsamplingLevel: 2) == PixelSize(width: 3, height: 2))
        #expect(decoder.frameSize(at: 1, subsamplingLevel: 8) == PixelSize(width: 1, height: 1))
        #expect(decoder.frameSize(at: 1, subsamplingLevel: 0) == nil)
        #expect(decoder.frameSize(at: 4) == nil)
    }

    @Test func `any split gives the same result as the whole`() throws {
        let data = animation.data
        for length in 1...data.count {
            let decoder = decoder()
            try decoder.receive(data, inPiecesOf: length)
            #expect(decoder.status == .complete)
            #expect(decoder.frames.map(\.duration) == animation.durations.map { .milliseconds($0) })
            #expect(try level(decoder.frame(at: 3).image()) == ScriptedAnimation.level(of: 3))
        }
    }

    @Test func `only new bytes of growing data are appended`() throws {
        let data = animation.data
        let decoder = decoder()
        for length in stride(from: 0, through: data.count, by: 7) {
            try decoder.setData(data.prefix(length), allDataReceived: false)
            #expect(decoder.receivedBytes == length)
        }
        try decoder.setData(data, allDataReceived: true)
        try decoder.setData(data, allDataReceived: true)
        #expect(decoder.status == .complete)
        #expect(decoder.frames.map(\.duration) == animation.durations.map { .milliseconds($0) })
    }

    @Test func `shorter data than before is refused without an effect`() throws {
        let decoder = decoder()
        try decoder.setData(animation.data.prefix(40), allDataReceived: false)
        let error = #expect(throws: ImageError.self) {
            try decoder.setData(animation.data.prefix(39), allDataReceived: false)
        }
        #expect(error?.fault == .request)
        try decoder.setData(animation.data, allDataReceived: true)
        #expect(decoder.status == .complete)
    }

    @Test func `bytes after the end are refused and change nothing`() throws {
        let decoder = decoder()
        try decoder.setData(animation.data, allDataReceived: true)
        #expect(throws: ImageError.self) { try decoder.append(Data([1])) }
        #expect(throws: ImageError.self) { try decoder.setData(animation.data + [1], allDataReceived: true) }
        #expect(decoder.status == .complete)
    }

    @Test func `a frame that does not exist is the caller's fault, one that may come is not`() throws {
        let decoder = decoder()
        for piece in animation.pieces.prefix(3) { try decoder.append(piece) }
        func fault(_ index: Int, _ isLazy: Bool) -> ImageError.Fault? {
            do throws(ImageError) {
                _ = try decoder.frame(at: index, isLazy: isLazy).image()
                return nil
            } catch { return error.fault }
        }
        for isLazy in [false, true] {
            #expect(fault(1, isLazy) == nil)
            #expect(fault(2, isLazy) == .incomplete)
            #expect(fault(-1, isLazy) == .request)
        }
        try decoder.setData(animation.data, allDataReceived: true)
        for isLazy in [false, true] {
            #expect(fault(3, isLazy) == nil)
            #expect(fault(4, isLazy) == .request)
            #expect(fault(Int.max, isLazy) == .request)
        }
        #expect(decoder.status == .complete)
    }

    @Test func `a frame is decoded at once, a lazy one on first access`() throws {
        let decoder = decoder()
        try decoder.setData(animation.data, allDataReceived: true)
        let now = try decoder.frame(at: 1)
        #expect(now.isDecoded && !now.isPartial && now.index == 1)
        #expect(now.duration == .milliseconds(100))
        #expect(scripted.frames.calls == [1])
        let later = try decoder.frame(at: 2, isLazy: true)
        #expect(!later.isDecoded)
        #expect(later.subsamplingLevel == nil)
        #expect(scripted.frames.calls == [1])
        #expect(try level(later.image()) == ScriptedAnimation.level(of: 2))
        #expect(try level(later.image()) == ScriptedAnimation.level(of: 2))
        #expect(later.isDecoded && later.subsamplingLevel == 1)
        #expect(scripted.frames.calls == [1, 2])
    }

    @Test func `a frame states its reduction`() throws {
        var large = animation
        large.size = PixelSize(width: 64, height: 32)
        let decoder = decoder()
        try decoder.setData(large.data, allDataReceived: true)
        for (side, level) in [(64, 1), (40, 1), (32, 2), (20, 2), (16, 4), (8, 8), (1, 8)] {
            var options = DecodingOptions()
            options.targetSize = TargetSize(side)
            let frame = try decoder.frame(at: 0, options: options)
            #expect(frame.subsamplingLevel == level, "\(side)")
            #expect(frame.displaySize == large.size)
        }
    }

    @Test func `a truncated frame is an error unless partial frames are allowed, and is marked`() throws {
        let decoder = decoder()
        let data = animation.data.prefix(animation.data.count - 5)
        try decoder.setData(data, allDataReceived: true)
        #expect(decoder.status == .complete)
        #expect(!decoder.isFrameComplete(at: 3))
        #expect(throws: ImageError.self) { try decoder.frame(at: 3) }
        var options = DecodingOptions()
        options.allowsPartial = true
        #expect(try decoder.frame(at: 3, options: options).isPartial)
        #expect(try !decoder.frame(at: 2, options: options).isPartial)
    }

    @Test func `a damaged frame fails and does not affect the others`() throws {
        var damaged = animation
        damaged.damagedFrames = [1]
        let decoder = decoder()
        try decoder.setData(damaged.data, allDataReceived: true)
        #expect(throws: ImageError.self) { try decoder.frame(at: 1) }
        #expect(decoder.status == .complete)
        #expect(try level(decoder.frame(at: 2).image()) == ScriptedAnimation.level(of: 2))
        let lazy = try decoder.frame(at: 1, isLazy: true)
        for _ in 0..<2 { #expect(throws: ImageError.self) { try lazy.image() } }
    }

    @Test func `a file that is too long fails as it arrives, permanently`() throws {
        var limits = ImageLimits()
        limits.maximumBytes = 50
        let decoder = decoder(limits)
        try decoder.append(animation.data.prefix(50))
        #expect(decoder.status == .sizeAvailable)
        #expect(throws: ImageError.self) { try decoder.append(Data([1])) }
        #expect(decoder.status == .error && decoder.error?.fault == .limit)
        #expect(throws: ImageError.self) { try decoder.frame(at: 0) }
        decoder.finish()
        #expect(decoder.error?.fault == .limit)
    }

    @Test func `a damaged header fails permanently`() throws {
        let decoder = decoder()
        try decoder.setData(Data("firn-animation 5 0\nframe 1\n".utf8), allDataReceived: true)
        #expect(decoder.status == .error && decoder.error?.fault == .data)
        let first = decoder.error
        #expect(throws: ImageError.self) { try decoder.frame(at: 0) }
        #expect(throws: ImageError.self) { try decoder.preview() }
        #expect(decoder.error == first)
    }

    @Test func `a cancelled decode ends, and the decoder stays usable`() async throws {
        let decoder = decoder()
        try decoder.setData(animation.data, allDataReceived: true)
        decoder.cancelDecoding()
        _ = try decoder.frame(at: 0)
        scripted.hold()
        let scripted = scripted
        let frame = Task { try await onThread { try decoder.frame(at: 1) } }
        await scripted.frames.wait { $0.active == 1 }
        decoder.cancelDecoding()
        await #expect(throws: ImageError(.cancelled, at: .decoding, "cancelled", format: ScriptedAnimation.format)) {
            _ = try await frame.value
        }
        scripted.release()
        // The caller that was cancelled does not wait for another description of the file.
        #expect(scripted.sessions.count == 1)
        #expect(decoder.status == .complete)
        #expect(try level(decoder.frame(at: 1).image()) == ScriptedAnimation.level(of: 1))
        #expect(scripted.sessions.count == 2 && scripted.frames.record.cancelled.count == 1)
    }

    @Test func `appending bytes and reading properties do not wait for a decode`() async throws {
        let decoder = decoder()
        let pieces = animation.pieces
        for piece in pieces.prefix(2) { try decoder.append(piece) }
        #expect(decoder.frameCount == 1)
        scripted.hold()
        let frame = Task { try await onThread { try decoder.frame(at: 0) } }
        await scripted.frames.wait { $0.active == 1 }
        for piece in pieces.dropFirst(2) { try decoder.append(piece) }
        decoder.finish()
        #expect(decoder.status == .sizeAvailable)
        #expect(decoder.frameCount == 1)
        scripted.release()
        _ = try await frame.value
        #expect(decoder.status == .complete)
        #expect(decoder.frameCount == 4)
    }

    @Test func `threads that ask at once all see the bytes that were appended before`() throws {
        let pieces = animation.pieces
        for _ in 0..<200 {
            let decoder = decoder()
            for piece in pieces.prefix(2) { try decoder.append(piece) }
            DispatchQueue.concurrentPerform(iterations: 4) { _ in #expect(decoder.frameCount == 1) }
        }
    }

    @Test func `many threads at once get the same result as one`() async throws {
        let decoder = decoder()
        let pieces = animation.pieces
        for piece in pieces.prefix(2) { try decoder.append(piece) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for piece in pieces.dropFirst(2) { try decoder.append(piece) }
                decoder.finish()
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<50 {
                        let count = decoder.frameCount
                        #expect((1...4).contains(count))
                        let image = try decoder.frame(at: count - 1).image()
                        #expect(image.withUnsafeBytes { $0[0] } == ScriptedAnimation.level(of: count - 1))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(decoder.status == .complete)
    }
}
