import { describe, expect, it } from 'vitest'
import { convertSettings } from '../../../src/main/interop/import/openclaw.ts'
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

describe('settings of OpenClaw', () => {
  const result = convertSettings(file)

  it('takes over settings with a counterpart', () => {
    const at = Object.fromEntries((result?.changes ?? []).map(([path, value]) => [path.join('.'), value]))
    expect(at).toEqual({
      'agents.defaults.model': 'anthropic/claude-opus-4-5',
      'agents.defaults.chat.thinking': 'low',
      'agents.defaults.memory.embedding.provider': 'gemini',
      'agents.defaults.memory.embedding.model': 'gemini-embedding-001',
      'agents.defaults.memory.extraPaths': ['../team-docs'],
      'agents.defaults.memory.search.maxResults': 8,
      'agents.defaults.memory.search.minScore': 0.4,
      'agents.defaults.memory.search.weights.vector': 0.6,
      'agents.defaults.memory.search.weights.text': 0.4,
      'agents.defaults.memory.sessions': true,
      'agents.defaults.compaction.memoryFlush.enabled': true,
      'agents.defaults.compaction.memoryFlush.prompt': 'Write // it /* down */',
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

  it('reports all other settings with a reason, and neither shows nor takes keys', () => {
    const left = Object.fromEntries((result?.left ?? []).map(({ from, reason }) => [from, reason]))
    expect(left).toMatchObject({
      'agents.defaults.model.fallbacks': 'noCounterpart',
      'agents.defaults.memorySearch.remote.apiKey': 'secret',
      'agents.defaults.memorySearch.chunking': 'noCounterpart',
      'agents.defaults.memorySearch.query.hybrid.enabled': 'noCounterpart',
      'agents.defaults.memorySearch.query.hybrid.mmr': 'noCounterpart',
      'agents.defaults.contextPruning': 'noCounterpart',
      'agents.defaults.compaction.reserveTokensFloor': 'noCounterpart',
      'agents.defaults.compaction.memoryFlush.softThresholdTokens': 'noCounterpart',
      'models.providers.ollama.models[qwen3].cost.cacheRead': 'noCounterpart',
      'agents.defaults.memorySearch.sync': 'noCounterpart',
      'agents.defaults.heartbeat': 'noCounterpart',
      'agents.list[work].memorySearch.query.minScore': 'invalid',
      'agents.list[Bad Id]': 'invalid',
      'agents.list[homeless]': 'noFolder',
      'session.store': 'noCounterpart',
      'models.providers.ollama.apiKey': 'secret',
      'models.mode': 'noCounterpart',
      channels: 'noCounterpart',
      gateway: 'noCounterpart',
    })
    expect(JSON.stringify(result)).not.toMatch(/sk-secret-key|123:abc/)
  })

  it('the result is a valid configuration', () => {
    const config: Record<string, unknown> = {}
    for (const [path, value] of result?.changes ?? []) {
      let at = config
      for (const [index, step] of path.slice(0, -1).entries())
        at = (at[step] ??= typeof path[index + 1] === 'number' ? [] : {}) as Record<string, unknown>
      at[path.at(-1) ?? ''] = value
    }
    expect(parseConfig(JSON.stringify(config))).toMatchObject({ ok: true, ignoredKeys: [] })
  })

  it('takes over a threshold only with weights', () => {
    const search = (hybrid: string) =>
      convertSettings(`{"agents": {"defaults": {"memorySearch": {"query": {"minScore": 0.4${hybrid}}}}}}`)
    expect(search('')).toMatchObject({
      changes: [],
      left: [{ from: 'agents.defaults.memorySearch.query.minScore', reason: 'noCounterpart' }],
    })
    expect(search(', "hybrid": {"vectorWeight": 0.6}')?.left).toEqual([])
  })

  it('reads the older form with settings under `agent`', () => {
    const { changes, left } = convertSettings('{"agent": {"model": "openai/gpt-5", "workspace": "~/clawd"}}') ?? {}
    expect(changes).toEqual([
      [['agents', 'defaults', 'model'], 'openai/gpt-5'],
      [['agents', 'list', 0], { id: 'main', workspace: '~/clawd' }],
    ])
    expect(left).toEqual([])
  })

  it('an existing agent keeps its folder and gets the settings; skips a folder of another agent', () => {
    const { changes, left } =
      convertSettings(
        '{"agents": {"list": [{"id": "main", "workspace": "/a", "model": "openai/x"}, {"id": "b", "workspace": "/m"}]}}',
        [{ id: 'main', workspace: '/m' }],
      ) ?? {}
    expect(changes).toEqual([[['agents', 'list', 0, 'model'], 'openai/x']])
    expect(left).toEqual([{ from: 'agents.list[b]', reason: 'taken' }])
  })

  it.each(['', 'null', '[]', 'no json', '{', '"x"', `{${'a: {'.repeat(5000)}`])(
    '%j is no settings file, or empty',
    (text) => {
      expect(convertSettings(text)?.changes ?? []).toEqual([])
    },
  )
})
