import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ToolResultMessage, messageText } from '../../../src/shared/chat/messages.ts'
import { openTestApp } from '../../support/app.ts'
import { startModelServer } from '../../support/model-server.ts'

const files = { 'memory/2026-01-20.md': '# 2026-01-20\n\n## 09:00\nTea\n', 'USER.md': '# User\n' }

async function openChat(model: string, chat = '{}') {
  const server = await startModelServer()
  const config = `providers: { anthropic: { baseUrl: "${server.url}" }, openai-compatible: { baseUrl: "${server.openAiUrl}" } }
agents:
  defaults: { memory: { embedding: { provider: none } }, chat: ${chat} }
  list: [{ id: main, workspace: "{{workspace}}", model: ${model} }]
`
  const env = { ANTHROPIC_API_KEY: 'sk-test-key', OPENAI_COMPATIBLE_API_KEY: 'sk-test-key' }
  const test = await openTestApp({ watch: true, config, env, files })
  const agent = await test.app.agents.get('main')
  /** Script: an answer with these calls, then one that ends the turn. */
  async function call(...inputs: readonly object[]): Promise<ToolResultMessage[]> {
    server.script = [{ calls: inputs.map((input) => ({ name: 'memory', arguments: input })) }, { text: 'Done.' }]
    const sent = await agent.chat.send({ text: 'go' })
    await sent.ended
    const messages = (await agent.sessions.get(sent.session)).messages().map(({ message }) => message)
    return messages.filter((message) => message.role === 'toolResult')
  }
  const tools = () => server.requests.find(({ body }) => 'tools' in body)?.body['tools'] as { type?: string }[]
  return { ...test, agent, call, tools }
}

const shown = (results: readonly ToolResultMessage[]) =>
  results.map((result) => `${result.isError ? 'ERROR ' : ''}${messageText(result)}`)

it('says that a note of a model looks like a secret', async () => {
  const { call, workspace } = await openChat('anthropic/claude-sonnet-5')
  const path = '/memories/home.md'
  const [created, changed, plain] = await call(
    { command: 'create', path, file_text: '# Home\n\n- The router is in the hall\n' },
    { command: 'insert', path, insert_line: 3, insert_text: '- Wi-Fi password: hunter2\n' },
    { command: 'insert', path, insert_line: 3, insert_text: '- The cellar is dry\n' },
  )
  const texts = shown([created, changed, plain].filter((result) => result !== undefined))
  expect(texts.map((text) => text.includes('looks like a secret'))).toEqual([false, true, false])
  expect(await readFile(join(workspace, 'memory/home.md'), 'utf8')).toBe(
    '# Home\n\n- The router is in the hall\n- The cellar is dry\n- Wi-Fi password: hunter2\n',
  )
})

