/** Starts the browser of the tests, with or without a screen. */
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
  if (path === undefined) throw new Error('no browser for the tests: run npm test, which finds or downloads one')
  return path
}
