// Draws a scene of antidote_core.teaching.plane_scene, lets its border swing to that of the next,
// plays a film of such scenes, and says what somebody clicked or dragged.
const WIDTH = 1000
const EDGE = 16 // room for marks that lie on the frame
const TALLEST = "max(240px, 100vh - 415px)" // leaves room on the screen for what stands around it
const SWING = 450 // milliseconds
const BEAT = 650 // between two scenes of a film
const NEAR = 40 // pixels from the cross to what it takes up
const SVG = "http://www.w3.org/2000/svg"

const draw = (parent, kind, attributes, text) => {
  const made = document.createElementNS(SVG, kind)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  if (text !== undefined) made.textContent = text
  parent.append(made)
  return made
}

const star = r => Array.from({ length: 10 }, (_, i) => {
  const turn = (i * Math.PI) / 5 - Math.PI / 2
  const reach = i % 2 ? 0.45 * r : r
  return `${reach * Math.cos(turn)},${reach * Math.sin(turn)}`
}).join(" ")

// Corners of the other marks, and the direction of the first one in degrees.
const CORNERS = {
  diamond: [4, -90], square: [4, -45], pentagon: [5, -90], hexagon: [6, -90], octagon: [8, -67.5],
  "triangle-up": [3, -90], "triangle-down": [3, 90], "triangle-left": [3, 180],
  "triangle-right": [3, 0],
}

const corners = ([count, first], r) => Array.from({ length: count }, (_, i) => {
  const turn = (first / 180 + (2 * i) / count) * Math.PI
  return `${r * Math.cos(turn)},${r * Math.sin(turn)}`
}).join(" ")

// A mark of radius r around (0, 0).
const mark = (parent, symbol, r, style) => {
  if (symbol === "circle" || symbol === "ring") return draw(parent, "circle", { r, ...style })
  if (symbol in CORNERS) {
    return draw(parent, "polygon", { points: corners(CORNERS[symbol], 1.25 * r), ...style })
  }
  if (symbol === "star") return draw(parent, "polygon", { points: star(r), ...style })
  const { fill, ...rest } = style
  if (symbol === "x") {
    return draw(parent, "path", { d: `M${-r},${-r}L${r},${r}M${-r},${r}L${r},${-r}`, ...rest })
  }
  return draw(parent, "path", { d: `M${-r},0L${r},0`, "stroke-dasharray": "5 4", ...rest })
}

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches

// The part of the frame that is nearest to each centre: corners, and to which cluster the edge that
// begins at a corner is the border (-1: to none).
const cells = (centers, [left, bottom, right, top]) => centers.map((own, c) => {
  let cell = [[left, bottom], [right, bottom], [right, top], [left, top]]
    .map(at => ({ at, border: -1 }))
  centers.forEach((other, o) => {
    const [dx, dy] = [other[0] - own[0], other[1] - own[1]]
    if (o === c || (dx === 0 && dy === 0)) return
    const half = (dx * (own[0] + other[0]) + dy * (own[1] + other[1])) / 2
    const beyond = ({ at }) => dx * at[0] + dy * at[1] - half
    cell = cell.flatMap((here, i) => {
      const next = cell[(i + 1) % cell.length]
      const [a, b] = [beyond(here), beyond(next)]
      const kept = a <= 0 ? [here] : []
      if (a <= 0 === b <= 0) return kept
      const part = a / (a - b)
      const at = [0, 1].map(k => here.at[k] + part * (next.at[k] - here.at[k]))
      return [...kept, { at, border: a <= 0 ? o : here.border }]
    })
  })
  return cell
})

// Every border once: two clusters share it.
const borders = (centers, frame) => cells(centers, frame).flatMap((cell, c) => cell
  .map(({ at, border }, i) => border > c && [at, cell[(i + 1) % cell.length].at]).filter(Boolean))

