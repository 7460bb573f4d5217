import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findOpenClawSettings } from '../../../src/main/interop/import/openclaw.ts'
import { folderWith } from '../../support/folder.ts'
import { parseConfig } from '../../../src/main/platform/config/parse-config.ts'

const file = `{
  // Written by hand: comments, single quotes, bare keys, trailing commas.
  agents: {
    defaults: {
      workspace: '~/clawd',
      model: { primary: "anthropic/claude-opus-4-5", fallbacks: ["openai/gpt-5"] },
      thinkingDefault: "minimal",
      memorySearch: {
        provider: "gemini", model: "gemini-embedding-001",
        remote: { apiKey: "sk-secret-key", batch: { enabled: true } },
        extraPaths: ["../team-docs"],
        chunking: { tokens: 500, overlap: 50 },
        query: { maxResults: 8, minScore: 0.4, hybrid: { enabled: true, vectorWeight: 0.6, textWeight: 0.4, mmr: { enabled: true, lambda: 0.7 } } },
        sync: { watchDebounceMs: 2000, onSearch: true },
        experimental: { sessionMemory: true },
      },
      compaction: { reserveTokensFloor: 24000, memoryFlush: { enabled: true, softThresholdTokens: 6000, prompt: "Write // it /* down */" } },
      contextPruning: { mode: "cache-ttl", ttl: "1h", softTrim: { maxChars: 5000, headChars: 2000, tailChars: 2000 }, hardClear: { placeholder: "[gone]" }, tools: { deny: ["browser"] } },
      heartbeat: { every: "30m", target: "last" },
    },
    list: [
      { id: "main", default: true, name: "Molty" },
      { id: "work", workspace: "~/clawd-work", model: "openrouter/qwen/qwen3-max", memorySearch: { query: { minScore: 2 } } },
      { id: "Bad Id", workspace: "~/x" },
      { id: "homeless" },
    ],
  },
  session: { reset: { mode: "idle", idleMinutes: 90 }, store: "x.json" },
  hooks: { internal: { enabled: true, entries: { "session-memory": { enabled: false } } } },
  models: { mode: "merge", providers: { ollama: { baseUrl: "http://127.0.0.1:11434/v1", apiKey: "k", models: [{ id: "qwen3", contextWindow: 32768, maxTokens: 4096, input: ["text", "image"], cost: { input: 0.2, output: 0.6, cacheRead: 0.02, cacheWrite: 0 } }] } } },
  channels: { telegram: { botToken: "123:abc" } },
  gateway: { port: 18789, auth: { token: "t" } },
}`

type Options = Parameters<typeof findOpenClawSettings>[1]

async function homeWith(files: Readonly<Record<string, string>>): Promise<string> {
  const home = await folderWith(files)
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  return home
}

/** @param name below the home folder */
async function convert(text: string, options: Partial<Options> = {}, name = '.openclaw/openclaw.json') {
  await homeWith({ [name]: text })
  const found = await findOpenClawSettings([], { agents: [], config: {}, hasKey: () => false, ...options })
  return found[0]
}

