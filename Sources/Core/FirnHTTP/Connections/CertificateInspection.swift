import CFirnCurl
import FirnData
import FirnSystem

/// Finds out when a certificate that was not trusted expires, for the error message: libcurl says only that it has.
///
/// Requests the certificate once more, over a separate connection without a request.
enum CertificateInspection {
    // OpenSSL's results of a verification.
    static let notYetValid = 9
    static let hasExpired = 10

    /// Returns whether the dates explain a result.
    static func isWorthwhile(_ kind: TransportFault.Kind) -> Bool {
        kind == .untrusted(verifyResult: notYetValid) || kind == .untrusted(verifyResult: hasExpired)
    }

    /// Returns the reason in words; `nil` if the dates are not the reason.
    static func reason(_ handle: OpaquePointer) -> String? {
        let now = Int64(time(nil))
        if let expiry = moment(handle, "Expire date"), now > expiry { return "has expired on \(day(expiry))" }
        if let start = moment(handle, "Start date"), now < start { return "is not valid before \(day(start))" }
        return nil
    }

    /// Reads a time of the certificate, such as `Nov  5 09:03:58 2026 GMT`: the form of asctime behind the day of the
    /// week, which does not count.
    private static func moment(_ handle: OpaquePointer, _ field: String) -> Int64? {
        firn_curl_certificate(handle, field).flatMap {
            HTTPDate.anySeconds("Sun \(String(cString: $0).prefix(20))", now: 0)
        }
    }

    private static func day(_ seconds: Int64) -> String { UTCTime(seconds: seconds).text("%Y-%m-%d") }
}
