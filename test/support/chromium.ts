/** The machine's own Chromium, and how it is started where there is no screen. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
] as const

export function findChromium(): string {
  const named = process.env['CHROMIUM_PATH']
  if (named) return named
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      if (existsSync(join(folder, name))) return join(folder, name)
    }
  }
  throw new Error('no Chromium on the PATH: install it (Debian: apt-get install chromium), or set CHROMIUM_PATH')
}
