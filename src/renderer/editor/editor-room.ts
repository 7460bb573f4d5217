export interface Beside {
  readonly preview: boolean
  /** The preview has the place of the text. */
  readonly full?: boolean
  readonly history: boolean
  /** What links to it, and what it links to; where the history stands. */
  readonly links: boolean
  /** Who wrote each line. */
  readonly blame: boolean
}

/** px; the history lies above the view where the window is narrow, and takes none of it. */
const historyWidth = 340
const blameWidth = 230
const overlayBelow = 900

/** Of text, px: some forty characters. */
const leastText = 320

/** In this order things give way to what was just asked for. */
const yielding = ['links', 'history', 'blame', 'preview'] as const

/**
 * What is shown after `what` was turned on or off.
 * @param room of the view with all that stands beside the text, px @param window its width, px
 */
export function besideAfter(shown: Beside, what: keyof Beside, room: number, window: number): Beside {
  const after = { ...shown, [what]: !shown[what] }
  if (!after[what]) return after
  if (what === 'links') after.history = false
  if (what === 'history') after.links = false
  for (const other of yielding) {
    if (textWidth(after, room, window) >= leastText) break
    if (other !== what) after[other] = false
  }
  return after
}

/** What is left for the text, px. */
export function textWidth({ preview, full, history, links, blame }: Beside, room: number, window: number): number {
  const beside = (history || links) && window >= overlayBelow ? historyWidth : 0
  return (room - beside) / (preview && !full ? 2 : 1) - (blame ? blameWidth : 0)
}
