import { randomUUID } from 'node:crypto'

export class OpenQuestions<Question extends object, Answer> {
  readonly #questions = new Map<
    string,
    { question: Question & { readonly id: string }; answer: (answer: Answer) => void }
  >()
  readonly #onChange: (question: Question) => void

  constructor(onChange: (question: Question) => void) {
    this.#onChange = onChange
  }

  /** Asks the user and resolves with the answer. @throws the signal's reason if it aborts first */
  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted()
    const id = randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#questions.set(id, { question: { ...question, id }, answer: resolve })
    this.#onChange(question)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#questions.delete(id)
      this.#onChange(question)
    }
  }

  answer(id: string, answer: Answer): void {
    this.#questions.get(id)?.answer(answer)
  }

  list(): (Question & { readonly id: string })[] {
    return [...this.#questions.values()].map(({ question }) => question)
  }
}
