/// The buckets whose objects may be loaded, each with its endpoint and the prefix that keys must have.
package struct S3Sources: Sendable, Hashable {
    package let addresses: [S3Address]

    /// Default: none.
    package init(_ addresses: [S3Address] = []) { self.addresses = addresses }

    /// Returns the entry that allows an object; `nil` if none does.
    package func bucket(of location: S3Location) -> S3Address? {
        addresses.first { $0.bucket == location.bucket && location.key.hasPrefix($0.prefix) }
    }

    /// Reads the address of a source and checks it.
    ///
    /// - Returns: the URL for the loader, and the bucket for limits; `nil` if the source is malformed or not allowed.
    package func source(_ address: String) -> (url: String, bucket: String)? {
        guard let location = S3Location(source: address), bucket(of: location) != nil else { return nil }
        return (location.url, location.bucket)
    }
}
