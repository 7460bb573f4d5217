/** An agent's conversations: a folder of transcripts, of which those in use are kept open. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { SessionSummary } from '../../shared/contract/index.ts'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { messageText } from '../../shared/messages.ts'
import { Transcript } from './transcript.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

const mostOpen = 20
const titleCharacters = 60

export class Sessions {
  readonly #folder: string
  readonly #workspace: string
  readonly #open = new Map<string, Promise<Transcript>>()
  readonly #empty = new Set<string>()
  readonly #summaries = new Map<string, { readonly stamp: string; readonly summary: SessionSummary }>()

  constructor(folder: string, workspace: string) {
    this.#folder = folder
    this.#workspace = workspace
  }

  async create(at: Date): Promise<{ id: string; transcript: Transcript }> {
    const id = `${at.toISOString().replace(/[:.]/g, '-')}_${crypto.randomUUID().slice(0, 8)}`
    const transcript = await Transcript.create(this.#file(id), this.#workspace, at)
    this.#keep(id, Promise.resolve(transcript))
    return { id, transcript }
  }

  /** @throws AppError `unknown_session` */
  async get(id: string): Promise<Transcript> {
    const known = this.#open.get(id)
    const opened = known ?? Transcript.open(this.#file(id))
    this.#keep(id, opened)
    try {
      return await opened
    } catch (error) {
      this.#open.delete(id)
      throw error
    }
  }

  /** Keeps a request as it was sent, beside the transcript; each is a file of its own, compressed. */
  async keepRequest(id: string, request: object): Promise<void> {
    const folder = this.#requests(id)
    await mkdir(folder, { recursive: true })
    const number = (await this.#requestNumbers(id)).length + 1
    const bytes = await compress(JSON.stringify({ sentAt: Date.now(), request }))
    await writeFile(join(folder, `${String(number).padStart(6, '0')}.json.gz`), bytes)
  }

  /** The kept request with this number, 1-based; the last one without. */
  async request(
    id: string,
    number?: number,
  ): Promise<{ count: number; request: { number: number; sentAt: number; json: string } | null }> {
    const numbers = await this.#requestNumbers(id)
    const wanted = number === undefined ? numbers.at(-1) : numbers.find((known) => known === number)
    if (wanted === undefined) return { count: numbers.length, request: null }
    const bytes = await readFile(join(this.#requests(id), `${String(wanted).padStart(6, '0')}.json.gz`))
    const { sentAt, request } = JSON.parse(String(await decompress(bytes))) as { sentAt: number; request: object }
    return { count: numbers.length, request: { number: wanted, sentAt, json: JSON.stringify(request, null, 2) } }
  }

  async #requestNumbers(id: string): Promise<number[]> {
    try {
      const names = await readdir(this.#requests(id))
      return names
        .flatMap((name) => (/^\d+\.json\.gz$/.test(name) ? [Number.parseInt(name, 10)] : []))
        .sort((one, other) => one - other)
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return []
      throw error
    }
  }

  #requests(id: string): string {
    return join(this.#folder, `${id}.requests`)
  }

  /** The file as it is. @throws AppError `unknown_session` */
  async readText(id: string): Promise<string> {
    if (!/^[\w.-]+$/.test(id)) throw new AppError('unknown_session', `there is no conversation ${id}`, { session: id })
    try {
      return await readFile(this.#file(id), 'utf8')
    } catch (error) {
      if (isSystemError(error, 'ENOENT'))
        throw new AppError('unknown_session', `there is no conversation ${id}`, { session: id })
      throw error
    }
  }

  /** The newest first, without those in which nothing was said or done yet. A conversation that cannot be read is listed by its name. */
  async list(): Promise<SessionSummary[]> {
    const summaries = await Promise.all((await this.#ids()).map((id) => this.summary(id)))
    return summaries
      .filter((summary) => summary !== undefined)
      .filter(({ id }) => !this.#empty.has(id))
      .sort((one, other) => other.updatedAt - one.updatedAt)
  }

  async summary(id: string): Promise<SessionSummary | undefined> {
    try {
      const info = await stat(this.#file(id))
      const stamp = `${info.mtimeMs}/${info.size}`
      const known = this.#summaries.get(id)
      if (known?.stamp === stamp) return known.summary
      const transcript = await (this.#open.get(id) ?? Transcript.open(this.#file(id)))
      const summary = summarize(id, transcript, info.mtimeMs)
      this.#summaries.set(id, { stamp, summary })
      if (transcript.entries.length === 0) this.#empty.add(id)
      else this.#empty.delete(id)
      return summary
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return undefined
      if (!(error instanceof AppError)) throw error
      return { id, title: id, createdAt: 0, updatedAt: 0, messages: 0 }
    }
  }

  async #ids(): Promise<string[]> {
    try {
      return (await readdir(this.#folder))
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => name.slice(0, -'.jsonl'.length))
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return []
      throw error
    }
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.jsonl`)
  }

  /** The most recently used stay open; the others are read again when asked for. */
  #keep(id: string, transcript: Promise<Transcript>): void {
    this.#open.delete(id)
    this.#open.set(id, transcript)
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= mostOpen) break
      this.#open.delete(oldest)
    }
  }
}

function summarize(id: string, transcript: Transcript, modifiedAt: number): SessionSummary {
  const messages = transcript.messages()
  const first = messages.find(({ message }) => message.role === 'user')
  const line = first ? messageText(first.message).trim().split('\n', 1)[0] : undefined
  const letters = [...(line ?? '')]
  const title =
    letters.length > titleCharacters ? `${letters.slice(0, titleCharacters).join('').trimEnd()}…` : letters.join('')
  return {
    id,
    title,
    createdAt: transcript.header.createdAt,
    updatedAt: messages.at(-1)?.message.timestamp ?? modifiedAt,
    messages: messages.filter(({ message }) => message.role !== 'toolResult').length,
  }
}
