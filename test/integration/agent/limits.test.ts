import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { executeTools } from '../../../src/main/agent/tools/execute-tools.ts'
import type { Tool, ToolContext } from '../../../src/main/agent/tools/tool.ts'
import { LiveTurns } from '../../../src/main/agent/chat/live-turns.ts'
import { Differ } from '../../../src/main/platform/diff/differ.ts'
import { workerEntry } from '../../../src/main/platform/workers/serve-worker.ts'
import { maxNote, maxToolCalls } from '../../../src/shared/util/limits.ts'
import type { ChatEvent } from '../../../src/shared/contract/index.ts'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { openAgent } from '../../support/agent.ts'
import { mainFolder, openTestApp } from '../../support/app.ts'
import { startModelServer } from '../../support/model-server.ts'

const call = (name: string, args: object) => ({ name, arguments: args })

describe('limits of tools', () => {
  it('accepts arguments as small models send them', async () => {
    const server = await startModelServer()
    const { workspace, send, messagesOf } = await openAgent(server, { watch: true })
    const path = join(workspace, 'memory/cats.md')
    server.script = [
      { calls: [call('write', { path, content: '# Cats\n\n- Mia is grey.\n', append: 'false' })] },
      {
        calls: [
          call('read', { path, from: '3', lines: null }),
          call('memory_get', { path: 'memory/cats.md', from: 0, lines: 100_000 }),
          call('memory_search', { query: 'Mia', maxResults: '5000', minScore: null }),
          call('read', { path: join(workspace, '..', 'config.yaml') }),
        ],
      },
      { calls: [call('read', {})], rawArguments: JSON.stringify(JSON.stringify({ path: 'memory/cats.md', from: 3 })) },
      { text: 'I see.' },
    ]
    const messages = await messagesOf(await send('x'))
    const results = messages.filter((message) => message.role === 'toolResult')
    expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, true, false])
    expect(await readFile(path, 'utf8')).toContain('Mia is grey')
    expect(results.map(messageText)[1]).toBe('- Mia is grey.')
    expect(results.map(messageText)[4]).toMatch(/^path_outside_workspace: /)
    expect(results.map(messageText)[5]).toBe('- Mia is grey.')
  })

  it('turns errors and oversized input of tools into results for the model', async () => {
    const faults: unknown[] = []
    const tool = (name: string, run: Tool['run']): Tool => ({ name, description: '', readOnly: true, schema: {}, run })
    const broken = tool('broken', () => Promise.reject(new RangeError('out of range')))
    const fine = tool('fine', () => Promise.resolve({ text: 'fine' }))
    const context = {
      signal: new AbortController().signal,
      limits: { timeoutMs: 5000, outputCharacters: 1000 },
      workspace: { roots: { workspace: '/notes' } },
      onFault: (error: unknown) => `#${faults.push(error)}`,
      now: () => new Date(),
    } as unknown as ToolContext
    const results: string[] = []
    const calls = [
      { type: 'toolCall' as const, id: 'a', name: 'broken', arguments: {} },
      { type: 'toolCall' as const, id: 'b', name: 'fine', arguments: { argumentsTooLong: 30_000_012 } },
      ...Array.from({ length: maxToolCalls - 1 }, (_, at) => ({
        type: 'toolCall' as const,
        id: `c${at}`,
        name: 'fine',
        arguments: {},
      })),
    ]
    await executeTools(calls, [broken, fine], context, async (result) => void results.push(messageText(result)))
    expect(results).toHaveLength(maxToolCalls + 1)
    expect(results[0]).toBe('internal: broken failed (log reference #1)')
    expect(faults).toHaveLength(1)
    expect(results[1]).toMatch(/^tool_arguments_too_large: the arguments have 30,000,012 characters/)
    expect(new Set(results.slice(2, -1))).toEqual(new Set(['fine']))
    expect(results.at(-1)).toMatch(/^tool_calls_too_many: only the first 128/)
  })
})

describe('limits of writes', () => {
  it('refuses NUL characters and files too large to read, leaving the file unchanged', async () => {
    const { app, workspace } = await openTestApp()
    const { workspace: files } = await app.agents.get('main')
    await files.write('a.md', 'as it was\n', { cause: 'user' })
    const refused = (text: string) => files.edit('a.md', { cause: 'user' }, () => text)
    await expect(refused('a\nb\0c')).rejects.toMatchObject({ code: 'text_unwritable', data: { line: 2 } })
    await expect(refused('é'.repeat(11 * 1024 * 1024))).rejects.toMatchObject({ code: 'file_too_large' })
    expect(await readFile(join(workspace, 'a.md'), 'utf8')).toBe('as it was\n')
  })

  it('reports the field and the limit of an input that is too long', async () => {
    const { client } = await openTestApp()
    await expect(client.workspace.remember({ agent: 'main', text: 'x'.repeat(maxNote + 1) })).rejects.toMatchObject({
      code: 'input_too_long',
      data: { field: 'text', limit: maxNote },
    })
    await expect(client.search.query({ agent: 'main', query: 'x '.repeat(5_000_000) })).rejects.toMatchObject({
      code: 'input_too_long',
      data: { field: 'query' },
    })
  })
})

describe('followers', () => {
  /** Follows a chat without a turn until it stops. */
  async function follow() {
    const turns = new LiveTurns({
      pendingInput: () => ({ queue: [], permissions: [] }),
      onStart: () => undefined,
      onFault: () => undefined,
      onEnd: () => undefined,
    })
    const stop = new AbortController()
    const events = turns.watch('s', stop.signal)
    expect((await events.next()).value).toMatchObject({ type: 'partial', running: false })
    return { emit: (event: ChatEvent) => turns.emit('s', event), events, stop }
  }

  it('sends a follower that stopped reading the current state instead of all events', async () => {
    const { emit, events, stop } = await follow()
    for (let at = 0; at < 50_000; at += 1) emit({ type: at % 2 === 0 ? 'text' : 'thinking', delta: 'x' })
    const told: ChatEvent[] = []
    for await (const event of events) {
      told.push(event)
      if (told.length === 2) stop.abort()
    }
    expect(told.map(({ type }) => type)).toContain('partial')
  })
})

describe('Differ', () => {
  const long = (word: string) => Array.from({ length: 20_000 }, (_, line) => `${word} ${line}\n`).join('')

  it('rejects an aborted merge, but still describes a finished write', async () => {
    const differ = new Differ({ entry: workerEntry(mainFolder, 'platform/diff/diff.worker') })
    onTestFinished(() => differ.close())
    const terminate = vi.spyOn(Worker.prototype, 'terminate')
    onTestFinished(() => terminate.mockRestore())
    const stop = new AbortController()
    const change = { path: 'a.md', before: `${long('a')}end\n`, after: `${long('b')}end\n` }
    const described = differ.describe(change, stop.signal)
    const merged = differ.merge({ base: long('a'), mine: long('b'), theirs: long('a'), keepsBoth: false }, stop.signal)
    stop.abort(new Error('enough'))
    await expect(merged).rejects.toThrow('enough')
    expect(await described).toMatchObject({ added: 20_000, removed: 20_000 })
    expect(terminate).toHaveBeenCalledOnce()
  })

  it('answers without the worker if it is lost', async () => {
    const differ = new Differ({ entry: workerEntry(mainFolder, 'platform/diff/diff.worker') })
    const described = differ.describe({ path: 'a.md', before: long('a'), after: long('b') })
    await differ.close()
    expect(await described).toMatchObject({ added: 20_000, removed: 20_000 })
  })
})
