/** Offers a text as a file download. */
export function download(name: string, text: string): void {
  downloadBlob(name, new Blob([text], { type: 'text/plain;charset=utf-8' }))
}

export function downloadBlob(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Delayed until the browser has read the blob.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
