package import FirnData
package import FirnImage
package import FoundationEssentials

// Access to the source of a loaded image, for decoding more of it than was requested.
extension ImagePipeline {
    /// Returns the decoder of content that starts with `head`, chosen as for the load of `response`; `nil` if no
    /// decoder recognizes it.
    package func decoder(of head: Data, for response: ImageResponse) -> (any ImageDecoding)? {
        engine.environment.decoder(
            head, response.dataResponse, isFromDisk: response.cacheType == .disk, for: response.request)
    }

    /// Opens the local file that `response` was decoded from. Returns `nil` if it was not a file, or if the file has
    /// changed or is gone.
    package func openFile(of response: ImageResponse) -> OpenedFile? {
        guard let path = response.request.identities.path, let version = response.container.sourceVersion,
            let file = try? engine.environment.files.open(path), SourceVersion(file.status) == version
        else { return nil }
        return file
    }
}
