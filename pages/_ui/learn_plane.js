// Draws a scene of antidote_core.teaching.plane_scene, and says where somebody clicked.
const WIDTH = 1000
const EDGE = 16 // room for marks that lie on the frame
const TALLEST = 54 // percent of the window's height
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

// A mark of radius r around (0, 0).
const mark = (parent, symbol, r, style) => {
  if (symbol === "circle" || symbol === "ring") return draw(parent, "circle", { r, ...style })
  if (symbol === "diamond") {
    const d = 1.25 * r
    return draw(parent, "polygon", { points: `0,${-d} ${d},0 0,${d} ${-d},0`, ...style })
  }
  if (symbol === "star") return draw(parent, "polygon", { points: star(r), ...style })
  const { fill, ...rest } = style
  if (symbol === "x") {
    return draw(parent, "path", { d: `M${-r},${-r}L${r},${r}M${-r},${r}L${r},${-r}`, ...rest })
  }
  return draw(parent, "path", { d: `M${-r},0L${r},0`, "stroke-dasharray": "5 4", ...rest })
}

const plane = (svg, scene) => {
  const [left, bottom, right, top] = scene.frame
  const unit = WIDTH / (right - left)
  const height = (top - bottom) * unit
  svg.setAttribute("viewBox", `${-EDGE} ${-EDGE} ${WIDTH + 2 * EDGE} ${height + 2 * EDGE}`)
  svg.style.width = `min(100%, ${(TALLEST * WIDTH) / height}vh)`
  // Marks keep their size on the screen whatever the width of the page.
  const dot = 1 / Math.max(svg.getScreenCTM()?.a || 1, 0.2)
  const X = x => (x - left) * unit
  const Y = y => (top - y) * unit
  svg.replaceChildren()
  const lines = (list, style) => {
    const d = list.map(([a, b]) => `M${X(a[0])},${Y(a[1])}L${X(b[0])},${Y(b[1])}`).join("")
    if (d) draw(svg, "path", { d, fill: "none", ...style })
  }
  const at = ([x, y]) => draw(svg, "g", { transform: `translate(${X(x)} ${Y(y)})` })
  for (const { corners, color } of scene.cells) {
    const points = corners.map(([x, y]) => `${X(x)},${Y(y)}`).join(" ")
    draw(svg, "polygon", { points, fill: color, "fill-opacity": 0.17 })
  }
  lines(scene.spokes, { stroke: scene.grey, "stroke-width": 0.8 * dot, "stroke-opacity": 0.6 })
  const size = (scene.points.reduce((n, p) => n + p.at.length, 0) > 300 ? 3.2 : 4.2) * dot
  for (const { at: places, color, symbol, moved } of scene.points) {
    const changed = new Set(moved)
    places.forEach((place, i) => {
      const style = changed.has(i)
        ? { fill: color, stroke: scene.ink, "stroke-width": 2.4 * dot }
        : { fill: color, stroke: scene.ink, "stroke-width": 0.4 * dot, "fill-opacity": 0.9 }
      mark(at(place), symbol, size, style)
    })
  }
  lines(scene.old, { stroke: scene.grey, "stroke-width": 2 * dot, "stroke-dasharray": `${7 * dot} ${6 * dot}` })
  lines(scene.border, { stroke: scene.ink, "stroke-width": 3 * dot })
  scene.before.forEach((old, c) => {
    lines([[old, scene.centers[c]]], { stroke: scene.grey, "stroke-width": 2.5 * dot })
    mark(at(old), "x", 6 * dot, { stroke: scene.grey, "stroke-width": 4 * dot })
  })
  scene.centers.forEach((center, c) => {
    const place = at(center)
    mark(place, "x", 8 * dot, { stroke: scene.paper, "stroke-width": 7 * dot })
    mark(place, "x", 8 * dot, { stroke: scene.ink, "stroke-width": 4 * dot })
    draw(place, "text", {
      x: 12 * dot, y: 22 * dot, "font-size": 20 * dot, "font-weight": 700, fill: scene.ink,
      stroke: scene.paper, "stroke-width": 3 * dot, "paint-order": "stroke",
    }, String(c + 1))
  })
  for (const [kind, list] of [["rival", scene.rival], ["antidote", scene.antidote]]) {
    for (const { at: where, copies, color } of list) {
      const place = at(where)
      place.setAttribute("class", kind)
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
  const { scene, alt, playable, heard } = data
  scene.paper = getComputedStyle(root).getPropertyValue("--st-background-color")
  const redraw = () => plane(svg, scene)
  redraw()
  legend(root.querySelector("ul"), scene)
  svg.setAttribute("aria-label", alt)
  root.dataset.drawn = String(Number(root.dataset.drawn || 0) + 1)
  let shown = svg.clientWidth
  const watch = new ResizeObserver(() => {
    if (svg.clientWidth !== shown) {
      shown = svg.clientWidth
      redraw()
    }
  })
  watch.observe(svg)
  if (!playable) return () => watch.disconnect()

  // Clicks are sent until the server has heard them, so that quick ones are not lost.
  root.pending = (root.pending || []).filter(click => click.at > heard)
  const [left, bottom, right, top] = scene.frame
  const unit = WIDTH / (right - left)
  const place = (x, y) => {
    const last = root.pending.at(-1)
    root.pending.push({ x, y, at: Math.max(Date.now(), last ? last.at + 1 : 0, heard + 1) })
    setTriggerValue("placed", root.pending)
    const coming = draw(svg, "g", { transform: `translate(${(x - left) * unit} ${(top - y) * unit})` })
    mark(coming, "star", 11, { fill: scene.grey, opacity: 0.6 })
  }
  svg.setAttribute("tabindex", "0")
  svg.style.cursor = "crosshair"
  svg.onclick = event => {
    const seen = new DOMPoint(event.clientX, event.clientY)
    const { x, y } = seen.matrixTransform(svg.getScreenCTM().inverse())
    place(left + x / unit, top - y / unit)
  }
  const aim = root.aim || (root.aim = { x: (left + right) / 2, y: (bottom + top) / 2, on: false })
  const cross = () => {
    svg.querySelector(".aim")?.remove()
    if (!aim.on) return
    const [x, y] = [(aim.x - left) * unit, (top - aim.y) * unit]
    const d = `M${x - 24},${y}L${x + 24},${y}M${x},${y - 24}L${x},${y + 24}`
    draw(svg, "path", { class: "aim", d, stroke: scene.aim, "stroke-width": 3 })
  }
  cross()
  svg.onblur = () => { aim.on = false; cross() }
  svg.onkeydown = event => {
    const step = (right - left) / (event.shiftKey ? 10 : 50)
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }
    const move = moves[event.key]
    if (move) {
      aim.on = true
      aim.x = Math.min(right, Math.max(left, aim.x + move[0] * step))
      aim.y = Math.min(top, Math.max(bottom, aim.y + move[1] * step))
      cross()
    } else if (event.key === "Enter" && aim.on) place(aim.x, aim.y)
    else return
    event.preventDefault()
  }
  return () => watch.disconnect()
}
