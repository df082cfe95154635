/// A parsed request.
package struct ImgproxyRequest: Sendable, Equatable {
    /// The decoded address of the source, with its scheme.
    package var source: String
    /// The options, presets applied.
    package var options: ImgproxyOptions

    package init(source: String, options: ImgproxyOptions) {
        self.source = source
        self.options = options
    }
}
