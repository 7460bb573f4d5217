import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { McpConnection } from '../../../src/main/agent/mcp-client/mcp-servers.ts'
import type { ChatEvent } from '../../../src/shared/contract/index.ts'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { openAgent } from '../../support/agent.ts'
import { until } from '../../support/folder.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'

const script = fileURLToPath(new URL('../../support/mcp-server.mjs', import.meta.url))

const call = (tool: string, args: object = {}): ScriptedAnswer => ({
  calls: [{ name: `mcp__tools__${tool}`, arguments: args }],
})

async function openWithTools(permission: string, ...answers: ScriptedAnswer[]) {
  return openWithServer(
    `command: "${process.execPath}", args: ["${script}"], env: { TEST_SECRET: "\${PLANTED}" }, permission: ${permission}`,
    ...answers,
  )
}

async function openWithServer(settings: string, ...answers: ScriptedAnswer[]) {
  const model = await startModelServer(...answers)
  const test = await openAgent(model, {
    settings: `mcp: { servers: { tools: { ${settings} } } }\n`,
    env: { ANTHROPIC_API_KEY: 'k', PLANTED: 'from the environment' },
    toolLimits: { timeoutMs: 1000 },
  })
  const { agent } = test
  const ask = async (text = 'x', isPrivate = false) => {
    const { session, ended } = await agent.chat.send({ text, isPrivate })
    const events: ChatEvent[] = []
    void (async () => {
      for await (const event of agent.chat.turns.watch(session, undefined)) events.push(event)
    })()
    const results = async () => {
      await ended
      return (await test.messagesOf(session)).filter((message) => message.role === 'toolResult')
    }
    return { session, ended, events, results }
  }
  return { ...test, model, ask }
}

describe('tools of other programs (MCP)', () => {
  it('starts a server on demand, offers its tools under its name, and calls them', async () => {
    const { ask, app, model } = await openWithTools('always', call('add', { a: 19, b: 23 }), { text: 'It is 42.' })
    expect(app.mcp.status()).toMatchObject([{ name: 'tools', state: 'stopped', tools: [] }])
    const [result] = await (await ask()).results()
    expect(result && messageText(result)).toBe('42')
    const offered = ((model.requests[0]?.body['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
    expect(offered).toContain('memory_search')
    expect(offered).toContain('mcp__tools__add')
    const [status] = app.mcp.status()
    expect(status).toMatchObject({ state: 'ready' })
    expect(status?.log.join('\n')).toContain('test-tools: started')
  })

  it('takes secrets from the environment instead of the configuration', async () => {
    const { ask } = await openWithTools('always', call('secret'), { text: 'ok' })
    const [result] = await (await ask()).results()
    expect(result && messageText(result)).toBe('from the environment')
  })

  it.each([
    ['always', '42', 'always'],
    ['deny', 'tool_denied', 'ask'],
  ] as const)('asks for permission and applies the decision “%s”', async (decision, expected, kept) => {
    const { ask, agent, app, home } = await openWithTools('ask', call('add', { a: 40, b: 2 }), { text: 'ok' })
    const { events, session, results } = await ask()
    await until(() => events.some((event) => event.type === 'permissions' && event.permissions.length > 0))
    const asked = events.find((event) => event.type === 'permissions')?.permissions[0]
    expect(asked).toMatchObject({ server: 'tools', tool: 'add', input: expect.stringContaining('40') })
    agent.chat.permissions.answer(asked?.id ?? '', decision)
    const [result] = await results()
    expect(result && messageText(result)).toContain(expected)
    expect(app.mcp.permissionOf('tools', 'add')).toBe(kept)
    const config = await readFile(join(home, 'config.yaml'), 'utf8')
    expect(config.includes(`add: ${decision}`)).toBe(kept !== 'ask')
    for await (const event of agent.chat.turns.watch(session, undefined)) {
      expect(event).toMatchObject({ permissions: [] })
      break
    }
  })

  it('does not offer a tool that the user forbids', async () => {
    const { ask, model } = await openWithTools('never', { text: 'ok' })
    const { ended } = await ask()
    await ended
    expect(JSON.stringify(model.requests[0]?.body['tools'])).not.toContain('mcp__')
  })

  it('gives failures as results that the model can read, and the turn continues', async () => {
    const calls = [call('hang', {}), call('fail', {}), call('add', { a: 'x' }), call('die', {})]
    const { ask } = await openWithTools('always', ...calls, { text: 'I see.' })
    const results = await (await ask()).results()
    expect(results).toMatchObject(calls.map(() => ({ isError: true })))
    expect(results.map(messageText)).toEqual([
      expect.stringContaining('tool_timeout'),
      expect.stringContaining('it did not work'),
      expect.stringContaining('Invalid'),
      expect.stringContaining('mcp_unavailable'),
    ])
  })

  it('connects to a server by URL', async () => {
    const server = spawn(process.execPath, [script, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void server.kill())
    const [line] = (await once(server.stdout, 'data')) as [Buffer]
    const { ask } = await openWithServer(
      `url: "${line.toString().trim()}", permission: always`,
      call('add', { a: 40, b: 2 }),
      { text: 'ok' },
    )
    const [result] = await (await ask()).results()
    expect(result && messageText(result)).toBe('42')
  })

  it('uses in a private chat only a server on this machine, and records its calls', async () => {
    const program = `command: "${process.execPath}", args: ["${script}"], permission: always`
    const servers = `${program}, local: true }, other: { ${program}`
    const { ask, app, model } = await openWithServer(servers, call('add', { a: 40, b: 2 }), { text: 'ok' })
    const { session, results } = await ask('x', true)
    const [result] = await results()
    expect(result && messageText(result)).toBe('42')
    const offered = JSON.stringify(model.requests[0]?.body['tools'])
    expect(offered).toContain('mcp__tools__add')
    expect(offered).not.toContain('mcp__other__')
    expect(app.mcp.status()).toMatchObject([
      { name: 'tools', state: 'ready', local: true },
      { name: 'other', state: 'stopped', local: false },
    ])
    expect((await app.outbound.requests(9)).requests).toMatchObject([
      { purpose: 'program', host: 'program:tools', chat: session, isPrivate: true, outcome: 'ok' },
      { purpose: 'program', host: 'program:tools', chat: session, characters: 0, outcome: 'ok' },
    ])
  })

  it('reports a server that does not start, and the chat still works', async () => {
    const { ask, app } = await openWithServer('command: "/no/such/program"', { text: 'hello' })
    const { ended } = await ask()
    await ended
    expect(app.mcp.status()).toMatchObject([{ state: 'failed', problem: expect.stringContaining('ENOENT') }])
    await expect(app.mcp.start('tools')).rejects.toMatchObject({ code: 'mcp_unavailable' })
  })

  it('sends no call of a private chat to a server that is no longer on this machine', async () => {
    const { app } = await openWithTools('always')
    const settings = app.settings.config.mcp.servers['tools']
    if (!settings) throw new Error('no server')
    const unused = { env: {}, outbound: undefined, version: '1', onChange: () => undefined }
    const connection = new McpConnection({ name: 'tools', settings, scrub: (text) => text, ...unused })
    const options = { signal: AbortSignal.timeout(1000), timeoutMs: 1000, isPrivate: true, onProgress: () => undefined }
    await expect(connection.call('add', { a: 1, b: 1 }, options)).rejects.toMatchObject({
      code: 'private_stays_here',
    })
  })
})
