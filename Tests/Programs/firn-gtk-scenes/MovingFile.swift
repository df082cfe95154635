#if GTK
import Firn
import FirnImage
import FoundationEssentials

/// Small animations of three frames, red, green and blue, in each format that Firn plays.
enum MovingFile: String, CaseIterable {
    case gif, apng, webp, avif, jxl

    static let size = PixelSize(width: 240, height: 240)
    static let colors: [SIMD3<UInt8>] = [SIMD3(220, 30, 30), SIMD3(30, 180, 40), SIMD3(40, 50, 210)]
    static let milliseconds = 60

    /// Returns the index of a color in ``colors``, within the tolerance of lossy formats; `nil` for other colors.
    static func frame(of color: SIMD4<UInt8>) -> Int? {
        colors.firstIndex { known in
            (0..<3).allSatisfy { abs(Int(known[$0]) - Int(color[$0])) <= 24 } && color.w == 255
        }
    }

    /// Returns the file; `nil` if this build leaves out the format.
    func data() throws -> Data? {
        let frames = try MovingFile.colors.map { try MovingFile.image($0) }
        if self == .apng { return try APNGAssembly.data(frames, milliseconds: MovingFile.milliseconds) }
        guard let encoder = ImageEncoders.encoder(for: ImageFormat(rawValue: rawValue)) as? any AnimationEncoding else {
            return nil
        }
        let session = try encoder.makeAnimation(size: MovingFile.size)
        for frame in frames { try session.append(frame, duration: .milliseconds(MovingFile.milliseconds)) }
        return try session.finish()
    }

    /// Returns an image of one color with noise around it, so that the file is large enough to arrive in pieces.
    private static func image(_ color: SIMD3<UInt8>) throws -> Bitmap {
        try Bitmap(size: size, isOpaque: true) { pixels in
            var noise: UInt32 = 1
            for y in 0..<size.height {
                let row = pixels.row(y)
                for x in 0..<size.width {
                    noise = noise &* 1_664_525 &+ 1_013_904_223
                    let isMiddle = (40..<200).contains(x) && (40..<200).contains(y)
                    for (place, level) in [color.z, color.y, color.x].enumerated() {
                        let value = isMiddle ? level : UInt8(truncatingIfNeeded: noise >> UInt32(8 * place + 4))
                        row.storeBytes(of: value, toByteOffset: x * 4 + place, as: UInt8.self)
                    }
                    row.storeBytes(of: 255, toByteOffset: x * 4 + 3, as: UInt8.self)
                }
            }
        }
    }
}
#endif
