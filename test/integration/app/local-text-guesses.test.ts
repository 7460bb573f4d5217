/** Local text cannot be guessed: answers depend only on visible text. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { call, localModel, openRemote } from '../../support/remote-model.ts'

const memory =
  '# Memory\n\n## Codes ^[local]\n\n- The bike opens with SECRET-8841\n- short\n\n## Places\n\n- The harbour opens at seven\n'
const whole = '---\nvisibility: local\n---\nThe safe opens with 93417 and a key\n'
const files = { 'MEMORY.md': memory, 'private.md': whole, 'memory/own.md': whole }

const embeddings = '{ provider: openai-compatible, model: hashed, baseUrl: "{{remote}}", reach: remote }'

describe('embedding requests', () => {
  it('does not send a query to a remote embedding provider after local notes, and tells the model', async () => {
    const many = Array.from({ length: 30 }, (_, at) => `- Public fact ${at} about harbours, ferries and day ${at}`)
    const { ask, agent, remote, local } = await openRemote({
      files: { 'private.md': '---\nvisibility: local\n---\nKumquat\n', 'public.md': many.join('\n') },
      defaults: `memory: { embedding: ${embeddings} }`,
    })
    await agent.memory.settle(10_000)
    await agent.memory.waitForVectors()
    const search = (query: string) => call('memory_search', { query, minScore: 0 })
    local.script = [
      search('ferries of the harbour'),
      call('read', { path: 'private.md' }),
      search('is kumquat alpha for cabinet'),
      { text: 'It is.' },
    ]
    const { messages } = await ask('What is it for?', { model: localModel })
    const sent = remote.requests.map(({ text }) => text).join('\n')
    expect(sent).toContain('ferries of the harbour')
    expect(sent.toLowerCase()).not.toContain('kumquat')
    const told = messages.filter(({ role }) => role === 'toolResult').map((message) => messageText(message))
    expect(told[0]).not.toContain('it is not sent')
    expect(told[2]).toContain('it is not sent')
  })
})

describe('text that the user types', () => {
  it('sends plain words unchanged; holds back a code and an attachment that contains one', async () => {
    const { ask, remote } = await openRemote({ files: { 'note.md': 'Thanks! ^[local]\n\nPIN 4921 ^[local]\n' } })
    const { session } = await ask('Thanks!')
    await ask('My PIN 4921 is what?', { session })
    const last = remote.requests.at(-1)?.text ?? ''
    expect(last).toContain('10:30] Thanks!')
    expect(last).not.toContain('4921')
  })
})

describe('partly local notes', () => {
  it('a remote model finds and lists the visible part', async () => {
    const { results, agent } = await openRemote({
      files: { 'mixed.md': 'The shed of Ada is green\n\nIts lock opens with 20417 ^[local]\n', 'private.md': whole },
    })
    await agent.memory.settle(10_000)
    const { told } = await results(
      call('memory_search', { query: 'shed of Ada', minScore: 0 }),
      call('memory_search', { query: 'lock opens 20417', minScore: 0 }),
      call('list', {}),
    )
    expect(told[0]).toContain('The shed of Ada is green')
    expect(told[0]).not.toMatch(/20417|Its lock/)
    expect(told[1]).toBe('No note answers this.\nPrivate notes are not shown.')
    expect(told[2]).toContain('mixed.md (')
  })
})

describe('guesses', () => {
  it('an edit gives the same answer for hidden text and for missing text', async () => {
    const { results, workspace } = await openRemote({ files })
    const guesses = (right: string, wrong: string) => [right, wrong]
    const asked = [
      (oldText: string) => call('edit', { path: 'private.md', oldText, newText: 'x' }),
      (oldText: string) => call('edit', { path: 'MEMORY.md', oldText, newText: 'x' }),
      (old_str: string) => call('memory', { command: 'str_replace', path: '/memories/own.md', old_str, new_str: 'x' }),
      (text: string) => call('write', { path: 'MEMORY.md', content: memory.replace('SECRET-8841', text) }),
      (text: string) => call('write', { path: 'MEMORY.md', content: `${memory}\n- ${text}` }),
    ]
    for (const [at, ask] of asked.entries()) {
      for (const [right, wrong] of [
        guesses('9341', '9342'),
        guesses('SECRET-8841', 'SECRET-8842'),
        guesses('short', 'snort'),
      ]) {
        const { told } = await results(ask(right ?? ''), ask(wrong ?? ''))
        expect(told[0]?.replaceAll(right ?? '', ''), `${at} ${right}`).toBe(told[1]?.replaceAll(wrong ?? '', ''))
        expect(told[0]).toMatch(/edit_no_match|file_not_found|does not exist|local_only/)
      }
    }
    expect(await readFile(join(workspace, 'MEMORY.md'), 'utf8')).toBe(memory)
    expect(await readFile(join(workspace, 'private.md'), 'utf8')).toBe(whole)
  })

  it('a local note gives the same answer as a missing one', async () => {
    const { results } = await openRemote({ files: { ...files, 'vault/x.md': 'Of the vault\n' }, rules: ['vault'] })
    const asked = (path: string) => [
      call('read', { path }),
      call('memory_get', { path }),
      call('edit', { path, oldText: 'a', newText: 'b' }),
    ]
    const noted = (path: string) => [
      call('memory', { command: 'view', path }),
      call('memory', { command: 'insert', path, insert_line: 1, insert_text: 'x' }),
      call('memory', { command: 'str_replace', path, old_str: 'a', new_str: 'b' }),
      call('memory', { command: 'delete', path }),
      call('memory', { command: 'rename', old_path: path, new_path: '/memories/other.md' }),
    ]
    const there = await results(...asked('private.md'), ...asked('vault/x.md'), ...noted('/memories/own.md'))
    const nowhere = await results(...asked('nobody.md'), ...asked('vault/n.md'), ...noted('/memories/nil.md'))
    const named = nowhere.told.map((text) =>
      text.replaceAll('nobody.md', 'private.md').replaceAll('n.md', 'x.md').replaceAll('nil.md', 'own.md'),
    )
    expect(there.told).toEqual(named)
    const [list] = (await results(call('list', {}))).told
    expect(list).toContain('MEMORY.md (')
    expect(list).not.toMatch(/private\/|private\.md|vault|own\.md|\d+ more/)
  })

  it("writes a remote model's edit of visible text and keeps the hidden text unchanged", async () => {
    const { results, workspace } = await openRemote({ files })
    const { told } = await results(
      call('edit', { path: 'MEMORY.md', oldText: 'at seven', newText: 'at eight' }),
      call('edit', { path: 'MEMORY.md', oldText: '[stays on this machine]\n\n## Places', newText: '## Places' }),
      call('edit', { path: 'MEMORY.md', oldText: '# Memory\n', newText: '# Memory\n\nOf us.\n' }),
      call('write', {
        path: 'MEMORY.md',
        content: '# Mine\n\n[stays on this machine]\n\n[stays on this machine]\n[stays on this machine]\n\n## Places\n',
      }),
      call('write', {
        path: 'MEMORY.md',
        content:
          '# Mine\n\n## Open\n\n[stays on this machine]\n\n## Now\n\n[stays on this machine]\n[stays on this machine]\n',
      }),
    )
    expect(told.map((text) => text.startsWith('local_only'))).toEqual([false, true, false, false, true])
    expect(await readFile(join(workspace, 'MEMORY.md'), 'utf8')).toBe(
      '# Mine\n\n## Codes ^[local]\n\n- The bike opens with SECRET-8841\n- short\n\n## Places\n',
    )
  })

  it("does not redact a remote model's own guesses, right or wrong", async () => {
    const { results, remote, ask } = await openRemote({ files })
    const guesses = ['The bike opens with SECRET-8840', 'The bike opens with SECRET-8841', 'short']
    remote.script = [
      call('write', { path: 'guesses.md', content: guesses.join('\n') }),
      call('read', { path: 'guesses.md' }),
      call('read', { path: 'none.md', why: guesses.join('\n') }),
      { text: guesses.join('\n') },
    ]
    const { session } = await ask('Guess.')
    await ask('And?', { session })
    const last = remote.requests.at(-1)?.text ?? ''
    const count = (words: string) => last.split(words).length - 1
    expect(count('SECRET-8841')).toBe(count('SECRET-8840'))
    expect(count('SECRET-8841')).toBeGreaterThan(3)
    expect(last.slice(last.indexOf('"messages"'))).not.toContain('[stays on this machine]')
    // A read without a guess stays redacted.
    const { told } = await results(call('read', { path: 'MEMORY.md' }))
    expect(told[0]).not.toMatch(/8841|short/)
  })
})
