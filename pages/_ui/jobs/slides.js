// Shows a deck (antidote_core.reporting.documents.slides) over the whole window, shut off from the page.
export default function ({ data, parentElement, setTriggerValue }) {
  let frame = parentElement.querySelector("iframe")
  if (!frame) {
    frame = document.createElement("iframe")
    frame.title = "Slides"
    frame.allow = "fullscreen"
    frame.setAttribute("sandbox", "allow-scripts allow-modals")
    frame.style.cssText = "position:fixed;inset:0;width:100vw;height:100dvh;border:0;z-index:10"
    parentElement.append(frame)
  }
  let at = Number(new URL(location.href).searchParams.get("slide")) || 1
  const hear = ({ source, data: said }) => {
    if (source !== frame.contentWindow || !said) return
    if (said.ready) {
      source.postMessage({ go: at }, "*")
      frame.focus()
    } else if (said.leave) setTriggerValue("leave", true)
    else if (said.slide) { // so that a reload comes back to the same slide
      at = said.slide
      const url = new URL(location.href)
      url.searchParams.set("slide", String(at))
      history.replaceState(history.state, "", url)
    }
  }
  const press = event => {
    if (event.target.closest("input, textarea, button, [role=dialog]")) return
    frame.contentWindow?.postMessage({ key: event.key }, "*")
  }
  addEventListener("message", hear)
  addEventListener("keydown", press)
  if (frame.srcdoc !== data.html) frame.srcdoc = data.html
  return () => {
    removeEventListener("message", hear)
    removeEventListener("keydown", press)
  }
}
