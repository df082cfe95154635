#if TIFF
import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct CameraFileTests {
    private typealias Directory = HandmadeCameraFile.Directory

    private static let red: [UInt8] = [220, 30, 30]
    private static let green: [UInt8] = [30, 200, 40]
    private static let blue: [UInt8] = [40, 50, 230]

    /// Returns samples of one color.
    private static func pixels(_ width: Int, _ height: Int, _ color: [UInt8]) -> [UInt8] {
        (0..<width * height).flatMap { _ in color }
    }

    /// Returns a JPEG file of one color, with a white left half of its first rows.
    private static func jpeg(_ width: Int, _ height: Int, _ color: [UInt8]) throws -> [UInt8] {
        let image = try Bitmap(size: PixelSize(width: width, height: height), format: .rgb8) { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let isMarked = y < height / 4 && x < width / 2
                    for c in 0..<3 {
                        pixels.row(y).storeBytes(
                            of: isMarked ? 255 : color[c], toByteOffset: x * 3 + c, as: UInt8.self)
                    }
                }
            }
        }
        return try [UInt8](JPEGEncoder(quality: 0.95).encode(image))
    }

    /// The start of a lossless JPEG, as sensors' data are stored.
    private static let lossless: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xC3, 0, 14, 14, 0x08, 0, 0x0C, 0, 2, 0, 0x11, 0, 1, 0x11, 0, 0xFF, 0xDA, 0, 10, 2, 0, 0,
        1, 0, 1, 0, 0, 1, 2, 3, 4, 0xFF, 0xD9,
    ]

    private static func sensor(compression: Int = 1, kind: Int? = 0) -> Directory {
        .strip(
            400, 300, kind: kind, compression: compression, photometric: 32_803, samples: 1,
            compression == 1 ? [UInt8](repeating: 9, count: 400 * 300) : lossless)
    }

    /// A layout of a maker, and what is shown of it.
    struct Layout: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable () throws -> HandmadeCameraFile
        let size: PixelSize
        let color: [UInt8]

        init(
            _ name: String, _ width: Int, _ height: Int, _ color: [UInt8],
            _ make: @escaping @Sendable () throws -> HandmadeCameraFile
        ) {
            testDescription = name
            self.make = make
            size = PixelSize(width: width, height: height)
            self.color = color
        }
    }

    static let layouts: [Layout] = [
        Layout("DNG of sensor's data with two previews and a mask", 96, 64, green) {
            try HandmadeCameraFile(chain: [
                .strip(
                    16, 12, kind: 1, pixels(16, 12, red),
                    more: [
                        (50_706, .bytes([1, 4, 0, 0])),
                        (
                            330,
                            .directories([
                                sensor(compression: 7),
                                .strip(
                                    48, 32, kind: 1, compression: 7, photometric: 6, jpeg(48, 32, blue)),
                                .strip(
                                    96, 64, kind: 0x10001, compression: 7, photometric: 6, jpeg(96, 64, green)),
                                .strip(200, 150, kind: 4, photometric: 4, samples: 1, pixels(200, 150, [7])),
                            ])
                        ),
                    ])
            ])
        },
        Layout("DNG whose main image can be decoded", 80, 60, blue) {
            try HandmadeCameraFile(chain: [
                .strip(
                    16, 12, kind: 1, pixels(16, 12, red),
                    more: [
                        (50_706, .bytes([1, 4, 0, 0])),
                        (
                            330,
                            .directories([
                                .strip(40, 30, kind: 1, compression: 7, photometric: 6, jpeg(40, 30, green)),
                                .strip(80, 60, kind: 0, pixels(80, 60, blue)),
                            ])
                        ),
                    ])
            ])
        },
        Layout("TIFF/EP without a maker's tag", 80, 60, blue) {
            HandmadeCameraFile(chain: [
                .strip(
                    16, 12, kind: 1, pixels(16, 12, red),
                    more: [(330, .directories([.strip(80, 60, kind: nil, pixels(80, 60, blue))]))])
            ])
        },
        Layout("NEF", 96, 64, green) {
            try HandmadeCameraFile(chain: [
                .strip(
                    16, 12, kind: 1, pixels(16, 12, red),
                    more: [
                        (
                            330,
                            .directories([
                                .jpeg(jpeg(96, 64, green), kind: 1), sensor(compression: 34_713),
                                .jpeg(jpeg(57, 38, blue), kind: 1),
                            ])
                        )
                    ])
            ])
        },
        Layout("ARW", 162, 108, green) {
            try HandmadeCameraFile(chain: [
                .jpeg(
                    jpeg(162, 108, green), kind: 1, more: [(330, .directories([sensor(compression: 32_767)]))]),
                .jpeg(jpeg(16, 12, red), kind: 1),
            ])
        },
        Layout("NEF whose first directory holds the preview, not marked", 96, 64, green) {
            try HandmadeCameraFile(chain: [
                .strip(
                    96, 64, kind: nil, compression: 7, photometric: 6, jpeg(96, 64, green),
                    more: [(330, .directories([sensor()]))])
            ])
        },
        Layout("CR2", 120, 80, green) {
            let preview = try jpeg(120, 80, green)
            return try HandmadeCameraFile(
                chain: [
                    .strip(120, 80, kind: nil, compression: 6, photometric: nil, preview),
                    .jpeg(jpeg(16, 12, red), kind: nil),
                    .strip(40, 30, kind: nil, pixels(40, 30, blue)),
                    Directory([
                        (259, .shorts([6])), (273, .offset(lossless)), (279, .longs([lossless.count])),
                        (50_752, .shorts([1, 1728, 1904])),
                    ]),
                ], mark: [0x43, 0x52, 2, 0, 0, 0, 0, 0])
        },
        Layout("PEF", 100, 70, green) {
            try HandmadeCameraFile(chain: [
                sensor(compression: 65_535), .jpeg(jpeg(16, 12, red), kind: 1),
                .jpeg(jpeg(100, 70, green), kind: 1),
            ])
        },
    ]

    private func check(_ data: Data, _ layout: Layout) throws {
        let opened = try session(data)
        let properties = try #require(try opened.properties())
        #expect(properties.format == .tiff)
        #expect(properties.size == layout.size)
        #expect(properties.frameCount == 1)
        let image = try opened.decode(straight())
        #expect(image.size == layout.size)
        let last = Array(packed(image).suffix(4))
        #expect(zip(last, layout.color + [255]).allSatisfy { abs(Int($0) - Int($1)) <= 6 }, "\(last)")
        var options = straight()
        options.targetSize = TargetSize(width: layout.size.width / 3, height: layout.size.height / 3)
        let small = try Array(packed(opened.decode(options)).suffix(4))
        #expect(zip(small, layout.color + [255]).allSatisfy { abs(Int($0) - Int($1)) <= 8 }, "\(small)")
    }

    @Test(arguments: layouts, [false, true])
    func `the largest image that can be decoded is shown`(layout: Layout, isBigEndian: Bool) throws {
        var file = try layout.make()
        file.isBigEndian = isBigEndian
        try check(file.data, layout)
        // CR2 has no such variant.
        guard file.mark.isEmpty else { return }
        file.isLong = true
        try check(file.data, layout)
    }

    @Test func `a truncated file shows its decodable part`() throws {
        let layout = try #require(CameraFileTests.layouts.first { $0.testDescription == "NEF" })
        let data = try layout.make().data
        for length in stride(from: 16, to: data.count, by: 97) {
            let error = decodingError { _ = try session(data.prefix(length)).decode(straight()) }
            #expect(error == nil || error?.message.isEmpty == false)
        }
    }

    @Test(arguments: [6, 3, 8])
    func `it is upright by the first directory, and keeps its artist`(orientation: Int) throws {
        let file = try HandmadeCameraFile(chain: [
            .strip(
                16, 12, kind: 1, CameraFileTests.pixels(16, 12, CameraFileTests.red),
                more: [
                    (274, .shorts([orientation])), (315, .text("Ada")), (33_432, .text("(c) Ada")),
                    (
                        330,
                        .directories([
                            .jpeg(CameraFileTests.jpeg(96, 64, CameraFileTests.green), kind: 1),
                            CameraFileTests.sensor(),
                        ])
                    ),
                ])
        ])
        let opened = try session(file.data)
        let properties = try #require(try opened.properties())
        #expect(properties.orientation.rawValue == orientation)
        let notice = try #require(CopyrightNotice(properties))
        #expect(notice.creator == "Ada" && notice.rights == "(c) Ada")
        let image = try opened.decode(straight(orientation: true))
        let pixels = packed(image)
        // The white mark is at the stored top left corner.
        let corners = [3: (1, 1), 6: (1, 0), 8: (0, 1)]
        let (right, bottom) = try #require(corners[orientation])
        let place = (bottom * (image.size.height - 1) * image.size.width + right * (image.size.width - 1)) * 4
        #expect(
            image.size == (orientation == 3 ? PixelSize(width: 96, height: 64) : PixelSize(width: 64, height: 96)))
        #expect(pixels[place..<place + 3].allSatisfy { $0 > 245 })
    }

    // MARK: Other files

    @Test func `pages keep their order where the first is marked as reduced`() throws {
        let pages = [CameraFileTests.red, CameraFileTests.green, CameraFileTests.blue].enumerated().map {
            index, color in
            Directory.strip(
                20 * (index + 1), 10, kind: index == 0 ? 1 : 2, CameraFileTests.pixels(20 * (index + 1), 10, color))
        }
        let opened = try session(HandmadeCameraFile(chain: pages).data)
        #expect(try opened.properties()?.frameCount == 3)
        #expect(try opened.frames().map(\.size.width) == [20, 40, 60])
    }

    @Test func `pages keep their smaller versions below them`() throws {
        let below = Directory.strip(20, 10, kind: 1, CameraFileTests.pixels(20, 10, CameraFileTests.green))
        let pages = (0..<2).map { _ in
            Directory.strip(
                40, 20, kind: 0, CameraFileTests.pixels(40, 20, CameraFileTests.blue),
                more: [(330, .directories([below]))])
        }
        let opened = try session(HandmadeCameraFile(chain: pages).data)
        #expect(try opened.properties()?.frameCount == 2)
        #expect(try opened.decode(straight()).size == PixelSize(width: 40, height: 20))
    }

    @Test func `directories that refer to each other end`() throws {
        var file = HandmadeCameraFile(chain: [
            .strip(
                16, 12, kind: 1, CameraFileTests.pixels(16, 12, CameraFileTests.red),
                more: [(330, .directories((0..<200).map { _ in CameraFileTests.sensor(compression: 7) }))])
        ]).data
        // The link behind the first directory leads back to it.
        let first = Int(file[4]) | Int(file[5]) << 8 | Int(file[6]) << 16
        let link = first + 2 + 12 * (Int(file[first]) | Int(file[first + 1]) << 8)
        file.replaceSubrange(link..<link + 4, with: file[4..<8])
        #expect(try session(file).properties()?.size == PixelSize(width: 16, height: 12))
    }

    @Test(arguments: [false, true])
    func `artist and copyright of a page are kept`(isBigEndian: Bool) throws {
        let page = Directory.strip(
            4, 4, kind: nil, CameraFileTests.pixels(4, 4, CameraFileTests.red),
            more: [(315, .text("Grace Hopper")), (33_432, .text("CC"))])
        let file = HandmadeCameraFile(chain: [page], isBigEndian: isBigEndian)
        let properties = try #require(try session(file.data).properties())
        let notice = try #require(CopyrightNotice(properties))
        #expect(notice.creator == "Grace Hopper" && notice.rights == "CC")
    }

    @Test(arguments: [false, true])
    func `the fields of a page are EXIF data, and its names are texts`(isBigEndian: Bool) throws {
        let page = Directory.strip(
            4, 4, kind: nil, CameraFileTests.pixels(4, 4, CameraFileTests.red),
            more: [
                (269, .text("Ships")), (270, .text("A ship")), (271, .text("Firn")), (272, .text("X1")),
                (306, .text("2026:11:21 19:30:05")),
            ])
        let file = HandmadeCameraFile(chain: [page], isBigEndian: isBigEndian)
        let properties = try #require(try session(file.data).properties())
        let metadata = properties.metadata
        #expect(metadata.imageDescription == "A ship" && metadata.camera == "Firn X1" && metadata.orientation == .up)
        #expect(metadata["ModifyDate"] == "2026:11:21 19:30:05" && properties.texts == ["DocumentName": "Ships"])
    }
}
#endif
