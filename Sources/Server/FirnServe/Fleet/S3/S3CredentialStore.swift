import FirnData
import FirnSync

/// Holds the credentials of S3, and renews temporary ones before they expire. Concurrent callers share one renewal.
package final class S3CredentialStore: Sendable {
    private let known: Locked<S3Credentials?>
    private let renewals = SingleFlight<Int, S3Credentials, S3Error>(
        cancelled: S3Error(.cancelled, "the renewal of the S3 credentials was cancelled"))
    private let source: S3CredentialSource?
    private let now: @Sendable () -> Int64
    /// Keys are renewed this many seconds before they expire.
    private static let spare: Int64 = 300

    /// Uses the keys in an environment, else those of its container, else those of its EC2 instance.
    ///
    /// - Parameter now: returns the seconds since 1970. Default: the system's clock.
    package init(
        environment: [String: String],
        now: @escaping @Sendable () -> Int64 = { Duration.sinceEpoch().components.seconds }
    ) throws(ConfigurationError) {
        let credentials = try S3Credentials.read(environment)
        known = Locked(credentials)
        source = credentials == nil ? try S3CredentialSource(environment) : nil
        self.now = now
    }

    /// The keys, if they need no renewal now.
    package var ready: S3Credentials? { held(spare: S3CredentialStore.spare) }

    /// Returns valid keys.
    ///
    /// - Throws: kind `forbidden` if there are none.
    package func current() async throws(S3Error) -> S3Credentials {
        if let ready { return ready }
        guard let source else { throw S3Error(.forbidden, "the S3 credentials have expired") }
        do throws(S3Error) {
            return try await renewals.value(for: 0) { [self] () async throws(S3Error) in
                let credentials = try await source.credentials()
                known.withLock { $0 = credentials }
                return credentials
            }
        } catch {
            // Until they expire, the old keys serve.
            guard let credentials = held(spare: 0) else { throw error }
            return credentials
        }
    }

    private func held(spare: Int64) -> S3Credentials? {
        guard let credentials = known.withLock({ $0 }), source == nil || credentials.isValid(at: now(), spare: spare)
        else { return nil }
        return credentials
    }
}
