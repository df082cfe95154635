import FirnImage
import FoundationEssentials

extension FeatureImages {
    /// Every number and kind of components, sampling, scan script and restart interval, as files of flat blocks.
    static let jpeg: [GeneratedImage] = components + samplings + scripts + progressive

    /// The samples of each component in the six blocks.
    private static let levels: [[Int]] = [
        [30, 200, 90, 150, 60, 220], [190, 40, 120, 80, 230, 20], [70, 110, 240, 50, 160, 130],
        [255, 255, 200, 128, 90, 255],
    ]

    /// Returns a file of `count` components; in the flat ones, all blocks are as the first.
    private static func file(
        _ count: Int, identifiers: [UInt8]? = nil, adobe: UInt8? = nil, flat: Set<Int> = [],
        factors: [(Int, Int)]? = nil
    ) -> HandmadeJPEG {
        var file = HandmadeJPEG(width: GeneratedPixels.size.width, height: GeneratedPixels.size.height)
        file.factors = factors ?? [(Int, Int)](repeating: (1, 1), count: count)
        file.identifiers = identifiers
        file.adobeTransform = adobe
        file.isSequential = true
        file.scans = [HandmadeJPEG.Scan(components: Array(0..<count))]
        file.coefficient = { component, column, row in level(component, column, row, flat) - 128 }
        return file
    }

    private static func level(_ component: Int, _ column: Int, _ row: Int, _ flat: Set<Int>) -> Int {
        levels[component][flat.contains(component) ? 0 : min(column, 2) + 3 * min(row, 1)]
    }

    /// Returns pixels from the levels of the blocks.
    private static func pixels(_ count: Int, flat: Set<Int> = [], color: ([Double]) -> [Double]) -> [UInt8] {
        GeneratedPixels.indices.flatMap { block -> [UInt8] in
            let samples = (0..<count).map { Double(level($0, Int(block) % 3, Int(block) / 3, flat)) }
            return color(samples).map { UInt8(min(max($0, 0), 255).rounded()) } + [255]
        }
    }

    /// Full-range BT.601, as JFIF has it.
    private static func fromYCbCr(_ color: [Double]) -> [Double] {
        let (y, blue, red) = (color[0], color[1] - 128, color[2] - 128)
        return [y + 1.402 * red, y - 0.344136 * blue - 0.714136 * red, y + 1.772 * blue]
    }

    /// Inks are stored inverted: 255 means no ink.
    private static func fromInks(_ color: [Double]) -> [Double] { color.prefix(3).map { $0 * color[3] / 255 } }

    private static let rgb = pixels(3) { $0 }
    private static let numbers: [UInt8] = [1, 2, 3]

    private static let components: [GeneratedImage] = [
        still("jpeg-gray", .jpeg, file(1).data, pixels(1) { [$0[0], $0[0], $0[0]] }),
        still("jpeg-rgb-identifiers", .jpeg, file(3).data, rgb),
        still("jpeg-adobe-rgb", .jpeg, file(3, identifiers: numbers, adobe: 0).data, rgb),
        still("jpeg-adobe-ycc", .jpeg, file(3, adobe: 1).data, pixels(3, color: fromYCbCr), tolerance: 1),
        still(
            "jpeg-numbers-ycc", .jpeg, file(3, identifiers: numbers).data, pixels(3, color: fromYCbCr), tolerance: 1),
        still("jpeg-inks", .jpeg, file(4).data, pixels(4, color: fromInks), tolerance: 1),
        still("jpeg-adobe-inks", .jpeg, file(4, adobe: 0).data, pixels(4, color: fromInks), tolerance: 1),
        still(
            "jpeg-adobe-ycck", .jpeg, file(4, adobe: 2).data,
            // The three colors that YCbCr gives are inverted once more.
            pixels(4) { fromInks(fromYCbCr($0).map { min(max(255 - $0, 0), 255) } + [$0[3]]) }, tolerance: 1),
    ]

    /// The first component is stored more densely than the others, which have one level.
    private static let samplings = [(2, 2), (2, 1), (1, 2), (4, 1), (1, 4), (4, 2)].map { across, down in
        var file = file(3, flat: [1, 2], factors: [(across, down), (1, 1), (1, 1)])
        file.isSequential = true
        return still("jpeg-\(across)x\(down)", .jpeg, file.data, pixels(3, flat: [1, 2]) { $0 })
    }

    /// Progressive files with all scans: of blocks whose AC coefficients are missing, libjpeg smooths the edges.
    private static let progressive: [GeneratedImage] = {
        typealias Scan = HandmadeJPEG.Scan
        func each(_ coefficients: ClosedRange<Int>, high: Int = 0, low: Int = 0) -> [Scan] {
            (0..<3).map { Scan(components: [$0], high: high, low: low, coefficients: coefficients) }
        }
        let whole = Scan(components: [0, 1, 2])
        let bits = [Scan(components: [0, 1, 2], low: 2), Scan(components: [0, 1, 2], high: 2, low: 1)]
        let makers: [(String, Int, [Scan])] = [
            ("progressive", 0, [whole] + each(1...63)),
            ("progressive-restarts", 2, [whole] + each(1...63)),
            ("progressive-each", 0, each(0...0) + each(1...5) + each(6...63)),
            (
                "progressive-bits", 0,
                bits + each(1...63, low: 1) + [Scan(components: [0, 1, 2], high: 1)] + each(1...63, high: 1)
            ),
        ]
        return makers.map { name, interval, scans in
            var file = file(3)
            file.isSequential = false
            file.restartInterval = interval
            file.scans = scans
            return still("jpeg-\(name)", .jpeg, file.data, rgb)
        }
    }()

    private static let scripts: [GeneratedImage] = {
        let each = (0..<3).map { HandmadeJPEG.Scan(components: [$0]) }
        let makers: [(String, Int, [HandmadeJPEG.Scan])] = [
            ("scans", 0, each), ("scans-restarts", 2, each), ("restarts-1", 1, []), ("restarts-4", 4, []),
        ]
        return makers.map { name, interval, scans in
            var file = file(3)
            file.isSequential = true
            file.restartInterval = interval
            if !scans.isEmpty { file.scans = scans }
            return still("jpeg-\(name)", .jpeg, file.data, rgb)
        }
    }()
}
