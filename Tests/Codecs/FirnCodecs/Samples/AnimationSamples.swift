import FirnImage
import FoundationEssentials

/// One small animation in each format, with a disposal of every kind and a frame that is partly transparent.
enum AnimationSamples {
    static let gif = HandmadeGIF(
        width: 4, height: 3,
        frames: [
            .init(width: 4, height: 3, indices: [UInt8](repeating: 0, count: 12), delay: 5, disposal: 1),
            .init(left: 1, top: 1, width: 2, height: 2, indices: [1, 3, 3, 1], transparent: 3, delay: 6, disposal: 2),
            .init(left: 2, width: 2, height: 3, indices: [2, 2, 2, 2, 2, 2], delay: 7, disposal: 3),
            .init(width: 1, height: 3, indices: [3, 2, 1], delay: 8, isInterlaced: true, disposal: 1),
        ], loops: 2
    ).data

    static let apng: Data = {
        var png = HandmadeAPNG(
            width: 4, height: 3,
            frames: [
                .init(width: 4, height: 3, pixels: colors(12, alpha: 255), delay: (5, 100)),
                .init(left: 1, top: 1, width: 2, height: 2, pixels: colors(4, alpha: 100), disposal: 1, blends: true),
                .init(left: 2, width: 2, height: 3, pixels: colors(6, alpha: 0), disposal: 2, delay: (7, 100)),
                .init(width: 1, height: 3, pixels: colors(3, alpha: 200), blends: true, delay: (8, 100)),
            ], loops: 2)
        png.pieces = 3
        return png.data
    }()

    static let webp = HandmadeWebP(
        width: 4, height: 3,
        frames: [
            .init(width: 4, height: 3, pixels: colors(12, alpha: 255), duration: 50),
            .init(left: 2, width: 2, height: 2, pixels: colors(4, alpha: 100), clears: true, duration: 60),
            .init(left: 2, top: 2, width: 2, height: 1, pixels: colors(2, alpha: 0), blends: false, duration: 70),
            .init(width: 1, height: 3, pixels: colors(3, alpha: 200), duration: 80),
        ], loops: 2
    ).data

    static let all: [Data] = [gif, apng, webp]

    /// Returns pixels of many colors and one alpha.
    static func colors(_ count: Int, alpha: UInt8) -> [UInt8] {
        (0..<count).flatMap { index -> [UInt8] in
            let value = UInt8(index * 20)
            return [value, 255 - value, UInt8(index * 7), alpha]
        }
    }
}
