/**
 * Unpacks a state folder of an earlier version (test/fixtures), and describes its content in plain lines through the
 * API.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ContractClient, SessionEvent, SessionMessage } from '../../src/shared/contract/index.ts'

const fixtures = new URL('../fixtures/', import.meta.url)

/** Location of the state folder when it was created. */
const formerRoot = '/tmp/commonplace-0.1.0'

/** Returns the key under which `--workspace` stores the state of a folder: a hash of its path. */
const folderKey = (root: string) => createHash('sha256').update(join(root, 'folder')).digest('hex').slice(0, 16)

/** Returns the expected content, as described by the version that created it. */
export async function expectedOf(name: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(new URL(`${name}.expected.json`, fixtures), 'utf8')) as Record<string, unknown>
}

/** Unpacks the archive below `root` and replaces its former paths. */
export async function unpackHome(name: string, root: string): Promise<void> {
  const archive = gunzipSync(await readFile(new URL(`${name}.tar.gz`, fixtures)))
  const [before, after] = [folderKey(formerRoot), folderKey(root)]
  for (const { path, content, modifiedAt } of filesOf(archive)) {
    const file = join(root, path.replaceAll(before, after))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, isText(content) ? movedText(content, root) : content)
    await utimes(file, modifiedAt, modifiedAt)
  }
}

interface ArchivedFile {
  readonly path: string
  readonly content: Buffer
  /** Seconds since the epoch. */
  readonly modifiedAt: number
}

/** Yields the plain files of a tar archive (POSIX ustar). */
function* filesOf(archive: Buffer): Generator<ArchivedFile> {
  const block = 512
  for (let at = 0; at + block <= archive.length;) {
    const header = archive.subarray(at, at + block)
    const field = (from: number, length: number) => {
      const bytes = header.subarray(from, from + length)
      const end = bytes.indexOf(0)
      return bytes.subarray(0, end < 0 ? length : end).toString('utf8')
    }
    const [name, prefix, size] = [field(0, 100), field(345, 155), Number.parseInt(field(124, 12), 8)]
    if (name === '') return
    const [start, type] = [at + block, field(156, 1)]
    at = start + Math.ceil(size / block) * block
    if (type !== '0') continue
    const path = prefix === '' ? name : `${prefix}/${name}`
    yield { path, content: archive.subarray(start, start + size), modifiedAt: Number.parseInt(field(136, 12), 8) }
  }
}

function isText(content: Buffer): boolean {
  return !content.includes(0) && content.includes(formerRoot)
}

/** JSON, YAML and Git's configuration accept forward slashes on every system. */
function movedText(content: Buffer, root: string): string {
  return content.toString('utf8').replaceAll(formerRoot, root.split(sep).join('/'))
}

/** Returns the SHA-256 of every file below a folder, by path. */
export async function hashesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const hashed = files.sort().map(async (file) => {
    const path = relative(folder, file).split(sep).join('/')
    return [path, hashOf(await readFile(file))] as const
  })
  return Object.fromEntries(await Promise.all(hashed))
}

