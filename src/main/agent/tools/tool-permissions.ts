import { randomUUID } from 'node:crypto'
import type { PermissionRequest } from '#shared/contract/index.ts'
import type { PermissionQuestion } from './tool.ts'

export type Decision = 'once' | 'always' | 'deny' | 'never'

interface OpenQuestion extends PermissionRequest {
  readonly session: string
  readonly answer: (decision: Decision) => void
}

export class PermissionRequests {
  readonly #questions = new Map<string, OpenQuestion>()
  readonly #onChange: (session: string) => void

  constructor(onChange: (session: string) => void) {
    this.#onChange = onChange
  }

  /** Asks the user and resolves with the decision. @throws the signal's reason if the turn ends first */
  async ask(session: string, question: PermissionQuestion, signal: AbortSignal): Promise<Decision> {
    const id = randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<Decision>()
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#questions.set(id, { ...question, id, session, answer: resolve })
    this.#onChange(session)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#questions.delete(id)
      this.#onChange(session)
    }
  }

  /** Resolves a question; does nothing if it is no longer open. */
  answer(id: string, decision: Decision): void {
    this.#questions.get(id)?.answer(decision)
  }

  listOpen(session: string): PermissionRequest[] {
    return [...this.#questions.values()]
      .filter((openQuestion) => openQuestion.session === session)
      .map(({ id, server, tool, input }) => ({ id, server, tool, input }))
  }
}
