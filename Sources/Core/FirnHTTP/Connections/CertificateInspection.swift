import CFirnCurl
import FirnData
import FirnSync
import FirnSystem
import FoundationEssentials

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
        let now = time(nil)
        if let expiry = moment(handle, "Expire date"), now > expiry { return "has expired on \(day(expiry))" }
        if let start = moment(handle, "Start date"), now < start { return "is not valid before \(day(start))" }
        return nil
    }

    /// Reads a time of the certificate, such as `Nov  5 09:03:58 2026 GMT`.
    private static func moment(_ handle: OpaquePointer, _ field: String) -> time_t? {
        guard let text = firn_curl_certificate(handle, field) else { return nil }
        let words = String(cString: text).split(whereSeparator: { $0 == " " || $0 == ":" })
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count >= 6, let month = months.firstIndex(of: String(words[0])), let day = Int32(words[1]),
            let hour = Int32(words[2]), let minute = Int32(words[3]), let second = Int32(words[4]),
            let year = Int32(words[5])
        else { return nil }
        var parts = tm()
        (parts.tm_mon, parts.tm_mday) = (Int32(month), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        parts.tm_year = year.saturatingAdd(-1900)
        return timegm(&parts)
    }

    private static func day(_ seconds: time_t) -> String { UTCTime(seconds: Int64(seconds)).text("%Y-%m-%d") }
}
