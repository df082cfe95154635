import FirnCodecs
import FirnImage
import FoundationEssentials
import FirnSystem

/// Renders pages in a headless browser.
enum Browser {
    private static let path = "/usr/bin/chromium"

    static var isThere: Bool { access(path, X_OK) == 0 }

    /// Returns a screenshot of a page.
    static func screenshot(of page: String, width: Int, height: Int, in folder: Scratch) throws -> Bitmap {
        let image = folder.path("page.png")
        let arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1",
            "--user-data-dir=\(folder.path("browser"))", "--blink-settings=preferredColorScheme=1",
            "--window-size=\(width),\(height)", "--screenshot=\(image)", "file://\(page)",
        ]
        // A browser that waits for a missing bus or display is ended by the limit; then the test fails by the missing
        // output.
        let run = try BuiltCommand(at: path).run(arguments, in: folder, limit: "-k 5 100")
        guard let data = try? folder.data("page.png"), !data.isEmpty else {
            throw ScratchError(message: "the browser made no image: \(run.status): \(run.errors.suffix(300))")
        }
        let decoder = ImageDecoder()
        try decoder.setData(data, allDataReceived: true)
        var options = DecodingOptions()
        options.pixelFormat = .rgb8
        return try decoder.frame(at: 0, options: options).image()
    }

    /// The shares of some colors in an image.
    struct Share {
        var blue = 0.0
        var orange = 0.0
        var red = 0.0
        var white = 0.0
        var rightEdgeIsWhite = true
    }

    static func share(of image: Bitmap) throws -> Share {
        var share = Share()
        let one = 1 / Double(image.size.width * image.size.height)
        image.withUnsafeBytes { bytes in
            for y in 0..<image.size.height {
                for x in 0..<image.size.width {
                    let pixel = y * image.bytesPerRow + x * image.format.bytesPerPixel
                    let color = (bytes[pixel], bytes[pixel + 1], bytes[pixel + 2])
                    switch color {
                    case (255, 255, 255): share.white += one
                    case (30...70, 110...140, 190...225): share.blue += one
                    case (205...240, 120...155, 10...60): share.orange += one
                    case (180...215, 40...70, 30...60): share.red += one
                    default: break
                    }
                    if x == image.size.width - 1, color != (255, 255, 255) { share.rightEdgeIsWhite = false }
                }
            }
        }
        return share
    }
}
