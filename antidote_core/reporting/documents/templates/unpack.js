// Runs the program that stands in the page as base64 of gzip; where a browser is too old, says so.
const unpack = async place => {
  const packed = Uint8Array.from(atob(place.textContent), letter => letter.charCodeAt(0))
  const opened = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
  const script = document.createElement('script')
  script.textContent = await new Response(opened).text()
  document.head.append(script)
}
