import FirnImage
@testable import FirnServe

/// Shared steps of the IIIF tests.
enum IIIFCase {
    /// Plans parameters like `full/max/0/default.jpg` for an image.
    static func plan(
        _ parameters: String, _ width: Int = 1000, _ height: Int = 500, _ settings: IIIFSettings = limited(),
        version: IIIFVersion = .three
    ) throws(ServeError) -> IIIFPlan {
        try IIIFGeometry(width: width, height: height, settings: settings)
            .plan(for: try request(parameters, version: version))
    }

    /// Reads parameters like `full/max/0/default.jpg`.
    static func request(
        _ parameters: String, version: IIIFVersion = .three
    ) throws(ServeError) -> IIIFImageRequest {
        try IIIFImageRequest(
            segments: Array(parameters.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false),
            version: version)
    }

    /// Returns the error of a request, nil if there is none.
    static func failure(
        _ parameters: String, _ width: Int = 1000, _ height: Int = 500, _ settings: IIIFSettings = limited(),
        version: IIIFVersion = .three
    ) -> ServeError? {
        do throws(ServeError) {
            _ = try plan(parameters, width, height, settings, version: version)
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

    /// Settings with these limits.
    static func limited(side: Int = IIIFNumber.maximum, area: Int = .max) -> IIIFSettings {
        var settings = IIIFSettings()
        settings.side = side
        settings.area = area
        return settings
    }
}
