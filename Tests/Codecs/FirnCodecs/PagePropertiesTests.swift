import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests that each page, or image of a file that holds several, has properties of its own.
@Suite struct PagePropertiesTests {
    /// Returns a page of gray levels with an orientation, samples of 8 or 16 bits, a resolution, and perhaps a profile.
    private func page(
        _ levels: [UInt8], orientation: Int, isWide: Bool = false, resolution: Int, profile: Data? = nil
    ) -> HandmadeTIFF.Page {
        let samples: [UInt8] = levels.flatMap { (level: UInt8) -> [UInt8] in isWide ? [0, level] : [level] }
        var page = HandmadeTIFF.Page(
            width: levels.count, height: 1, bits: [isWide ? 16 : 8], pieces: [samples],
            more: [(274, [orientation]), (296, [2])])
        page.fractions = [(282, resolution, 1), (283, resolution, 1)]
        page.profile = profile
        return page
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2, 1]])
    func `pages have their own orientation, depth, size and resolution, in any order`(order: [Int]) throws {
        let file = HandmadeTIFF(pages: [
            page([1, 2], orientation: 6, resolution: 300),
            page([3, 4, 5], orientation: 1, isWide: true, resolution: 150),
            page([6, 7], orientation: 3, resolution: 72),
        ])
        let session = try session(file.data)
        #expect(try session.frames().map(\.orientation) == [.right, .up, .down])
        #expect(try session.properties(ofFrame: 3) == nil)
        for index in order {
            let properties = try #require(try session.properties(ofFrame: index))
            #expect(properties.orientation == [.right, .up, .down][index])
            #expect(properties.bitDepth == [8, 16, 8][index])
            #expect(properties.size == PixelSize(width: [2, 3, 2][index], height: 1))
            let resolution = Double([300, 150, 72][index])
            #expect(properties.resolution == ImageResolution(horizontal: resolution, vertical: resolution))
            var options = straight(orientation: true)
            options.frame = index
            let upright = try session.decode(options)
            #expect(upright.size == properties.displaySize)
            let levels = stride(from: 0, to: packed(upright).count, by: 4).map { packed(upright)[$0] }
            #expect(levels == [[1, 2], [3, 4, 5], [7, 6]][index])
            #expect(upright.size == (index == 0 ? PixelSize(width: 1, height: 2) : properties.size))
        }
    }

    @Test func `a page of 16 bits keeps them behind one of 8`() throws {
        let file = HandmadeTIFF(pages: [
            page([9], orientation: 1, resolution: 72), page([200], orientation: 1, isWide: true, resolution: 72),
        ])
        var options = straight()
        options.pixelFormat = .rgba16Straight
        options.frame = 1
        let pixel = packed(try session(file.data).decode(options))
        #expect(Array(pixel.prefix(2)) == [0, 200])
    }

    /// The profile of each file's pages: none, or one that exchanges red and green.
    private func check(_ data: Data, profiles: [Bool]) throws {
        let session = try session(data)
        for index in [1, 0, 1] {
            let properties = try #require(try session.properties(ofFrame: index))
            #expect((properties.colorProfile?.icc == DecoderSamples.swappedProfile) == profiles[index])
            var options = straight()
            options.frame = index
            let stored = packed(try session.decode(options))
            options.appliesColorProfile = true
            let converted = packed(try session.decode(options))
            #expect((stored != converted) == profiles[index], "page \(index)")
        }
    }

    @Test(arguments: [[false, true], [true, false]])
    func `pages of a TIFF have their own profile`(profiles: [Bool]) throws {
        let pages = profiles.map { hasProfile in
            var page = HandmadeTIFF.Page(
                width: 1, height: 1, photometric: 2, bits: [8, 8, 8], pieces: [[200, 20, 30]])
            page.profile = hasProfile ? DecoderSamples.swappedProfile : nil
            return page
        }
        try check(HandmadeTIFF(pages: pages).data, profiles: profiles)
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0]])
    func `pages have their own metadata, in any order`(order: [Int]) throws {
        var pages = (0..<3).map { page([UInt8($0)], orientation: 1, resolution: 72) }
        pages[0].texts = [(0x010F, "First"), (269, "A document")]
        pages[2].texts = [(0x010F, "Third"), (285, "A page")]
        // A record: a title of one letter.
        for (index, letter) in [(0, 0x61), (1, 0x62)] {
            pages[index].more.append((33_723, [0x021C, 0x0005, 0x0001 | letter << 8]))
        }
        let session = try session(HandmadeTIFF(pages: pages).data)
        for index in order {
            let properties = try #require(try session.properties(ofFrame: index))
            #expect(properties.metadata["Make"] == ["First", nil, "Third"][index])
            #expect(properties.metadata.title == ["a", "b", nil][index])
            #expect(properties.texts == [["DocumentName": "A document"], [:], ["PageName": "A page"]][index])
        }
    }

    #if HEIC
    @Test func `images of a HEIC file have their own profile`() throws {
        try check(HandmadeHEIC.images(secondProfile: DecoderSamples.swappedProfile), profiles: [false, true])
    }
    #endif

    @Test func `a damaged page does not harm the others`() throws {
        var file = HandmadeTIFF(pages: [
            page([1], orientation: 1, resolution: 72), page([2], orientation: 1, resolution: 72),
            page([3, 4], orientation: 3, resolution: 72),
        ])
        file.pages[1].photometric = 32_803
        let session = try session(file.data)
        var options = straight(orientation: true)
        for index in [1, 2, 1, 0] {
            options.frame = index
            if index == 1 {
                #expect(throws: ImageError.self) { try session.decode(options) }
            } else {
                #expect(packed(try session.decode(options)).first == (index == 0 ? 1 : 4))
            }
        }
    }

    @Test func `a decoder gives the size of a page in its own orientation`() throws {
        let file = HandmadeTIFF(pages: [
            page([1, 2], orientation: 1, resolution: 72), page([3, 4, 5], orientation: 6, resolution: 72),
        ])
        let decoder = ImageDecoder()
        try decoder.setData(file.data, allDataReceived: true)
        for isLazy in [false, true] {
            let frame = try decoder.frame(at: 1, isLazy: isLazy)
            #expect(frame.displaySize == PixelSize(width: 1, height: 3))
            #expect(try frame.image().size == frame.displaySize)
        }
        #expect(try decoder.properties(ofFrame: 1)?.orientation == .right)
        #expect(decoder.properties?.orientation == .up)
    }
}
