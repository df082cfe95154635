import FirnImage

extension ImageLimits {
    /// Checks a declared size before any allocation for it.
    ///
    /// - Parameter states: the verb of the error. Default: "declares".
    /// - Throws: ``ImageDecodingError/Fault/data`` if it is empty, ``ImageDecodingError/Fault/limit`` if it has too
    ///   many pixels.
    func check(_ size: PixelSize, states: String = "declares") throws(ImageDecodingError) {
        if size.isEmpty { throw ImageDecodingError(.data, "declares an empty image") }
        guard size.area <= maximumPixels else {
            throw ImageDecodingError(
                .limit, "\(states) \(size) pixels; ImageLimits.maximumPixels allows \(maximumPixels)")
        }
    }

    /// The error of a file that has more frames than allowed.
    var tooManyFrames: ImageDecodingError {
        ImageDecodingError(
            .limit, "has more than the \(maximumFrames) frames that ImageLimits.maximumFrames allows")
    }
}

extension ImageDecodingError {
    /// Returns what `body` returns. Its errors of other types become ``Fault/limit``: there is no memory for a bitmap.
    static func asLimit<Result>(_ body: () throws -> Result) throws(ImageDecodingError) -> Result {
        do {
            return try body()
        } catch let error as ImageDecodingError {
            throw error
        } catch {
            throw ImageDecodingError(.limit, "\(error)")
        }
    }
}
