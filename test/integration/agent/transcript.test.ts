import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Transcript } from '../../../src/main/agent/sessions/transcript.ts'
import { temporaryFolder } from '../../support/folder.ts'

const user = (content: string) => ({ role: 'user' as const, content, timestamp: 1 })

describe('transcripts', () => {
  it('skips and reports a line torn by a crash, and appends a whole line after it', async () => {
    const file = join(await temporaryFolder(), 's.jsonl')
    await (await Transcript.create(file, '/w', new Date(0))).appendMessage(user('one'))
    await appendFile(file, '{"type":"message","id":"abc","parentId":null,"mess')
    const torn = await Transcript.open(file)
    expect(torn.skippedLines).toEqual([3])
    await torn.appendMessage(user('two'))
    expect((await Transcript.open(file)).messages().map(({ message }) => message.content)).toEqual(['one', 'two'])
  })

  it('opens transcripts of pi, including entries of other types', async () => {
    const file = join(await temporaryFolder(), 'pi.jsonl')
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
    const answer = {
      role: 'assistant',
      content: [{ type: 'text', text: 'hello' }],
      api: 'anthropic-messages',
      provider: 'anthropic',
      model: 'm',
      usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost },
      stopReason: 'stop',
      timestamp: 2,
    }
    const timestamp = '2026-01-01T00:00:00.000Z'
    const entry = (type: string, id: string, parentId: string | null, rest: object) =>
      JSON.stringify({ type, id, parentId, timestamp, ...rest })
    const rows = [
      JSON.stringify({ type: 'session', version: 3, id: 'u-1', timestamp, cwd: '/x' }),
      entry('model_change', 'a1', null, { provider: 'anthropic', modelId: 'm' }),
      entry('message', 'a2', 'a1', {
        message: { role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: 1 },
      }),
      entry('message', 'a3', 'a2', { message: answer }),
      entry('label', 'a4', 'a3', { targetId: 'a2', label: 'start' }),
    ]
    await writeFile(file, rows.join('\n'))
    const transcript = await Transcript.open(file)
    expect(transcript.skippedLines).toEqual([])
    expect(transcript.messages().map(({ id }) => id)).toEqual(['a2', 'a3'])
    expect((await transcript.appendMessage(user('on'))).parentId).toBe('a4')
    const copy = { file, entries: transcript.branch() }
    const fork = await Transcript.create(join(await temporaryFolder(), 'f.jsonl'), '/w', new Date(0), copy)
    expect(fork.messages()).toEqual(transcript.messages())
  })

  it('reads a message with a line separator of Unicode', async () => {
    const file = join(await temporaryFolder(), 's.jsonl')
    await (await Transcript.create(file, '/w', new Date(0))).appendMessage(user('one\u2028two'))
    const [message] = (await Transcript.open(file)).messages()
    expect(message?.message.content).toBe('one\u2028two')
  })

  it('refuses a transcript of a newer version and leaves it unchanged', async () => {
    const file = join(await temporaryFolder(), 's.jsonl')
    await writeFile(
      file,
      `${JSON.stringify({ type: 'session', version: 99, id: 's', timestamp: '2026-01-01T00:00:00Z' })}\n`,
    )
    await expect(Transcript.open(file)).rejects.toMatchObject({ code: 'transcript_unsupported' })
  })
})
