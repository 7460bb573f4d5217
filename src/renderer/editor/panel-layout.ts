export interface OpenPanels {
  readonly preview: boolean
  readonly full?: boolean
  readonly history: boolean
  readonly links: boolean
  readonly blame: boolean
}

export type Panel = keyof OpenPanels

/** Width of the history or the links, px. In a window narrower than `overlayBelow` they cover the text. */
const sidePanelWidth = 340
const blameWidth = 230
const overlayBelow = 900

/** Minimum width of the text, px: about forty characters. */
const minTextWidth = 320

const closeOrder = ['links', 'history', 'blame', 'preview'] as const

/** Closes other panels if the text gets too narrow. @param viewWidth including the panels, px @param windowWidth px */
export function togglePanel(shown: OpenPanels, panel: Panel, viewWidth: number, windowWidth: number): OpenPanels {
  const panels = { ...shown, [panel]: !shown[panel] }
  if (!panels[panel]) return panels
  if (panel === 'links') panels.history = false
  if (panel === 'history') panels.links = false
  for (const other of closeOrder) {
    if (textWidth(panels, viewWidth, windowWidth) >= minTextWidth) break
    if (other !== panel) panels[other] = false
  }
  return panels
}

export function textWidth(panels: OpenPanels, viewWidth: number, windowWidth: number): number {
  const { preview, full, history, links, blame } = panels
  const occupiedWidth = (history || links) && windowWidth >= overlayBelow ? sidePanelWidth : 0
  return (viewWidth - occupiedWidth) / (preview && !full ? 2 : 1) - (blame ? blameWidth : 0)
}
