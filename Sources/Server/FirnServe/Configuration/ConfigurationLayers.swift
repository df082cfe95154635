internal import Configuration
import FoundationEssentials

/// The sources of options: a file, then the environment, then flags. Later ones win.
package struct ConfigurationLayers: Sendable {
    /// The options of the command line, by name.
    package var flags: [String: OptionValue] = [:]
    package var environment: [String: String] = [:]
    /// The path of a JSON file.
    package var file: String?

    package static func ofProcess() -> ConfigurationLayers {
        var layers = ConfigurationLayers()
        layers.environment = ProcessInfo.processInfo.environment
        return layers
    }

    /// Reads all layers.
    ///
    /// - Throws: ``ConfigurationError`` for a file that cannot be read, unknown fields, values of another kind or
    ///   outside of their range, and what does not fit together.
    package func load() throws(ConfigurationError) -> LoadedConfiguration {
        var result = LoadedConfiguration()
        let layers = try snapshots()
        for option in ServeOption.all {
            var found = flags[option.name].map { ($0, "flag --\(option.name.replacing(".", with: "-"))") }
            for layer in layers.reversed() where found == nil {
                found = try layer.value(of: option).map { ($0, layer.origin(option)) }
            }
            guard let (value, origin) = found else { continue }
            do throws(ConfigurationError) { try option.write(&result.configuration, value) } catch {
                throw ConfigurationError("\(origin): \(option.name): \(error.description)")
            }
            result.origins[option.name] = origin
        }
        result.configuration.environment = environment
        do throws(ConfigurationError) { try result.configuration.finish() } catch {
            let name = String(error.description.prefix { $0 != ":" && $0 != "," })
            throw ConfigurationError((result.origins[name].map { "\($0): " } ?? "") + error.description)
        }
        return result
    }

    /// The file and the environment.
    private func snapshots() throws(ConfigurationError) -> [ConfigurationLayer] {
        var layers: [ConfigurationLayer] = []
        if let file {
            layers.append(ConfigurationLayer(snapshot: try ConfigurationFile.snapshot(file), prefix: []) { _ in file })
        }
        // An empty variable is none: container tools pass those.
        let variables = environment.filter { $0.key.hasPrefix("FIRN_") && !$0.value.isEmpty }
        layers.append(
            ConfigurationLayer(
                snapshot: EnvironmentVariablesProvider(environmentVariables: variables).snapshot(), prefix: ["firn"]
            ) { "environment \($0.variable)" })
        return layers
    }
}

/// A configuration, with where each option comes from.
package struct LoadedConfiguration: Sendable {
    package var configuration = ServeConfiguration()
    /// The origins of options that are not at their default, by name.
    package var origins: [String: String] = [:]

    /// The options as they may be shown: name, value, origin.
    package var rows: [(name: String, value: String, origin: String)] {
        ServeOption.all.map { ($0.name, $0.shown(configuration), origins[$0.name] ?? "default") }
    }
}

private struct ConfigurationLayer {
    let snapshot: any ConfigSnapshot
    /// The start of the names of options.
    let prefix: [String]
    let origin: (ServeOption) -> String

    func value(of option: ServeOption) throws(ConfigurationError) -> OptionValue? {
        do {
            let key = AbsoluteConfigKey(prefix + option.path)
            return try snapshot.value(forKey: key, type: option.kind.type).value.flatMap { .init($0.content) }
        } catch {
            throw ConfigurationError("\(origin(option)): \(option.name): is not \(option.kind.noun)")
        }
    }
}

extension ServeOption.Kind {
    fileprivate var type: ConfigType {
        switch self {
        case .text: .string
        case .number: .int
        case .flag: .bool
        case .list: .stringArray
        }
    }

    fileprivate var noun: String {
        switch self {
        case .text: "a text"
        case .number: "a whole number"
        case .flag: "true or false"
        case .list: "a list of texts"
        }
    }
}

extension OptionValue {
    fileprivate init?(_ content: ConfigContent) {
        switch content {
        case .string(let text): self = .text(text)
        case .int(let number): self = .number(number)
        case .bool(let flag): self = .flag(flag)
        case .stringArray(let list): self = .list(list)
        default: return nil
        }
    }
}
