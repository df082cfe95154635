import CFirnCodecs
import FirnImage

extension DecoderHost {
    /// Creates a decoder of an HEVC track of a complete file.
    func open(
        _ parameters: HEVCParameters, _ limits: ImageLimits, _ file: ByteChain
    ) throws(ImageDecodingError) -> any HEVCStream {
        guard let (service, policy) = try worker(of: FIRN_CODEC_HEIC, limits) else { return try LocalHEVCStream() }
        return try RemoteHEVCStream(service, policy, limits, watch, parameters, file)
    }
}
