/**
 * Writes docs/guide/config.md from the schema of the configuration: `npm run reference`. With `--check`, fails if the
 * file is outdated.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { configJsonSchema } from '../../src/main/platform/config/config-schema.ts'
import { parseConfig } from '../../src/main/platform/config/parse-config.ts'
import { valueAt } from '../../src/shared/util/json.ts'
import { formatDuration, type JsonSchema } from '../../src/renderer/settings/setting-rows.ts'

const page = new URL('../../docs/guide/config.md', import.meta.url)
const names = (
  JSON.parse(readFileSync(new URL('../../src/shared/i18n/en.json', import.meta.url), 'utf8')) as {
    setting: Record<string, string>
  }
).setting

/** Descriptions of settings that the settings view does not list. */
const others: Readonly<Record<string, string>> = {
  baseUrl: 'Address of the provider’s API, if it is not the default',
  headers: 'Headers of every request; `${NAME}` is replaced by an environment variable',
  proxy: 'Proxy, instead of `HTTPS_PROXY` and `NO_PROXY`',
  reach: 'Treats the server as local or remote, for private notes',
  contextWindow: 'Tokens of a request and its answer',
  maxOutput: 'Maximum tokens of an answer',
  images: 'The model accepts pictures',
  input: 'US dollars per million input tokens',
  output: 'US dollars per million output tokens',
  shortcuts: 'Other keys for commands: default keys and new keys, `Mod+K: Mod+J`',
  monthlyLimit: 'Limit in US dollars per month for all agents; further requests are refused',
  command: 'Program that starts the tool server',
  args: 'Arguments of the program',
  env: 'Environment variables of the program',
  url: 'Address of the tool server, instead of a program',
  enabled: 'The tool server is in use',
  local: 'The tool server runs on this machine and sends nothing elsewhere; private chats use only such servers',
  permission: 'Permission for tools of the server',
  tools: 'Permissions for single tools, by name',
  shareWith: 'Agents that may search and read this memory, but not write it',
  id: 'Letters, digits, `-` and `_`; also the name of the agent’s folders',
  name: 'Name in the app',
  archived: 'Hidden in the app; files and chats stay',
  workspace: 'Folder with the notes; default `~/commonplace`, or `~/commonplace-<id>` for further agents',
  color: 'Colour, for example `#3f5bd9`',
  maxCharacters: 'Most characters of all results, as lines with path and date',
  weights: 'Ranking of search results: weights of meaning and words; can be tried in the app',
  minScore: 'Least score of a result',
  own: 'Folder of the agent’s own files (AGENTS.md, MEMORY.md …): `.commonplace`, a folder that is not hidden, or empty for the top folder',
}

/** Additions to the descriptions of the settings view. */
const remarks: Readonly<Record<string, string>> = {
  'visibility.private': '; the older name `visibility.local` also works',
  'memory.search.weights': '; `auto` is the ranking model',
  'memory.search.minScore': ', with numbers as weights; the ranking model has its own threshold',
}

interface Row {
  readonly key: string
  readonly allowed: string
  readonly fallback: string
  readonly meaning: string
}

function rowsOf(schema: JsonSchema, path: readonly string[]): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const here = [...path, key]
    const { additionalProperties, items } = inner
    if (inner.deprecated || here.join('.') === 'agents.list') return []
    // All providers have the same settings.
    if (key === 'providers') return rowsOf(Object.values(inner.properties ?? {})[0] ?? {}, [...here, '<name>'])
    if (inner.properties) return rowsOf(inner, here)
    if (typeof additionalProperties === 'object' && additionalProperties.properties)
      return rowsOf(additionalProperties, [...here, '<name>'])
    if (items?.properties) return rowsOf(items, [...here, '[]'])
    return [rowOf(here, inner)]
  })
}

function rowOf(path: readonly string[], schema: JsonSchema): Row {
  const short = path[0] === 'agents' && path[1] === 'defaults' ? path.slice(2) : path
  const key = short.join('.')
  const name = names[short.join('_')] ?? others[path.at(-1) ?? ''] ?? ''
  return {
    key,
    allowed: (schema.anyOf ?? [schema]).map(kindOf).join(' or '),
    fallback: fallbackOf(path, schema),
    meaning: `${name}${remarks[key] ?? ''}`,
  }
}

