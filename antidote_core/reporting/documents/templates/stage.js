// Plays a run: the curve (SVG) beside the map (canvas), from the parcels of
// antidote_core.reporting.figures.stage that stage_data.js has put into window.antidoteStage.
const SVG = "http://www.w3.org/2000/svg"
const OPENING = 4000 // milliseconds that a run takes which plays itself once
const TURN = 650 // milliseconds from one step to the next
const FEW = 1500 // points up to which every one gets the symbol of its group
const MOST_ZOOM = 60
const NEAR = 14 // pixels within which the pointer means a point
const LABELS = 10 // copies that are written beside their rings
const REST = "M4 2.5v11M12 2.5v11"
const GO = "M4 2l9 6-9 6z"

const make = (parent, kind, attributes = {}, text) => {
  const made = document.createElementNS(SVG, kind)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  if (text !== undefined) made.textContent = text
  parent.append(made)
  return made
}
const tag = (parent, kind, text, name) => {
  const made = document.createElement(kind)
  if (text !== undefined) made.textContent = text
  if (name) made.className = name
  parent.append(made)
  return made
}
const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0))
const mix = (a, b, t) => a + (b - a) * t
const eased = t => t * t * (3 - 2 * t)
const rgb = color => [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16))
const turned = symbol => ({
  circle: null, diamond: [4, 0], square: [4, Math.PI / 4], "triangle-up": [3, 0],
  "triangle-down": [3, Math.PI], pentagon: [5, 0], hexagon: [6, 0], octagon: [8, Math.PI / 8],
  "triangle-left": [3, -Math.PI / 2], "triangle-right": [3, Math.PI / 2],
})[symbol]

const shape = (context, symbol, x, y, r) => {
  const corners = turned(symbol)
  context.beginPath()
  if (!corners) return context.arc(x, y, r, 0, 2 * Math.PI)
  for (let i = 0; i < corners[0]; i++) {
    const angle = corners[1] - Math.PI / 2 + (2 * Math.PI * i) / corners[0]
    context.lineTo(x + 1.25 * r * Math.cos(angle), y + 1.25 * r * Math.sin(angle))
  }
  context.closePath()
}
const star = (context, x, y, r) => {
  context.beginPath()
  for (let i = 0; i < 10; i++) {
    const angle = (i * Math.PI) / 5 - Math.PI / 2
    const reach = i % 2 ? 0.45 * r : r
    context.lineTo(x + reach * Math.cos(angle), y + reach * Math.sin(angle))
  }
  context.closePath()
}

// The labels of the drawn points at a step, and which of them are not those of plain clustering.
const labelsAt = (points, step) => {
  if (step.labels) return step
  step.labels = points.labels.slice()
  step.mask = new Uint8Array(points.count)
  if (step.moved) {
    const bits = bytes(step.moved)
    const clusters = step.clusters ? bytes(step.clusters) : null // of two it is the other one
    for (let i = 0, next = 0; i < points.count; i++) {
      if ((bits[i >> 3] >> (i & 7)) & 1) {
        step.mask[i] = 1
        step.labels[i] = clusters ? clusters[next++] : 1 - points.labels[i]
      }
    }
  }
  return step
}

// The part of a convex polygon that is nearer to `own` than to `rival`.
const nearer = (polygon, own, rival) => {
  const normal = [rival[0] - own[0], rival[1] - own[1]]
  const bound = (rival[0] ** 2 + rival[1] ** 2 - own[0] ** 2 - own[1] ** 2) / 2
  const room = polygon.map(([x, y]) => bound - normal[0] * x - normal[1] * y)
  const kept = []
  polygon.forEach((corner, i) => {
    const j = (i + 1) % polygon.length
    if (room[i] >= 0) kept.push(corner)
    if (room[i] * room[j] < 0) {
      const t = room[i] / (room[i] - room[j])
      kept.push([mix(corner[0], polygon[j][0], t), mix(corner[1], polygon[j][1], t)])
    }
  })
  return kept
}

class Stage {
  constructor(root, run) {
    this.root = root
    this.run = run
    this.find = name => root.querySelector(name)
    this.canvas = this.find("canvas")
    this.context = this.canvas.getContext("2d")
    this.layers = {} // offscreen canvases by name, and what they show
    this.still = matchMedia("(prefers-reduced-motion: reduce)")
    this.bind()
  }

  get shared() { return window.antidoteStage?.runs.get(this.run) }

  // Everything that must survive when the page is drawn again stays with the run.
  get state() {
    const shared = this.shared
    return shared && (shared.state ??= {
      at: 0, from: 0, t: 1, playing: false, speed: 1, opened: false, follows: true, views: {},
      chosen: null,
    })
  }

  get ready() {
    const shared = this.shared
    const own = shared?.show && shared.grounds.get(shared.show.ground)
    return own?.points && own.steps[0] ? own : null
  }

  get last() {
    const { labels } = this.shared.show
    let last = 0 // steps arrive in order, but words may be there first
    while (last + 1 < labels.length && this.own.steps[last + 1]) last++
    return last
  }

