/// A request below the prefix of IIIF.
package struct IIIFRequest: Equatable, Sendable {
    /// What is asked of the image.
    package enum Resource: Equatable, Sendable {
        /// `{id}`: a redirect (303) to `info.json`.
        case base
        /// `{id}/info.json`.
        case information
        /// `{id}/{region}/{size}/{rotation}/{quality}.{format}`.
        case image(IIIFImageRequest)
    }

    /// The image.
    package let identifier: IIIFIdentifier
    /// The identifier as the client spelled it. Contains only characters that a URI may contain.
    package let requestedIdentifier: String
    /// What is asked of the image.
    package let resource: Resource
}