// A drawing of the scene; `swing` draws again what hangs on the centres.
const plane = (svg, scene) => {
  const [left, bottom, right, top] = scene.frame
  const unit = WIDTH / (right - left)
  const height = (top - bottom) * unit
  svg.setAttribute("viewBox", `${-EDGE} ${-EDGE} ${WIDTH + 2 * EDGE} ${height + 2 * EDGE}`)
  svg.style.width = `min(100%, ${WIDTH / height} * ${TALLEST})`
  // Marks keep their size on the screen whatever the width of the page.
  const dot = 1 / Math.max(svg.getScreenCTM()?.a || 1, 0.2)
  const X = x => (x - left) * unit
  const Y = y => (top - y) * unit
  svg.replaceChildren()
  const [ground, people, front, stars] = Array.from({ length: 4 }, () => draw(svg, "g", {}))
  const lines = (parent, list, style) => {
    const d = list.map(([a, b]) => `M${X(a[0])},${Y(a[1])}L${X(b[0])},${Y(b[1])}`).join("")
    if (d) draw(parent, "path", { d, fill: "none", ...style })
  }
  const at = (parent, [x, y]) => draw(parent, "g", { transform: `translate(${X(x)} ${Y(y)})` })
  const cross = (place, r, color) => {
    mark(place, "x", r, { stroke: scene.paper, "stroke-width": 7 * dot })
    mark(place, "x", r, { stroke: color, "stroke-width": 4 * dot })
  }
  lines(people, scene.spokes, { stroke: scene.grey, "stroke-width": 0.8 * dot, "stroke-opacity": 0.6 })
  const size = (scene.points.reduce((n, p) => n + p.at.length, 0) > 300 ? 3.2 : 4.2) * dot
  scene.points.forEach(({ at: places, color, symbol }, code) => {
    const changed = new Set(scene.moved[code])
    places.forEach((place, i) => {
      const style = changed.has(i)
        ? { fill: color, stroke: scene.ink, "stroke-width": 2.4 * dot }
        : { fill: color, stroke: scene.ink, "stroke-width": 0.4 * dot, "fill-opacity": 0.9 }
      mark(at(people, place), symbol, size, style)
    })
  })
  const old = scene.before.length ? borders(scene.before, scene.frame) : []
  const swing = centers => {
    ground.replaceChildren()
    front.replaceChildren()
    cells(centers, scene.frame).forEach((cell, c) => draw(ground, "polygon", {
      points: cell.map(corner => `${X(corner.at[0])},${Y(corner.at[1])}`).join(" "),
      fill: scene.colors[c], "fill-opacity": 0.17,
    }))
    const dashes = `${7 * dot} ${6 * dot}`
    lines(front, old, { stroke: scene.grey, "stroke-width": 2 * dot, "stroke-dasharray": dashes })
    if (scene.rival) {
      const { centers: theirs, color } = scene.rival
      lines(front, borders(theirs, scene.frame), {
        class: "rival-border", stroke: color, "stroke-width": 3 * dot, "stroke-dasharray": dashes,
      })
      theirs.forEach(center => cross(at(front, center), 7 * dot, color))
    }
    lines(front, borders(centers, scene.frame), {
      class: "border", stroke: scene.ink, "stroke-width": 3 * dot,
    })
    scene.before.forEach((place, c) => {
      lines(front, [[place, centers[c]]], { stroke: scene.grey, "stroke-width": 2.5 * dot })
      mark(at(front, place), "x", 6 * dot, { stroke: scene.grey, "stroke-width": 4 * dot })
    })
    centers.forEach((center, c) => {
      const place = at(front, center)
      place.setAttribute("class", "centre")
      place.dataset.centre = c
      draw(place, "circle", { r: 14 * dot, fill: "transparent" }) // room to take hold of it
      cross(place, 8 * dot, scene.ink)
      draw(place, "text", {
        x: 12 * dot, y: 22 * dot, "font-size": 20 * dot, "font-weight": 700, fill: scene.ink,
        stroke: scene.paper, "stroke-width": 3 * dot, "paint-order": "stroke",
      }, String(c + 1))
    })
  }
  for (const [kind, list] of [["rival", scene.rival?.stars || []], ["antidote", scene.antidote]]) {
    for (const { at: where, copies, color } of list) {
      const place = at(stars, where)
      place.setAttribute("class", kind)
      place.dataset.place = where.join()
      mark(place, "star", 11 * dot, { fill: color, stroke: scene.ink, "stroke-width": 1.2 * dot })
      if (copies > 1) {
        const end = X(where[0]) > WIDTH - 40 * dot
        draw(place, "text", {
          x: (end ? -12 : 12) * dot, y: (Y(where[1]) < 20 * dot ? 16 : -6) * dot,
          "text-anchor": end ? "end" : "start", "font-size": 15 * dot, "font-weight": 700,
          fill: scene.ink, stroke: scene.paper, "stroke-width": 3 * dot, "paint-order": "stroke",
        }, `×${copies}`)
      }
    }
  }
  return { swing, dot, X, Y }
}

