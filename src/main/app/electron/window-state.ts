/** Where the window was, for each arrangement of screens, so that it comes back there. */
import { screen, type BrowserWindow, type Rectangle } from 'electron'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import { readKept, writeDurably } from '#platform'

const boundsSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(400),
  height: z.number().int().min(300),
})

const stateSchema = z.record(z.string(), boundsSchema)

const defaultSize = { width: 1280, height: 840 }
const saveDelayMs = 500

export class WindowState {
  readonly #file: string
  readonly #bounds: Map<string, Rectangle>
  #timer: NodeJS.Timeout | undefined

  private constructor(file: string, bounds: Record<string, Rectangle>) {
    this.#file = file
    this.#bounds = new Map(Object.entries(bounds))
  }

  static async load(folder: string): Promise<WindowState> {
    const file = join(folder, 'window.json')
    // Where a window was is no loss; the file that could not be read is beside the new one.
    const bounds = await readKept(
      file,
      (text) => stateSchema.safeParse(parseJson(text)).data,
      () => undefined,
    )
    return new WindowState(file, bounds ?? {})
  }

  bounds(): Partial<Rectangle> {
    const bounds = this.#bounds.get(arrangement())
    if (!bounds || !screen.getAllDisplays().some(({ workArea }) => overlaps(bounds, workArea))) return defaultSize
    return bounds
  }

  follow(window: BrowserWindow): void {
    const keep = () => {
      if (window.isMinimized() || window.isFullScreen()) return
      this.#bounds.set(arrangement(), window.getNormalBounds())
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.#save(), saveDelayMs)
    }
    window.on('resize', keep)
    window.on('move', keep)
    window.on('close', () => {
      keep()
      clearTimeout(this.#timer)
      void this.#save()
    })
  }

  async #save(): Promise<void> {
    if (this.#bounds.size === 0) return
    // A window that opens elsewhere once is not worth a word about a full disk.
    await writeDurably(this.#file, JSON.stringify(Object.fromEntries(this.#bounds))).catch(() => undefined)
  }
}

/** A name for the screens that there are: a laptop alone, the same at a desk. */
function arrangement(): string {
  return screen
    .getAllDisplays()
    .map(({ workArea: { x, y, width, height } }) => `${width}x${height}+${x}+${y}`)
    .sort()
    .join(' ')
}

function overlaps(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}
