/** State of the update of the desktop app, and what a window can ask for. */
export interface UpdateState {
  /** `off`: no update address, or not a packaged app. `current`: the user asked, and there is no such version. */
  readonly stage: 'off' | 'none' | 'current' | 'available' | 'downloading' | 'ready' | 'failed'
  readonly version?: string
  /** Release notes, Markdown from the feed. Shown as plain text. */
  readonly notes?: string
  /** Size of the largest package in the feed; 0 if unknown. */
  readonly bytes?: number
  /** Downloaded share, 0 to 1. */
  readonly share?: number
  /** True for the version before the installed one. */
  readonly isEarlier?: boolean
  /** Reason of a failure, in English. */
  readonly reason?: string
  /** True after the user chose *Later*: not in the status bar any more. */
  readonly isHidden?: boolean
}

export type UpdateAction = 'state' | 'check' | 'goBack' | 'download' | 'restart' | 'hide'

/** Functions that the preload script offers to the page. */
export interface DesktopBridge {
  /** Calls `listener` with the state now and after each change. @returns a function that unsubscribes */
  followUpdates(listener: (state: UpdateState) => void): () => void
  actOnUpdate(action: UpdateAction): void
}
