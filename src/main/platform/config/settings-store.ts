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
import { makeFolder, writeDurably } from '../fs/durable-write.ts'
import { readSmallText } from '../fs/read-file.ts'
import { parseConfig, type ValidConfig } from './parse-config.ts'
import { configSchema, type Config } from './config-schema.ts'

/** Debounce time: editors save in several steps (truncate, write, rename). */
const settleMs = 100
/** `parseConfig` refuses more than a million characters, which take up to three bytes each. */
const maxBytes = 3_000_000

export class SettingsStore {
  readonly file: string
  #config: Config = configSchema.parse({})
  #text = ''
  #problems: readonly ConfigProblem[] = []
  #ignored: readonly ConfigProblem[] = []
  #hasBeenRead = false
  #systemLanguage: string | undefined
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #alone: Mutex
  /** Fires when the active configuration or the problems of the file have changed. */
  readonly changes: Subscribable<void>
  readonly #changes = new EventEmitter()

  private constructor(file: string) {
    this.file = file
    this.changes = this.#changes
    this.#alone = new Mutex(file)
  }

  /**
   * Opens the store and watches the file. A broken file does not throw; see `problems`.
   * @param patienceMs time to wait for a missing or empty file, which an editor may be saving
   * @throws errors of the file system if the folder cannot be created or watched
   */
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
    // For example, the folder was deleted. The active configuration stays.
    store.#watcher.on('error', (error) =>
      store.#accept(store.#config, [{ key: '', line: null, message: error.message }]),
    )
    return store
  }

  /** Language of the interface: the configured one, or the system language that a window reported last. */
  get locale(): string {
    const { locale } = this.#config.interface
    if (locale !== 'system') return locale
    return this.#systemLanguage ?? Intl.DateTimeFormat().resolvedOptions().locale
  }

  /** @param language system language reported by a window, such as `zh-TW`; this process may not know it */
  hearSystemLanguage(language: string): void {
    this.#systemLanguage = language
  }

  /** False until a configuration has been loaded without problems. A missing file counts as an empty configuration. */
  get hasBeenRead(): boolean {
    return this.#hasBeenRead
  }

  get config(): Config {
    return this.#config
  }

  /** Returns an agent's entry in the file, without inherited settings; empty if it has none. */
  rawAgent(id: string): Record<string, unknown> {
    const list: unknown = parseDocument(this.#text).getIn(['agents', 'list'])
    const entries: unknown = isCollection(list) ? list.toJSON() : []
    return (Array.isArray(entries) ? entries : []).filter(isRecord).find((entry) => entry['id'] === id) ?? {}
  }

  /** Problems of the current file; empty if the file is the active configuration. */
  get problems(): readonly ConfigProblem[] {
    return this.#problems
  }

  /** Unknown keys of the active configuration. */
  get ignored(): readonly ConfigProblem[] {
    return this.#ignored
  }

  /** Returns the current text of the file, valid or not. @throws AppError `config_invalid` if it cannot be read */
  source(): Promise<string> {
    return this.#readAnyhow()
  }

  /** Returns the active configuration without defaults. */
  written(): unknown {
    return parseDocument(this.#text).toJSON() ?? {}
  }

  /**
   * Saves the whole text. If the file is no longer `baseText`, merges both changes.
   * @throws AppError `config_invalid` if the result is invalid, `file_changed` if the changes overlap; nothing is written
   */
  async save(text: string, baseText: string): Promise<{ text: string; isMerged: boolean }> {
    return this.#alone.run(async () => {
      const current = (await this.#readAnyhow()) || this.#text
      const merged = current === baseText ? text : mergeTexts(baseText, text, current)
      if (merged === undefined)
        throw new AppError('file_changed', `${this.file} was changed by another program meanwhile`, { path: this.file })
      const parsed = parseConfig(merged)
      if (!parsed.ok) throw invalid(this.file, parsed.problems)
      await this.#write(current, merged, parsed)
      return { text: merged, isMerged: merged !== text }
    })
  }

  /**
   * Sets values by path (`['agents', 'list', 0, 'model']`) and saves; `undefined` removes a value.
   * @throws AppError `config_invalid` if the file is invalid before or after the change; nothing is written
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

  /** Reads the file for repair in the editor: replaces bytes that are not UTF-8 instead of throwing. */
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

  /** @param before text that is replaced; a copy is saved if it is not valid text */
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
      // The file was deleted or is being saved. Workspaces must not change because of that.
      const message = `${this.file} is missing or empty; the last valid settings stay active until it is restored`
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

/**
 * Changes a list of strings entry by entry, which preserves the YAML comments of entries that stay.
 * @returns false if the value is not such a list or the entries cannot be matched; nothing is changed
 */
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

/** Deletes a value and the parent maps that become empty. Keeps list entries and maps with comments. */
function takeOut(document: Document, path: readonly (string | number)[]): void {
  document.deleteIn([...path])
  for (let above = path.slice(0, -1); typeof above.at(-1) === 'string'; above = above.slice(0, -1)) {
    const map = document.getIn(above, true)
    if (!isMap(map) || map.items.length > 0 || map.comment || map.commentBefore) return
    document.deleteIn(above)
  }
}

/** Returns true for text with invalid UTF-8 or zero bytes, which saving would destroy. */
function isNoText(text: string): boolean {
  return text.includes('\uFFFD') || text.includes('\0')
}

const maxDescribed = 3

function invalid(file: string, problems: readonly ConfigProblem[]): AppError {
  const reason = problems.map(({ key, message }) => (key ? `${key}: ${message}` : message)).join('; ')
  const [first] = problems
  const { key = '', fault, allowed } = problems.length === 1 && first ? first : {}
  const told = { key, ...(fault && { fault }), ...(allowed !== undefined && { allowed }) }
  return new AppError('config_invalid', describeProblems(file, problems), { file, reason, ...told })
}

/** Returns one line, such as `config.yaml:12: a.b: …`: errors before ignored settings, at most `maxDescribed`. */
export function describeProblems(file: string, problems: readonly ConfigProblem[]): string {
  const isIgnored = ({ fault }: ConfigProblem) => Number(fault === 'unknown')
  const described = problems
    .toSorted((one, other) => isIgnored(one) - isIgnored(other))
    .slice(0, maxDescribed)
    .map(({ key, line, message }) => `${file}${line === null ? '' : `:${line}`}: ${key ? `${key}: ` : ''}${message}`)
  const rest = problems.length - described.length
  return [...described, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ')
}
