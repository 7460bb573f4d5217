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

const mostRemembered = 200
/** Longer code stays plain: thousands of coloured spans slow a window down. */
const mostCharacters = 100_000

const remembered = new Map<string, Lines>()
const waiting = new Map<number, (lines: Lines) => void>()
let worker: Worker | undefined
let lastId = 0

export function knownHighlight(code: string, language: string): Lines | undefined {
  return remembered.get(keyOf(code, language))
}

export async function highlight(code: string, language: string): Promise<Lines> {
  const key = keyOf(code, language)
  const known = remembered.get(key)
  if (known !== undefined) return known
  if (code.length > mostCharacters) return null
  worker ??= startWorker()
  const id = (lastId += 1)
  const { promise, resolve } = Promise.withResolvers<Lines>()
  waiting.set(id, resolve)
  worker.postMessage({ id, code, language } satisfies HighlightQuestion)
  const lines = await promise
  remembered.set(key, lines)
  for (const oldest of remembered.keys()) {
    if (remembered.size <= mostRemembered) break
    remembered.delete(oldest)
  }
  return lines
}

function startWorker(): Worker {
  const started = new Worker(new URL('highlight.worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
    waiting.get(data.id)?.(data.lines)
    waiting.delete(data.id)
  })
  return started
}

function keyOf(code: string, language: string): string {
  return `${language}\n${code}`
}