// Draws scenes one after the other; the border goes from where it was to where it is.
const stage = (root, svg) => {
  let drawn = null
  const swung = centers => {
    root.centers = centers
    drawn.swing(centers)
  }
  const show = scene => {
    cancelAnimationFrame(root.turning)
    const from = root.centers
    drawn = plane(svg, scene)
    const frame = scene.frame.join()
    const same = from?.length === scene.centers.length && root.frame === frame
    root.frame = frame
    if (!same || still() || document.hidden) return swung(scene.centers)
    swung(from)
    const begun = performance.now()
    const turn = now => {
      const part = Math.min(1, Math.max(0, (now - begun) / SWING))
      const ease = part * part * (3 - 2 * part)
      swung(scene.centers.map((to, c) => to.map((x, k) => from[c][k] + ease * (x - from[c][k]))))
      if (part < 1) root.turning = requestAnimationFrame(turn)
    }
    root.turning = requestAnimationFrame(turn)
  }
  return { show, swing: swung, scale: () => drawn }
}

// The film: one scene after the other, with a bar to play, stop and turn it.
const player = (root, scene, film, view) => {
  const part = name => root.querySelector(name)
  part(".film").hidden = false
  const [button, bar] = [part("button"), part("input")]
  let timer = null
  bar.max = film.length - 1
  const show = step => {
    root.step = step
    root.dataset.step = step
    view.show({ ...scene, ...film[step] })
    bar.value = step
    bar.setAttribute("aria-valuetext", film[step].words)
    part(".title").textContent = film[step].title
    part(".words").textContent = film[step].words
    part(".beside").innerHTML = film[step].mix
  }
  const stop = () => {
    clearInterval(timer)
    timer = null
    button.textContent = root.step === film.length - 1 ? "↺ Play again" : "▶ Play"
  }
  const play = () => {
    if (root.step === film.length - 1) show(0)
    button.textContent = "❚❚ Pause"
    timer = setInterval(() => {
      show(root.step + 1)
      if (root.step === film.length - 1) stop()
    }, BEAT)
  }
  button.onclick = () => timer ? stop() : play()
  bar.oninput = () => { show(Number(bar.value)); stop() }
  show(Math.min(root.step ?? 0, film.length - 1))
  stop()
  if (!still() && !root.played) play()
  root.played = true
  return () => clearInterval(timer)
}

const legend = (list, scene) => {
  list.replaceChildren(...scene.legend.map(({ symbol, color, name }) => {
    const item = document.createElement("li")
    const picture = draw(item, "svg", { viewBox: "-9 -9 18 18", "aria-hidden": "true" })
    const line = symbol === "x" || symbol === "dash"
    mark(picture, symbol, symbol === "star" ? 8 : 6, symbol === "ring"
      ? { fill: "none", stroke: color, "stroke-width": 2.5 }
      : { fill: color, stroke: line ? color : scene.ink, "stroke-width": line ? 3 : 0.6 })
    item.append(name)
    return item
  }))
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".plane")
  const svg = root.querySelector("svg.field")
  const { scene, alt, playable, heard, film } = data
  scene.paper = getComputedStyle(root).getPropertyValue("--st-background-color")
  const view = stage(root, svg)
  svg.setAttribute("aria-label", alt)
  legend(root.querySelector("ul"), scene)
  const end = film ? player(root, scene, film, view) : view.show(scene)
  root.dataset.drawn = String(Number(root.dataset.drawn || 0) + 1)
  let shown = svg.clientWidth
  const watch = new ResizeObserver(() => {
    if (svg.clientWidth !== shown) {
      shown = svg.clientWidth
      view.show(film ? { ...scene, ...film[root.step] } : scene)
    }
  })
  watch.observe(svg)
  const leave = () => {
    watch.disconnect()
    cancelAnimationFrame(root.turning)
    end?.()
  }
  if (playable) listen(root, svg, scene, heard, view, setTriggerValue)
  return leave
}

