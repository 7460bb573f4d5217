import { watch, type FSWatcher } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isCollection, isMap, isSeq, parseDocument, type Document } from 'yaml'
import { AppError } from '#shared/util/errors.ts'
import { isRecord } from '#shared/util/json.ts'
import type { ConfigProblem } from '#shared/contract/index.ts'
import { mergeTexts } from '../diff/merge-texts.ts'
import { EventEmitter, type Subscribable } from '../events.ts'
import { copyDamaged } from '../fs/damaged-file.ts'
import { Mutex } from '../fs/mutex.ts'
import { makeFolder } from '../fs/make-folder.ts'
import { readSmallText } from '../fs/read-file.ts'
import { writeDurably } from '../fs/durable-write.ts'
import { parseConfig, type ValidConfig } from './parse-config.ts'
import { configSchema, type Config } from './config-schema.ts'

/** Editors save in several steps (truncate, write, rename); we read once they are done. */
const settleMs = 100
/** A configuration of a million characters would be no longer one; these may take three bytes each. */
const maxBytes = 3_000_000

export class SettingsStore {
  readonly file: string
  #config: Config = configSchema.parse({})
  /** The text of the configuration in force. */
  #text = ''
  #problems: readonly ConfigProblem[] = []
  #ignored: readonly ConfigProblem[] = []
  #hasBeenRead = false
  #systemLanguage: string | undefined
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #alone: Mutex
  /** What is in force, or what is wrong with the file, is another. */
  readonly changes: Subscribable<void>
  readonly #changes = new EventEmitter()

  private constructor(file: string) {
    this.file = file
    this.changes = this.#changes
    this.#alone = new Mutex(file)
  }

  /** @param patienceMs how long to wait for a file that is missing or empty: somebody may be saving it */
  static async open(file: string, patienceMs = 0): Promise<SettingsStore> {
    const store = new SettingsStore(file)
    await makeFolder(dirname(file))
    await store.#load()
    if (store.#text === '' && patienceMs > 0) {
      await sleep(patienceMs)
      await store.#load()
    }
    store.#watcher = watch(dirname(file), (_event, name) => {
      if (name !== null && !file.endsWith(name)) return
      clearTimeout(store.#timer)
      store.#timer = setTimeout(() => void store.#load(), settleMs)
    })
    // The folder went away, say: what is in force stays in force.
    store.#watcher.on('error', (error) =>
      store.#accept(store.#config, [{ key: '', line: null, message: error.message }]),
    )
    return store
  }

  /** The language that is spoken to the user: the chosen one; else the system's, as a window told it last. */
  get locale(): string {
    const { locale } = this.#config.interface
    if (locale !== 'system') return locale
    return this.#systemLanguage ?? Intl.DateTimeFormat().resolvedOptions().locale
  }

  /** @param language of the system that a window is shown on, such as `zh-TW`: a browser knows it, this process may not */
  hearSystemLanguage(language: string): void {
    this.#systemLanguage = language
  }

  /** False while no configuration was ever in force but the one of an empty file. */
  get hasBeenRead(): boolean {
    return this.#hasBeenRead
  }

  get config(): Config {
    return this.#config
  }

  /** An agent's entry as it stands in the file, without what it inherits; empty when it has none. */
  rawAgent(id: string): Record<string, unknown> {
    const list: unknown = parseDocument(this.#text).getIn(['agents', 'list'])
    const entries: unknown = isCollection(list) ? list.toJSON() : []
    return (Array.isArray(entries) ? entries : []).filter(isRecord).find((entry) => entry['id'] === id) ?? {}
  }

  /** What is wrong with the file as it is now; empty when it is the configuration in force. */
  get problems(): readonly ConfigProblem[] {
    return this.#problems
  }

  /** Unknown keys of the configuration in force. */
  get ignored(): readonly ConfigProblem[] {
    return this.#ignored
  }

  /** The text of the file as it is now, mistakes included. */
  source(): Promise<string> {
    return this.#readAnyhow()
  }

  /** What stands in the configuration in force, without defaults. */
  written(): unknown {
    return parseDocument(this.#text).toJSON() ?? {}
  }

  /**
   * Saves the whole text. If the file is no longer `baseText`, both changes are merged where they do not touch.
   * @throws AppError `config_invalid`, or `file_changed` when they do; nothing is written then
   */
  async save(text: string, baseText: string): Promise<{ text: string; isMerged: boolean }> {
    return this.#alone.run(async () => {
      const current = (await this.#readAnyhow()) || this.#text
      const merged = current === baseText ? text : mergeTexts(baseText, text, current)
      if (merged === undefined)
        throw new AppError('file_changed', `${this.file} was changed by somebody else meanwhile`, { path: this.file })
      const parsed = parseConfig(merged)
      if (!parsed.ok) throw invalid(this.file, parsed.problems)
      await this.#write(current, merged, parsed)
      return { text: merged, isMerged: merged !== text }
    })
  }

  /**
   * Sets values by path (`['agents', 'list', 0, 'model']`) and saves; `undefined` takes a value out.
   * @throws AppError `config_invalid` when the file is broken now or would be after it; nothing is written then.
   */
  async set(...changes: readonly (readonly [path: readonly (string | number)[], value: unknown])[]): Promise<void> {
    await this.#alone.run(async () => {
      const before = (await this.#read()) || this.#text
      const current = parseConfig(before)
      if (!current.ok) throw invalid(this.file, current.problems)
      const document = parseDocument(before)
      for (const [path, value] of changes) {
        if (value === undefined) takeOut(document, path)
        else if (!setList(document, path, value)) document.setIn([...path], value)
      }
      const text = document.toString()
      const parsed = parseConfig(text)
      if (!parsed.ok) throw invalid(this.file, parsed.problems)
      const known = new Set(current.ignored.map(({ key }) => key))
      const added = parsed.ignored.filter(({ key }) => !known.has(key))
      if (added.length > 0) throw invalid(this.file, added)
      await this.#write(before, text, parsed)
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#watcher?.close()
    this.#alone.close()
  }

  /** For one who is to mend it: what is no text is shown as far as it is one. */
  #readAnyhow(): Promise<string> {
    return this.#read(false)
  }

  async #read(isStrict = true): Promise<string> {
    try {
      return (await readSmallText(this.file, maxBytes, isStrict)) ?? ''
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new AppError('config_invalid', `${this.file} cannot be read: ${reason}`, { file: this.file, reason })
    }
  }

  /** @param before what it takes the place of */
  async #write(before: string, text: string, { config, ignored }: ValidConfig): Promise<void> {
    if (isNoText(before)) await copyDamaged(this.file)
    await writeDurably(this.file, text)
    this.#text = text
    this.#accept(config, [], ignored)
  }

  async #load(): Promise<void> {
    let text: string
    try {
      text = await this.#read()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#accept(this.#config, [{ key: '', line: null, message }])
      return
    }
    if (text === '' && this.#text !== '') {
      // It was deleted, or is being saved: nobody's folder may change by that.
      const message = `${this.file} is missing or empty; the settings that were in force stay so until it is back`
      return this.#accept(this.#config, [{ key: '', line: null, message }])
    }
    const parsed = parseConfig(text)
    if (parsed.ok) {
      this.#text = text
      this.#accept(parsed.config, [], parsed.ignored)
    } else this.#accept(this.#config, parsed.problems)
  }

  #accept(config: Config, problems: readonly ConfigProblem[], ignored = this.#ignored): void {
    const before = JSON.stringify([this.#config, this.#problems, this.#ignored])
    this.#hasBeenRead ||= problems.length === 0
    this.#config = config
    this.#problems = problems
    this.#ignored = ignored
    if (before !== JSON.stringify([config, problems, ignored])) this.#changes.emit()
  }
}

