import FoundationEssentials
import FirnSystem

/// A certificate authority for one test, and the certificates that it signs, made by the command `openssl`. PEM.
final class TestAuthority: Sendable {
    struct Signed {
        let certificate: String
        let key: String
    }

    struct Failure: Error {
        let words: String
    }

    let certificate: String
    private let folder: String

    init(_ name: String = "Firn test authority") throws {
        let folder = try temporaryFolder("tls")
        self.folder = folder
        try TestAuthority.write(TestAuthority.settings(folder), to: "\(folder)/ca.cnf")
        try TestAuthority.write("", to: "\(folder)/index.txt")
        try TestAuthority.write("01\n", to: "\(folder)/serial")
        try TestAuthority.openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -extensions authority",
            "-keyout", "\(folder)/ca.key", "-out", "\(folder)/ca.pem", "-config", "\(folder)/ca.cnf", "-subj",
            "/CN=\(name)")
        certificate = try TestAuthority.read("\(folder)/ca.pem")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Signs a certificate for a host, valid between two times from now, in seconds.
    func sign(_ host: String, from: Int = -3600, to: Int = 3600) throws -> Signed {
        let own = "\(folder)/\(host)"
        try TestAuthority.write("subjectAltName = DNS:\(host)\nbasicConstraints = CA:FALSE\n", to: "\(own).ext")
        try TestAuthority.openssl(
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes", "-keyout", "\(own).key", "-out",
            "\(own).csr",
            "-config", "\(folder)/ca.cnf", "-subj", "/CN=\(host)")
        try TestAuthority.openssl(
            "ca -batch -notext", "-config", "\(folder)/ca.cnf", "-in", "\(own).csr", "-out", "\(own).pem", "-extfile",
            "\(own).ext", "-startdate", TestAuthority.date(from), "-enddate", TestAuthority.date(to))
        return Signed(certificate: try TestAuthority.read("\(own).pem"), key: try TestAuthority.read("\(own).key"))
    }

    private static func settings(_ folder: String) -> String {
        """
        [ca]
        default_ca = own
        [own]
        database = \(folder)/index.txt
        serial = \(folder)/serial
        new_certs_dir = \(folder)
        certificate = \(folder)/ca.pem
        private_key = \(folder)/ca.key
        default_md = sha256
        policy = any
        unique_subject = no
        [any]
        commonName = supplied
        [req]
        distinguished_name = name
        [name]
        [authority]
        basicConstraints = critical,CA:TRUE
        keyUsage = critical,digitalSignature,keyCertSign

        """
    }

    /// Formats a time as certificates do.
    private static func date(_ seconds: Int) -> String {
        var moment = time(nil) + seconds
        var parts = tm()
        gmtime_r(&moment, &parts)
        let numbers = [parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec]
        return "\(parts.tm_year + 1900)" + numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined() + "Z"
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    private static func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    /// Runs `openssl`; `first` is split at its spaces.
    private static func openssl(_ first: String, _ rest: String...) throws {
        let arguments = ["openssl"] + first.split(separator: " ").map(String.init) + rest
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words = arguments.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var child = pid_t()
        guard posix_spawnp(&child, "openssl", &actions, nil, words, environ) == 0 else {
            throw Failure(words: "openssl is not installed")
        }
        var status: Int32 = 0
        guard waitpid(child, &status, 0) == child, status == 0 else {
            throw Failure(words: "openssl failed: \(arguments.joined(separator: " "))")
        }
    }
}
