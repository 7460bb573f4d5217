/** Answers review requests like a model that knows the planted lines. Reads the lines and pairs of the request. */
import type { MadeMemory } from './made-memory.ts'

export interface Planted extends Pick<MadeMemory, 'contradictions' | 'superseded'> {
  /** Log lines to promote to MEMORY.md, with the text to write. */
  readonly promote?: readonly { readonly quote: string; readonly section: string; readonly text: string }[]
}

const both = (one: string, other: string) => [one, other].sort().join('\n')

/** Returns the lines of a request by their number. */
export function askedLines(content: string): Map<number, string> {
  const shown = /<lines>\n([\s\S]*?)\n<\/lines>/.exec(content)?.[1] ?? ''
  return new Map(
    shown.split('\n').map((line) => {
      const [, number = '', text = ''] = /^(\d+)(?: \[[^\]]*\])? (.*)$/.exec(line) ?? []
      return [Number(number), text] as const
    }),
  )
}

export function askedPairs(content: string): [string, string][] {
  const lines = askedLines(content)
  const pairs = /by their numbers: (.*)/.exec(content)?.[1] ?? ''
  return [...pairs.matchAll(/(\d+) and (\d+)/g)].map(([, one, other]) => [
    lines.get(Number(one)) ?? '',
    lines.get(Number(other)) ?? '',
  ])
}

export function reviewAnswer(content: string, { contradictions, superseded, promote = [] }: Planted): string {
  if (content.includes('<memory>')) {
    const lines = new Set(askedLines(content).values())
    const keep = promote
      .filter(({ quote }) => lines.has(quote))
      .map(({ quote, section, text }) => ({ quotes: [quote], section, text, reason: 'It was decided.' }))
    return JSON.stringify({ keep })
  }
  const known = new Map<string, { kind: string; pair: readonly [string, string] }>([
    ...contradictions.map((pair) => [both(...pair), { kind: 'contradiction', pair }] as const),
    ...superseded.map((pair) => [both(...pair), { kind: 'superseded', pair }] as const),
  ])
  const conflicts = askedPairs(content).flatMap(([one, other]) => {
    const found = known.get(both(one, other))
    return found ? [{ kind: found.kind, old: found.pair[0], new: found.pair[1], reason: 'They differ.' }] : []
  })
  return JSON.stringify({ conflicts })
}

/** Returns the text of a request's only message, for either provider. */
export function contentOf(body: Record<string, unknown>): string {
  const messages = (body['messages'] ?? body['input'] ?? []) as { role: string; content: unknown }[]
  const last = messages.findLast(({ role }) => role === 'user')?.content
  if (typeof last === 'string') return last
  return (last as { text?: string }[]).map(({ text = '' }) => text).join('')
}
