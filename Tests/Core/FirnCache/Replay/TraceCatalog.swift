/// The traces by which policies are compared. `length` is the approximate number of requests in each.
enum TraceCatalog {
    static func all(length: Int, seed: UInt64 = 1) -> [Trace] {
        patterns(length, seed).flatMap { [$0, $0.scaled(0.5)] }
    }

    private static func patterns(_ length: Int, _ seed: UInt64) -> [Trace] {
        [
            feed(length, seed), upAndDown(length, seed), loop(1.1, length, seed), loop(1.5, length, seed),
            zipf(0.8, length, seed), zipf(1.0, length, seed), scans(length, seed), shifting(length, seed),
            tabs(length, seed), viewer(length, seed), chat(length, seed), gallery(length, seed), shop(length, seed),
            phases(length, seed),
        ]
    }

    /// Scrolls one long list of cells of different heights.
    static func feed(_ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("feed", seed: seed)
        let cells = maker.images(length / 4, kilobytes: 80...180)
        maker.hold(kilobytes: 300 * 130)
        var at = 0
        while maker.count < length {
            maker.scroll(cells, moves: 40, from: &at)
            // Returns to the top with the usual button: nothing between is shown.
            if maker.chance(0.1) { at = 0; maker.pass(cells.lowerBound..<cells.lowerBound + 12) }
        }
        return maker.trace
    }

    /// Scrolls a list twice as long as the cache, from end to end and back.
    static func upAndDown(_ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("up and down", seed: seed)
        let cells = maker.images(600, kilobytes: 80...180)
        maker.hold(kilobytes: 300 * 130)
        while maker.count < length {
            maker.pass(cells)
            maker.passBack(cells)
        }
        return maker.trace
    }

    /// Repeats the same images in the same order: a slide show, an animation of files.
    static func loop(_ times: Double, _ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("loop \(times)", seed: seed)
        let cells = maker.images(Int(300 * times), kilobytes: 80...180)
        maker.hold(kilobytes: 300 * 130)
        while maker.count < length { maker.pass(cells) }
        return maker.trace
    }

    static func zipf(_ exponent: Double, _ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("zipf \(exponent)", seed: seed)
        let images = maker.images(3000, kilobytes: 20...60)
        maker.hold(kilobytes: 600 * 40)
        maker.zipf(ZipfLaw(images.count, exponent: exponent), maker.shuffled(images), times: length)
        return maker.trace
    }

    /// Requests favorites, and now and then a folder that is viewed once.
    static func scans(_ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("scans", seed: seed)
        let favorites = maker.images(600, kilobytes: 80...180)
        maker.hold(kilobytes: 300 * 130)
        let law = ZipfLaw(favorites.count, exponent: 0.9)
        let order = maker.shuffled(favorites)
        while maker.count < length {
            maker.zipf(law, order, times: 1200)
            maker.pass(maker.images(400, kilobytes: 80...180))
        }
        return maker.trace
    }

    /// Changes over time which images are popular.
    static func shifting(_ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("shifting", seed: seed)
        let images = maker.images(3000, kilobytes: 20...60)
        maker.hold(kilobytes: 600 * 40)
        let law = ZipfLaw(images.count, exponent: 1)
        while maker.count < length { maker.zipf(law, maker.shuffled(images), times: 3000) }
        return maker.trace
    }

    /// Switches between four lists; each keeps its position.
    static func tabs(_ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("tabs", seed: seed)
        let lists = (0..<4).map { _ in maker.images(1000, kilobytes: 80...180) }
        var at = [0, 0, 0, 0]
        maker.hold(kilobytes: 300 * 130)
        while maker.count < length {
            let tab = maker.number(0...3)
            // The visible images are requested again.
            for cell in 0..<12 { maker.request(lists[tab].lowerBound + Int32(at[tab] + cell)) }
            maker.scroll(lists[tab], moves: maker.number(1...8), from: &at[tab], downwards: 0.55)
        }
        return maker.trace
    }

