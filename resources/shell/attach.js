// The one form of the shell's own: it sends the link over the bridge and shows what comes back. On success the shell closes the window.
const bridge = window.speedgrid
const form = document.getElementById('form')
const url = document.getElementById('url')
const problem = document.getElementById('problem')
const button = document.getElementById('attach')
let lastId = 0

bridge.onMessage((text) => {
  const answer = JSON.parse(text)
  if (answer.from !== 'shell' || answer.id !== lastId) return
  button.disabled = false
  if (answer.ok) return
  problem.textContent = answer.error
  url.setAttribute('aria-invalid', 'true')
  url.select()
})

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (url.value.trim() === '') {
    problem.textContent = 'Paste the link that speedgrid serve printed.'
    url.focus()
    return
  }
  problem.textContent = ''
  button.disabled = true
  lastId += 1
  bridge.send(JSON.stringify({ to: 'shell', id: lastId, call: 'attach', input: { url: url.value.trim() } }))
})

document.getElementById('cancel').addEventListener('click', () => {
  window.close()
})
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') window.close()
})
