#if GTK
public import ArgumentParser
public import Firn

// The names that `--isolation` takes.
extension DecoderIsolation: ExpressibleByArgument {
    /// Creates the choice with this name.
    public init?(argument: String) { self.init(name: argument) }

    /// The names, for help.
    public static var allValueStrings: [String] { names }
}
#endif
