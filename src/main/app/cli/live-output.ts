import type { ChatEvent, SessionMessage } from '#shared/contract/index.ts'
import { isProposedChange, messageText, type AssistantMessage } from '#shared/chat/messages.ts'
import { escapeControls } from './terminal.ts'

const maxCharacters = 120

/** Prints an answer to stdout as it arrives, and notes to stderr. Skips messages whose ids are in `knownIds`. */
export class LiveOutput {
  readonly #printedIds: Set<string>
  #printedText = ''
  #isLineOpen = false

  constructor(knownIds: ReadonlySet<string>) {
    this.#printedIds = new Set(knownIds)
  }

  printEvent(event: ChatEvent): void {
    if (event.type === 'text') this.printText(event.delta)
    else if (event.type === 'message') this.printMessage(event)
    else if (event.type === 'retrying')
      this.printNote(
        `${clip(event.message).replace(/[^.?!…。？！]$/, '$&.')} Trying again in ${Math.ceil(event.afterMs / 1000)} s …`,
      )
    else if (event.type === 'keeping')
      this.printNote(event.what === 'flush' ? 'saving notes first …' : 'summarising earlier messages …')
  }

  printText(delta: string): void {
    if (delta === '') return
    this.#printedText += delta
    this.#write(delta)
  }

  printMessage({ id, message }: Pick<SessionMessage, 'id' | 'message'>): void {
    if (this.#printedIds.has(id)) return
    this.#printedIds.add(id)
    if (message.role === 'toolResult' && message.isError) {
      const state = isProposedChange(message) ? 'waits in the inbox' : 'failed'
      this.printNote(`${message.toolName} ${state}: ${clip(messageText(message))}`)
    }
    if (message.role !== 'assistant') return
    const text = messageText(message)
    if (text.startsWith(this.#printedText)) this.#write(text.slice(this.#printedText.length))
    this.#printedText = ''
    this.endLine()
    for (const part of message.content)
      if (part.type === 'toolCall') this.printNote(`${part.name} ${clip(JSON.stringify(part.arguments))}`)
    if (message.stopReason === 'length') this.printNote(`the answer reached its maximum length${cutToolText(message)}`)
  }

  printNote(line: string): void {
    this.endLine()
    process.stderr.write(escapeControls(`· ${line}\n`))
  }

  endLine(): void {
    if (this.#isLineOpen) process.stdout.write('\n')
    this.#isLineOpen = false
  }

  #write(text: string): void {
    if (text === '') return
    process.stdout.write(escapeControls(text))
    this.#isLineOpen = !text.endsWith('\n')
  }
}

function cutToolText({ cutCall }: AssistantMessage): string {
  return cutCall === undefined ? '' : `, before it could use ${clip(cutCall)}`
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters).toWellFormed()} …` : line
}
