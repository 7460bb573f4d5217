import { app, Notification } from 'electron'
import type { AppEvent } from '#shared/contract/index.ts'
import { systemTexts } from './system-texts.ts'

/** Minimum duration of a turn that causes a notification, ms; during a shorter one the user waits. */
const minNotifiedTurnMs = 15_000

export interface UnreadOptions {
  readonly isWindowFocused: () => boolean
  readonly mayNotify: () => boolean
  readonly onOpen: (session: string) => void
}

export class UnreadBadge {
  readonly #options: UnreadOptions
  readonly #sessions = new Set<string>()

  constructor(options: UnreadOptions) {
    this.#options = options
  }

  addTurn({ session, reason, ms }: Extract<AppEvent, { type: 'turnEnded' }>): void {
    const { isWindowFocused, mayNotify, onOpen } = this.#options
    if (reason === 'aborted' || isWindowFocused()) return
    this.#sessions.add(session)
    app.setBadgeCount(this.#sessions.size)
    if (ms < minNotifiedTurnMs || !mayNotify()) return
    const texts = systemTexts()
    const notification = new Notification({
      title: 'Commonplace',
      body: reason === 'done' ? texts.answerReady : texts.answerFailed,
    })
    notification.on('click', () => onOpen(session))
    notification.show()
  }

  clear(): void {
    this.#sessions.clear()
    app.setBadgeCount(this.#sessions.size)
  }
}