describe('settings of OpenClaw', () => {
  it('takes over settings with a counterpart', async () => {
    const result = await convert(file)
    const at = Object.fromEntries((result?.changes ?? []).map(([path, value]) => [path.join('.'), value]))
    expect(at).toEqual({
      'agents.defaults.model': 'anthropic/claude-opus-4-5',
      'agents.defaults.chat.thinking': 'low',
      'agents.defaults.memory.embedding.provider': 'gemini',
      'agents.defaults.memory.embedding.model': 'gemini-embedding-001',
      'agents.defaults.memory.extraPaths': ['../team-docs'],
      'agents.defaults.memory.chunking.tokens': 500,
      'agents.defaults.memory.chunking.overlap': 50,
      'agents.defaults.memory.chunking.unit': 'tokens',
      'agents.defaults.memory.sync.debounceMs': 2000,
      'agents.defaults.memory.search.maxResults': 8,
      'agents.defaults.memory.search.minScore': 0.4,
      'agents.defaults.memory.search.weights.vector': 0.6,
      'agents.defaults.memory.search.weights.text': 0.4,
      'agents.defaults.memory.sessions': true,
      'agents.defaults.compaction.reserveTokensFloor': 24_000,
      'agents.defaults.compaction.memoryFlush.enabled': true,
      'agents.defaults.compaction.memoryFlush.softThresholdTokens': 6000,
      'agents.defaults.compaction.memoryFlush.prompt': 'Write // it /* down */',
      'agents.defaults.contextPruning.mode': 'cache-ttl',
      'agents.defaults.contextPruning.ttl': '1h',
      'agents.defaults.contextPruning.softTrim.maxChars': 5000,
      'agents.defaults.contextPruning.softTrim.headChars': 2000,
      'agents.defaults.contextPruning.softTrim.tailChars': 2000,
      'agents.defaults.contextPruning.hardClear.placeholder': '[gone]',
      'agents.list.0': { id: 'main', workspace: '~/clawd' },
      'agents.list.0.name': 'Molty',
      'agents.list.1': { id: 'work', workspace: '~/clawd-work' },
      'agents.list.1.model': 'openai-compatible/qwen/qwen3-max',
      'agents.defaults.session.reset.mode': 'idle',
      'agents.defaults.session.reset.idleMinutes': 90,
      'agents.defaults.session.memoryHook.enabled': false,
      'providers.openai-compatible.baseUrl': 'http://127.0.0.1:11434/v1',
      'models.openai-compatible/qwen3.contextWindow': 32_768,
      'models.openai-compatible/qwen3.maxOutput': 4096,
      'models.openai-compatible/qwen3.images': true,
      'models.openai-compatible/qwen3.prices': { input: 0.2, output: 0.6 },
    })
  })

  it('reports all other settings with a reason, and neither shows nor takes keys', async () => {
    const result = await convert(file)
    const left = Object.fromEntries((result?.left ?? []).map(({ from, reason }) => [from, reason]))
    expect(left).toMatchObject({
      'agents.defaults.model.fallbacks': 'noCounterpart',
      'agents.defaults.memorySearch.remote.apiKey': 'secret',
      'agents.defaults.memorySearch.query.hybrid.enabled': 'noCounterpart',
      'agents.list[work].memorySearch.query.minScore': 'invalid',
      'agents.list[Bad Id]': 'invalid',
      'agents.list[homeless]': 'noFolder',
      'session.store': 'noCounterpart',
      'models.providers.ollama.apiKey': 'secret',
      channels: 'noCounterpart',
    })
    expect(JSON.stringify(result)).not.toMatch(/sk-secret-key|123:abc/)
  })

  it('the result is a valid configuration', async () => {
    const result = await convert(file)
    const config: Record<string, unknown> = {}
    for (const [path, value] of result?.changes ?? []) {
      let at = config
      for (const [index, step] of path.slice(0, -1).entries())
        at = (at[step] ??= typeof path[index + 1] === 'number' ? [] : {}) as Record<string, unknown>
      at[path.at(-1) ?? ''] = value
    }
    expect(parseConfig(JSON.stringify(config))).toMatchObject({ ok: true, ignoredKeys: [] })
  })

  it('takes over a threshold only with weights', async () => {
    const search = (hybrid: string) =>
      convert(`{"agents": {"defaults": {"memorySearch": {"query": {"minScore": 0.4${hybrid}}}}}}`)
    expect(await search('')).toMatchObject({
      changes: [],
      left: [{ from: 'agents.defaults.memorySearch.query.minScore', reason: 'noEffect' }],
    })
    expect((await search(', "hybrid": {"vectorWeight": 0.6}'))?.left).toEqual([])
  })

  it('reads the older form with settings under `agent`, and settings of both forms', async () => {
    const old = await convert('{"agent": {"model": "openai/gpt-5", "workspace": "~/clawd"}}')
    expect(old?.changes).toEqual([
      [['agents', 'defaults', 'model'], 'openai/gpt-5'],
      [['agents', 'list', 0], { id: 'main', workspace: '~/clawd' }],
    ])
    expect(old?.left).toEqual([])
    expect(old?.taken[1]).toMatchObject({ from: 'agent.workspace', was: '~/clawd', to: 'agents.list.0' })
    const both = await convert(
      '{"agent": {"compaction": {"enabled": false}}, "agents": {"defaults": {"compaction": {"reserveTokensFloor": 9}}}}',
    )
    expect(both?.taken.map(({ from }) => from)).toEqual([
      'agent.compaction.enabled',
      'agents.defaults.compaction.reserveTokensFloor',
    ])
  })

  it('an existing agent keeps its folder unless the user chooses otherwise; skips a folder of another agent', async () => {
    const converted = await convert(
      '{"agents": {"list": [{"id": "main", "workspace": "/a", "model": "openai/x"}, {"id": "b", "workspace": "/m"}]}}',
      { agents: [{ id: 'main', workspace: '/m' }] },
    )
    expect(converted?.taken.map(({ to, doubts }) => [to, doubts])).toEqual([
      ['agents.list.0.workspace', ['folder']],
      ['agents.list.0.model', ['remote', 'noKey']],
    ])
    expect(converted?.left).toEqual([{ from: 'agents.list[b]', reason: 'taken' }])
  })

  const local = 'http://127.0.0.1:11434/v1'
  it.each([
    ['a model of a remote provider', '{ agent: { model: "anthropic/x" } }', ['remote', 'noKey']],
    [
      'a model of this machine',
      `{ agent: { model: "ollama/x" }, models: { providers: { ollama: { baseUrl: "${local}" } } } }`,
      [],
    ],
    ['remote embeddings', '{ agent: { memorySearch: { provider: "openai" } } }', ['remote']],
    ['local embeddings', '{ agent: { memorySearch: { provider: "local" } } }', ['download']],
  ])('says why %s waits for the user: %#', async (_name, text, doubts) => {
    const converted = await convert(text, { hasKey: (provider) => provider === 'openai' })
    expect(converted?.taken.length).toBeGreaterThan(0)
    for (const entry of converted?.taken ?? []) expect(entry.doubts).toEqual(doubts)
  })

  it.each([
    ['{\n  // one\n  /* two\n  three */ a: {\n', 'openclaw.json', ':5: Flow map in block collection must be'],
    [`{${'a: {'.repeat(5000)}`, 'moltbot.json', ''],
    [`a: &a [1]\nb: [${'*a,'.repeat(500)}]\n`, 'clawdbot.yaml', ': Excessive alias count'],
    ['apiKey: *sk-secret', 'clawdbot.yaml', ': Unresolved alias'],
  ])('says what is wrong in which line: %#', async (text, name, problem) => {
    const converted = await convert(text, {}, `.clawdbot/${name}`)
    expect(converted?.taken).toEqual([])
    expect(converted?.left).toEqual([{ from: expect.stringContaining(name + problem), reason: 'unreadable' }])
    expect(converted?.left[0]?.from).not.toMatch(/\n| at line|sk-secret/)
  })

  it('says which own value a setting would replace, and leaves one that is set already', async () => {
    const config = {
      agents: {
        defaults: { memory: { search: { maxResults: 8, weights: { vector: 0.6 } }, chunking: { tokens: 400 } } },
        list: [{ id: 'main', memory: { sync: { debounceMs: 900 } } }],
      },
      providers: { 'openai-compatible': { baseUrl: 'http://localhost:1234/v1' } },
    }
    const text = `{
      agents: { list: [
        { id: "main", memorySearch: { query: { maxResults: 12 }, sync: { watchDebounceMs: 900 }, chunking: { tokens: 400, overlap: 50 } } },
        { id: "work", workspace: "~/w", memorySearch: { query: { maxResults: 12 } } },
      ], defaults: { memorySearch: { query: { maxResults: 8, hybrid: { vectorWeight: 0.6 } } } } },
      models: { providers: { ollama: { baseUrl: "${local}" } } },
    }`
    const converted = await convert(text, { config, agents: [{ id: 'main', workspace: '/m' }] })
    expect(converted?.taken.map(({ to, replaces, doubts }) => [to, replaces, doubts])).toEqual([
      ['agents.list.0.memory.search.maxResults', '8', ['replaces']],
      ['agents.list.0.memory.chunking.tokens', undefined, []],
      ['agents.list.0.memory.chunking.overlap', undefined, []],
      ['agents.list.0.memory.chunking.unit', undefined, []],
      ['agents.list.1', undefined, []],
      ['agents.list.1.memory.search.maxResults', undefined, []],
      ['providers.openai-compatible.baseUrl', 'http://localhost:1234/v1', ['replaces']],
    ])
    expect(converted?.left).toEqual([
      { from: 'agents.defaults.memorySearch.query.maxResults', reason: 'same' },
      { from: 'agents.defaults.memorySearch.query.hybrid.vectorWeight', reason: 'same' },
      { from: 'agents.list[main].memorySearch.sync.watchDebounceMs', reason: 'same' },
    ])
  })

  it('finds files in the home folder, in workspaces and beside them, each once', async () => {
    const settings = 'agent: { thinkingDefault: low }'
    const home = await homeWith({
      '.clawdbot/clawdbot.yaml': settings,
      '.clawdbot/notes.yaml': settings,
      '.moltbot/moltbot.json': `{ ${settings} }`,
      '.openclaw/openclaw.json': `{ ${settings} }`,
      'vault/notes/clawdbot.yml': settings,
      'vault/clawdbot.json': `{ ${settings} }`,
      'clawdbot.json': `{ ${settings} }`,
    })
    await symlink(join(home, '.openclaw/openclaw.json'), join(home, '.clawdbot/openclaw.json'))
    const workspaces = [join(home, 'vault/notes'), join(home, 'vault/other')]
    const found = await findOpenClawSettings(workspaces, { agents: [], config: {}, hasKey: () => false })
    expect(found.map(({ file: path }) => path.slice(home.length + 1))).toEqual([
      '.clawdbot/clawdbot.yaml',
      '.clawdbot/openclaw.json',
      '.moltbot/moltbot.json',
      'vault/notes/clawdbot.yml',
      'vault/clawdbot.json',
    ])
    expect(new Set(found.map(({ taken }) => taken.length))).toEqual(new Set([1]))
  })
})