const listen = (root, svg, scene, heard, view, setTriggerValue) => {
  // What was done is sent until the server has heard it, so that quick clicks are not lost.
  root.pending = (root.pending || []).filter(done => done.at > heard)
  const [left, bottom, right, top] = scene.frame
  const unit = WIDTH / (right - left)
  const clamp = (x, low, high) => Math.min(high, Math.max(low, x))
  const tell = (x, y, what) => {
    const last = root.pending.at(-1)
    const at = Math.max(Date.now(), last ? last.at + 1 : 0, heard + 1)
    root.pending.push({ x: clamp(x, left, right), y: clamp(y, bottom, top), at, ...what })
    setTriggerValue("placed", root.pending)
  }
  const put = (x, y) => {
    tell(x, y)
    const coming = draw(svg, "g", { transform: `translate(${(x - left) * unit} ${(top - y) * unit})` })
    mark(coming, "star", 11, { fill: scene.grey, opacity: 0.6 })
  }
  const place = event => {
    const seen = new DOMPoint(event.clientX, event.clientY)
    const { x, y } = seen.matrixTransform(svg.getScreenCTM().inverse())
    return [left + x / unit, top - y / unit]
  }
  // What a mark is called where it goes: a point by its place, a centre by its number.
  const name = ({ dataset }) => dataset.centre === undefined
    ? { from: dataset.place.split(",").map(Number) } : { centre: Number(dataset.centre) }
  const carry = (held, [x, y]) => {
    if (held.centre !== undefined) {
      view.swing(root.centers.map((center, c) => c === held.centre ? [x, y] : center))
    } else {
      const { X, Y } = view.scale()
      svg.querySelector(`.antidote[data-place="${held.from.join()}"]`)
        ?.setAttribute("transform", `translate(${X(x)} ${Y(y)})`)
    }
  }
  let held = null
  let carried = false
  svg.setAttribute("tabindex", "0")
  svg.style.cursor = "crosshair"
  svg.onpointerdown = event => {
    const mark = event.target.closest(".antidote, .centre")
    carried = false
    if (!mark) return
    cancelAnimationFrame(root.turning)
    held = { ...name(mark), begun: [event.clientX, event.clientY] }
    svg.setPointerCapture(event.pointerId)
    event.preventDefault()
  }
  svg.onpointermove = event => {
    if (!held) return
    const way = Math.hypot(event.clientX - held.begun[0], event.clientY - held.begun[1])
    carried ||= way > 4
    if (carried) carry(held, place(event))
  }
  svg.onpointerup = event => {
    if (held && carried) {
      const { begun, ...what } = held
      tell(...place(event), what)
    }
    held = null
  }
  svg.onpointercancel = () => { held = null; view.show(scene) }
  svg.onclick = event => {
    if (!carried) put(...place(event))
    carried = false
  }
  const aim = root.aim || (root.aim = { x: (left + right) / 2, y: (bottom + top) / 2, on: false })
  const cross = () => {
    svg.querySelector(".aim")?.remove()
    if (!aim.on) return
    const [x, y] = [(aim.x - left) * unit, (top - aim.y) * unit]
    const d = `M${x - 24},${y}L${x + 24},${y}M${x},${y - 24}L${x},${y + 24}`
    draw(svg, "path", { class: "aim", d, stroke: scene.aim, "stroke-width": 3 })
    if (aim.held) carry(aim.held, [aim.x, aim.y])
  }
  const nearest = () => {
    const box = svg.querySelector(".aim").getBoundingClientRect()
    const far = mark => {
      const other = mark.querySelector("polygon, circle").getBoundingClientRect()
      return Math.hypot(box.x + box.width / 2 - other.x - other.width / 2,
        box.y + box.height / 2 - other.y - other.height / 2)
    }
    const marks = [...svg.querySelectorAll(".antidote, .centre")].sort((a, b) => far(a) - far(b))
    return marks.length && far(marks[0]) < NEAR ? name(marks[0]) : null
  }
  cross()
  svg.onblur = () => {
    if (aim.held) view.show(scene)
    Object.assign(aim, { on: false, held: null })
    cross()
  }
  svg.onkeydown = event => {
    const step = (right - left) / (event.shiftKey ? 10 : 50)
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }
    const move = moves[event.key]
    if (move) {
      aim.on = true
      aim.x = clamp(aim.x + move[0] * step, left, right)
      aim.y = clamp(aim.y + move[1] * step, bottom, top)
      cross()
    } else if (event.key === " " && aim.on) aim.held = nearest()
    else if (event.key === "Enter" && aim.held) {
      tell(aim.x, aim.y, aim.held)
      aim.held = null
    } else if (event.key === "Enter" && aim.on) put(aim.x, aim.y)
    else return
    event.preventDefault()
  }
}