  get view() {
    const { show } = this.shared
    return (this.state.views[show.ground] ??= { zoom: 1, x: 0, y: 0, own: false })
  }

  // -- what arrives -------------------------------------------------------------------------------

  arrived() {
    const own = this.ready
    if (!own) return
    this.own = own
    const { show } = this.shared
    const state = this.state
    this.paper = getComputedStyle(this.root).getPropertyValue("--st-background-color").trim()
    this.small = getComputedStyle(this.root).getPropertyValue("--st-font").trim() || "sans-serif"
    const last = this.last
    const rest = Math.min(show.answer, last)
    if (!state.opened) {
      state.opened = true
      state.follows = show.live
      if (show.live) this.go(last, false)
      else if (last && !this.still.matches) {
        state.until = rest
        this.pace = Math.max(180, Math.min(1000, OPENING / Math.max(1, rest)))
        this.go(0, false)
        this.play(true)
      } else this.go(rest, false)
    } else if (show.live) {
      if (state.follows && state.at < last) this.go(state.at + 1, true)
    } else if (state.wasLive) {
      if (state.follows) this.go(rest, true)
      state.follows = false
    }
    state.wasLive = show.live
    state.at = Math.min(state.at, last)
    state.from = Math.min(state.from, last)
    this.layers = {}
    this.root.dataset.steps = String(last)
    this.find(".curve > svg").setAttribute("aria-label", show.alt.curve)
    this.legend()
    this.draw()
  }

  // -- the player ---------------------------------------------------------------------------------

  go(step, moving = true) {
    const state = this.state
    const target = Math.max(0, Math.min(this.last, step))
    if (target === state.at && state.t >= 1) return this.draw()
    state.from = state.at
    state.at = target
    const near = Math.abs(state.at - state.from) <= 3
    state.t = moving && near && !this.still.matches ? 0 : 1
    this.begun = null
    this.draw()
    this.wake()
  }

  // Somebody chose a step: a live run is followed again from its latest one only.
  choose(step, moving = true) {
    this.play(false)
    this.go(step, moving)
    this.state.follows = this.shared.show.live && this.state.at === this.last
  }

  play(on) {
    const state = this.state
    state.playing = on
    if (!on) {
      this.pace = null
      state.until = null
    }
    this.since = performance.now()
    this.buttons()
    this.wake()
  }

  toggle() {
    const state = this.state
    if (!state.playing && state.at >= this.last) this.go(0, false)
    if (!state.playing) state.until = null
    this.play(!state.playing)
    this.since -= 700 / state.speed // whoever presses Play sees the first step soon
  }

  wake() {
    if (!this.waiting) this.waiting = requestAnimationFrame(now => this.frame(now))
  }

  frame(now) {
    this.waiting = 0
    if (!this.root.isConnected || !this.ready) return
    const state = this.state
    const pace = (this.pace ?? 1000) / state.speed
    let more = state.playing
    if (state.t < 1) {
      this.begun ??= now
      state.t = Math.min(1, (now - this.begun) / Math.min(TURN / Math.min(state.speed, 2), pace))
      if (state.t >= 1 && state.follows && state.at < this.last) this.go(state.at + 1)
      this.draw()
      more = true
    } else if (state.playing && now - this.since >= pace) {
      this.since = now
      if (state.at < (state.until ?? this.last)) this.go(state.at + 1)
      else {
        this.play(false)
        state.follows = this.shared.show.live
      }
    }
    if (more || state.t < 1) this.wake()
  }

  buttons() {
    const { playing, at, speed } = this.state
    const { labels, stored } = this.shared.show
    const last = this.last
    const play = this.find(".play")
    play.setAttribute("aria-label", playing ? "Pause" : "Play")
    play.querySelector("path").setAttribute("d", playing ? REST : GO)
    play.disabled = !last
    this.find(".back").disabled = at <= 0
    this.find(".next").disabled = at >= last
    const range = this.find("input")
    range.max = String(last)
    range.value = String(at)
    range.setAttribute("aria-valuetext", labels[at])
    this.find("select").value = String(speed)
    const said = this.find("output")
    if (said.textContent !== labels[at]) said.textContent = labels[at]
    said.title = labels[at]
    this.find("small").textContent = stored
    this.root.dataset.step = String(at)
  }

  // -- drawing ------------------------------------------------------------------------------------

  draw() {
    if (!this.own) return
    this.buttons()
    this.tug()
    this.curve()
    this.map()
    this.root.dataset.frames = String(Number(this.root.dataset.frames || 0) + 1)
  }

  tug() {
    const { tugs } = this.shared.show
    const place = this.find(".tug")
    const now = tugs[this.state.at]
    place.hidden = !tugs.some(Boolean)
    place.style.visibility = now ? "visible" : "hidden"
    if (!now) return
    place.querySelector("u").style.width = `${100 * now.left}%`
    place.querySelector("span").textContent = now.text
    place.title = now.text
  }