describe('Anthropic’s memory tool', () => {
  it('is offered under its own name and performs all documented commands', async () => {
    const { agent, call, tools, workspace } = await openChat('anthropic/claude-sonnet-5')
    const path = '/memories/tea.md'
    const done = await call(
      { command: 'create', path, file_text: '# Tea\n\n- green\n- black\n' },
      { command: 'view', path: '/memories' },
      { command: 'str_replace', path, old_str: '- black', new_str: '- oolong' },
      { command: 'insert', path, insert_line: 4, insert_text: '- white\n' },
      { command: 'view', path, view_range: [3, -1] },
      { command: 'rename', old_path: path, new_path: '/memories/drinks/tea.md' },
      { command: 'create', path: '/memories/coffee.md', file_text: 'Never after six.\n' },
      { command: 'delete', path: '/memories/coffee.md' },
    )
    expect(tools()).toContainEqual({ type: 'memory_20250818', name: 'memory' })
    expect(shown(done)).toEqual([
      `File created successfully at: ${path}`,
      `Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n50B\t/memories\n27B\t/memories/2026-01-20.md\n23B\t${path}`,
      `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     2\t\n     3\t- green\n     4\t- oolong`,
      `The file ${path} has been edited.`,
      `Here's the content of ${path} with line numbers:\n     3\t- green\n     4\t- oolong\n     5\t- white`,
      `Successfully renamed ${path} to /memories/drinks/tea.md`,
      'File created successfully at: /memories/coffee.md',
      'Successfully deleted /memories/coffee.md',
    ])
    expect(await readFile(join(workspace, 'memory/drinks/tea.md'), 'utf8')).toBe(
      '# Tea\n\n- green\n- oolong\n- white\n',
    )
    expect(await readdir(join(workspace, 'memory'))).toEqual(['2026-01-20.md', 'drinks'])
    expect((await readdir(join(workspace, '.trash'), { recursive: true })).join(' ')).toContain('coffee.md')
    // Writes are undoable changes of the agent, and search finds them.
    expect(done.map(({ details }) => details?.kind)).toEqual([
      'change',
      undefined,
      'change',
      'change',
      undefined,
      undefined,
      'change',
      'change',
    ])
    await agent.requireHistory.flush()
    const blamed = await agent.requireHistory.blame('memory/drinks/tea.md')
    expect(new Set(blamed.map(({ cause }) => cause))).toEqual(new Set(['agent']))
    await agent.memory.settle(5000)
    expect((await agent.memory.search('oolong')).results[0]?.path).toBe('memory/drinks/tea.md')
  })

  it('refuses missing, forbidden and protected paths in the documented words', async () => {
    const { call, workspace } = await openChat('anthropic/claude-opus-5')
    const log = '/memories/2026-01-20.md'
    const refused = await call(
      { command: 'view', path: '/memories/none.md' },
      { command: 'create', path: log, file_text: 'new' },
      { command: 'str_replace', path: log, old_str: 'coffee', new_str: 'tea' },
      { command: 'str_replace', path: log, old_str: '0', new_str: '1' },
      { command: 'insert', path: log, insert_line: 9, insert_text: 'x' },
      { command: 'delete', path: '/memories' },
      { command: 'delete', path: log },
      { command: 'rename', old_path: '/memories/none.md', new_path: '/memories/some.md' },
      { command: 'view', path: '/memories/../USER.md' },
      { command: 'view', path: '/etc/passwd' },
      { command: 'view', path: '/memoriesx' },
      { command: 'create', path: '/memories/../../out.md', file_text: 'x' },
      { command: 'create', path: '/memories/..\\..\\out.md', file_text: 'x' },
      { command: 'create', path: '/memories/run.sh', file_text: 'x' },
      { command: 'create', path: '/memories/.hidden.md', file_text: 'x' },
      { command: 'create', path: '/memories/CLAUDE.md', file_text: 'x' },
      { command: 'forget', path: '/memories' },
    )
    expect(refused.every(({ isError }) => isError)).toBe(true)
    const texts = refused.map((result) => messageText(result))
    expect(texts.slice(0, 6)).toEqual([
      'The path /memories/none.md does not exist. Please provide a valid path.',
      `Error: File ${log} already exists`,
      `No replacement was performed, old_str \`coffee\` did not appear verbatim in ${log}.`,
      `No replacement was performed. Multiple occurrences of old_str \`0\` in lines: 1, 3. Please ensure it is unique`,
      'Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 4]',
      'Error: /memories itself cannot be moved or deleted',
    ])
    expect(texts[6]).toContain('daily log')
    expect(texts[7]).toBe('Error: The path /memories/none.md does not exist')
    for (const text of texts.slice(8, 13)) expect(text).toMatch(/^(path_outside_workspace|path_invalid): /)
    expect(texts.slice(13, 16).map((text) => text.split(':')[0])).toEqual([
      'write_refused',
      'path_hidden',
      'write_proposed',
    ])
    expect(texts[16]).toContain('The arguments are invalid')
    expect(await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8')).toBe(files['memory/2026-01-20.md'])
    expect(await readdir(workspace)).not.toContain('.trash')
  })

  it.each([
    ['anthropic/claude-3-5-sonnet-latest', '{}'],
    ['openai-compatible/claude-sonnet-5', '{}'],
  ])('is not offered to %s with settings %s', async (model, chat) => {
    const { call, tools } = await openChat(model, chat)
    const [result] = await call({ command: 'view', path: '/memories' })
    expect(JSON.stringify(tools())).not.toContain('memory_20250818')
    expect(result && messageText(result)).toContain('There is no tool memory.')
  })
})
