/** The browser of the tests, and how it is started where there is no screen. */
import { findBrowser, thisMachine } from './find-browser.mjs'

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
  const path = findBrowser(thisMachine())
  if (path === undefined) throw new Error('there is no browser for the tests: npm test finds or fetches one')
  return path
}
