/** Asks the worker to colour code; what was coloured once is remembered. */

export interface Token {
  readonly text: string
  readonly light: string
  readonly dark: string
}

export interface HighlightQuestion {
  readonly id: number
  readonly code: string
  readonly language: string
}

/** `lines` is null for a language that we have no grammar of. */
export interface HighlightAnswer {
  readonly id: number
  readonly lines: readonly (readonly Token[])[] | null
}

type Lines = HighlightAnswer['lines']

const maxRemembered = 200
/** Colouring that takes longer is given up, ms: a grammar can run wild on a line, and all other code waits behind it. */
const maxWaitMs = 10_000
/** More coloured spans slow a window down; such code stays plain. */
const maxTokens = 8000

const remembered = new Map<string, Lines>()
/** In the order in which they are worked on. */
const waiting = new Map<number, { readonly question: HighlightQuestion; readonly resolve: (lines: Lines) => void }>()
let worker: Worker | undefined
let lastId = 0
let patience = 0

export function knownHighlight(code: string, language: string): Lines | undefined {
  return remembered.get(keyOf(code, language))
}

export async function highlight(code: string, language: string): Promise<Lines> {
  const key = keyOf(code, language)
  const known = remembered.get(key)
  if (known !== undefined) return known
  const question: HighlightQuestion = { id: (lastId += 1), code, language }
  const { promise, resolve } = Promise.withResolvers<Lines>()
  waiting.set(question.id, { question, resolve })
  worker ??= startWorker()
  worker.postMessage(question)
  if (waiting.size === 1) beginPatience()
  const answer = await promise
  const tokens = answer?.reduce((sum, line) => sum + line.length, 0) ?? 0
  const lines = tokens > maxTokens ? null : answer
  remembered.set(key, lines)
  for (const oldest of remembered.keys()) {
    if (remembered.size <= maxRemembered) break
    remembered.delete(oldest)
  }
  return lines
}

function startWorker(): Worker {
  const started = new Worker(new URL('highlight.worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => settle(data.id, data.lines))
  started.addEventListener('error', giveUp)
  return started
}

function settle(id: number, lines: Lines): void {
  waiting.get(id)?.resolve(lines)
  waiting.delete(id)
  beginPatience()
}

function beginPatience(): void {
  clearTimeout(patience)
  if (waiting.size > 0) patience = window.setTimeout(giveUp, maxWaitMs)
}

/** What is being worked on stays plain; what waits behind it goes to a new worker. */
function giveUp(): void {
  worker?.terminate()
  worker = undefined
  const [stuck] = waiting.keys()
  if (stuck === undefined) return
  settle(stuck, null)
  if (waiting.size === 0) return
  worker = startWorker()
  for (const { question } of waiting.values()) worker.postMessage(question)
}

function keyOf(code: string, language: string): string {
  return `${language}\n${code}`
}
