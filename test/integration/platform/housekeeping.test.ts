import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KeyRing } from '../../../src/main/platform/config/key-ring.ts'
import { openTestApp } from '../../support/app.ts'

const planted = ['sk-ant-planted-0123456789', 'Bearer planted.token.abcdef', 'sk-proj-plantedABCDEFGH']

describe('secrets', () => {
  it('keeps planted keys and user text out of the log and the report', async () => {
    const { app, workspace, home } = await openTestApp({
      watch: true,
      files: { 'memory/secret-plan.md': 'The walrus moves on Friday.\n' },
      config: `agents:\n  list:\n    - { id: main, workspace: "{{workspace}}", prompts: { system: "You are Ann Example of ann@example.org" } }\n`,
    })
    await app.agents.get('main')
    app.log.fault(new Error(`request failed with ${planted.join(' and ')}`), `${workspace}/memory/secret-plan.md`)
    app.log.warn({ url: 'https://api.example.org/v1?api_key=planted-0123456789', mail: 'ann@example.org' }, 'a warning')
    const log = await readFile(join(home, 'logs/commonplace.log'), 'utf8')
    const report = await app.diagnostics()
    for (const secret of [...planted, 'planted-0123456789']) {
      expect(log).not.toContain(secret)
      expect(report).not.toContain(secret)
    }
    for (const text of ['walrus', 'secret-plan', 'Ann Example', 'ann@example.org', workspace, home])
      expect(report).not.toContain(text)
    expect(JSON.parse(report)).toMatchObject({ agents: [{ model: 'offline', index: { state: expect.any(String) } }] })
    expect(report).toContain('request failed with')
  })

  it('prefers a key given for the session, then a stored one, then the environment; deleting removes it', async () => {
    let kept: Readonly<Record<string, string>> = { anthropic: 'kept' }
    const vault = {
      strength: 'keychain' as const,
      load: () => Promise.resolve(kept),
      save: (keys: Readonly<Record<string, string>>) => {
        kept = keys
        return Promise.resolve()
      },
    }
    const keys = new KeyRing({ ANTHROPIC_API_KEY: 'env', OPENAI_API_KEY: 'env' }, vault)
    await keys.load()
    expect([keys.get('anthropic'), keys.source('anthropic')]).toEqual(['kept', 'keychain'])
    await keys.setKey('openai', ' new ')
    expect(kept).toEqual({ anthropic: 'kept', openai: 'new' })
    await keys.setKey('anthropic', '')
    expect([keys.get('anthropic'), keys.source('anthropic')]).toEqual(['env', 'environment'])
    expect(kept).toEqual({ openai: 'new' })
    const without = new KeyRing({})
    await without.setKey('openai', 'now')
    expect([without.get('openai'), without.source('openai')]).toEqual(['now', 'session'])
  })
})

describe('editing the file and the settings page concurrently', () => {
  it('merges an edit with changes saved meanwhile; rejects overlapping ones without losing text', async () => {
    const { app, home } = await openTestApp({
      watch: true,
      config:
        '# mine\ninterface:\n  theme: light\n\n\nspending:\n  monthlyLimit: 5\n\n\nagents:\n  list:\n    - { id: main, workspace: "{{workspace}}" }\n',
    })
    const base = await app.settings.source()
    await app.settings.set([['interface', 'theme'], 'dark'])
    const typed = base.replace('monthlyLimit: 5', 'monthlyLimit: 9 # more')
    const { text, isMerged } = await app.settings.save(typed, base)
    expect(isMerged).toBe(true)
    expect(text).toContain('theme: dark')
    expect(text).toContain('monthlyLimit: 9 # more')
    expect(text).toContain('# mine')
    const file = join(home, 'config.yaml')
    const before = await readFile(file, 'utf8')
    await writeFile(file, before.replace('9 # more', '12'))
    await expect(app.settings.save(before.replace('9 # more', '20'), before)).rejects.toMatchObject({
      code: 'file_changed',
    })
    expect(await readFile(file, 'utf8')).toContain('monthlyLimit: 12')
    const now = await app.settings.source()
    await expect(app.settings.save(now.replace('theme: dark', 'theme: green'), now)).rejects.toMatchObject({
      code: 'config_invalid',
    })
  })
})