function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Shortens a long text to its beginning, length and hash. */
function shown(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 60)}… (${text.length}, ${hashOf(text).slice(0, 12)})`
}

/** Returns JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

/** Removes paths that depend on the location of the state folder. */
export type Told = (text: string) => string

/** Describes the agents. */
export async function tellAgents(client: ContractClient, told: Told): Promise<string[]> {
  const agents = await client.agents.list()
  return agents.map(({ id, name, workspace, color, model, archived, reads, ready }) =>
    [id, name, told(workspace), color, model, archived ? 'archived' : 'in use', `reads ${reads.join()}`, ready].join(
      ' | ',
    ),
  )
}

/** Describes every note of an agent: text, tags and link targets. */
export async function tellNotes(client: ContractClient, agent: string): Promise<Record<string, unknown>> {
  const notes: Record<string, unknown> = {}
  for (const { path, kind, date, privacy: local } of await client.workspace.list({ agent })) {
    const { text } = await client.workspace.read({ agent, path })
    const { outgoing, backlinks } = await client.links.of({ agent, path })
    const { tags, properties } = await client.tags.of({ agent, path })
    notes[path] = {
      is: [kind, date, local === undefined ? undefined : local.isWhole ? 'local' : 'local in part']
        .filter(Boolean)
        .join(' '),
      text: text.length > 2000 ? shown(text) : text,
      tags: tags.map(({ name }) => name).join(' '),
      properties: properties.map(({ name, values }) => `${name}: ${values.join()}`),
      links: outgoing.map(({ target, path: to }) => `${target} > ${to}`),
      linkedBy: backlinks.map(({ path: from, line }) => `${from}:${line}`),
    }
  }
  return notes
}

/** Describes every chat of an agent: messages, events, usage and requests. */
export async function tellChats(client: ContractClient, agent: string, told: Told): Promise<Record<string, unknown>> {
  const chats: Record<string, unknown> = {}
  for (const { id, title, pinned, named, isWithoutMemory } of await client.sessions.list({ agent, empty: true })) {
    const forSession = { agent, session: id }
    const { messages, events, skippedLines } = await client.sessions.get(forSession)
    const after = new Map<string | null, string[]>()
    for (const { after: message, event } of events)
      after.set(message, [...(after.get(message) ?? []), `  * ${tellEvent(event, told)}`])
    const { count, request } = await client.context.request(forSession)
    const { steps } = await client.context.timeline(forSession)
    const { totalTokens, cost } = await client.sessions.usage(forSession)
    const flags = { pinned, named, isWithoutMemory, 'unread lines': skippedLines.length > 0 }
    chats[id] = {
      title,
      is: Object.entries(flags)
        .flatMap(([flag, isSo]) => (isSo ? [flag] : []))
        .join(' '),
      lines: [
        ...(after.get(null) ?? []),
        ...messages.flatMap((message) => [tellMessage(message), ...(after.get(message.id) ?? [])]),
      ],
      used: `${totalTokens} tokens, ${(cost?.total ?? 0).toFixed(6)} USD`,
      steps: steps.map(
        ({ model, question, learned }) => `${model}: ${shown(question)}${learned ? ` in ${learned.window}` : ''}`,
      ),
      requests: count,
      lastRequest:
        request === null
          ? null
          : `${request.model} ${hashOf(request.json)} ${request.wire?.url.replace(/:\d+/, '') ?? 'unsent'} ${hashOf(request.wire?.body ?? '')}`,
    }
  }
  return chats
}

function tellMessage({ message, versions }: SessionMessage): string {
  const parts =
    typeof message.content === 'string' ? [{ type: 'text' as const, text: message.content }] : message.content
  const said = parts.map((part) => {
    switch (part.type) {
      case 'text':
        return shown(part.text)
      case 'image':
        return `[${part.mimeType} ${hashOf(part.data).slice(0, 12)}]`
      case 'thinking':
        return `(${part.redacted ? 'sealed' : part.thinking}, ${part.thinkingSignature ?? 'unsigned'})`
      case 'toolCall':
        return `${part.name} ${shown(canonical(part.arguments))}`
    }
  })
  const sources = 'sources' in message ? message.sources?.map(({ kind, name }) => `${kind}: ${name}`) : undefined
  const more = [
    message.local ? 'local' : '',
    sources ? `from ${sources.join()}` : '',
    versions ? `version ${versions.index + 1} of ${versions.ids.length}` : '',
  ]
  if (message.role === 'assistant') {
    const { provider, model, stopReason, errorCode, errorMessage, cutCall } = message
    more.push(`${provider}/${model}`, stopReason, errorCode ?? '', errorMessage ?? '')
    more.push(cutCall ? `cut ${cutCall}` : '')
  }
  if (message.role === 'toolResult') {
    const { toolName, isError, details } = message
    more.push(
      toolName,
      isError ? 'failed' : '',
      details ? `${details.kind} ${hashOf(canonical(details)).slice(0, 12)}` : '',
    )
  }
  return `${message.role} [${more.filter(Boolean).join('; ')}] ${said.join(' | ')}`
}

function tellEvent(event: SessionEvent, told: Told): string {
  switch (event.type) {
    case 'flush':
      return `flush ${event.status} ${event.changes.map(({ path }) => path).join()} (${event.tokens})`
    case 'compaction':
      return `compaction ${event.before} > ${event.after}${event.leftOut ? ', left out' : ''}: ${shown(event.summary)}`
    case 'privateMatches':
      return `private notes match: ${event.count}`
    case 'prune':
      return `prune ${event.results}: ${event.before} > ${event.after}`
    case 'notice':
      return `notice ${event.kind} ${event.code}`
    case 'command':
      return `/${event.command} ${shown(told(canonical(event.outcome)))}`
  }
}

/** Describes every change in the history, newest first: author and lines. */
export async function tellHistory(client: ContractClient, agent: string): Promise<string[]> {
  const entries = await client.history.timeline({ agent, limit: 1000 })
  return Promise.all(
    entries.map(async (entry) => {
      const { commit, path, cause, from, now, at, added, removed, exists, isUndo, session, client: by, sources } = entry
      const { patch } = await client.history.diff({ agent, commit, path })
      const more = [
        isUndo ? 'undo' : '',
        exists ? '' : 'gone',
        now === path ? '' : `now ${now}`,
        from ? `from ${from}` : '',
      ]
      more.push(session ? `in ${session}` : '', by ? `by ${by}` : '', sources?.join() ?? '')
      return `${new Date(at).toISOString()} ${cause} ${path} +${added} -${removed} ${more.filter(Boolean).join(' ')} ${hashOf(patch).slice(0, 12)}`
    }),
  )
}

/** Describes the inbox: open and resolved suggestions. */
export async function tellInbox(client: ContractClient, agent: string): Promise<Record<string, unknown>> {
  const { open, done, review } = await client.upkeep.list({ agent })
  const tell = ({ rule, state, author, evidence, files, reason, acceptance, until }: (typeof open)[number]) =>
    [
      rule,
      state,
      author.kind,
      evidence.map(({ path, line, text }) => `${path}:${line} ${shown(text)}`).join(' & '),
      files.map(({ path, patch }) => `${path} ${hashOf(patch).slice(0, 12)}`).join(),
      reason ?? '',
      acceptance ? 'can be undone' : '',
      until === undefined ? '' : new Date(until).toISOString(),
    ].join(' | ')
  const { count } = await client.upkeep.request({ agent })
  const asked =
    review && `${review.model} ${review.state} ${review.requests} ${review.tokens} ${review.usd} ${review.proposals}`
  return { open: open.map(tell), done: done.map(tell), review: asked, requests: count }
}

/** Describes the remaining state of an agent. */
export async function tellKept(client: ContractClient, agent: string, told: Told): Promise<Record<string, unknown>> {
  const { checks, runs } = await client.checks.list({ agent })
  const recalls = await client.search.recalls({ agent })
  const batches = await client.history.batches({ agent })
  const { links: broken } = await client.links.broken({ agent })
  const sessionDrafts = async (session?: string) => {
    const draft = await client.sessions.draft({ agent, ...(session === undefined ? {} : { session }) })
    return draft ? [`${session ?? 'new'}: ${draft.text} ${JSON.stringify(draft.attachments)}`] : []
  }
  const chats = await client.sessions.list({ agent, empty: true })
  const notes = await client.workspace.names({ agent })
  const noteDrafts = notes.map(async ({ path }) =>
    (await client.workspace.drafts({ agent, path })).map(
      ({ writer, draft }) => `${path} ${writer}: ${draft.text} < ${draft.baseText} ${draft.baseHash}`,
    ),
  )
  return {
    checks: checks.map(
      ({ query, relevant }) =>
        `${query}: ${relevant.map(({ path, startLine, endLine, state }) => `${path}:${startLine}-${endLine} ${state}`).join()}`,
    ),
    runs: runs
      .filter(({ cause }) => cause === 'asked')
      .map(({ at, passed, total }) => `${new Date(at).toISOString()} ${passed} of ${total}`),
    recalls: recalls.map(
      ({ session, question, query, results }) =>
        `${session} ${question}: ${query}: ${results.map(({ path, startLine, use }) => `${path}:${startLine} ${use}`).join()}`,
    ),
    broken: broken.map(({ path, line, target }) => `${path}:${line} ${target}`),
    drafts: (await Promise.all([sessionDrafts(), ...chats.map(({ id }) => sessionDrafts(id)), ...noteDrafts])).flat(),
    imports: (await client.import.past({ agent })).map(
      ({ path, files, left }) => `${told(path)} ${files} ${left.join()}`,
    ),
    batches: batches.map(
      ({ kind, from, to, count, notes: written }) =>
        `${kind} ${from} > ${to} ${count === undefined ? '' : `${count} `}${written}`,
    ),
    accepted: (await client.history.accepted({ agent })).length,
  }
}

/** Describes the state of client apps, and the totals. */
export async function tellShared(client: ContractClient): Promise<Record<string, unknown>> {
  const { months, spending } = await client.settings.usage()
  return {
    clients: (await client.clients.list()).map(
      ({ id, name, agent, permission, hasToken, usedAt, writes, hasFullAccess, mayKeep }) =>
        [id, name, agent, permission, hasToken, usedAt, writes, hasFullAccess, mayKeep].join(' | '),
    ),
    months: months.map(
      ({ month, model, requests, usage }) =>
        `${month} ${model} ${requests} ${usage.input} ${usage.output} ${usage.cacheRead} ${usage.cacheWrite} ${(usage.cost?.total ?? 0).toFixed(6)}`,
    ),
    spending: `${spending.spent.toFixed(6)} of ${spending.limit}, ${spending.warns}`,
  }
}

/**
 * Returns every setting by key, such as `agents.defaults.chat.thinking`; of agents only the differences from the
 * defaults.
 */
export async function tellSettings(client: ContractClient, told: Told): Promise<Record<string, unknown>> {
  const all = flatten((await client.settings.source()).inForce, '')
  const ofDefaults = (key: string) => all[key.replace(/^agents\.list\.\d+\./, 'agents.defaults.')]
  const said = Object.entries(all).filter(
    ([key, value]) => !key.startsWith('agents.list.') || value !== ofDefaults(key),
  )
  return Object.fromEntries(said.map(([key, value]) => [key, typeof value === 'string' ? told(value) : value]))
}

function flatten(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return { [path]: value }
  const entries = Object.entries(value)
  if (entries.length === 0) return { [path]: 'empty' }
  return Object.assign({}, ...entries.map(([key, inner]) => flatten(inner, path === '' ? key : `${path}.${key}`)))
}
