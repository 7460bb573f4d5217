import { existsSync, watch, type FSWatcher } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseDocument, type Document } from 'yaml'
import { AppError } from '#shared/util/errors.ts'
import type { Appearance, ConfigChange, ConfigProblem } from '#shared/contract/index.ts'
import { mergeTexts } from '../diff/merge-texts.ts'
import { EventEmitter, type Subscribable } from '#shared/util/events.ts'
import { Mutex } from '../fs/mutex.ts'
import { makeFolder, writeDurably } from '../fs/durable-write.ts'
import { damagedPath, readSmallText } from '../fs/read-file.ts'
import { parseConfig, type ValidConfig } from './parse-config.ts'
import { configJsonSchema, configSchema, type Config } from './config-schema.ts'
import { editYaml } from './edit-yaml.ts'

/** Delay before a changed file is read, ms: editors save in several steps (truncate, write, rename). */
const debounceMs = 100
/** `parseConfig` refuses more than a million characters, which have up to three bytes each. */
const maxBytes = 3_000_000

type Change = readonly [path: readonly (string | number)[], value: unknown]

export class SettingsStore {
  static readonly parse = parseConfig
  static readonly jsonSchema = configJsonSchema
  static readonly describe = describeProblems
  readonly file: string
  /** A start with a broken file uses the last valid text. */
  readonly #lastGoodFile: string
  #config: Config = configSchema.parse({})
  #text = ''
  #problems: readonly ConfigProblem[] = []
  #ignoredKeys: readonly ConfigProblem[] = []
  #hasBeenRead = false
  #systemLanguage: string | undefined
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #mutex: Mutex
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes

  private constructor(file: string) {
    this.file = file
    this.#lastGoodFile = lastGoodOf(file)
    this.#mutex = new Mutex(file)
  }

  /** A broken file does not throw. @param waitMs wait for a missing or empty file, which an editor may be saving */
  static async open(file: string, waitMs = 0): Promise<SettingsStore> {
    const store = new SettingsStore(file)
    await makeFolder(dirname(file))
    await store.#load()
    if (store.#text === '' && waitMs > 0) {
      await sleep(waitMs)
      await store.#load()
    }
    if (store.#problems.length > 0) await store.#useLastGood()
    store.#watcher = watch(dirname(file), (_event, name) => {
      if (name !== null && !file.endsWith(name)) return
      clearTimeout(store.#timer)
      // Not during a save, which would be replaced by the text before it.
      const reload = () => store.#mutex.run(() => store.#load())
      store.#timer = setTimeout(() => void reload().catch(() => undefined), debounceMs)
    })
    // For example, the folder was deleted. The active configuration stays in use.
    store.#watcher.on('error', ({ message }) => store.#reject({ message }))
    return store
  }

  /** Returns the language setting without opening the store: of the file, or of its last valid text. */
  static async readLocale(file: string): Promise<Appearance['locale']> {
    for (const path of [file, lastGoodOf(file)]) {
      const parsed = parseConfig((await readSmallText(path, maxBytes, false).catch(() => undefined)) ?? '')
      if (parsed.ok) return parsed.config.interface.locale
    }
    return 'system'
  }

  /** Language of the interface: the configured one, or the system language that a window reported last. */
  get locale(): string {
    const { locale } = this.#config.interface
    if (locale !== 'system') return locale
    return this.#systemLanguage ?? Intl.DateTimeFormat().resolvedOptions().locale
  }

  /** @param language system language that a window reports, such as `zh-TW`; this process cannot always detect it */
  setSystemLanguage(language: string): void {
    this.#systemLanguage = language
  }

  /** Returns false until a configuration has been loaded without problems. A missing file counts as an empty configuration. */
  get hasBeenRead(): boolean {
    return this.#hasBeenRead
  }

  get config(): Config {
    return this.#config
  }

  get problems(): readonly ConfigProblem[] {
    return this.#problems
  }

  get ignoredKeys(): readonly ConfigProblem[] {
    return this.#ignoredKeys
  }

  /** Returns the current text of the file, valid or not. @throws AppError `config_invalid` if it cannot be read */
  source(): Promise<string> {
    return this.#read(false)
  }

