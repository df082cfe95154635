import ArgumentParser
import FirnServe

/// The keys that sign addresses.
struct SigningKeys: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key of signatures, in hexadecimal digits; several, separated by commas.", valueName: "hex"))
    var key: String?

    @Option(help: ArgumentHelp("The salt of signatures, as many as keys.", valueName: "hex"))
    var salt: String?

    /// The pairs; none if neither is given.
    func pairs() throws -> [ImgproxyKeyPair] {
        guard key != nil || salt != nil else { return [] }
        // Order: values are not shown, since they are secrets.
        guard let key, let salt, let pairs = ImgproxyKeyPair.pairs(hexKeys: key, hexSalts: salt), !pairs.isEmpty else {
            throw ValidationError("--key and --salt: give as many salts as keys, in hexadecimal digits.")
        }
        return pairs
    }
}
