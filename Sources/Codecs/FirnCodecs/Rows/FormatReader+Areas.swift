import FirnImage
import FirnSync

/// Decodes of a part of a frame. A reader that does not decode parts decodes the whole frame, and the rest is dropped.
extension FormatReader {
    var decodesAreas: Bool { false }

    /// Returns the size of the rows that ``openPart(_:_:limits:)`` would return.
    func partSize(for request: RowRequest) -> PixelSize {
        guard let area = request.area, !decodesAreas else { return rowSize(for: request) }
        return area.size
    }

    /// Returns the width of the rows that are decoded, some of whose pixels may be dropped.
    func decodedWidth(for request: RowRequest) -> Int {
        rowSize(for: decodesAreas ? request : request.whole).width
    }

    /// Returns the bytes that a decode of the requested part holds at once, apart from the image returned.
    func partWorkingBytes(for request: RowRequest) -> Int {
        guard request.area != nil, !decodesAreas else { return workingBytes(for: request) }
        let own = workingBytes(for: request.whole)
        let dropped = AreaRowSource.workingBytes(
            rows: rowSize(for: request.whole), request.layout, isWhole: properties?.isProgressive ?? false)
        return own.saturatingAdd(dropped)
    }

    /// Starts decoding the requested part of a frame; see ``openFrame(_:_:)``.
    func openPart(
        _ request: RowRequest, _ chain: ByteChain, limits: ImageLimits
    ) throws(ImageDecodingError) -> (any RowSource)? {
        guard let area = request.area, !decodesAreas else { return try openFrame(request, chain) }
        guard let source = try openFrame(request.whole, chain) else { return nil }
        return try AreaRowSource(source, area, limits: limits)
    }
}

extension RowRequest {
    /// The same request for the whole frame with all its pixels; itself if it is for no part.
    var whole: RowRequest {
        guard area != nil else { return self }
        var request = self
        request.area = nil
        request.least = nil
        return request
    }
}
