/// A collection of the gallery's demonstration.
package enum DemoCollection: String, CaseIterable, Sendable {
    /// The classic case of a fast list: a hundred small images.
    case small = "100 small images"
    /// The classic case of a heavy one: photographs of many megapixels.
    case large = "Large photographs"
    /// The same, each many times under an address of its own.
    case thousand = "1000 large photographs"
}