/** Returns the default value as Markdown. */
function fallbackOf(path: readonly string[], schema: JsonSchema): string {
  const parsed = parseConfig('')
  const value = parsed.ok ? (valueAt(parsed.config.agents.defaults, path) ?? valueAt(parsed.config, path)) : undefined
  const isDuration = schema.anyOf?.some(({ pattern }) => pattern?.includes('ms|s|m')) ?? false
  if (isDuration && typeof value === 'number') return `\`${formatDuration(value)}\``
  const known = value ?? schema.default
  return known === undefined ? '' : `\`${JSON.stringify(known)}\``
}

function kindOf({
  type,
  enum: options,
  minimum,
  exclusiveMinimum,
  maximum,
  pattern,
  items,
  properties,
  additionalProperties,
  const: only,
}: JsonSchema): string {
  if (only !== undefined) return `\`${only}\``
  if (options) return options.map((option) => `\`${option}\``).join(', ')
  if (type === 'array') return `list of ${items?.enum ? kindOf(items) : (items?.type ?? 'values')}`
  if (type === 'object' && properties)
    return Object.entries(properties)
      .map(([name, inner]) => `\`${name}\`: ${kindOf(inner)}`)
      .join(', ')
  if (type === 'object')
    return `map to ${typeof additionalProperties === 'object' ? kindOf(additionalProperties) : 'values'}`
  const above = exclusiveMinimum === undefined ? '' : `above ${exclusiveMinimum}`
  const least = minimum === undefined ? above : `from ${minimum}`
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  const range = [least, most === undefined ? '' : `to ${most}`].filter(Boolean).join(' ')
  if (type === 'number' || type === 'integer')
    return [type === 'integer' ? 'whole number' : 'number', range].filter(Boolean).join(' ')
  if (pattern?.includes('ms|s|m')) return 'duration such as `90s`, `5m`, `2h`; a number without a unit means seconds'
  return type === 'string' ? 'text' : type === 'boolean' ? '`true` or `false`' : (type ?? '')
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ key, allowed, fallback, meaning }) =>
      `| \`${key}\` | ${meaning} | ${allowed.replaceAll('|', '\\|')} | ${fallback} |`,
  )
  return ['| key | meaning | allowed values | default |', '|---|---|---|---|', ...lines].join('\n')
}

function reference(): string {
  const schema = configJsonSchema() as JsonSchema
  const { agents, ...app } = schema.properties ?? {}
  const providers = Object.keys(app['providers']?.properties ?? {})
  const ofAgent = agents?.properties?.['defaults'] ?? {}
  const entry = agents?.properties?.['list']?.items ?? {}
  const own = rowsOf(entry, []).filter(({ key }) => ['id', 'name', 'archived', 'workspace', 'color'].includes(key))
  return `# Configuration

The configuration is in \`~/.commonplace/config.yaml\`; \`COMMONPLACE_HOME\` changes the folder. The app reads the file whenever it changes. If the file has an error, the app shows the line and continues with the last valid version. It ignores unknown keys and lists them in the settings under *About › Status*. The settings in the app edit the same file and preserve comments and order. A change of one value leaves the rest of the file as it is.

\`npm run reference\` generates this page from the schema.

## Agents

\`agents.defaults\` applies to all agents. An entry of \`agents.list\` applies to one agent and inherits the other values.

\`\`\`yaml
agents:
  defaults:
    model: anthropic/<model>
  list:
    - { id: main, workspace: ~/commonplace }
    - { id: work, name: Work, workspace: ~/work-notes, memory: { search: { maxResults: 10 } } }
\`\`\`

${table(rowsOf(ofAgent, []))}

These keys are valid only in an entry of \`agents.list\`:

${table(own)}

## The app

\`providers.<name>\` is one of ${providers.map((name) => `\`${name}\``).join(', ')}.

${table(rowsOf({ properties: app }, []))}
`
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const text = reference()
  if (!argv.includes('--check')) writeFileSync(page, text)
  else if (!existsSync(page) || readFileSync(page, 'utf8') !== text) {
    process.stderr.write('docs/guide/config.md is out of date: run npm run reference\n')
    process.exitCode = 1
  }
}
