/**
 * Draws the icons of the packages from the app's SVG: `node resources/packaging/icons.ts`, with `CHROMIUM_PATH`. The
 * results are committed, because a build has no browser. macOS expects a margin of 100 in 1024 pixels, Windows and Linux
 * none.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

/** The types of an `.icns` file, with the width of their PNG in pixels. */
const icnsTypes = { ic11: 32, ic12: 64, ic07: 128, ic13: 256, ic08: 256, ic14: 512, ic09: 512, ic10: 1024 }
const icoWidths = [16, 24, 32, 48, 64, 128, 256]
const linuxWidths = [16, 32, 48, 64, 128, 256, 512]
const macMargin = 100 / 1024

const folder = new URL('icons/', import.meta.url)
const svg = readFileSync(new URL('../../src/renderer/public/icon.svg', import.meta.url), 'utf8')
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? chromium.executablePath(),
  args: ['--no-sandbox'],
})

mkdirSync(new URL('linux/', folder), { recursive: true })
for (const width of linuxWidths) writeFileSync(new URL(`linux/${width}x${width}.png`, folder), await draw(width, 0))
writeFileSync(new URL('icon.ico', folder), ico(await Promise.all(icoWidths.map((width) => draw(width, 0)))))
writeFileSync(
  new URL('icon.icns', folder),
  icns(await Promise.all(Object.values(icnsTypes).map((width) => draw(width, width * macMargin)))),
)
await browser.close()

async function draw(width: number, margin: number): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width, height: width } })
  await page.setContent(
    `<style>body { margin: ${margin}px; font-size: 0 } svg { width: ${width - 2 * margin}px }</style>${svg}`,
  )
  const png = await page.screenshot({ omitBackground: true })
  await page.close()
  return png
}

/** An `.icns` file: a head of 8 bytes, then each picture with a head of 8 bytes; numbers are big-endian. */
function icns(pictures: readonly Buffer[]): Buffer {
  const parts = Object.keys(icnsTypes).map((type, index) => {
    const picture = pictures[index] ?? Buffer.alloc(0)
    return Buffer.concat([Buffer.from(type, 'latin1'), uint32(picture.length + 8), picture])
  })
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from('icns', 'latin1'), uint32(body.length + 8), body])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** An `.ico` file: a head of 6 bytes, 16 bytes for each picture, then the pictures; numbers are little-endian. */
function ico(pictures: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let offset = head.length
  for (const [index, picture] of pictures.entries()) {
    const entry = 6 + 16 * index
    // 0 stands for 256 pixels.
    const width = (icoWidths[index] ?? 0) % 256
    head.writeUInt8(width, entry)
    head.writeUInt8(width, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(picture.length, entry + 8)
    head.writeUInt32LE(offset, entry + 12)
    offset += picture.length
  }
  return Buffer.concat([head, ...pictures])
}
