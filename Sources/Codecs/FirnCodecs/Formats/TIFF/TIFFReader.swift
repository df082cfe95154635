import CFirnCodecs
import FoundationEssentials

/// Reads TIFF: pages with libtiff; of a camera's raw file the largest image that can be decoded, as its only frame.
///
/// A file is read when all its bytes have arrived, because its directories may be at the end.
final class TIFFReader: ChoosingReader, FormatReader {
    let format = ImageFormat.tiff
    /// The bytes that the reader of a camera's image gets; `nil` for the file.
    private var part: ByteChain?
    /// The offsets of the pages' directories, up to the page that was described last.
    private var pageOffsets: [Int] = []

    var stripes: any StripeExecutor = SerialStripes() {
        didSet { chosen?.stripes = stripes }
    }

    func scan(_ chain: inout ByteChain) throws(ImageError) {
        guard chain.isFinished, properties == nil else { return }
        let file = TIFFStructure(chain)
        let first = file.flatMap { TIFFDirectory(at: $0.first, in: $0) }
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
        pageOffsets = first.map { [$0.offset] } ?? []
        properties = TIFFReader.adding(first, to: described)
    }

    func page(_ index: Int, _ chain: ByteChain) throws(ImageError) -> ImageProperties? {
        guard let file = TIFFStructure(chain) else { return nil }
        while pageOffsets.count <= index, let link = pageOffsets.last.flatMap({ file.link(behind: $0) }),
            let next = file.number(link, file.offsetSize)
        {
            try chain.watch.step()
            pageOffsets.append(next)
        }
        let offset = pageOffsets.indices.contains(index) ? pageOffsets[index] : nil
        let directory = TIFFDirectory(at: offset, in: file)
        return try chosen?.page(index, part ?? chain).map { TIFFReader.adding(directory, to: $0) }
    }