  curve() {
    const svg = this.find(".curve > svg")
    const { curve, inks } = this.shared.show
    const { at, from, t } = this.state
    const [width, height] = [svg.clientWidth, svg.clientHeight]
    if (!width || !height) return
    const edge = { left: 46, right: 14, top: 8, bottom: 36 }
    const X = size => edge.left + (size / (1.04 * curve.largest)) * (width - edge.left - edge.right)
    const [low, high] = curve.range
    const Y = value =>
      height - edge.bottom - ((value - low) / (high - low)) * (height - edge.top - edge.bottom)
    const key = JSON.stringify([this.shared.show.curve, inks, width, height, at, this.paper])
    const spot = (i, j, part) => ["size", "height"].map(name =>
      mix(curve.steps[i][name], curve.steps[j][name], part))
    if (this.drawnCurve !== key) {
      this.drawnCurve = key
      svg.replaceChildren()
      const caption = this.find("figcaption")
      caption.textContent = curve.title
      tag(caption, "span", ` ${curve.sizes}`)
      const right = width - edge.right
      if (curve.band) {
        const [a, b] = curve.band.map(Y)
        make(svg, "rect", { x: edge.left, y: b, width: right - edge.left, height: Math.max(2, a - b),
          fill: inks.vanilla, opacity: 0.25 })
      }
      const text = (x, y, words, more) => make(svg, "text", { x, y, fill: inks.ink, ...more }, words)
      for (const tick of curve.y) {
        make(svg, "path", { d: `M${edge.left},${Y(tick.at)}H${right}`, stroke: inks.ink, opacity: 0.1 })
        text(edge.left - 6, Y(tick.at) + 4, tick.text, { "text-anchor": "end", "font-weight": 400 })
      }
      const room = Math.max(1, Math.ceil((curve.x.length * 62) / (right - edge.left)))
      curve.x.forEach((tick, i) => {
        if (i % room) return
        const place = { "text-anchor": "middle", "font-weight": 400 }
        make(svg, "path", { d: `M${X(tick.at)},${height - edge.bottom}v4`, stroke: inks.ink })
        text(X(tick.at), height - edge.bottom + 16, tick.text, place)
        text(X(tick.at), height - edge.bottom + 31, tick.share, { ...place, opacity: 0.75 })
      })
      make(svg, "path", { d: `M${edge.left},${edge.top}V${height - edge.bottom}H${right}`,
        fill: "none", stroke: inks.ink, opacity: 0.5 })
      const paints = { vanilla: inks.vanilla, fair: inks.fair, target: inks.ink }
      for (const line of curve.lines) {
        if (line.height === undefined) continue
        make(svg, "path", { d: `M${edge.left},${Y(line.height)}H${right}`, "stroke-width": 2,
          stroke: paints[line.kind], ...(line.kind === "target" ? { "stroke-dasharray": "7 5" } : {}) })
      }
      const steps = curve.steps
      const path = list => list.map((s, i) =>
        i ? `H${X(s.size)}V${Y(s.height)}` : `M${X(s.size)},${Y(s.height)}`).join("")
      const ours = { fill: "none", stroke: inks.antidote, "stroke-linejoin": "round" }
      make(svg, "path", { d: path(steps), ...ours, "stroke-width": 2, opacity: 0.3 })
      make(svg, "path", { d: path(steps.slice(0, at + 1)), ...ours, "stroke-width": 3 })
      steps.forEach((s, i) => {
        const dot = make(svg, "circle", { cx: X(s.size), cy: Y(s.height), r: s.checked ? 6.5 : 5,
          fill: s.checked ? inks.antidote : inks.hollow, stroke: inks.antidote, "stroke-width": 2.5,
          opacity: i <= at ? 1 : 0.35, class: "step", "data-step": i, cursor: "pointer" })
        make(dot, "title", {}, s.text)
        dot.onclick = () => this.choose(i)
      })
      if (curve.now && this.shared.show.live) {
        const [x, y] = [X(curve.now.size), Y(curve.now.height)]
        make(svg, "path", { d: `M${x},${y - 8}l8,8l-8,8l-8,-8z`, fill: inks.hollow,
          stroke: inks.antidote, "stroke-width": 2.5, class: "now" })
      }
      const writing = { "paint-order": "stroke", stroke: this.paper, "stroke-width": 4,
        "stroke-linejoin": "round", "font-weight": 600 }
      for (const line of curve.lines) {
        text(edge.left + 14, Y(line.at) + 5, line.label,
          { ...writing, fill: line.kind === "fair" ? inks.fair : inks.ink, class: `line ${line.kind}` })
      }
      this.head = make(svg, "circle", { r: 10, fill: "none", stroke: inks.ink, "stroke-width": 2.2,
        class: "head" })
    }
    const [size, value] = spot(from, at, eased(t))
    this.head.setAttribute("cx", X(size))
    this.head.setAttribute("cy", Y(value))
  }

