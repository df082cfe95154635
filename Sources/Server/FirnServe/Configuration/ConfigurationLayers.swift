import FoundationEssentials

/// The sources of options: a file, then the environment, then flags. Later sources take precedence.
package struct ConfigurationLayers: Sendable {
    /// The options of the command line, by name.
    package var flags: [String: OptionValue] = [:]
    var environment = ProcessInfo.processInfo.environment
    /// The path of a JSON file.
    package var file: String?

    package init() {}

    /// Reads all layers.
    ///
    /// - Throws: ``ConfigurationError`` for an unreadable file, unknown fields, values of the wrong kind or out of
    ///   range, and options that contradict each other.
    package func load() throws(ConfigurationError) -> LoadedConfiguration {
        var result = LoadedConfiguration()
        result.configuration.environment = environment
        let fields = try file.map { path throws(ConfigurationError) in try ConfigurationFile.values(path) } ?? [:]
        for option in ServeOption.all {
            guard let (origin, value) = lookUp(option, fields) else { continue }
            try ConfigurationError.named("\(origin): \(option.name)") {
                guard let value else { throw ConfigurationError("is not \(option.kind.rawValue)") }
                try option.write(&result.configuration, value)
            }
            result.origins[option.name] = origin
        }
        do throws(ConfigurationError) { try result.configuration.finish() } catch {
            let name = String(error.description.prefix { $0 != ":" && $0 != "," })
            throw ConfigurationError((result.origins[name].map { "\($0): " } ?? "") + error.description)
        }
        return result
    }

    /// Returns the origin of an option and its value, which is `nil` if it is of the wrong kind.
    private func lookUp(
        _ option: ServeOption, _ fields: [String: OptionValue?]
    ) -> (origin: String, value: OptionValue?)? {
        if let value = flags[option.name] { return ("flag --\(option.name.replacing(".", with: "-"))", value) }
        // Container tools pass empty variables, which count as unset.
        if let text = environment[option.variable], !text.isEmpty {
            return ("environment \(option.variable)", option.value(text))
        }
        for (variable, meaning) in option.others {
            guard let text = environment[variable], !text.isEmpty, !meaning(text).isEmpty else { continue }
            return ("environment \(variable)", option.value(meaning(text)))
        }
        return fields[option.name].map { (file ?? "", option.value($0)) }
    }
}

/// A configuration with the origin of each option.
package struct LoadedConfiguration: Sendable {
    package var configuration = ServeConfiguration()
    /// The origins of options that were set, by name.
    var origins: [String: String] = [:]

    /// The options without secrets: name, value, origin.
    package var rows: [(name: String, value: String, origin: String)] {
        ServeOption.all.map { ($0.name, $0.shown(configuration), origins[$0.name] ?? "default") }
    }
}
