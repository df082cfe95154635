/// The part of an IIIF URI that an error message names.
enum IIIFPart: String, Sendable {
    case identifier, region, size, rotation, quality, format
}
