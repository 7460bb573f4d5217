/** Benchmarks of a chat of 10,000 messages: reading its file, and building a request. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assemble } from '../../src/main/agent/context/assemble.ts'
import { compactionState } from '../../src/main/agent/compaction/compaction-state.ts'
import { Transcript } from '../../src/main/agent/sessions/transcript.ts'
import { median, type Figure } from './figures.ts'
import { defaultSettings } from '../support/default-settings.ts'

export async function measureTranscript(root: string): Promise<Figure[]> {
  const file = join(root, 'long.jsonl')
  const lines = [JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00Z' })]
  for (let index = 0; index < 10_000; index += 1) {
    const text = `Message ${index} says something of usual length about the matter at hand. `.repeat(4)
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 }
    const message =
      index % 2 === 0
        ? { role: 'user', content: text, timestamp: index }
        : {
            role: 'assistant',
            content: [{ type: 'text', text }],
            provider: 'p',
            model: 'm',
            usage,
            stopReason: 'stop',
            timestamp: index,
          }
    lines.push(
      JSON.stringify({
        type: 'message',
        id: `m${index}`,
        parentId: index === 0 ? null : `m${index - 1}`,
        timestamp: 't',
        message,
      }),
    )
  }
  writeFileSync(file, lines.join('\n'))
  const opens: number[] = []
  const assemblies: number[] = []
  for (let round = 0; round < 7; round += 1) {
    const started = performance.now()
    const transcript = await Transcript.open(file)
    opens.push(performance.now() - started)
    const begun = performance.now()
    const state = compactionState(transcript.branch())
    assemble({
      purpose: { kind: 'chat', today: '2026-01-20', time: '10:30', todaysLog: 'memory/2026-01-20.md' },
      model: { contextWindow: 1_000_000, maxOutput: 8000, id: 'm' },
      systemPrompt: 'You are main.',
      files: [],
      tools: [],
      summary: state.summary,
      pruned: state.pruned,
      settings: defaultSettings,
      messages: state.liveMessages.map(({ message }) => message),
      now: 0,
    })
    assemblies.push(performance.now() - begun)
  }
  return [
    { name: 'transcript of 10,000 messages: open, median', value: median(opens), unit: 'ms', budget: 100 },
    { name: 'transcript of 10,000 messages: assemble, median', value: median(assemblies), unit: 'ms', budget: 50 },
  ]
}
