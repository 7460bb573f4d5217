import type { ChatEvent, SessionMessage } from '#shared/contract/index.ts'
import { messageText, type AssistantMessage } from '#shared/chat/messages.ts'
import { escapeControls } from './terminal.ts'

const maxCharacters = 120

/** Prints an answer to stdout as it arrives, and notes to stderr. Skips messages with `knownIds` ids. */
export class LiveOutput {
  readonly #printedIds: Set<string>
  #printedText = ''
  #isLineOpen = false

  constructor(knownIds: ReadonlySet<string>) {
    this.#printedIds = new Set(knownIds)
  }

  event(event: ChatEvent): void {
    if (event.type === 'text') this.text(event.delta)
    else if (event.type === 'message') this.message(event)
    else if (event.type === 'retrying')
      this.note(`${clipped(event.message)}. Trying again in ${Math.ceil(event.afterMs / 1000)} s …`)
    else if (event.type === 'keeping')
      this.note(event.what === 'flush' ? 'saving notes first …' : 'summarising earlier messages …')
  }

  text(delta: string): void {
    if (delta === '') return
    this.#printedText += delta
    this.#write(delta)
  }

  message({ id, message }: Pick<SessionMessage, 'id' | 'message'>): void {
    if (this.#printedIds.has(id)) return
    this.#printedIds.add(id)
    if (message.role === 'toolResult' && message.isError)
      this.note(`${message.toolName} failed: ${clipped(messageText(message))}`)
    if (message.role !== 'assistant') return
    const text = messageText(message)
    if (text.startsWith(this.#printedText)) this.#write(text.slice(this.#printedText.length))
    this.#printedText = ''
    this.end()
    for (const part of message.content)
      if (part.type === 'toolCall') this.note(`${part.name} ${clipped(JSON.stringify(part.arguments))}`)
    if (message.stopReason === 'length') this.note(`the answer reached its maximum length${toolCut(message)}`)
  }

  note(line: string): void {
    this.end()
    process.stderr.write(escapeControls(`· ${line}\n`))
  }

  end(): void {
    if (this.#isLineOpen) process.stdout.write('\n')
    this.#isLineOpen = false
  }

  #write(text: string): void {
    if (text === '') return
    process.stdout.write(escapeControls(text))
    this.#isLineOpen = !text.endsWith('\n')
  }
}

function toolCut({ cutCall }: AssistantMessage): string {
  return cutCall === undefined ? '' : `, before it could use ${clipped(cutCall)}`
}

function clipped(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters).toWellFormed()} …` : line
}
