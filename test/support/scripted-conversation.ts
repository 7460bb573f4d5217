/**
 * A long conversation with planted facts, and a scripted model: it looks things up when asked, saves the messages of a
 * flush, and writes empty summaries. Facts survive only if they are flushed.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compactionState } from '../../src/main/agent/compaction/compaction-state.ts'
import type { Transcript } from '../../src/main/agent/sessions/transcript.ts'
import { messageText } from '../../src/shared/chat/messages.ts'
import type { ScriptedAnswer } from './model-server.ts'

export const bigFile = 'big.md'

/** Content of the file that the model reads: about 50,000 characters. */
export const bigText = Array.from(
  { length: 500 },
  (_, line) => `line ${line} ${'of a long report about nothing '.repeat(3)}`,
).join('\n')

export function factOf(turn: number): string {
  return `FACT-${turn} is value-${(turn * 7919) % 100_003}`
}

/** Returns the user message of a turn. In every fifth turn the model reads the big file. */
export function messageOf(turn: number): string {
  return `${turn % 5 === 4 ? 'Look into the report. ' : ''}The list says: ${factOf(turn)}. ${'Some more talk about it. '.repeat(20)}`
}

/** @param contextWindow configured context window, tokens */
export function configOf(url: string, extra = '', contextWindow = 32_000): string {
  return `providers: { anthropic: { baseUrl: "${url}" } }
models: { anthropic/test-model: { contextWindow: ${contextWindow}, maxOutput: 2000 } }
agents:
  defaults: { session: { reset: { mode: "off" } }, memory: { sessions: false }${extra} }
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/test-model }]
`
}

interface WireMessage {
  readonly role: string
  readonly content: string | readonly { readonly type: string; readonly text?: string; readonly content?: unknown }[]
}

export interface ModelBehaviour {
  /** Number of flushes that fail first; true: all. */
  failFlushes?: number
  /** Number of summaries that fail first; true: all. */
  failSummaries?: number
}

export function conversationModel(behaviour: ModelBehaviour = {}): (body: Record<string, unknown>) => ScriptedAnswer {
  const saved = new Set<string>()
  // A requested write counts as saved once the model has received its result.
  let pending: string[] = []
  const fail = (key: 'failFlushes' | 'failSummaries') => {
    const left = behaviour[key] ?? 0
    behaviour[key] = left - 1
    return left > 0
  }
  return (body) => {
    const messages = body['messages'] as WireMessage[]
    const whole = JSON.stringify(messages)
    const last = textOf(messages.at(-1))
    if (last.includes('Summarise the conversation below')) {
      return fail('failSummaries')
        ? { status: 500, message: 'no summary', headers: { 'retry-after-ms': '1' } }
        : { text: '## Goal\nGo on.' }
    }
    const isAfterTool = whole.includes('tool_result') && !last.trim()
    if (last.includes('Memory flush.')) {
      if (fail('failFlushes')) return { status: 500, message: 'no flush', headers: { 'retry-after-ms': '1' } }
      const facts = [...new Set(whole.match(/FACT-\d+ is value-\d+/g) ?? [])].filter((fact) => !saved.has(fact))
      if (facts.length === 0) return { text: 'NO_REPLY' }
      pending = facts
      return {
        calls: [
          {
            name: 'write',
            arguments: {
              path: 'memory/2026-01-20.md',
              append: true,
              content: `## 10:00 - Facts\n- ${facts.join('\n- ')}`,
            },
          },
        ],
      }
    }
    if (isAfterTool && whole.includes('Memory flush.')) for (const fact of pending.splice(0)) saved.add(fact)
    if (isAfterTool) return { text: whole.includes('Memory flush.') ? '**NO_REPLY**' : 'I have looked. Noted.' }
    return last.includes('Look into the report')
      ? { calls: [{ name: 'read', arguments: { path: bigFile } }] }
      : { text: 'Noted.' }
  }
}

/** Returns the text of the last message, without tool results. */
function textOf(message: WireMessage | undefined): string {
  if (!message) return ''
  if (typeof message.content === 'string') return message.content
  return message.content.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('\n')
}

/** Returns the text of the memory folder. */
export async function memoryText(workspace: string): Promise<string> {
  const folder = join(workspace, 'memory')
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const notes = names.filter((name) => name.endsWith('.md'))
  return (await Promise.all(notes.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
}

/** Returns the facts that are neither in a memory file nor in messages that are still sent, or wait for a flush. */
export async function lostFacts(workspace: string, transcript: Transcript, turns: number): Promise<string[]> {
  const { liveMessages, untaken } = compactionState(transcript.branch())
  const kept = [...liveMessages, ...untaken].map(({ message }) => messageText(message))
  const known = [await memoryText(workspace), ...kept].join('\n')
  return Array.from({ length: turns }, (_, turn) => factOf(turn)).filter((fact) => !known.includes(fact))
}
