const deck = JSON.parse(document.getElementById('deck').textContent)
const place = document.getElementById('slides')
const bar = document.getElementById('bar')
const notes = document.getElementById('notes')
const framed = window.parent !== window
const still = matchMedia('(prefers-reduced-motion: reduce)')
const WAIT = 900 // milliseconds that a picture stays as it was before it changes
const LONG = 110 // letters of a title that need a smaller type

const add = (parent, kind, text, name) => {
  const made = document.createElement(kind)
  if (text !== undefined) made.textContent = text
  if (name) made.className = name
  parent.append(made)
  return made
}
const percent = share => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}\u00a0%`

// Every drawing gives back what shows its state: 0 is before, the last one after.
const drawings = {
  bars(body, chart) {
    if (chart.says) add(body, 'p', chart.says, 'says')
    const grid = add(body, 'div', undefined, 'bars')
    const rows = chart.rows.map(row => {
      const name = add(grid, 'div', row.label, 'name')
      if (row.sub) add(name, 'small', row.sub)
      const lane = add(grid, 'div', undefined, 'lane')
      const fill = add(lane, 'i')
      fill.style.background = row.color
      return { row, lane, fill, text: add(lane, 'b') }
    })
    return state => {
      for (const { row, lane, fill, text } of rows) {
        fill.style.width = `${80 * row.parts[state]}%`
        text.textContent = row.texts[state]
        lane.classList.toggle('decides', Boolean(row.decides?.[state]))
      }
    }
  },

  mosaic(body, chart) {
    const frame = add(body, 'div', undefined, 'mosaic')
    const columns = []
    const column = (parent, { name, sizes, texts, parts }) => {
      const own = add(parent, 'div', undefined, 'column')
      const head = add(own, 'div', name, 'head')
      const size = add(head, 'small')
      const stack = add(own, 'div', undefined, 'stack')
      columns.push({ own, size, sizes, texts, parts: parts.map(part => {
        const cell = add(stack, 'div', undefined, 'part')
        cell.style.background = part.color
        return { cell, part }
      }) })
    }
    const one = chart.columns[0].sizes.length
    const whole = chart.whole.map(part => ({ ...part, shares: Array(one).fill(part.shares[0]),
      decides: Array(one).fill(false) }))
    column(add(frame, 'div', undefined, 'whole'),
      { name: 'Everyone', sizes: Array(one).fill(1), texts: Array(one).fill('the fair share'), parts: whole })
    const clusters = add(frame, 'div', undefined, 'clusters')
    for (const each of chart.columns) column(clusters, each)
    const key = add(body, 'div', undefined, 'key')
    for (const { name, color } of chart.key) add(key, 'span', name).style.setProperty('--own', color)
    add(key, 'span', 'decides the cost', 'decides')
    return state => {
      for (const { own, size, sizes, texts, parts } of columns) {
        if (own.parentElement !== frame.firstChild) own.style.flexGrow = Math.max(sizes[state], 1e-4)
        size.textContent = texts[state]
        for (const { cell, part } of parts) {
          const share = part.shares[state]
          cell.style.flexGrow = share
          cell.classList.toggle('decides', part.decides[state])
          cell.textContent = share >= 0.06 && sizes[state] >= 0.08 ? percent(share) : ''
          cell.title = `${part.name}: ${percent(share)}`
        }
      }
    }
  },

  replay(body, chart) {
    const own = add(body, 'div', undefined, 'replay')
    own.append(document.getElementById('stage').content.cloneNode(true))
    const points = Uint8Array.from(atob(chart.points), letter => letter.charCodeAt(0))
    return state => {
      if (own.dataset.begun) return
      own.dataset.begun = 'yes' // the run plays when its slide is shown, not before
      handOver({ data: points })
      for (const parcel of chart.parcels) handOver({ data: parcel })
      playStage({ data: { run: 'deck' }, parentElement: own })
    }
  },

  plotly(body, chart) {
    const own = add(body, 'div', undefined, 'chart-place')
    return async () => {
      if (own.dataset.begun) return
      own.dataset.begun = 'yes'
      await plotlyLoaded
      Plotly.newPlot(own, chart.data, { ...chart.layout, template: undefined,
        height: Math.max(320, own.clientHeight) }, { responsive: true, displayModeBar: false })
    }
  },
}
const packed = document.getElementById('plotly')
const plotlyLoaded = packed ? unpack(packed) : null

const cover = () => {
  const own = add(place, 'section', undefined, 'slide cover')
  const body = add(own, 'div', undefined, 'body')
  if (deck.logo) Object.assign(add(body, 'img', undefined, 'logo'), { src: deck.logo, alt: '' })
  add(body, 'h1', deck.title)
  if (deck.name) add(body, 'p', deck.name)
  if (deck.made) add(body, 'p', deck.made)
  return { own, notes: [], states: 1, show: null }
}

const built = slide => {
  const own = add(place, 'section', undefined, `slide${slide.title.length > LONG ? ' long' : ''}`)
  if (deck.logo) Object.assign(add(own, 'img', undefined, 'logo'), { src: deck.logo, alt: '' })
  if (slide.caution) add(own, 'div', slide.caution, 'caution').setAttribute('role', 'note')
  add(own, 'h1', slide.title)
  const body = add(own, 'div', undefined, 'body')
  let show = null
  let states = 1
  let buttons = []
  if (slide.chart) {
    const { kind } = slide.chart
    states = (slide.chart.columns?.[0].sizes ?? slide.chart.rows?.[0]?.parts ?? [0]).length
    if (states > 1) {
      const choice = add(body, 'div', undefined, 'switch')
      buttons = ['Before', 'After'].map((word, i) => {
        const button = add(choice, 'button', word)
        button.type = 'button'
        button.onclick = () => set(i)
        return button
      })
    }
    const drawn = drawings[kind](body, slide.chart)
    if (kind !== 'replay') {
      body.setAttribute('role', 'group')
      body.setAttribute('aria-label', slide.alt)
    }
    show = state => {
      drawn(state)
      buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === state)))
    }
  }
  const set = state => { clearTimeout(waiting); show(state) }
  if (slide.numbers.length) {
    const row = add(body, 'div', undefined, 'numbers')
    for (const { value, label, beside } of slide.numbers) {
      const one = add(row, 'div', undefined, value.length > 9 ? 'wide' : '')
      add(one, 'b', value)
      add(one, 'span', label)
      if (beside) add(one, 'small', beside)
    }
  }
  if (slide.points.length) {
    const list = add(body, 'ul', undefined, 'points')
    for (const text of slide.points) add(list, 'li', text)
  }
  if (slide.note) add(own, 'p', slide.note, 'note')
  const foot = add(own, 'div', undefined, 'foot')
  add(foot, 'span', [deck.name, deck.title].filter(Boolean).join(' · '))
  add(foot, 'span', String(place.children.length), 'place')
  if (slide.notes.length) {
    const printed = add(own, 'div', undefined, 'own-notes')
    printed.hidden = true
    for (const text of slide.notes) add(printed, 'p', text)
  }
  return { own, notes: slide.notes, states, show }
}

let waiting = 0
const slides = [cover(), ...deck.slides.map(built)]
let at = -1

const go = index => {
  const next = Math.max(0, Math.min(slides.length - 1, index))
  if (next === at) return
  at = next
  clearTimeout(waiting)
  slides.forEach(({ own }, i) => {
    own.classList.toggle('shown', i === at)
    own.inert = i !== at
  })
  const { show, states } = slides[at]
  if (show) {
    show(states > 1 && !still.matches ? 0 : states - 1)
    if (states > 1 && !still.matches) waiting = setTimeout(() => show(states - 1), WAIT)
  }
  bar.querySelector('output').textContent = `${at + 1} / ${slides.length}`
  bar.querySelector('[data-do=back]').disabled = at === 0
  bar.querySelector('[data-do=next]').disabled = at === slides.length - 1
  notes.replaceChildren()
  for (const text of slides[at].notes) add(notes, 'p', text)
  if (!slides[at].notes.length) add(notes, 'p', 'No notes for this slide.')
  document.body.dataset.slide = String(at + 1)
  if (framed) parent.postMessage({ slide: at + 1 }, '*')
  else history.replaceState(null, '', `#${at + 1}`)
}

