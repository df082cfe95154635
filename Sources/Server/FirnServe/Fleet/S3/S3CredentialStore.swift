import FirnData
import FirnSync

/// Holds the credentials of S3, and renews temporary ones before they expire. Concurrent callers share one renewal.
package final class S3CredentialStore: Sendable {
    private struct State {
        var credentials: S3Credentials?
        var renewal: Task<Result<S3Credentials, S3Error>, Never>?
    }

    private let state: Locked<State>
    private let source: S3CredentialSource?
    /// Returns the seconds since 1970.
    private let now: @Sendable () -> Int64
    /// Keys are renewed this many seconds before they expire.
    private static let spare: Int64 = 300

    /// Uses keys that do not change.
    package init(_ credentials: S3Credentials) {
        state = Locked(State(credentials: credentials))
        source = nil
        now = { 0 }
    }

    /// Uses the keys in an environment, else those of its container, else those of its EC2 instance.
    ///
    /// - Parameter now: returns the seconds since 1970. Default: the system's clock.
    package init(
        environment: [String: String],
        now: @escaping @Sendable () -> Int64 = { Duration.sinceEpoch().components.seconds }
    ) throws(ConfigurationError) {
        let credentials = try S3Credentials.read(environment)
        state = Locked(State(credentials: credentials))
        source = credentials == nil ? try S3CredentialSource(environment) : nil
        self.now = now
    }

    /// The keys, if they need no renewal now.
    package var ready: S3Credentials? { state.withLock { held($0, spare: S3CredentialStore.spare) } }

    /// Returns valid keys.
    ///
    /// - Throws: kind `forbidden` if there are none.
    package func current() async throws(S3Error) -> S3Credentials {
        if let ready { return ready }
        guard let source else { throw S3Error(.forbidden, "the S3 credentials have expired") }
        let renewal = state.withLock { state in
            if let renewal = state.renewal { return renewal }
            let renewal = Task { [self] in
                let result: Result<S3Credentials, S3Error>
                do throws(S3Error) { result = .success(try await source.credentials()) } catch {
                    result = .failure(error)
                }
                self.state.withLock { state in
                    if case .success(let credentials) = result { state.credentials = credentials }
                    state.renewal = nil
                }
                return result
            }
            state.renewal = renewal
            return renewal
        }
        switch await renewal.value {
        case .success(let credentials): return credentials
        case .failure(let error):
            // Until they expire, the old keys serve.
            guard let credentials = state.withLock({ held($0, spare: 0) }) else { throw error }
            return credentials
        }
    }

    private func held(_ state: State, spare: Int64) -> S3Credentials? {
        guard let credentials = state.credentials, source == nil || credentials.isValid(at: now(), spare: spare) else {
            return nil
        }
        return credentials
    }
}
