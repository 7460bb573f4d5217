export interface OpenPanels {
  readonly preview: boolean
  readonly full?: boolean
  readonly history: boolean
  readonly links: boolean
  readonly blame: boolean
}

/** px. Below `overlayBelow` the history covers the view and takes no width. */
const historyWidth = 340
const blameWidth = 230
const overlayBelow = 900

/** Minimum width of the text, px: about forty characters. */
const minTextWidth = 320

/** Panels close in this order to make room. */
const closeOrder = ['links', 'history', 'blame', 'preview'] as const

/**
 * Returns the panels after toggling one, closing others if the text gets too narrow.
 * @param room width of the view including the panels, px
 * @param window width of the window, px
 */
export function togglePanel(shown: OpenPanels, what: keyof OpenPanels, room: number, window: number): OpenPanels {
  const after = { ...shown, [what]: !shown[what] }
  if (!after[what]) return after
  if (what === 'links') after.history = false
  if (what === 'history') after.links = false
  for (const other of closeOrder) {
    if (textWidth(after, room, window) >= minTextWidth) break
    if (other !== what) after[other] = false
  }
  return after
}

/** Returns the width left for the text, px. */
export function textWidth({ preview, full, history, links, blame }: OpenPanels, room: number, window: number): number {
  const beside = (history || links) && window >= overlayBelow ? historyWidth : 0
  return (room - beside) / (preview && !full ? 2 : 1) - (blame ? blameWidth : 0)
}
