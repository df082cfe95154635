public import Firn

extension ImageRequest.Options {
    /// Changes nothing: images are decoded to pixels in the background before they are returned, and there is no other
    /// decompression to be skipped.
    public static var skipDecompression: ImageRequest.Options { [] }

    /// A request cannot skip the transfer slots; its priority decides how soon it gets one.
    @available(*, unavailable, message: "use the priority .veryHigh: it starts first and pauses less urgent transfers")
    public static var skipDataLoadingQueue: ImageRequest.Options { [] }
}
