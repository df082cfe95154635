/// The script of the viewer.
///
/// State: the image point in the middle of the canvas, and the scale in device pixels per image pixel. Each frame draws
/// the tiles of all levels that are there, coarse ones first, and then asks for the tiles that are missing: the
/// coarsest level, then the level that matches the scale, from the middle outward. At most six requests run; those for
/// tiles that are no longer wanted are aborted. `data-state`, `data-level` and `data-tiles` tell the state to tests.
enum ViewerScript {
    /// `viewer.js`.
    static let text = #"""
        "use strict";
        (() => {
          const MAX_REQUESTS = 6, MAX_TILES = 256, MAX_ATTEMPTS = 3, BACKGROUND = "#1c1c1e";
          const root = document.getElementById("viewer");
          const canvas = root.querySelector("canvas");
          const note = document.getElementById("status");
          const context = canvas.getContext("2d", { alpha: false });
          const tiles = new Map();    // key -> { bitmap, used }
          const loading = new Map();  // key -> AbortController
          const failures = new Map(); // key -> { count, until }
          const pointers = new Map(); // id -> { x, y } in device pixels
          let image = null;           // { width, height, tileWidth, tileHeight, factors }
          const view = { x: 0, y: 0, scale: 1, home: true };
          let ratio = 1, frame = 0, scheduled = false;

          const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
          const positive = (value) => Number.isSafeInteger(value) && value > 0;

          function report(text, failed) {
            if (note.textContent !== text) note.textContent = text;
            if (failed) root.dataset.state = "error";
          }

          // Image information

          async function loadInformation() {
            let response;
            try {
              response = await fetch(root.dataset.image + "/info.json", { headers: { Accept: "application/ld+json" } });
            } catch {
              return report("The server cannot be reached.", true);
            }
            if (response.status === 404) return report("This image does not exist.", true);
            if (!response.ok) return report(`The image cannot be shown (status ${response.status}).`, true);
            try {
              image = readInformation(await response.json());
            } catch {
              return report("The description of the image is invalid.", true);
            }
            resize();
          }

          function readInformation(info) {
            if (!positive(info.width) || !positive(info.height)) throw new Error("size");
            const set = Array.isArray(info.tiles) && info.tiles[0] ? info.tiles[0] : { width: 512, scaleFactors: [1] };
            const tileWidth = set.width, tileHeight = set.height ?? set.width;
            const factors = [...set.scaleFactors].sort((a, b) => a - b);
            if (!positive(tileWidth) || !positive(tileHeight) || !factors.length || !factors.every(positive)) {
              throw new Error("tiles");
            }
            return { width: info.width, height: info.height, tileWidth, tileHeight, factors };
          }

          // Geometry

          const homeScale = () => Math.min(canvas.width / image.width, canvas.height / image.height, ratio);

          function constrain() {
            view.scale = clamp(view.scale, homeScale(), Math.max(homeScale(), 8 * ratio));
            const halfWidth = canvas.width / view.scale / 2, halfHeight = canvas.height / view.scale / 2;
            view.x = image.width <= 2 * halfWidth
              ? image.width / 2 : clamp(view.x, halfWidth, image.width - halfWidth);
            view.y = image.height <= 2 * halfHeight
              ? image.height / 2 : clamp(view.y, halfHeight, image.height - halfHeight);
          }

          // The coarsest level that has at least one pixel for each pixel of the canvas.
          function currentFactor() {
            const fitting = image.factors.filter((factor) => factor * view.scale <= 1.01);
            return fitting.length ? fitting[fitting.length - 1] : image.factors[0];
          }

          // The tiles of a level that the canvas shows, from the middle outward.
          function visibleTiles(factor) {
            const width = image.tileWidth * factor, height = image.tileHeight * factor;
            const left = Math.max(0, view.x - canvas.width / view.scale / 2);
            const top = Math.max(0, view.y - canvas.height / view.scale / 2);
            const right = Math.min(image.width, view.x + canvas.width / view.scale / 2);
            const bottom = Math.min(image.height, view.y + canvas.height / view.scale / 2);
            const result = [];
            for (let row = Math.floor(top / height); row * height < bottom; row += 1) {
              for (let column = Math.floor(left / width); column * width < right; column += 1) {
                result.push(tileAt(factor, column, row));
              }
            }
            const distance = (tile) =>
              Math.hypot(tile.x + tile.width / 2 - view.x, tile.y + tile.height / 2 - view.y);
            return result.sort((a, b) => distance(a) - distance(b));
          }

          function tileAt(factor, column, row) {
            const x = column * image.tileWidth * factor, y = row * image.tileHeight * factor;
            return {
              key: `${factor}/${column}/${row}`, factor, x, y,
              width: Math.min(image.tileWidth * factor, image.width - x),
              height: Math.min(image.tileHeight * factor, image.height - y),
            };
          }

          function address(tile) {
            const whole = tile.width === image.width && tile.height === image.height;
            const region = whole ? "full" : `${tile.x},${tile.y},${tile.width},${tile.height}`;
            const size = tile.factor === 1
              ? "max" : `${Math.ceil(tile.width / tile.factor)},${Math.ceil(tile.height / tile.factor)}`;
            return `${root.dataset.image}/${region}/${size}/0/default.jpg`;
          }

          // Drawing

          function update() {
            if (scheduled || !image) return;
            scheduled = true;
            requestAnimationFrame(() => { scheduled = false; draw(); });
          }

          function clear() {
            context.fillStyle = BACKGROUND;
            context.fillRect(0, 0, canvas.width, canvas.height);
          }

          function draw() {
            frame += 1;
            clear();
            context.imageSmoothingEnabled = view.scale < 4 * ratio;
            context.imageSmoothingQuality = "high";
            const factor = currentFactor();
            const current = visibleTiles(factor);
            const complete = current.every((tile) => tiles.has(tile.key));
            if (!complete) {
              for (const other of [...image.factors].reverse()) {
                // Levels of more than four times the pixels are too many tiles to look for.
                if (other !== factor && other * 4 > factor) visibleTiles(other).forEach(drawTile);
              }
            }
            current.forEach(drawTile);
            root.dataset.level = String(factor);
            request(current, complete);
          }

          function drawTile(tile) {
            const entry = tiles.get(tile.key);
            if (!entry) return;
            entry.used = frame;
            // Edges are rounded, not sizes, so that neighbors meet without a seam.
            const left = Math.round((tile.x - view.x) * view.scale + canvas.width / 2);
            const top = Math.round((tile.y - view.y) * view.scale + canvas.height / 2);
            const right = Math.round((tile.x + tile.width - view.x) * view.scale + canvas.width / 2);
            const bottom = Math.round((tile.y + tile.height - view.y) * view.scale + canvas.height / 2);
            context.drawImage(entry.bitmap, left, top, Math.max(1, right - left), Math.max(1, bottom - top));
          }

          // Requests

          function request(current, complete) {
            const coarsest = visibleTiles(image.factors[image.factors.length - 1]);
            const wanted = new Map([...coarsest, ...current].map((tile) => [tile.key, tile]));
            for (const [key, controller] of loading) {
              if (!wanted.has(key)) { controller.abort(); loading.delete(key); }
            }
            const now = performance.now();
            for (const [key, tile] of wanted) {
              if (loading.size >= MAX_REQUESTS) break;
              const failure = failures.get(key);
              const waits = failure && (failure.count >= MAX_ATTEMPTS || failure.until > now);
              if (!tiles.has(key) && !loading.has(key) && !waits) load(tile);
            }
            evict(wanted);
            const lost = [...wanted.keys()].some((key) => (failures.get(key)?.count ?? 0) >= MAX_ATTEMPTS);
            report(lost ? "Some parts of the image could not be loaded." : "", false);
            root.dataset.state = complete ? "complete" : lost && !loading.size ? "partial" : "loading";
            root.dataset.tiles = String(tiles.size);
          }

          async function load(tile) {
            const controller = new AbortController();
            loading.set(tile.key, controller);
            let delay = 1000;
            try {
              const response = await fetch(address(tile), { signal: controller.signal });
              if (!response.ok) {
                delay = clamp(Number(response.headers.get("Retry-After")) || 1, 1, 30) * 1000;
                throw new Error(`status ${response.status}`);
              }
              const bitmap = await createImageBitmap(await response.blob());
              if (controller.signal.aborted) return bitmap.close();
              tiles.set(tile.key, { bitmap, used: frame });
              failures.delete(tile.key);
            } catch {
              if (controller.signal.aborted) return;
              const count = (failures.get(tile.key)?.count ?? 0) + 1;
              failures.set(tile.key, { count, until: performance.now() + delay * count });
              setTimeout(update, delay * count + 10);
            }
            loading.delete(tile.key);
            update();
          }

          function evict(wanted) {
            const excess = tiles.size - Math.max(MAX_TILES, 2 * wanted.size);
            if (excess <= 0) return;
            const oldest = [...tiles].filter(([key]) => !wanted.has(key)).sort((a, b) => a[1].used - b[1].used);
            for (const [key, entry] of oldest.slice(0, excess)) {
              entry.bitmap.close();
              tiles.delete(key);
            }
          }

          // Movement

          function move(x, y) {
            view.x -= x / view.scale;
            view.y -= y / view.scale;
            view.home = view.scale <= homeScale();
            constrain();
            update();
          }

          // Zooms so that the image point under a point of the canvas stays there.
          function zoom(by, x = canvas.width / 2, y = canvas.height / 2) {
            if (!image) return;
            const low = homeScale();
            const scale = clamp(view.scale * by, low, Math.max(low, 8 * ratio));
            view.x += (x - canvas.width / 2) * (1 / view.scale - 1 / scale);
            view.y += (y - canvas.height / 2) * (1 / view.scale - 1 / scale);
            view.scale = scale;
            view.home = scale === low;
            constrain();
            update();
          }

          function showAll() {
            if (!image) return;
            Object.assign(view, { x: image.width / 2, y: image.height / 2, scale: homeScale(), home: true });
            update();
          }

          function resize() {
            const previous = ratio;
            ratio = window.devicePixelRatio || 1;
            const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
            const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
            if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
            clear();
            if (!image) return;
            if (view.home) return showAll();
            view.scale *= ratio / previous;
            constrain();
            update();
          }

          function watchRatio() {
            const query = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
            query.addEventListener("change", () => { resize(); watchRatio(); }, { once: true });
          }

          function position(event) {
            const box = canvas.getBoundingClientRect();
            return {
              x: (event.clientX - box.left) * canvas.width / box.width,
              y: (event.clientY - box.top) * canvas.height / box.height,
            };
          }

          function pointerMoved(event) {
            const before = pointers.get(event.pointerId);
            if (!before || !image) return;
            const now = position(event);
            const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
            pointers.set(event.pointerId, now);
            if (!other) return move(now.x - before.x, now.y - before.y);
            const middle = { x: (before.x + other.x) / 2, y: (before.y + other.y) / 2 };
            const spread = Math.hypot(before.x - other.x, before.y - other.y);
            if (spread > 0) zoom(Math.hypot(now.x - other.x, now.y - other.y) / spread, middle.x, middle.y);
            move((now.x - before.x) / 2, (now.y - before.y) / 2);
          }

          function pointerGone(event) {
            pointers.delete(event.pointerId);
            canvas.classList.toggle("moving", pointers.size > 0);
          }

          canvas.addEventListener("pointerdown", (event) => {
            if (event.button !== 0 || pointers.size >= 2) return;
            canvas.setPointerCapture(event.pointerId);
            pointers.set(event.pointerId, position(event));
            canvas.classList.add("moving");
          });
          canvas.addEventListener("pointermove", pointerMoved);
          for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
            canvas.addEventListener(name, pointerGone);
          }
          canvas.addEventListener("dblclick", (event) => {
            const point = position(event);
            zoom(event.shiftKey ? 0.5 : 2, point.x, point.y);
          });
          canvas.addEventListener("wheel", (event) => {
            event.preventDefault();
            const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
            const speed = event.ctrlKey ? 0.01 : 0.002;
            const point = position(event);
            zoom(Math.exp(-clamp(event.deltaY * unit * speed, -1, 1)), point.x, point.y);
          }, { passive: false });

          const actions = { in: () => zoom(1.5), out: () => zoom(1 / 1.5), home: showAll };
          const steps = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
          const keys = { "+": actions.in, "=": actions.in, "-": actions.out, "_": actions.out, "0": showAll };
          document.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey || !image) return;
            const step = steps[event.key];
            if (step) move(step[0] * canvas.width * 0.15, step[1] * canvas.height * 0.15);
            else if (keys[event.key]) keys[event.key]();
            else return;
            event.preventDefault();
          });
          for (const button of root.querySelectorAll("button")) {
            button.addEventListener("click", actions[button.dataset.action]);
          }

          new ResizeObserver(resize).observe(canvas);
          watchRatio();
          loadInformation();
        })();
        """#
}
