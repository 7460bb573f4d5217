/** Opens an address in the user's own browser; where there is none, the address was printed and that has to do. */
import { spawn } from 'node:child_process'

export function openInBrowser(url: string): void {
  const [command, ...args] = opener(url)
  if (!command) return
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}

function opener(url: string): string[] {
  if (process.platform === 'darwin') return ['open', url]
  if (process.platform === 'win32') return ['cmd', '/c', 'start', '', url.replaceAll('&', '^&')]
  return process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'] ? ['xdg-open', url] : []
}
