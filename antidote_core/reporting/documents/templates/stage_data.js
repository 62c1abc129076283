// Hands a parcel of antidote_core.reporting.figures.stage over to the stage on the same page.
const RUNS = 3 // that are kept; one is shown

const open = bytes => {
  const line = bytes.indexOf(10)
  const parcel = JSON.parse(new TextDecoder().decode(bytes.subarray(0, line)))
  const whole = bytes.slice(line + 1).buffer
  const { count } = parcel
  return {
    ...parcel,
    places: new Float32Array(whole, 0, 2 * count),
    groups: new Uint8Array(whole, 8 * count, count),
    labels: new Uint8Array(whole, 9 * count, count),
  }
}

export default function ({ data }) {
  const shared = (window.antidoteStage ??= { runs: new Map(), listeners: new Set() })
  const parcel = data instanceof Uint8Array ? open(data) : data
  const { run, kind, ground } = parcel
  if (!shared.runs.has(run)) {
    shared.runs.set(run, { show: null, grounds: new Map() })
    while (shared.runs.size > RUNS) shared.runs.delete(shared.runs.keys().next().value)
  }
  const kept = shared.runs.get(run)
  if (kind === "show") kept.show = parcel
  else {
    if (!kept.grounds.has(ground)) kept.grounds.set(ground, { points: null, steps: [], people: [] })
    const own = kept.grounds.get(ground)
    if (kind === "points") own.points = parcel
    else {
      own.columns = parcel.columns
      own.hidden = parcel.hidden
      parcel.steps.forEach((step, i) => { own.steps[parcel.first + i] = step })
      parcel.people.forEach((person, i) => { own.people[parcel.known + i] = person })
    }
  }
  for (const listener of shared.listeners) listener(run)
}
