package import FoundationEssentials

/// Reads JSON and reports each error with the file's name.
package enum FigureJSON {
    /// - Throws: ``FigureFileError`` with the line of a syntax error, or with the path of the field that is wrong.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, _ data: Data, path: String
    ) throws(FigureFileError) -> Value {
        if let line = JSONFault.line(in: data) { throw FigureFileError(path, "is no JSON from line \(line) on") }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw FigureFileError(path, text(error))
        } catch {
            throw FigureFileError(path, "\(error)")
        }
    }

    /// - Throws: ``FigureFileError`` with the system's reason.
    package static func read(_ path: String) throws(FigureFileError) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw FigureFileError(
                path, FileManager.default.fileExists(atPath: path) ? "cannot be read" : "is not there")
        }
    }

    private static func text(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(place(context))“\(key.stringValue)” is missing"
        case .typeMismatch(_, let context): "\(place(context))\(context.debugDescription)"
        case .valueNotFound(_, let context): "\(place(context))there is no value"
        case .dataCorrupted(let context): "\(place(context))\(context.debugDescription)"
        @unknown default: "\(error)"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        let names = context.codingPath.map { key in key.intValue.map { "number \($0 + 1)" } ?? key.stringValue }
        return names.isEmpty ? "" : "at \(names.joined(separator: ", ")): "
    }
}
