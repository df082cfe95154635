import CFirnCodecs
import FoundationEssentials

/// Reads TIFF: pages with libtiff; of a camera's raw file the largest image that can be decoded, as its only frame.
///
/// A file is read when all its bytes have arrived, because its directories may be at the end.
final class TIFFReader: FileReader, FormatReader {
    let format = ImageFormat.tiff
    /// The reader of the pages, or of a camera's image, once it is chosen.
    private var chosen: (any FormatReader)?
    /// The bytes that the reader of a camera's image gets; `nil` for the file.
    private var part: ByteChain?
    /// The artist and the copyright of the first directory, as EXIF data.
    private var notice: Data?

    var stripes: any StripeExecutor = SerialStripes() {
        didSet { chosen?.stripes = stripes }
    }

    var decodesAreas: Bool { chosen?.decodesAreas ?? false }

    func scan(_ chain: inout ByteChain) throws(ImageDecodingError) {
        guard chain.isFinished, properties == nil else { return }
        let file = TIFFStructure(chain)
        let first = file?.first
        if chosen == nil {
            if let file, let first, let camera = try CameraImages(file, first) {
                try choose(camera.images, file)
            }
            if chosen == nil { choose(pages(), part: nil) }
        }
        guard let chosen else { return }
        if part == nil { try chosen.scan(&chain) }
        guard var described = chosen.properties else { return }
        frames = chosen.frames
        if part != nil {
            if let orientation = first?.number(.orientation).flatMap({ ImageOrientation(rawValue: $0) }) {
                described.orientation = orientation
            }
            for index in frames.indices { frames[index].orientation = nil }
        }
        if let first {
            notice = CopyrightNotice(creator: first.text(.artist), rights: first.text(.copyright))?.exif
        }
        described.iptc =
            first?.bytes(.iptc) ?? first?.bytes(.photoshop).flatMap { IPTCRecords.block(inPhotoshop: $0) }
        let others: [TIFFDirectory.Tag] = [.description, .make, .model, .software, .dateTime, .exif, .gps]
        described.hasOtherTexts = others.contains { first?.has($0) == true }
        properties = named(described)
    }

    func page(_ index: Int, _ chain: ByteChain) throws(ImageDecodingError) -> ImageProperties? {
        try chosen?.page(index, part ?? chain).map(named)
    }

    /// Adds what concerns the file as a whole.
    private func named(_ properties: ImageProperties) -> ImageProperties {
        var properties = properties
        properties.format = .tiff
        if let notice { properties.exif = notice }
        return properties
    }

    private func pages() -> LibraryReader {
        LibraryReader(FIRN_CODEC_TIFF, format: .tiff, access: .whole, limits: limits, host: host)
    }

    private func choose(_ reader: any FormatReader, part: ByteChain?) {
        reader.stripes = stripes
        chosen = reader
        self.part = part
    }

    /// Chooses the first image whose header can be read; none if there is no such image.
    private func choose(_ images: [CameraImages.Image], _ file: TIFFStructure) throws(ImageDecodingError) {
        for image in images {
            try file.chain.watch.check()
            let reader: any FormatReader
            var part: ByteChain
            switch image.place {
            case .directory(let directory): (reader, part) = (pages(), TIFFReader.file(file, showing: directory))
            case .jpeg(let range): (reader, part) = (JPEGReader(limits: limits, host: host), file.chain.part(range))
            }
            do throws(ImageDecodingError) {
                try reader.scan(&part)
                guard reader.properties != nil else { continue }
                return choose(reader, part: part)
            } catch {
                // What cannot be decoded leaves the place to the next largest image.
                guard error.fault != .cancelled, error.fault != .limit else { throw error }
            }
        }
    }

    /// Returns the file with one directory as its only page.
    private static func file(_ file: TIFFStructure, showing directory: TIFFDirectory) -> ByteChain {
        var chain = file.chain
        chain.replace(at: file.firstLink, with: file.bytes(ofOffset: directory.offset))
        if directory.next != nil { chain.replace(at: directory.link, with: file.bytes(ofOffset: 0)) }
        return chain
    }

    func workingBytes(for request: RowRequest) -> Int {
        chosen?.workingBytes(for: request) ?? 0
    }

    func rowSize(for request: RowRequest) -> PixelSize {
        chosen?.rowSize(for: request) ?? PixelSize(0)
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageDecodingError) -> (any RowSource)? {
        try chosen?.openFrame(request, part ?? chain).map { rows in
            part.map { part in PartRowSource(rows) { _ in part } } ?? rows
        }
    }
}
