// A page that was opened from a folder may start no worker, and the search runs in one: here it runs in a hidden frame.
// The theme's plugin `offline` would load the like of this from elsewhere; it is content with a file of this name.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.postMessage = data => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })))
      const script = inside.document.createElement("script")
      script.src = new URL(url, location.href)
      this.inside = new Promise(ready => (script.onload = () => ready(inside)))
      inside.document.body.append(script)
    }

    postMessage(data) {
      this.inside.then(inside => inside.dispatchEvent(new inside.MessageEvent("message", { data })))
    }
  }
}
