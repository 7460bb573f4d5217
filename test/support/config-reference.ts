/**
 * `npm run reference` writes docs/guide/config.md from the schema of the configuration; `--check` fails when it is out of
 * date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { configJsonSchema } from '../../src/main/platform/config/config-schema.ts'
import { parseConfig } from '../../src/main/platform/config/parse-config.ts'
import { formatDuration, valueAt, type JsonSchema } from '../../src/renderer/settings/setting-rows.ts'

const page = new URL('../../docs/guide/config.md', import.meta.url)
const names = (
  JSON.parse(readFileSync(new URL('../../src/renderer/lib/i18n/en.json', import.meta.url), 'utf8')) as {
    setting: Record<string, string>
  }
).setting

/** Settings that have a place of their own in the app, and so no name in its list. */
const others: Readonly<Record<string, string>> = {
  baseUrl: 'Another address than the provider’s own',
  headers: 'Sent with every request; `${NAME}` stands for a variable of the environment',
  proxy: 'Used instead of `HTTPS_PROXY` and its like',
  contextWindow: 'Tokens of one request, answer included',
  maxOutput: 'Most tokens of an answer',
  images: 'Pictures can be part of a message',
  input: 'US dollars for a million tokens read',
  output: 'US dollars for a million tokens written',
  cacheRead: 'The same for tokens from the provider’s cache',
  cacheWrite: 'The same for tokens put into it',
  shortcuts: 'Other keys for a command, by the keys that it has: `Mod+K: Mod+J`',
  monthlyLimit: 'US dollars a month for all agents; further requests are refused',
  command: 'The program of a tool server',
  args: 'Its arguments',
  env: 'Variables that it gets',
  cwd: 'The folder that it starts in',
  url: 'The address of a tool server, instead of a program',
  enabled: 'Whether it is used',
  permission: 'What happens when a model calls one of its tools',
  tools: 'The same for single tools, by name',
  shareWith: 'Agents that may search and read this memory, never write it',
  id: 'Letters, digits, `-` and `_`; names its folders',
  name: 'As it is shown',
  archived: 'Out of sight; files and chats stay',
  workspace: 'Its folder; `~/commonplace`, or `~/commonplace-<id>`',
  color: 'Such as `#3f5bd9`',
  own: 'Folder of its own files (AGENTS.md, MEMORY.md …): `.commonplace`, another that is not hidden, or empty for the top',
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
    if (here.join('.') === 'agents.list') return []
    if (inner.properties) return rowsOf(inner, here)
    if (typeof additionalProperties === 'object' && additionalProperties.properties)
      return rowsOf(additionalProperties, [...here, '<name>'])
    if (items?.properties) return rowsOf(items, [...here, '[]'])
    return [rowOf(here, inner)]
  })
}

function rowOf(path: readonly string[], schema: JsonSchema): Row {
  const short = path[0] === 'agents' && path[1] === 'defaults' ? path.slice(2) : path
  return {
    key: short.join('.'),
    allowed: (schema.anyOf ?? [schema]).map(kindOf).join(' or '),
    fallback: fallbackOf(path, schema),
    meaning: names[short.join('_')] ?? others[path.at(-1) ?? ''] ?? '',
  }
}

/** What holds when nothing is written. */
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
  const least = minimum ?? exclusiveMinimum
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  const range = [least === undefined ? '' : `from ${least}`, most === undefined ? '' : `to ${most}`]
    .filter(Boolean)
    .join(' ')
  if (type === 'number' || type === 'integer')
    return [type === 'integer' ? 'whole number' : 'number', range].filter(Boolean).join(' ')
  if (pattern?.includes('ms|s|m')) return 'duration such as `90s`, `5m`, `2h`; a bare number is seconds'
  return type === 'string' ? 'text' : type === 'boolean' ? 'yes or no' : (type ?? '')
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ key, allowed, fallback, meaning }) =>
      `| \`${key}\` | ${meaning} | ${allowed.replaceAll('|', '\\|')} | ${fallback} |`,
  )
  return ['| key | what it is | allowed | default |', '|---|---|---|---|', ...lines].join('\n')
}

function reference(): string {
  const schema = configJsonSchema() as JsonSchema
  const { agents, ...app } = schema.properties ?? {}
  const ofAgent = agents?.properties?.['defaults'] ?? {}
  const entry = agents?.properties?.['list']?.items ?? {}
  const own = rowsOf(entry, []).filter(({ key }) => ['id', 'name', 'archived', 'workspace', 'color'].includes(key))
  return `# Configuration

\`~/.commonplace/config.yaml\` (\`COMMONPLACE_HOME\` moves the folder). It is read again when it is saved; a mistake is told with its line, and the last good one stays in force. Unknown keys are ignored; the settings name them under *System status*. The settings of the app edit the same file and leave comments and order alone. This page is made from the schema (\`npm run reference\`).

## Agents

Under \`agents.defaults\` for all of them, or in an entry of \`agents.list\` for one; what an entry leaves out is inherited.

\`\`\`yaml
agents:
  defaults:
    model: anthropic/<model>
  list:
    - { id: main, workspace: ~/commonplace }
    - { id: work, name: Work, workspace: ~/work-notes, memory: { search: { maxResults: 10 } } }
\`\`\`

${table(rowsOf(ofAgent, []))}

Of an entry alone:

${table(own)}

## The app

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
