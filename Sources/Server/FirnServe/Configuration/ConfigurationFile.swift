internal import Configuration
import FoundationEssentials

/// A configuration file: a JSON object whose fields are named as options.
///
/// Fields whose names begin with `_` are comments. A field that is no option is an error, because a limit with a typing
/// error in its name would be no limit.
struct ConfigurationFile {
    private static let maximumBytes = 1 << 20

    let snapshot: any ConfigSnapshot

    init(path: String) throws(ConfigurationError) {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw ConfigurationError("\(path): cannot be read")
        }
        try self.init(data, name: path)
    }

    init(_ data: Data, name: String) throws(ConfigurationError) {
        guard data.count <= ConfigurationFile.maximumBytes else {
            throw ConfigurationError("\(name): is larger than 1 MiB")
        }
        let fields: Field
        do { fields = try JSONDecoder().decode(Field.self, from: data) } catch {
            throw ConfigurationError("\(name): is not valid JSON\(ConfigurationFile.cause(error))")
        }
        guard case .object = fields else { throw ConfigurationError("\(name): is not a JSON object") }
        if let unknown = fields.unknown(below: "") {
            throw ConfigurationError("\(name): \(unknown): there is no such option")
        }
        do {
            snapshot = try JSONSnapshot(data: data.bytes, providerName: name, parsingOptions: .default)
        } catch {
            throw ConfigurationError("\(name): a list has values of other kinds than text")
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
