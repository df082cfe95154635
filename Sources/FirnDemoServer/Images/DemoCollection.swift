/// A collection of the gallery's demonstration.
package enum DemoCollection: String, CaseIterable, Sendable {
    /// The usual test of a fast list: a hundred small images.
    case small = "100 small images"
    /// The usual test of a slow one: photographs of many megapixels.
    case large = "Large photographs"
    /// The same photographs, each many times under different addresses.
    case thousand = "1000 large photographs"
}