    /// Returns the properties of an image with the format of the whole file, and with the metadata of a directory.
    private static func adding(_ directory: TIFFDirectory?, to properties: ImageProperties) -> ImageProperties {
        var properties = properties
        properties.format = .tiff
        properties.exif = directory?.exif ?? properties.exif
        let photoshop = directory?.bytes(.photoshop)
        properties.iptc = directory?.bytes(.iptc) ?? photoshop.flatMap { IPTCRecords.block(inPhotoshop: $0) }
        properties.iptcDigest = photoshop.flatMap { IPTCRecords.block(inPhotoshop: $0, resource: 0x0425) }
        properties.texts["DocumentName"] = directory?.text(.documentName)
        properties.texts["PageName"] = directory?.text(.pageName)
        properties.hasOtherTexts = !properties.texts.isEmpty
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
    private func choose(_ images: [CameraImages.Image], _ file: TIFFStructure) throws(ImageError) {
        for image in images {
            try file.chain.watch.check()
            let reader: any FormatReader
            var part: ByteChain
            switch image.content {
            case .directory(let directory): (reader, part) = (pages(), TIFFReader.file(file, showing: directory))
            case .jpeg(let range): (reader, part) = (JPEGReader(limits: limits, host: host), file.chain.part(range))
            }
            do throws(ImageError) {
                try reader.scan(&part)
                guard reader.properties != nil else { continue }
                return choose(reader, part: part)
            } catch {
                // The next largest image replaces one that cannot be decoded.
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

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        try chosen?.openFrame(request, part ?? chain).map { rows in
            part.map { part in PartRowSource(rows) { _ in part } } ?? rows
        }
    }
}

/// The images of a camera's raw file (DNG, NEF, ARW, CR2 …), which is a TIFF file with a small image in front. libtiff
/// reads the pages of other TIFF files.
///
/// - Source: TIFF/EP (ISO 12234-2) §5; DNG 1.7 "TIFF tags" (NewSubFileType, SubIFDs, preview images).
struct CameraImages {
    /// An image that may be decodable.
    struct Image {
        enum Content {
            /// A directory that libtiff reads.
            case directory(TIFFDirectory)
            /// A JPEG file within the file.
            case jpeg(Range<Int>)
        }

        let content: Content
        let size: PixelSize
        /// True if it is the image itself, in a directory below the first one; otherwise a smaller version.
        let isMain: Bool
    }

    /// The images, best first: the image itself, then the largest of the smaller versions.
    private(set) var images: [Image] = []
    /// True if a directory holds sensor data.
    private var hasRaw = false
    private var directoriesSeen = 0

    /// The most directories, and the most below one of them, that are read.
    private static let maximumDirectories = 64
    private static let maximumBelow = 16
    /// The most markers of a JPEG before its frame header.
    private static let maximumMarkers = 1_000

    /// The bits of a subfile type: a reduced version; a transparency or semantic mask, or a depth map.
    private static let reduced = 1
    private static let noImage = 4 | 8
    /// The photometric interpretations of sensor data: a color filter array, and linear raw data.
    private static let raw: Set = [32_803, 34_892]
    private static let ycbcr = 6
    /// The compressions by JPEG, of TIFF 6.0 and of its second supplement.
    private static let oldJPEG = 6
    private static let jpeg = 7

    /// - Returns: `nil` if the file is not a camera's raw file.
    init?(_ file: TIFFStructure, _ first: TIFFDirectory) throws(ImageError) {
        // Canon's CR2 has two letters after the TIFF header.
        let isNamed = first.has(.dngVersion) || (!file.isLong && file.chain.big(8, 2) == 0x4352)
        let isReduced = CameraImages.kind(first) & CameraImages.reduced != 0 && first.has(.subDirectories)
        try add(first, isBelow: false, in: file)
        // Other files are not read further, because they may have thousands of pages.
        guard isNamed || isReduced || hasRaw else { return nil }
        var seen: Set = [first.offset]
        var next = first.next
        while let offset = next, directoriesSeen < CameraImages.maximumDirectories, seen.insert(offset).inserted,
            let directory = TIFFDirectory(at: offset, in: file)
        {
            try add(directory, isBelow: false, in: file)
            next = directory.next
        }
        // The order of the file stays where nothing else decides.
        images.sort { ($0.isMain ? 1 : 0, $0.size.area) > ($1.isMain ? 1 : 0, $1.size.area) }
    }

    private static func kind(_ directory: TIFFDirectory) -> Int {
        // The older tag: 2 is a reduced image.
        directory.number(.newSubfileType) ?? (directory.number(.subfileType) == 2 ? reduced : 0)
    }

    /// Adds the images of a directory, and of those below it.
    private mutating func add(
        _ directory: TIFFDirectory, isBelow: Bool, in file: TIFFStructure
    ) throws(ImageError) {
        guard directoriesSeen < CameraImages.maximumDirectories else { return }
        directoriesSeen += 1
        try file.chain.watch.step()
        let kind = CameraImages.kind(directory)
        if kind & CameraImages.noImage == 0 {
            addImages(directory, isMain: isBelow && kind & CameraImages.reduced == 0, file.chain)
        }
        guard !isBelow else { return }
        for offset in directory.numbers(.subDirectories, most: CameraImages.maximumBelow) {
            if let below = TIFFDirectory(at: offset, in: file) { try add(below, isBelow: true, in: file) }
        }
    }

    private mutating func addImages(_ directory: TIFFDirectory, isMain: Bool, _ chain: ByteChain) {
        if let offset = directory.number(.jpegOffset), let count = directory.number(.jpegByteCount),
            let range = CameraImages.range(offset, count, chain), let size = CameraImages.jpegSize(range, chain)
        {
            images.append(Image(content: .jpeg(range), size: size, isMain: false))
        }
        let photometric = directory.number(.photometric) ?? 0
        if CameraImages.raw.contains(photometric) {
            hasRaw = true
            return
        }
        let isTiled = directory.has(.tileOffsets)
        let compression = directory.number(.compression)
        guard let offset = directory.number(isTiled ? .tileOffsets : .stripOffsets),
            let count = directory.number(isTiled ? .tileByteCounts : .stripByteCounts),
            let range = CameraImages.range(offset, count, chain)
        else { return }
        if compression == CameraImages.oldJPEG || compression == CameraImages.jpeg {
            // Sensors' data are stored as lossless JPEG, under the same number.
            guard let size = CameraImages.jpegSize(range, chain) else { return }
            let isWhole =
                !isTiled && directory.numbers(.stripOffsets, most: 2).count == 1 && !directory.has(.jpegTables)
            if isWhole, compression == CameraImages.oldJPEG || photometric == CameraImages.ycbcr {
                images.append(Image(content: .jpeg(range), size: size, isMain: isMain))
                return
            }
        }
        guard let width = directory.number(.imageWidth), let height = directory.number(.imageLength), width > 0,
            height > 0, width <= Int(Int32.max), height <= Int(Int32.max)
        else { return }
        images.append(
            Image(content: .directory(directory), size: PixelSize(width: width, height: height), isMain: isMain))
    }

    private static func range(_ offset: Int, _ count: Int, _ chain: ByteChain) -> Range<Int>? {
        guard offset > 0, count > 0, offset < chain.count else { return nil }
        // The decoder detects missing bytes.
        return offset..<offset + min(count, chain.count - offset)
    }

    /// Returns the size in the frame header of a JPEG that libjpeg-turbo decodes; `nil` for any other.
    private static func jpegSize(_ range: Range<Int>, _ chain: ByteChain) -> PixelSize? {
        guard chain.big(range.lowerBound, 2) == 0xFFD8 else { return nil }
        var walk = JPEGMarkerWalk()
        walk.position = range.lowerBound
        for _ in 0..<maximumMarkers {
            guard walk.position < range.upperBound, case .marker(let code, let content) = walk.next(in: chain) else {
                return nil
            }
            guard JPEGMarker.isFrame(code) else { continue }
            let bytes = [UInt8](content.prefix(5))
            let codes = [JPEGMarker.baselineFrame, JPEGMarker.extendedFrame, JPEGMarker.progressiveFrame]
            guard codes.contains(code), bytes.count == 5, bytes[0] == 8 else { return nil }
            let size = PixelSize(width: bytes.big(3, 2), height: bytes.big(1, 2))
            return size.isEmpty ? nil : size
        }
        return nil
    }
}