  /** Returns the last valid text while the file has problems; undefined if there are none, or no such text is known. */
  get lastGood(): string | undefined {
    return this.#problems.length > 0 && this.#text !== '' ? this.#text : undefined
  }

  configWithoutDefaults(): unknown {
    return parseDocument(this.#text).toJSON() ?? {}
  }

  /** Merges changes since `baseText`. @throws AppError `config_invalid`, `file_changed`; nothing is written */
  async save(text: string, baseText: string): Promise<{ text: string; isMerged: boolean }> {
    return this.#mutex.run(async () => {
      await this.#save(text, baseText)
      return { text: this.#text, isMerged: this.#text !== text }
    })
  }

  async #save(text: string, baseText: string): Promise<ValidConfig> {
    const current = (await this.#read(false)) || this.#text
    const merged = current === baseText ? text : mergeTexts(baseText, text, current)
    if (merged === undefined)
      throw new AppError('file_changed', `${this.file} was changed by another program meanwhile`, { path: this.file })
    const parsed = this.#parse(merged)
    await this.#write(current, merged, parsed)
    return parsed
  }

  /** `undefined` removes a value. @returns the change for `restore` @throws AppError `config_invalid` */
  set(...changes: readonly Change[]): Promise<ConfigChange> {
    return this.#mutex.run(async () => {
      const previous = (await this.#read()) || this.#text
      const hadFile = previous !== '' || existsSync(this.file)
      const { ignoredKeys } = this.#parse(previous)
      const allChanges = changes.flatMap((change) => withOlderName(parseDocument(previous), change))
      const text = allChanges.reduce((edited, [path, value]) => editYaml(edited, path, value), previous)
      const parsed = this.#parse(text)
      const newlyIgnored = parsed.ignoredKeys.filter(({ key }) => !ignoredKeys.some((ignored) => ignored.key === key))
      if (newlyIgnored.length > 0) throw invalidConfigError(this.file, newlyIgnored)
      await this.#write(previous, text, parsed)
      return { before: hadFile ? previous : null, after: text }
    })
  }

  #parse(text: string): ValidConfig {
    const parsed = parseConfig(text)
    if (parsed.ok) return parsed
    throw invalidConfigError(this.file, parsed.problems)
  }

  /** Removes the file if there was none. Merges if it has changed since. @throws AppError as `save` */
  async restore({ before, after }: ConfigChange): Promise<void> {
    await this.#mutex.run(async () => {
      const { config, ignoredKeys } = await this.#save(before ?? '', after)
      if (before !== null || this.#text !== '') return
      await rm(this.file, { force: true })
      await this.#acceptText('', config, ignoredKeys)
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#watcher?.close()
    this.#mutex.close()
  }

  /** @param isStrict false replaces bytes that are not UTF-8, so that the user can repair the file in the editor */
  async #read(isStrict = true, file = this.file): Promise<string> {
    try {
      return (await readSmallText(file, maxBytes, isStrict)) ?? ''
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new AppError('config_invalid', `${this.file} cannot be read: ${reason}`, { file: this.file, reason })
    }
  }

  /** @param previous text of the replaced file, which is copied if the text is damaged */
  async #write(previous: string, text: string, { config, ignoredKeys }: ValidConfig): Promise<void> {
    // Saving would destroy invalid UTF-8 and zero bytes.
    if (previous.includes('\uFFFD') || previous.includes('\0')) await copyFile(this.file, damagedPath(this.file))
    await writeDurably(this.file, text)
    await this.#acceptText(text, config, ignoredKeys)
  }

  async #load(): Promise<void> {
    const text = await this.#read().catch(({ message }: AppError) => this.#reject({ message }))
    if (text === undefined) return
    const isEmpty = text.trim() === ''
    const last = this.#text || (await this.#read(true, this.#lastGoodFile).catch(() => ''))
    // The file was deleted or emptied, or is being saved. The workspaces must not change because of this.
    if (hasNoValues(text) && (!hasNoValues(last) || (isEmpty && existsSync(this.file))))
      return this.#reject({
        message: 'it is missing or empty; the last valid settings stay active until it is restored',
        fault: 'missing',
      })
    const parsed = parseConfig(text)
    if (parsed.ok) await this.#acceptText(text, parsed.config, parsed.ignoredKeys)
    else this.#accept(this.#config, parsed.problems)
  }

  /** Uses the last valid settings for a file that was broken when the app started; the problems stay. */
  async #useLastGood(): Promise<void> {
    const text = await this.#read(true, this.#lastGoodFile).catch(() => '')
    const parsed = parseConfig(text)
    // An empty file means the defaults if no valid one is known.
    const isEmpty = (await this.source().catch(() => 'unreadable')).trim() === ''
    if (!parsed.ok || (text === '' && !isEmpty)) return
    this.#text = text
    this.#hasBeenRead = true
    this.#accept(parsed.config, this.#problems)
  }

  async #acceptText(text: string, config: Config, ignoredKeys: readonly ConfigProblem[]): Promise<void> {
    const isNew = text !== this.#text
    this.#text = text
    this.#accept(config, [], ignoredKeys)
    // A full disk must not keep the settings from being used.
    if (isNew) await writeDurably(this.#lastGoodFile, text).catch(() => undefined)
  }

  #reject(problem: Pick<ConfigProblem, 'message' | 'fault'>): void {
    this.#accept(this.#config, [{ key: '', line: null, ...problem }])
  }

  #accept(config: Config, problems: readonly ConfigProblem[], ignored = this.#ignoredKeys): void {
    const before = JSON.stringify([this.#config, this.#problems, this.#ignoredKeys])
    this.#hasBeenRead ||= problems.length === 0
    this.#config = config
    this.#problems = problems
    this.#ignoredKeys = ignored
    if (before !== JSON.stringify([config, problems, ignored])) this.#changes.emit()
  }
}

