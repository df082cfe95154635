import Firn
import FirnFigures
import FoundationEssentials

/// Measures the structural similarity of a resize and of blurs with the same in double precision, on part of a
/// photograph.
///
/// The limit of 0.999 applies to the luma, for which the measure is defined. Rounding to bytes alone lowers the
/// similarity in flat areas, and most of a blurred image is flat. So the figure for perfectly rounded bytes stands
/// beside ours, also as the mean of the three channels, where even perfectly rounded bytes stay below 0.999.
struct ProcessingQuality {
    private static let photograph = "/usr/share/backgrounds/Wine_by_Jakkub_Mede.jpg"

    func run() throws -> [Figure] {
        guard let data = try? Data(contentsOf: URL(filePath: Self.photograph)) else {
            print("processors: no photograph \(Self.photograph)")
            return []
        }
        let decoder = ImageDecoder()
        try decoder.setData(data, allDataReceived: true)
        var options = DecodingOptions()
        options.pixelFormat = .rgb8
        options.targetSize = TargetSize(900)
        let whole = try decoder.frame(at: 0, options: options).image()
        let source = try ImageProcessors.Crop(size: PixelSize(width: 480, height: 360))
            .process(ImageContainer(image: whole)).image
        let target = PixelSize(width: 139, height: 104)
        var figures = [
            try figure("resize", ImageProcessors.Resize(exactly: target), source) {
                $0.lanczos(target.width, target.height)
            }
        ]
        for radius in [2.0, 4, 8, 20] {
            figures.append(
                try figure("blur-\(Int(radius))", ImageProcessors.GaussianBlur(radius: radius), source) {
                    $0.gaussian(radius)
                })
        }
        return figures
    }

    private func figure(
        _ name: String, _ processor: any ImageProcessing, _ source: Bitmap, _ exact: (Plane) -> Plane
    ) throws -> Figure {
        let result = Plane.channels(of: try processor.process(ImageContainer(image: source)).image)
        let exact = Plane.channels(of: source).map(exact)
        let best = exact.map { $0.rounded() }
        let light = Plane.lightness(exact)
        let (ours, perfect) = (
            Plane.lightness(result).similarity(to: light), Plane.lightness(best).similarity(to: light)
        )
        func mean(_ channels: [Plane]) -> Double {
            zip(channels, exact).reduce(0) { $0 + $1.0.similarity(to: $1.1) } / 3
        }
        func digits(_ value: Double) -> String { "\((value * 1e5).rounded() / 1e5)" }
        return Figure(
            name: "processors.ssim.\(name)", value: ours, unit: "SSIM", peer: "perfectly rounded bytes",
            peerValue: perfect,
            note: "mean of the channels \(digits(mean(result))), of perfectly rounded ones \(digits(mean(best)))")
    }
}
