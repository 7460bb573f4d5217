export interface UpdateState {
  /** `off`: no update address, or not a packaged app. `current`: the user asked, and there is no such version. */
  readonly stage: 'off' | 'none' | 'current' | 'available' | 'downloading' | 'ready' | 'failed'
  readonly version?: string
  /** Markdown from the feed, shown as plain text. */
  readonly notes?: string
  /** Size of the largest package in the feed; 0 if unknown. */
  readonly bytes?: number
  /** Downloaded share, 0 to 1. */
  readonly share?: number
  readonly isEarlier?: boolean
  readonly reason?: string
  /** True after the user chose *Later*: not in the status bar any more. */
  readonly isHidden?: boolean
}

export type UpdateAction = 'state' | 'check' | 'goBack' | 'download' | 'restart' | 'hide'

export interface DesktopBridge {
  /** Calls `listener` with the state now and after each change. @returns a function that unsubscribes */
  followUpdates(listener: (state: UpdateState) => void): () => void
  actOnUpdate(action: UpdateAction): void
}