function lastGoodOf(file: string): string {
  return file.replace(/(\.\w+)?$/, '.last-good$1')
}

/** Returns true for an empty text, comments only, or an empty map. */
function hasNoValues(text: string): boolean {
  return ['', '{}', '---'].includes(text.replaceAll(/(?:^|\s)#.*$/gm, '').trim())
}

/** Removes the list with the older name, `visibility.local`, with a change of `visibility.private`, which contains both. */
function withOlderName(document: Document, change: Change): Change[] {
  const [path, value] = change
  if (path.at(-2) !== 'visibility' || path.at(-1) !== 'private') return [change]
  const isInherited = path[1] !== 'defaults' && document.hasIn(['agents', 'defaults', 'visibility', 'local'])
  // An empty list keeps out the list that would be inherited.
  return [change, [[...path.slice(0, -1), 'local'], value !== undefined && isInherited ? [] : undefined]]
}

const maxDescribed = 3

function invalidConfigError(file: string, problems: readonly ConfigProblem[]): AppError {
  const reason = problems.map(({ key, message }) => (key ? `${key}: ${message}` : message)).join('; ')
  const [first] = problems
  const { key = '', fault, allowed } = first ?? {}
  const details = { key, ...(fault && { fault }), ...(allowed !== undefined && { allowed }) }
  return new AppError('config_invalid', describeProblems(file, problems), { file, reason, ...details })
}

/**
 * Returns one line, such as `config.yaml:12: a.b: …`: errors before ignored settings, at most `maxDescribed`.
 * @param explain returns the fault in another language
 */
function describeProblems(
  file: string,
  problems: readonly ConfigProblem[],
  explain = ({ message }: ConfigProblem) => message,
  separator = '; ',
  more = (count: number) => `+${count}`,
): string {
  const rankOf = ({ fault }: ConfigProblem) => (fault === 'unknown' ? 1 : 0)
  const described = problems
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .slice(0, maxDescribed)
    .map((one) => `${file}${one.line === null ? '' : `:${one.line}`}: ${one.key ? `${one.key}: ` : ''}${explain(one)}`)
  const remainingCount = problems.length - described.length
  return [...described, ...(remainingCount > 0 ? [more(remainingCount)] : [])].join(separator)
}
