#if GTK
import CGTK4
import Firn
import FirnGTK
import FirnImage
import FirnPipeline
import FoundationEssentials

/// Checks that HEIF image sequences play in a widget: one without end, and one that ends after three plays. The files
/// are those of `Tests/Samples/Sequences`, since Firn writes none.
@MainActor
enum SequenceScene {
    private static let folder = URL(filePath: #filePath).appending(path: "../../../Samples/Sequences").standardized

    static func play(_ checks: Checks) async {
        for name in ["forever", "looped", "reordered"] {
            do {
                try await play(name, checks)
            } catch {
                // A build without HEIC plays nothing.
                let isLeftOut = (error as? ImageError)?.fault == .unsupported
                checks.expect(isLeftOut, "\(name): \(error)")
            }
        }
    }

    private static func play(_ name: String, _ checks: Checks) async throws {
        let path = folder.appending(path: "\(name).heics").path
        let decoder = ImageDecoder(decoders: ImageDecoders.standard)
        try decoder.setData(Data(contentsOf: URL(filePath: path)), allDataReceived: true)
        let centers = try (0..<decoder.frameCount).map { try center(decoder.frame(at: $0).image()) }
        checks.expect(centers.count > 3, "\(name) has \(centers.count) frames")

        let image = FirnPicture(context: BindingContext.gtk(pipeline: ImagePipeline(configuration: .ephemeral)))
        let size = decoder.frames[0].size
        image.naturalSize = size
        gtk_widget_set_halign(image.widget, GTK_ALIGN_START)
        gtk_widget_set_valign(image.widget, GTK_ALIGN_START)
        image.request = ImageRequest(path: path)
        let window = SceneWindow(width: 100, height: 100, image.widget)
        await window.present(checks)
        var missing = Set(centers.indices)
        await checks.wait("all frames of \(name) are shown") {
            guard let color = window.shot()?.color(size.width / 2, size.height / 2) else { return false }
            missing = missing.filter { !isNear(centers[$0], color) }
            return missing.isEmpty
        }
        if case .plays = decoder.repetitionCount, let last = centers.last {
            await checks.wait("\(name) ends with its last frame") {
                window.shot().map { isNear(last, $0.color(size.width / 2, size.height / 2)) } ?? false
            }
        }
        if let path = checks.shot { window.shot()?.save(path) }
        window.close()
    }

    private static func center(_ image: Bitmap) throws -> SIMD4<UInt8> {
        let straight = try image.converted(to: .rgba8Straight)
        return straight.withUnsafeBytes {
            $0.loadUnaligned(
                fromByteOffset: image.size.height / 2 * straight.bytesPerRow + image.size.width / 2 * 4,
                as: SIMD4<UInt8>.self)
        }
    }

    private static func isNear(_ a: SIMD4<UInt8>, _ b: SIMD4<UInt8>) -> Bool {
        (0..<3).allSatisfy { abs(Int(a[$0]) - Int(b[$0])) <= 2 }
    }
}
#endif
