import { app, Notification } from 'electron'
import type { AppEvent } from '#shared/contract/index.ts'
import { systemWords } from './system-words.ts'

/** A turn that took longer than this has let its user go and do something else, ms. */
const longMs = 15_000

export interface UnreadOptions {
  readonly isSeen: () => boolean
  readonly mayNotify: () => boolean
  /** Shows the conversation. */
  readonly onOpen: (session: string) => void
}

export class Unread {
  readonly #options: UnreadOptions
  readonly #sessions = new Set<string>()

  constructor(options: UnreadOptions) {
    this.#options = options
  }

  note({ session, reason, ms }: Extract<AppEvent, { type: 'turnEnded' }>): void {
    const { isSeen, mayNotify, onOpen } = this.#options
    if (reason === 'aborted' || isSeen()) return
    this.#sessions.add(session)
    this.#show()
    if (ms < longMs || !mayNotify()) return
    const say = systemWords()
    const notification = new Notification({
      title: 'Commonplace',
      body: reason === 'done' ? say.answerReady : say.answerFailed,
    })
    notification.on('click', () => onOpen(session))
    notification.show()
  }

  /** The window was looked at. */
  clear(): void {
    this.#sessions.clear()
    this.#show()
  }

  #show(): void {
    app.setBadgeCount(this.#sessions.size)
  }
}
