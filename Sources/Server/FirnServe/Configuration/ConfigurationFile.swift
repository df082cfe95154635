internal import Configuration
import FoundationEssentials

/// A configuration file: a JSON object whose fields are named as options.
///
/// Fields whose names begin with `_` are comments. A field that is no option is an error, because a limit with a typing
/// error in its name would be no limit.
enum ConfigurationFile {
    static func snapshot(_ path: String) throws(ConfigurationError) -> any ConfigSnapshot {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw ConfigurationError("\(path): cannot be read")
        }
        guard data.count <= 1 << 20 else { throw ConfigurationError("\(path): is larger than 1 MiB") }
        let fields: Field
        do { fields = try JSONDecoder().decode(Field.self, from: data) } catch {
            throw ConfigurationError("\(path): is not valid JSON\(cause(error))")
        }
        guard case .object = fields else { throw ConfigurationError("\(path): is not a JSON object") }
        if let unknown = fields.unknown(below: "") {
            throw ConfigurationError("\(path): \(unknown): there is no such option")
        }
        do {
            return try JSONSnapshot(data: data.bytes, providerName: path, parsingOptions: .default)
        } catch {
            throw ConfigurationError("\(path): a list has values of other kinds than text")
        }
    }

    private static func cause(_ error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context)? = error as? DecodingError,
            let underlying = context.underlyingError
        else { return "" }
        return String(": \(underlying)".prefix(200).replacing("\n", with: " "))
    }

    /// The names of a JSON value, without its contents.
    private enum Field: Decodable {
        case value
        case object([String: Field])

        init(from decoder: any Decoder) throws {
            guard let fields = try? decoder.singleValueContainer().decode([String: Field].self) else {
                self = .value
                return
            }
            self = .object(fields)
        }

        func unknown(below prefix: String) -> String? {
            guard case .object(let fields) = self else { return ServeOption[prefix] == nil ? prefix : nil }
            for (name, field) in fields.sorted(by: { $0.key < $1.key }) where !name.hasPrefix("_") {
                if let unknown = field.unknown(below: prefix.isEmpty ? name : "\(prefix).\(name)") { return unknown }
            }
            return nil
        }
    }
}
