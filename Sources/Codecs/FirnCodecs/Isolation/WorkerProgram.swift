import CFirnCodecs
import FirnSync
import FirnSystem
import FoundationEssentials

/// Finds the program `firn-decoder`, and those beside it that decode fewer formats.
enum WorkerProgram {
    private static let name = "firn-decoder"
    /// The places found so far, so that each decode does not look again. Missing programs are looked for anew.
    private static let found = Locked<[String: String]>([:])
    /// The programs chosen so far, by the path of the one that decodes a format alone.
    private static let foundBeside = Locked<[String: String]>([:])

    /// The error of a program that is required and missing.
    static let missing = ImageDecodingError(
        .unsupported, "\(name) is missing, which this isolation requires; \(advice)")
    /// The reason why images are not isolated, although they would be with the program.
    static let problem = "\(name) is missing, so images of loaders are decoded in this process; \(advice)"
    private static let advice = "install it beside the program or in libexec, or name it in FIRN_DECODER"

    /// Returns the path of the program; `nil` if there is none.
    static func path(_ isolation: DecoderIsolation) -> String? {
        let key = isolation.decoderPath ?? ""
        if let path = found.withLock({ $0[key] }) { return path }
        let places =
            isolation.decoderPath.map { [$0] }
            ?? places(
                variable: getenv("FIRN_DECODER").map { String(cString: $0) },
                executable: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        guard let path = places.first(where: { access($0, X_OK) == 0 }) else { return nil }
        found.withLock { $0[key] = path }
        return path
    }

    /// Returns the program for a codec: one beside `firn-decoder` that loads no other format's libraries, if there is
    /// one, otherwise `firn-decoder`. `nil` if that is missing.
    static func path(_ isolation: DecoderIsolation, for codec: firn_codec) -> String? {
        guard let path = path(isolation) else { return nil }
        let format = FormatLibraries.format(of: codec)
        let own = path + "-" + (KnownFormat.of(format)?.trait == nil ? "basic" : format.rawValue)
        return foundBeside.withLock { found in
            if let path = found[own] { return path }
            let chosen = access(own, X_OK) == 0 ? own : path
            found[own] = chosen
            return chosen
        }
    }

    /// The places where the program may be, best first. A variable is the only place if it is set.
    static func places(variable: String?, executable: String?) -> [String] {
        if let variable, !variable.isEmpty { return [variable] }
        guard let executable, let slash = executable.lastIndex(of: "/") else { return [] }
        let folder = executable[..<slash]
        return ["\(folder)/\(name)", "\(folder)/../libexec/\(name)", "\(folder)/../libexec/firn/\(name)"]
    }
}
