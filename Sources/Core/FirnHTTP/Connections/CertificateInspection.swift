import CFirnCurl
import FirnData
import FirnSystem

/// Finds out when an untrusted certificate expires, for the error message: libcurl reports only that it has expired.
///
/// Connects once more, only for the certificate, and sends no request.
enum CertificateInspection {
    // OpenSSL's verification results.
    static let notYetValid = 9
    static let hasExpired = 10

    /// Returns whether the validity dates explain a verification result.
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

    /// Reads a time of the certificate, such as `Nov  5 09:03:58 2026 GMT`: the asctime format without the day of the
    /// week.
    private static func moment(_ handle: OpaquePointer, _ field: String) -> Int64? {
        firn_curl_certificate(handle, field).flatMap {
            HTTPDate.anySeconds("Sun \(String(cString: $0).prefix(20))", now: 0)
        }
    }

    private static func day(_ seconds: Int64) -> String { UTCTime(seconds: seconds).text("%Y-%m-%d") }
}
