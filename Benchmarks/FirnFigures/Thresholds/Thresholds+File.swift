import FirnReport
package import FoundationEssentials

/// The file is a JSON object with one line for each figure, sorted by name, so that one change is one line:
///
///     "folder.cpu": {"ratioAtMost": 0.75, "ratio": 0.27, "value": 0.29, "tolerance": 0.1},
///
/// Limits: `ratioAtMost`, `ratioAtLeast`, `valueAtMost`, `valueAtLeast`. Accepted: `ratio`, `value`. `tolerance` is a
/// share.
extension Thresholds {
    /// Reads the file's content.
    ///
    /// - Throws: ``FigureFileError`` if the content is not JSON, for unknown fields, and for impossible numbers.
    package init(_ data: Data, path: String) throws(FigureFileError) {
        let read = try FigureJSON.decode([String: ThresholdFields].self, data, path: path)
        self.init(read.mapValues(\.threshold))
        for (name, threshold) in entries {
            if let tolerance = threshold.tolerance, tolerance < 0 {
                throw FigureFileError(path, "at \(name): a tolerance below zero")
            }
            if threshold.isHigherBetter, threshold.ratioAtMost != nil || threshold.valueAtMost != nil {
                throw FigureFileError(path, "at \(name): limits of both sides; which way is better?")
            }
        }
    }

    /// The file's content.
    package var text: String {
        let width = names.map(\.count).max() ?? 0
        let lines = names.compactMap { name in
            entries[name].map { threshold in
                let title = "\(JSONValue.string(name).text):"
                return "  \(title)\(String(repeating: " ", count: max(1, width + 4 - title.count)))\(threshold.line)"
            }
        }
        return lines.isEmpty ? "{}\n" : "{\n\(lines.joined(separator: ",\n"))\n}\n"
    }
}

extension Threshold {
    /// The fields as one line.
    fileprivate var line: String {
        let fields = ThresholdFields.Key.allCases.compactMap { key in
            self[keyPath: key.path].map { value in
                let text = "\(value)"
                return "\"\(key.rawValue)\": \(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)"
            }
        }
        return "{\(fields.joined(separator: ", "))}"
    }
}

/// The fields of a threshold in the file. A misspelled field is an error instead of a limit without effect.
private struct ThresholdFields: Decodable {
    enum Key: String, CaseIterable {
        case ratioAtMost, ratioAtLeast, valueAtMost, valueAtLeast, ratio, value, tolerance

        var path: WritableKeyPath<Threshold, Double?> {
            switch self {
            case .ratioAtMost: \.ratioAtMost
            case .ratioAtLeast: \.ratioAtLeast
            case .valueAtMost: \.valueAtMost
            case .valueAtLeast: \.valueAtLeast
            case .ratio: \.ratio
            case .value: \.value
            case .tolerance: \.tolerance
            }
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var threshold = Threshold()

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: AnyKey.self)
        for key in fields.allKeys {
            guard let known = Key(rawValue: key.stringValue) else {
                let names = Key.allCases.map(\.rawValue).joined(separator: ", ")
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: fields, debugDescription: "no such field; there are \(names)")
            }
            threshold[keyPath: known.path] = try fields.decode(Double.self, forKey: key)
        }
    }
}