  // The whole map, wider than its frame where both axes have one scale.
  whole() {
    const { frame, equal } = this.shared.show
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight]
    const [left, bottom, right, top] = frame
    if (!equal) return frame
    const unit = Math.max((right - left) / width, (top - bottom) / height)
    const [cx, cy] = [(left + right) / 2, (bottom + top) / 2]
    const [dx, dy] = [(unit * width) / 2, (unit * height) / 2]
    return [cx - dx, cy - dy, cx + dx, cy + dy]
  }

  // Most of the map, unless somebody has chosen a part of it.
  goHome() {
    const [left, bottom, right, top] = this.whole()
    const home = this.shared.show.home
    const wide = (home[2] - home[0]) / (right - left)
    const high = (home[3] - home[1]) / (top - bottom)
    const zoom = Math.max(1, Math.min(MOST_ZOOM, 1 / Math.max(wide, high)))
    const begin = (low, part) => Math.max(0, Math.min(1 - 1 / zoom, low - (1 / zoom - part) / 2))
    const x = begin((home[0] - left) / (right - left), wide)
    const y = begin((top - home[3]) / (top - bottom), high)
    Object.assign(this.view, { zoom, x, y, own: false })
    this.root.dataset.zoom = zoom.toFixed(3)
  }

  // Where a place of the map is on the canvas, in CSS pixels.
  plan() {
    const { zoom, x, y } = this.view
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight]
    const [left, bottom, right, top] = this.whole()
    const [a, b] = [(zoom * width) / (right - left), (zoom * height) / (top - bottom)]
    return { width, height, a, b, left, top, e: -x * zoom * width, f: -y * zoom * height,
      X: v => (v - left) * a - x * zoom * width, Y: v => (top - v) * b - y * zoom * height }
  }

  paint(step, color) {
    const { inks, groups, clusters } = this.shared.show
    const { points } = this.own
    const { labels, mask } = labelsAt(points, step)
    if (color === "changed") {
      const marks = [{ color: inks.pale, symbol: "circle" }, { color: inks.moved, symbol: "diamond" }]
      return { codes: mask, marks, mask }
    }
    if (color === "cluster") return { codes: labels, marks: clusters, mask }
    return { codes: points.groups, marks: groups, mask }
  }

  // One layer of points, kept until the view, the colours or the step change.
  layer(name, key, fill) {
    const { width, height } = this.canvas
    const whole = `${key} ${width} ${height} ${JSON.stringify(this.view)} ${this.paper}`
    const kept = (this.layers[name] ??= { canvas: new OffscreenCanvas(1, 1) })
    if (kept.key !== whole) {
      kept.key = whole
      Object.assign(kept.canvas, { width, height })
      fill(kept.canvas.getContext("2d"))
    }
    return kept.canvas
  }

  ground(name, index) {
    const { show } = this.shared
    const step = this.own.steps[index]
    const same = show.color === "group" && !step.moved ? "plain" : index
    return this.layer(name, `${show.ground} ${show.color} ${same}`, context => {
      const { codes, marks, mask } = this.paint(step, show.color)
      const colors = marks.map(mark => rgb(mark.color))
      const paper = [...this.rgbOf(this.paper)]
      const many = this.own.points.count > FEW
      const alpha = show.color === "changed" ? 0.7 : many ? 0.5 : 0.85
      if (!many) {
        context.fillStyle = this.paper
        context.fillRect(0, 0, context.canvas.width, context.canvas.height)
        this.symbols(context, codes, marks, alpha, mask)
        return
      }
      const own = i => colors[codes[i]]
      const ink = rgb(show.inks.ink)
      const passes = [{ color: own, alpha, wanted: () => true }]
      if (show.color !== "changed" && step.moved) { // a rim, so that the colour stays
        passes.push({ color: () => ink, alpha: 0.6, wanted: i => mask[i], grow: 0.8 },
          { color: own, alpha: 0.9, wanted: i => mask[i] })
      }
      this.splat(context, passes, paper)
    })
  }

  flash() {
    const { from, at } = this.state
    const { steps, points } = this.own
    const [a, b] = [steps[from], steps[at]].map(step => labelsAt(points, step))
    const moved = rgb(this.shared.show.inks.moved)
    return this.layer("flash", `${this.shared.show.ground} ${from} ${at}`, context => {
      const wanted = i => a.labels[i] !== b.labels[i]
      this.splat(context, [{ color: () => moved, alpha: 1, wanted, grow: 0.6 }])
    })
  }

  rgbOf(color) {
    if (color.startsWith("#") && color.length === 7) return rgb(color)
    this.context.fillStyle = color
    return rgb(this.context.fillStyle)
  }

  symbols(context, codes, marks, alpha, mask) {
    const ratio = this.ratio
    const { a, b, left, top, e, f } = this.plan()
    const { places, count } = this.own.points
    const ink = this.shared.show.inks.ink
    const r = (count > 500 ? 3 : 3.8) * ratio
    for (let i = 0; i < count; i++) {
      const x = ((places[2 * i] - left) * a + e) * ratio
      const y = ((top - places[2 * i + 1]) * b + f) * ratio
      shape(context, marks[codes[i]].symbol, x, y, r)
      context.globalAlpha = alpha
      context.fillStyle = marks[codes[i]].color
      context.fill()
      if (mask[i]) {
        context.globalAlpha = 1
        context.strokeStyle = ink
        context.lineWidth = 1.8 * ratio
        context.stroke()
      }
    }
    context.globalAlpha = 1
  }

  // Small discs written pixel by pixel: forty thousand of them take a few milliseconds.
  splat(context, passes, paper) {
    const { width, height } = context.canvas
    const { places, count } = this.own.points
    const ratio = this.ratio
    const plan = this.plan()
    const image = context.createImageData(width, height)
    const data = image.data
    if (paper) {
      const [red, green, blue] = paper
      new Uint32Array(data.buffer).fill((255 << 24) | (blue << 16) | (green << 8) | red)
    }
    const [a, b] = [plan.a * ratio, plan.b * ratio]
    const [e, f] = [plan.e * ratio - plan.left * a, plan.f * ratio + plan.top * b]
    const usual = count > 20000 ? 1.15 : count > 6000 ? 1.6 : 2.1
    const closer = Math.min(1.5, 0.25 * Math.log2(this.view.zoom))
    for (const { color, alpha, wanted, grow = 0 } of passes) {
      const r = (usual + closer + grow) * ratio
      const reach = Math.ceil(r)
      const [dxs, dys, weights] = [[], [], []]
      for (let dy = -reach; dy <= reach; dy++) {
        for (let dx = -reach; dx <= reach; dx++) {
          const cover = Math.max(0, Math.min(1, r + 0.5 - Math.hypot(dx, dy)))
          if (!cover) continue
          dxs.push(dx)
          dys.push(dy)
          weights.push(cover * alpha)
        }
      }
      for (let i = 0; i < count; i++) {
        const x = Math.round(places[2 * i] * a + e)
        const y = Math.round(f - places[2 * i + 1] * b)
        if (x < -reach || y < -reach || x >= width + reach || y >= height + reach) continue
        if (!wanted(i)) continue
        const [red, green, blue] = color(i)
        for (let j = 0; j < weights.length; j++) {
          const px = x + dxs[j]
          const py = y + dys[j]
          if (px < 0 || py < 0 || px >= width || py >= height) continue
          const at = 4 * (py * width + px)
          const weight = weights[j]
          if (paper) {
            data[at] += (red - data[at]) * weight
            data[at + 1] += (green - data[at + 1]) * weight
            data[at + 2] += (blue - data[at + 2]) * weight
          } else {
            data[at] = red
            data[at + 1] = green
            data[at + 2] = blue
            data[at + 3] = Math.max(data[at + 3], 255 * weight)
          }
        }
      }
    }
    context.putImageData(image, 0, 0)
  }

  map() {
    const { canvas, context } = this
    const ratio = (this.ratio = Math.min(2, devicePixelRatio || 1))
    const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round)
    if (!width || !height) return
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    if (!this.view.own) this.goHome()
    const { show } = this.shared
    const { at, from, t } = this.state
    const moving = t < 1
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.globalAlpha = 1
    context.drawImage(this.ground(moving ? "from" : "rest", moving ? from : at), 0, 0)
    if (moving) {
      context.globalAlpha = eased(t)
      context.drawImage(this.ground("to", at), 0, 0)
      context.globalAlpha = Math.sin(Math.PI * t)
      context.drawImage(this.flash(), 0, 0)
      context.globalAlpha = 1
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    const part = eased(t)
    const places = this.own.steps[at].centers.map((center, c) =>
      center.map((value, i) => mix(this.own.steps[from].centers[c][i], value, part)))
    if (show.borders) this.borders(places)
    this.trails(places)
    this.atoms(part)
    this.centers(places)
    context.globalAlpha = 0.8
    context.fillStyle = show.inks.ink
    context.font = `600 12px ${this.small}`
    context.textAlign = "right"
    context.fillText(`${show.axes[0]} →`, canvas.clientWidth - 6, canvas.clientHeight - 6)
    context.textAlign = "left"
    context.fillText(`↑ ${show.axes[1]}`, 6, 15)
    context.globalAlpha = 1
    const { changed } = this.own.steps[at]
    const who = show.n === 1 ? "point" : "points"
    const said = `${show.labels[at]}. ${changed.toLocaleString("en")} of ${show.n.toLocaleString("en")} `
      + `${who} changed cluster. ${show.alt.map}`
    if (this.canvas.getAttribute("aria-label") !== said) this.canvas.setAttribute("aria-label", said)
  }

  borders(places) {
    const { context } = this
    const { clusters, inks } = this.shared.show
    const { X, Y, width, height, a, b, left, top, e, f } = this.plan()
    const corner = (x, y) => [(x - e) / a + left, top - (y - f) / b]
    const box = [corner(0, 0), corner(width, 0), corner(width, height), corner(0, height)]
    places.forEach((own, c) => {
      const cell = places.reduce((kept, rival, j) => (j === c ? kept : nearer(kept, own, rival)), box)
      context.beginPath()
      cell.forEach(([x, y]) => context.lineTo(X(x), Y(y)))
      context.closePath()
      context.globalAlpha = 0.13
      context.fillStyle = clusters[c].color
      context.fill()
      context.globalAlpha = 1
      context.strokeStyle = inks.ink
      context.lineWidth = 2
      context.stroke()
    })
  }

  trails(places) {
    const { context } = this
    const { inks } = this.shared.show
    const { at } = this.state
    const { X, Y } = this.plan()
    const { steps } = this.own
    places.forEach((now, c) => {
      const way = steps.slice(0, at).map(step => step.centers[c])
      way.push(now)
      const [x, y] = [X(way[0][0]), Y(way[0][1])]
      if (Math.hypot(X(now[0]) - x, Y(now[1]) - y) < 6) return
      for (const [color, thick] of [[this.paper, 6], [inks.ink, 2.5]]) {
        context.beginPath()
        way.forEach(([px, py]) => context.lineTo(X(px), Y(py)))
        context.strokeStyle = color
        context.lineWidth = thick
        context.lineJoin = "round"
        context.stroke()
      }
      context.beginPath()
      context.arc(x, y, 6, 0, 2 * Math.PI)
      context.fillStyle = inks.vanilla
      context.fill()
      context.strokeStyle = this.paper
      context.lineWidth = 2
      context.stroke()
    })
  }

  // Atoms of V with how many copies are drawn of each right now.
  *copies(part) {
    const { steps, people } = this.own
    const { at, from } = this.state
    const old = new Map(steps[from].atoms)
    const now = new Map(steps[at].atoms)
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const count = mix(old.get(name) ?? 0, now.get(name) ?? 0, part)
      if (count > 0.02 && people[name]) yield [name, people[name], count, now.get(name) ?? 0]
    }
  }

  radius(count) {
    return this.shared.show.copies ? 3 + 2 * Math.sqrt(count) : Math.min(6 + 3 * Math.sqrt(count), 24)
  }

  atoms(part) {
    const { context } = this
    const { inks, copies } = this.shared.show
    const { X, Y, width, height } = this.plan()
    const chosen = this.state.chosen
    const all = [...this.copies(part)]
    for (const [name, person, count] of all) {
      const [x, y] = [X(person.at[0]), Y(person.at[1])]
      const r = this.radius(count)
      if (copies) {
        for (const [color, thick] of [[this.paper, 4.6], [inks.antidote, 2.6]]) {
          context.beginPath()
          context.arc(x, y, r, 0, 2 * Math.PI)
          context.strokeStyle = color
          context.lineWidth = thick
          context.stroke()
        }
      } else {
        star(context, x, y, r)
        context.fillStyle = inks.antidote
        context.fill()
        context.strokeStyle = inks.ink
        context.lineWidth = 1.4
        context.stroke()
      }
      if (name === chosen) {
        context.beginPath()
        context.arc(x, y, r + 4, 0, 2 * Math.PI)
        context.strokeStyle = inks.ink
        context.lineWidth = 2.5
        context.stroke()
      }
    }
    context.font = `700 13px ${this.small}`
    context.lineJoin = "round"
    const taken = []
    const large = all.filter(one => one[3] > 1).sort((p, q) => q[3] - p[3] || p[0] - q[0])
    for (const [, person, count, whole] of large) {
      if (taken.length >= LABELS) break
      const r = this.radius(count)
      const text = `×${whole}`
      const [cx, cy] = [X(person.at[0]), Y(person.at[1])]
      if (cx < 0 || cy < 0 || cx > width || cy > height) continue
      const x = cx > width - 40 ? cx - r - 26 : cx + r + 2
      const y = Math.max(14, cy - r + 4)
      if (taken.some(([a, b]) => Math.abs(a - x) < 34 && Math.abs(b - y) < 18)) continue
      taken.push([x, y])
      context.strokeStyle = this.paper
      context.lineWidth = 4
      context.strokeText(text, x, y)
      context.fillStyle = inks.ink
      context.fillText(text, x, y)
    }
  }

  centers(places) {
    const { context } = this
    const { inks } = this.shared.show
    const { X, Y } = this.plan()
    places.forEach((place, c) => {
      const [x, y] = [X(place[0]), Y(place[1])]
      for (const [color, thick] of [[this.paper, 8], [inks.ink, 4.2]]) {
        context.beginPath()
        context.moveTo(x - 7, y - 7)
        context.lineTo(x + 7, y + 7)
        context.moveTo(x - 7, y + 7)
        context.lineTo(x + 7, y - 7)
        context.strokeStyle = color
        context.lineWidth = thick
        context.lineCap = "round"
        context.stroke()
      }
      context.lineCap = "butt"
      context.font = `700 18px ${this.small}`
      context.strokeStyle = this.paper
      context.lineWidth = 5
      context.lineJoin = "round"
      context.strokeText(String(c + 1), x + 11, y + 18)
      context.fillStyle = inks.ink
      context.fillText(String(c + 1), x + 11, y + 18)
    })
  }

  legend() {
    const { color, groups, clusters, inks, copies } = this.shared.show
    const marks = { group: groups, cluster: clusters, changed: [] }[color]
    const list = this.find(".legend")
    list.replaceChildren()
    const item = (name, inside) => {
      const line = tag(list, "li")
      const picture = make(line, "svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" })
      inside(picture)
      line.append(name)
    }
    const dot = (fill, more) => picture => make(picture, "circle", { r: 5, fill, ...more })
    item(copies ? "copied person" : "antidote point", picture => {
      if (copies) make(picture, "circle", { r: 5.5, fill: "none", stroke: inks.antidote, "stroke-width": 3 })
      else make(picture, "polygon", { fill: inks.antidote, stroke: inks.ink, points: Array.from({ length: 10 },
        (_, i) => [Math.sin((i * Math.PI) / 5), -Math.cos((i * Math.PI) / 5)].map(v =>
          v * (i % 2 ? 3.4 : 7.5)).join(",")).join(" ") })
    })
    item("centre", picture => make(picture, "path", { d: "M-5,-5L5,5M-5,5L5,-5", stroke: inks.ink,
      "stroke-width": 3 }))
    for (const mark of marks) item(mark.name, dot(mark.color))
    item("changed cluster", color === "changed" ? dot(inks.moved)
      : dot("none", { r: 4, stroke: inks.ink, "stroke-width": 2, fill: inks.pale }))
  }

  // -- pointing -----------------------------------------------------------------------------------

  // What lies under a place of the canvas: an atom of V first, else the nearest drawn point.
  under(x, y) {
    const { X, Y, a, b, left, top, e, f } = this.plan()
    let best = null
    let reach = Infinity
    for (const [name, person, , whole] of this.copies(1)) {
      const far = Math.hypot(X(person.at[0]) - x, Y(person.at[1]) - y)
      if (whole && far < Math.max(NEAR, this.radius(whole) + 4) && far < reach) {
        reach = far
        best = { name, person, whole }
      }
    }
    if (best) return best
    const { places, count } = this.own.points
    reach = (0.6 * NEAR) ** 2
    for (let i = 0; i < count; i++) {
      const far = ((places[2 * i] - left) * a + e - x) ** 2
        + ((top - places[2 * i + 1]) * b + f - y) ** 2
      if (far < reach) {
        reach = far
        best = { point: i }
      }
    }
    return best
  }

  // A drawn point of U in words.
  said(i) {
    const { groups } = this.shared.show
    const { points, steps } = this.own
    const { labels } = labelsAt(points, steps[this.state.at])
    const old = points.labels[i]
    const now = labels[i]
    const where = old === now ? `cluster ${now + 1}` : `cluster ${old + 1} → ${now + 1}`
    return `${groups[points.groups[i]].name} · ${where}`
  }

  point(x, y) {
    const tip = this.find(".tip")
    const found = this.own && this.under(x, y)
    this.canvas.classList.toggle("over", Boolean(found?.person))
    tip.hidden = !found
    if (!found) return
    if (found.person) {
      const { group } = found.person
      tip.textContent = `${group ? `${group}, ` : ""}${found.whole} ${found.whole === 1 ? "copy" : "copies"}`
    } else tip.textContent = this.said(found.point)
    const { clientWidth, clientHeight } = this.canvas
    tip.style.left = `${Math.max(0, Math.min(x + 12, clientWidth - tip.offsetWidth - 4))}px`
    tip.style.top = `${Math.max(0, Math.min(y + 14, clientHeight - tip.offsetHeight - 4))}px`
  }

  click(x, y) {
    const found = this.under(x, y)
    this.state.chosen = found?.person ? found.name : null
    const panel = this.find(".panel")
    panel.hidden = !found
    if (found) {
      panel.replaceChildren()
      const side = x > this.canvas.clientWidth / 2 // away from what was clicked
      panel.style.left = side ? "6px" : "auto"
      panel.style.right = side ? "auto" : "6px"
      tag(panel, "button", "×").onclick = () => this.close()
      panel.querySelector("button").setAttribute("aria-label", "Close")
      if (found.person) this.tell(panel, found)
      else tag(panel, "h4", this.said(found.point))
    }
    this.find(".tip").hidden = true
    this.draw()
  }

  close() {
    this.find(".panel").hidden = true
    this.state.chosen = null
    this.draw()
  }

  tell(panel, { person, whole }) {
    const { columns, hidden } = this.own
    const times = `${whole} ${whole === 1 ? "copy" : "copies"}`
    const real = person.row >= 0
    tag(panel, "h4", real ? `Row ${person.row.toLocaleString("en")} · ${person.group} · ${times}`
      : `Antidote point · ${times}`)
    const table = tag(panel, "table")
    const head = tag(table, "tr")
    tag(head, "th", "in original units")
    tag(head, "th", real ? "this row" : "this point")
    person.near.forEach((_, i) => tag(head, "th", i ? `${i + 1}.` : "nearest"))
    const line = (name, own, others) => {
      const row = tag(table, "tr")
      tag(row, "th", name)
      tag(row, "td", own, "own")
      for (const value of others) tag(row, "td", value)
    }
    columns.forEach((name, i) => line(name, person.values[i], person.near.map(one => one.values[i])))
    line("group", person.group || "none", person.near.map(one => one.group))
    line("distance", "0", person.near.map(one => one.distance))
    if (hidden) tag(panel, "p", `and ${hidden} more columns`)
  }

  zoom(factor, x, y) {
    const { width, height } = this.plan()
    const view = this.view
    const zoom = Math.max(1, Math.min(MOST_ZOOM, view.zoom * factor))
    view.x += (x / width) * (1 / view.zoom - 1 / zoom)
    view.y += (y / height) * (1 / view.zoom - 1 / zoom)
    view.zoom = zoom
    this.pan(0, 0)
  }

  pan(dx, dy) {
    const { width, height } = this.plan()
    const view = this.view
    const room = 1 - 1 / view.zoom
    const within = v => Math.max(-0.1, Math.min(room + 0.1, v))
    view.x = view.zoom === 1 ? 0 : within(view.x - dx / (width * view.zoom))
    view.y = view.zoom === 1 ? 0 : within(view.y - dy / (height * view.zoom))
    view.own = true
    this.canvas.classList.toggle("zoomed", view.zoom > 1)
    this.root.dataset.zoom = view.zoom.toFixed(3)
    this.draw()
  }

  // Back to the usual view, or from there to the whole map.
  reset() {
    const whole = !this.view.own && this.view.zoom > 1
    Object.assign(this.view, { zoom: 1, x: 0, y: 0, own: whole })
    this.draw()
  }

  bind() {
    const { canvas } = this
    const place = event => {
      const box = canvas.getBoundingClientRect()
      return [event.clientX - box.left, event.clientY - box.top]
    }
    const held = new Map()
    let moved = 0
    canvas.onwheel = event => {
      if (!this.own) return
      event.preventDefault()
      this.zoom(2 ** (-event.deltaY / 300), ...place(event))
    }
    canvas.onpointerdown = event => {
      held.set(event.pointerId, place(event))
      moved = 0
      canvas.setPointerCapture(event.pointerId)
    }
    canvas.onpointermove = event => {
      if (!this.own) return
      const [x, y] = place(event)
      const last = held.get(event.pointerId)
      if (!last) return this.point(x, y)
      const others = [...held].filter(([id]) => id !== event.pointerId).map(([, at]) => at)
      held.set(event.pointerId, [x, y])
      moved += Math.hypot(x - last[0], y - last[1])
      if (others.length) {
        const [ox, oy] = others[0]
        const ratio = Math.hypot(x - ox, y - oy) / (Math.hypot(last[0] - ox, last[1] - oy) || 1)
        this.zoom(ratio, (x + ox) / 2, (y + oy) / 2)
      } else if (moved > 4) {
        canvas.classList.add("grabbing")
        this.find(".tip").hidden = true
        this.pan(x - last[0], y - last[1])
      }
    }
    canvas.onpointerup = canvas.onpointercancel = event => {
      const single = held.size === 1
      held.delete(event.pointerId)
      canvas.classList.remove("grabbing")
      if (event.type === "pointerup" && single && moved <= 4 && this.own) this.click(...place(event))
    }
    canvas.onpointerleave = () => { this.find(".tip").hidden = true }
    canvas.ondblclick = () => { this.close(); this.reset() }
    this.find(".play").onclick = () => this.toggle()
    this.find(".back").onclick = () => this.choose(this.state.at - 1)
    this.find(".next").onclick = () => this.choose(this.state.at + 1)
    this.find("input").oninput = event => this.choose(Number(event.target.value))
    this.find("select").onchange = event => { this.state.speed = Number(event.target.value) }
    this.root.onkeydown = event => {
      if (!this.own || event.ctrlKey || event.metaKey || event.altKey) return
      const control = event.target.closest("button, input, select")
      const [x, y] = [canvas.clientWidth / 2, canvas.clientHeight / 2]
      const keys = {
        " ": () => this.toggle(),
        ArrowLeft: () => this.choose(this.state.at - 1),
        ArrowRight: () => this.choose(this.state.at + 1),
        Home: () => this.choose(0),
        End: () => this.choose(this.last),
        Escape: () => this.close(),
        "+": () => this.zoom(1.4, x, y),
        "-": () => this.zoom(1 / 1.4, x, y),
        0: () => this.reset(),
      }
      const act = keys[event.key]
      const own = control?.tagName === "BUTTON" ? event.key === " " : Boolean(control) && event.key !== "Escape"
      if (!act || own) return
      event.preventDefault()
      act()
    }
    this.watch = new ResizeObserver(() => { this.layers = {}; this.draw() })
    this.watch.observe(canvas)
    this.watch.observe(this.find(".curve > svg"))
  }
}

export default function ({ data, parentElement }) {
  const shared = (window.antidoteStage ??= { runs: new Map(), listeners: new Set() })
  const root = parentElement.querySelector(".stage")
  const stage = new Stage(root, data.run)
  const hear = run => { if (run === data.run) stage.arrived() }
  shared.listeners.add(hear)
  stage.arrived()
  return () => {
    shared.listeners.delete(hear)
    stage.watch.disconnect()
  }
}