    /// Shows large images in order and prefetches neighbors, with steps back and forth to compare.
    static func viewer(_ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("viewer", seed: seed)
        let images = maker.images(400, kilobytes: 2000...8300)
        maker.hold(kilobytes: 12 * 5000)
        var at = 0
        while maker.count < length {
            if maker.chance(0.25) {
                for _ in 0..<maker.number(1...4) {
                    maker.request(images.lowerBound + Int32(max(0, at - 1)))
                    maker.request(images.lowerBound + Int32(at))
                }
            }
            if maker.chance(0.1) { at = maker.number(0...images.count - 1) }
            at = min(max(at + (maker.chance(0.75) ? 1 : -1), 0), images.count - 1)
            for near in [at, at + 1, at - 1] where images.indices.contains(images.startIndex + Int32(near)) {
                maker.request(images.lowerBound + Int32(near))
            }
        }
        return maker.trace
    }

    /// Mixes small faces that repeat with photographs that are seen once or scrolled back to.
    static func chat(_ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("chat", seed: seed)
        let faces = maker.images(800, kilobytes: 9...9)
        let photographs = maker.images(length / 5, kilobytes: 200...900)
        maker.hold(kilobytes: 30 << 10)
        let law = ZipfLaw(faces.count, exponent: 0.9)
        let order = maker.shuffled(faces)
        var at = 0
        while maker.count < length {
            maker.zipf(law, order, times: maker.number(1...6))
            maker.move(photographs, by: maker.chance(0.7) ? 1 : -maker.number(1...3), from: &at, view: 1)
        }
        return maker.trace
    }

    /// Opens images from a grid of thumbnails at full size, steps to their neighbors, and returns.
    static func gallery(_ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("gallery", seed: seed)
        let cells = maker.images(3000, kilobytes: 80...180)
        let whole = maker.images(3000, kilobytes: 2000...8300)
        maker.hold(kilobytes: 96 << 10)
        var at = 0
        while maker.count < length {
            maker.scroll(cells, moves: maker.number(1...10), from: &at, view: 30, downwards: 0.55)
            guard maker.chance(0.6) else { continue }
            var open = at + maker.number(0...29)
            for _ in 0..<maker.number(1...6) {
                for near in [open, open + 1, open - 1] where near >= 0 && near < whole.count {
                    maker.request(whole.lowerBound + Int32(near))
                }
                open = min(max(0, open + (maker.chance(0.7) ? 1 : -1)), whole.count - 1)
            }
            // The grid requests all its visible images again.
            for cell in 0..<30 { maker.request(cells.lowerBound + Int32(at + cell)) }
        }
        return maker.trace
    }

    /// Shows lists of products in order, with the same badges in every cell, favorites, and large images of some.
    static func shop(_ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("shop", seed: seed)
        let badges = maker.images(40, kilobytes: 4...20)
        let goods = maker.images(6000, kilobytes: 60...200)
        let large = maker.images(600, kilobytes: 800...3000)
        maker.hold(kilobytes: 64 << 10)
        let badgeLaw = ZipfLaw(badges.count, exponent: 0.7)
        let favorites = ZipfLaw(large.count, exponent: 1)
        let badgeOrder = maker.shuffled(badges)
        let largeOrder = maker.shuffled(large)
        while maker.count < length {
            let first = goods.lowerBound + Int32(maker.number(0...19) * 300)
            let list = first..<first + 300
            var at = 0
            for _ in 0..<maker.number(2...12) {
                maker.scroll(list, moves: 2, from: &at)
                maker.zipf(badgeLaw, badgeOrder, times: 8)
                if maker.chance(0.4) { maker.zipf(favorites, largeOrder, times: 1) }
            }
        }
        return maker.trace
    }

    /// Alternates between scrolling, a loop and favorites.
    static func phases(_ length: Int, _ seed: UInt64) -> Trace {
        var maker = TraceMaker("phases", seed: seed)
        let cells = maker.images(2000, kilobytes: 80...180)
        let slides = maker.images(360, kilobytes: 80...180)
        let favorites = maker.images(1000, kilobytes: 80...180)
        maker.hold(kilobytes: 300 * 130)
        let law = ZipfLaw(favorites.count, exponent: 0.9)
        let order = maker.shuffled(favorites)
        var at = 0
        while maker.count < length {
            maker.scroll(cells, moves: 160, from: &at, downwards: 0.55)
            for _ in 0..<10 { maker.pass(slides) }
            maker.zipf(law, order, times: 3600)
        }
        return maker.trace
    }
}