const actions = {
  back: () => go(at - 1),
  next: () => go(at + 1),
  notes: () => {
    notes.hidden = !notes.hidden
    bar.querySelector('[data-do=notes]').setAttribute('aria-pressed', String(!notes.hidden))
  },
  full: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
  print: () => { // pictures that move need a moment to come to their end
    settle()
    setTimeout(() => window.print(), WAIT)
  },
  leave: () => { if (framed) parent.postMessage({ leave: true }, '*') },
}
const keys = {
  ArrowRight: 'next', PageDown: 'next', ' ': 'next', Enter: 'next', ArrowLeft: 'back', PageUp: 'back',
  n: 'notes', f: 'full', p: 'print', Escape: 'leave',
}
const pressed = key => {
  if (key === 'Home') go(0)
  else if (key === 'End') go(slides.length - 1)
  else if (keys[key]) actions[keys[key]]()
  else return false
  return true
}
bar.onclick = event => {
  const button = event.target.closest('button')
  if (button) actions[button.dataset.do]()
}
addEventListener('keydown', event => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  const control = event.target.closest?.('button, input, select')
  if (control && [' ', 'Enter'].includes(event.key)) return
  if (control?.matches('input, select')) return
  if (pressed(event.key)) event.preventDefault()
})
let touch = null
addEventListener('touchstart', event => {
  touch = event.target.closest('.stage') ? null : event.changedTouches[0]
}, { passive: true })
addEventListener('touchend', event => {
  if (!touch) return
  const way = event.changedTouches[0].clientX - touch.clientX
  const up = Math.abs(event.changedTouches[0].clientY - touch.clientY)
  if (Math.abs(way) > 60 && Math.abs(way) > 2 * up) go(at + (way < 0 ? 1 : -1))
}, { passive: true })
// In print every slide shows how it ends, and its notes where they are open.
const settle = () => {
  clearTimeout(waiting)
  for (const { own, show, states } of slides) {
    if (show) show(states - 1)
    for (const each of own.querySelectorAll('.own-notes')) each.hidden = notes.hidden
    const step = own.querySelector('.stage input[type=range]')
    if (step && step.value !== step.max) {
      step.value = step.max
      step.dispatchEvent(new Event('input'))
    }
  }
}
addEventListener('beforeprint', settle)
addEventListener('message', event => {
  if (event.source !== parent || !event.data) return
  if (event.data.go) go(event.data.go - 1)
  if (event.data.key) pressed(event.data.key)
})
if (framed) {
  document.body.classList.add('framed')
  bar.querySelector('[data-do=leave]').hidden = false
  parent.postMessage({ ready: true }, '*')
} else go(Number(location.hash.slice(1)) - 1 || 0)
window.focus()
