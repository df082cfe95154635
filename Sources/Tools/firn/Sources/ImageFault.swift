/// The error of a source without a result.
struct ImageFault: Error {
    /// The kind of the error: `source`, `data`, `unsupported`, `limit`, `request` and others of the library's errors.
    let fault: String
    /// The message in one line, without the path and with long words shortened.
    let message: String
    /// The status of an HTTP response.
    let status: Int?

    init(_ fault: String, _ message: String, status: Int? = nil) {
        self.fault = fault
        self.message = QuotedText.reason(LimitsArgument.naming(message))
        self.status = status
    }

    /// Converts any error. Addresses in its message are redacted.
    ///
    /// - Parameter isListed: whether the source is from a list. The message of a forbidden address then names the
    ///   option that allows it.
    init(_ error: any Error, _ redaction: AddressRedaction = AddressRedaction(), isListed: Bool = false) {
        let hint = isListed && ImageFault.isForbidden(error) ? "; --trust-lists allows it for addresses of lists" : ""
        let (fault, message, status): (String, String, Int?) =
            switch error {
            case let error as ImageFault: (error.fault, error.message, error.status)
            case let error as ImageLoadingError: (error.fault.rawValue, error.message + hint, error.statusCode)
            case let error as ImageError where error.fault == .missing || error.fault == .file:
                ("source", error.detail, nil)
            case let error as ImageError: (error.fault.rawValue, error.detail, nil)
            case let error as DataFileError: ("source", "cannot \(error.call): \(error.reason)", nil)
            default: ("limit", "\(error)", nil)
            }
        self.init(fault, redaction.text(message), status: status)
    }

    /// Returns whether the loader's network policy forbids the address.
    private static func isForbidden(_ error: any Error) -> Bool {
        (error as? DataLoadingError)?.cause == .forbidden
            || (error as? ImageLoadingError)?.underlying.map(isForbidden) == true
    }

    /// The error for an output file that is the source itself.
    static let itself = ImageFault(
        "request", "the image would be written over itself; name another folder or file with --out")

    /// Returns the error for an output file that is another source of the batch.
    static func source(_ path: String) -> ImageFault {
        ImageFault("request", "\(path) is a source and is not written over; name another folder or file with --out")
    }

    /// Returns the error for a file that could not be written.
    static func unwritten(_ error: DataFileError) -> ImageFault {
        ImageFault("source", "cannot write \(error.path): \(error.reason)")
    }

    /// Returns the line about an image with missing pixels.
    static func incomplete(_ damage: ImageError) -> String {
        "\(QuotedText.reason(damage.detail)); the image is incomplete"
    }

    var json: JSONValue { ["fault": fault, "message": message, "status": status] }
}
