#if GTK
import CGTK4
import Firn
import FirnGTK
import FirnImage
import FoundationEssentials

/// Checks real files in a widget for zooming: a TIFF of a gigapixel, a JPEG against the plain image, an SVG that is
/// rendered anew, and an animation.
@MainActor
enum ZoomFileScene {
    static func play(_ checks: Checks) async {
        do {
            let folder = try SceneFolder()
            let pipeline = ImagePipeline {
                $0.dataCache = nil
                $0.imageCache = ImageCache()
                $0.limits.maximumPixels = 1 << 31
            }
            let context = BindingContext.gtk(pipeline: pipeline)
            try await opensTIFF(folder, context, checks)
            try await equalsPlainImage(folder, context, checks)
            try await rendersVector(folder, context, checks)
            try await playsAnimation(folder, context, checks)
        } catch { checks.expect(false, "\(error)") }
    }

    private static func opensTIFF(_ folder: SceneFolder, _ context: BindingContext, _ checks: Checks) async throws {
        try folder.write("large.tif", PatternTIFF(side: 32_768).data())
        let stage = await ZoomStage(
            ImageRequest(path: "\(folder.path)/large.tif"), context: context, checks)
        let view = stage.view
        await stage.settle("TIFF")
        checks.expect(view.imageSize == PixelSize(width: 32_768, height: 32_768), "\(view.imageSize as Any)")
        for (zoom, x, y) in [(1.0, 20_000.0, 9_000.0), (0.4, 31_000, 31_000), (3, 12_345, 23_456)] {
            view.zoom = zoom
            view.center = (x, y)
            await stage.settle("TIFF, zoom \(zoom)")
            await stage.hasColors("TIFF, zoom \(zoom)", tolerance: 6) { x, y in
                let side = Double(PatternTIFF.cell)
                let isInside = [x, y].allSatisfy { value in
                    let inside = value.truncatingRemainder(dividingBy: side)
                    return inside > 8 && inside < side - 8
                }
                return isInside ? PatternTIFF.color(Int(x), Int(y)) : nil
            }
        }
        stage.window.close()
    }

    private static func equalsPlainImage(
        _ folder: SceneFolder, _ context: BindingContext, _ checks: Checks
    ) async throws {
        let size = PixelSize(width: 3_000, height: 2_000)
        let source = try Bitmap(size: size, isOpaque: true) { pixels in
            for y in 0..<size.height {
                let row = pixels.row(y)
                for x in 0..<size.width {
                    let third = min(255, (x + y) / 20 + (x / 40 + y / 40) % 2 * 4)
                    let pixel = UInt32(x / 12 | y / 8 << 8 | third << 16 | 255 << 24)
                    row.storeBytes(of: pixel, toByteOffset: 4 * x, as: UInt32.self)
                }
            }
        }
        let file = try ImageEncoders.encoder(for: .jpeg, quality: 0.9)?.encode(source)
        try folder.write("plain.jpg", file ?? Data())
        let request = ImageRequest(path: "\(folder.path)/plain.jpg")
        let plain = try await context.pipeline.image(for: request).converted(to: .bgra8Premultiplied)
        let stage = await ZoomStage(request, context: context, checks)
        await stage.settle("JPEG")
        for rotation in 0..<4 {
            stage.view.rotation = rotation
            for (zoom, tolerance) in [(1.0, 0), (0.7, 6), (2, 6)] {
                stage.view.zoom = zoom
                stage.view.center = (1_234, 987)
                let text = "JPEG, zoom \(zoom), \(rotation) turns"
                await stage.settle(text)
                await stage.hasColors(text, tolerance: tolerance) { x, y in
                    plain.withUnsafeBytes { bytes in
                        let at = Int(y) * plain.bytesPerRow + Int(x) * 4
                        return at >= 0 && at + 4 <= bytes.count
                            ? SIMD3(bytes[at + 2], bytes[at + 1], bytes[at]) : nil
                    }
                }
            }
        }
        stage.window.close()
    }

    private static func rendersVector(
        _ folder: SceneFolder, _ context: BindingContext, _ checks: Checks
    ) async throws {
        let drawing = """
            <svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><rect width="64" height="48" fill="#fff"/>
            <path d="M0 48 L64 0 L64 48 Z" fill="#000"/></svg>
            """
        try folder.write("drawing.svg", Data(drawing.utf8))
        let stage = await ZoomStage(ImageRequest(path: "\(folder.path)/drawing.svg"), context: context, checks)
        await stage.settle("SVG")
        checks.expect(abs(stage.view.zoom - 10) < 0.01, "it fills the widget: \(stage.view.zoom)")
        stage.view.zoom = 70
        stage.view.center = (32, 24)
        // At first the whole image is enlarged; then the drawing is rendered anew.
        await checks.wait("SVG: a sharp edge") { stage.view.isSharp && gray(stage.window.shot()) <= 4 }
        let edge = gray(await stage.shot())
        checks.expect((1...4).contains(edge), "and no other: \(edge) gray pixels")
        stage.window.close()
    }

    /// Returns the number of pixels that are neither black nor white in the middle row; the largest number without a
    /// screenshot.
    private static func gray(_ shot: Shot?) -> Int {
        guard let shot else { return .max }
        return (0..<shot.width).count { (9...246).contains(shot.color($0, shot.height / 2).x) }
    }

    private static func playsAnimation(
        _ folder: SceneFolder, _ context: BindingContext, _ checks: Checks
    ) async throws {
        guard let file = try MovingFile.gif.data() else { return }
        try folder.write("moving.gif", file)
        let stage = await ZoomStage(ImageRequest(path: "\(folder.path)/moving.gif"), context: context, checks)
        await stage.settle("animation")
        checks.expect(stage.view.zoom == 1, "an animation smaller than the widget is shown pixel by pixel")
        for zoom in [1.0, 1.9] {
            stage.view.zoom = zoom
            await MovingStage.wait(
                "all frames are seen at zoom \(zoom)", [("GIF", stage.view.widget)], in: stage.window, checks)
        }
        stage.window.close()
    }
}
#endif
