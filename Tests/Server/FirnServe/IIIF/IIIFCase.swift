import FirnImage
@testable import FirnServe

/// Shared steps of the IIIF tests.
enum IIIFCase {
    /// Plans parameters like `full/max/0/default.jpg` for an image.
    static func plan(
        _ parameters: String, _ width: Int = 1000, _ height: Int = 500, _ settings: IIIFSettings = IIIFSettings()
    ) throws(ServeError) -> IIIFPlan {
        try IIIFGeometry(width: width, height: height, settings: settings)
            .plan(for: try request(parameters))
    }

    /// Reads parameters like `full/max/0/default.jpg`.
    static func request(_ parameters: String) throws(ServeError) -> IIIFImageRequest {
        try IIIFImageRequest(
            segments: Array(parameters.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false))
    }

    /// Returns the error of a request, nil if there is none.
    static func failure(
        _ parameters: String, _ width: Int = 1000, _ height: Int = 500, _ settings: IIIFSettings = IIIFSettings()
    ) -> ServeError? {
        do throws(ServeError) {
            _ = try plan(parameters, width, height, settings)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the status of a request target, 200 if it can be read.
    static func status(target: String) -> Int? {
        do throws(ServeError) {
            return try IIIFParser().parse(target: target) == nil ? nil : 200
        } catch {
            return error.status
        }
    }

    /// Settings that offer `^`.
    static func enlarging(maxWidth: Int? = nil, maxHeight: Int? = nil, maxArea: Int? = nil) -> IIIFSettings {
        var settings = limited(maxWidth: maxWidth, maxHeight: maxHeight, maxArea: maxArea)
        settings.limits.allowsUpscaling = true
        return settings
    }

    /// Settings with limits that do not offer `^`.
    static func limited(maxWidth: Int? = nil, maxHeight: Int? = nil, maxArea: Int? = nil) -> IIIFSettings {
        var settings = IIIFSettings()
        settings.limits.maxWidth = maxWidth
        settings.limits.maxHeight = maxHeight
        settings.limits.maxArea = maxArea
        return settings
    }
}