/** A list of words is changed entry by entry: comments beside those that stay, stay. @returns false where it cannot be */
function setList(document: Document, path: readonly (string | number)[], value: unknown): boolean {
  const known = document.getIn(path, true)
  if (!isSeq(known) || !Array.isArray(value)) return false
  const before: unknown = known.toJSON()
  if (!Array.isArray(before) || [...before, ...value].some((one) => typeof one !== 'string')) return false
  for (const [at, one] of value.entries()) if (before[at] !== one && value.length >= before.length) known.set(at, one)
  if (value.length >= before.length) return true
  const kept = before.filter((one) => value.includes(one))
  const isBegun = value.every((one, at) => before[at] === one)
  if (!isBegun && kept.join('\n') !== value.join('\n')) return false
  for (let at = before.length - 1; at >= 0; at -= 1)
    if (isBegun ? at >= value.length : !value.includes(before[at])) known.delete(at)
  return true
}

/** With what is empty then: a map that says nothing would only be in the way. Entries of lists stay, and comments. */
function takeOut(document: Document, path: readonly (string | number)[]): void {
  document.deleteIn([...path])
  for (let above = path.slice(0, -1); typeof above.at(-1) === 'string'; above = above.slice(0, -1)) {
    const map = document.getIn(above, true)
    if (!isMap(map) || map.items.length > 0 || map.comment || map.commentBefore) return
    document.deleteIn(above)
  }
}

/** Not what an editor saved: it could not be shown as it is, and saving what was shown would lose it. */
function isNoText(text: string): boolean {
  return text.includes('\uFFFD') || text.includes('\0')
}

function invalid(file: string, problems: readonly ConfigProblem[]): AppError {
  const reason = problems.map(({ key, message }) => (key ? `${key}: ${message}` : message)).join('; ')
  const [first] = problems
  const { key = '', fault, allowed } = problems.length === 1 && first ? first : {}
  const told = { key, ...(fault && { fault }), ...(allowed !== undefined && { allowed }) }
  return new AppError('config_invalid', describeProblems(file, problems), { file, reason, ...told })
}

/** One line for the terminal: `config.yaml:12: agents.defaults.memory.search.minScore: …`. */
export function describeProblems(file: string, problems: readonly ConfigProblem[]): string {
  return problems
    .map(({ key, line, message }) => `${file}${line === null ? '' : `:${line}`}: ${key ? `${key}: ` : ''}${message}`)
    .join('; ')
}
