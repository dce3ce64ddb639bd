/** Hands bytes to the browser's download. */
export function downloadFile({
  fileName,
  mediaType,
  data,
}: {
  fileName: string
  mediaType: string
  data: string | Uint8Array<ArrayBuffer>
}) {
  const url = URL.createObjectURL(new Blob([data], { type: mediaType }))
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = fileName
  anchor.click()
  // The download has taken the blob by then; revoking at once breaks it in some browsers.
  setTimeout(() => {
    URL.revokeObjectURL(url)
  }, 10_000)
}
