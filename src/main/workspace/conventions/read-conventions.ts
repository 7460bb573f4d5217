/**
 * Reads the conventions of a vault from the settings of the program that made it. Never writes them. Sources:
 * https://help.obsidian.md (Configuration folder, Daily notes, Attachments),
 * https://github.com/liamcain/obsidian-periodic-notes, https://docs.logseq.com (config.edn), https://docs.foamnotes.com
 * (Daily notes, Note templates).
 */
import { existsSync, type Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { VaultConventions } from '#shared/contract/index.ts'
import { isDailyFormat, type DailyNotes } from '#shared/markdown/daily-notes.ts'
import { appFolderName, agentFileNames } from '#shared/util/agent-files.ts'
import { isSystemError } from '#shared/util/errors.ts'
import { readSmallText } from '#platform'
import { isHidden } from '../files/file-names.ts'
import { isIgnoredFolder, isMarkdown, memoryFolderPath, usualDaily } from '../files/layout.ts'
import { ednValue } from './edn.ts'
import { inferDailyNotes } from './infer-daily-notes.ts'

/** Largest settings file, bytes. */
const maxSettings = 1024 * 1024
/** Deepest level at which daily notes are searched: `Journal/2024/05/2024-05-21.md`. */
const maxObservedDepth = 6

const defaultConventions: VaultConventions = {
  kind: 'plain',
  daily: usualDaily(''),
  hasDaily: false,
  own: '',
  attachments: 'beside',
  newNotes: 'beside',
  isFlat: false,
  links: 'wiki',
  linkPaths: 'shortest',
  lineBreaks: false,
  ignored: [],
  readFrom: [],
}

type DetectedConventions = Partial<Omit<VaultConventions, 'daily' | 'hasDaily' | 'own'>> & {
  readonly daily?: DailyNotes | undefined
}

/**
 * Reads a vault's conventions. Without settings, the names of the notes show where daily notes are.
 * @param root absolute
 * @param paths workspace-relative paths of the notes, if known; else the folder is listed when needed
 */
export async function readConventions(root: string, paths?: readonly string[]): Promise<VaultConventions> {
  const found = await detectProgram(root)
  const kind = found.kind ?? 'plain'
  const own = await findOwnFolder(root, kind)
  const { daily } = found
  if (daily && isDailyFormat(daily.format)) return { ...defaultConventions, ...found, daily, hasDaily: true, own }
  // A workspace made by this app has its logs at the default location.
  const isAppWorkspace = (kind === 'plain' || kind === 'openclaw') && (await isFolder(join(root, memoryFolderPath())))
  const inferredDaily = isAppWorkspace
    ? usualDaily('')
    : (inferDailyNotes(paths ?? (await pathsBelow(root))) ?? defaultDailyNotes[kind])
  return {
    ...defaultConventions,
    ...found,
    daily: inferredDaily ?? usualDaily(own),
    hasDaily: inferredDaily !== undefined,
    own,
  }
}

/** Programs that show every file of the folder to the user. */
const vaults: ReadonlySet<VaultConventions['kind']> = new Set(['obsidian', 'logseq', 'foam'])

/**
 * Returns the folder of the agent's own files: the app's folder if it exists, else the top if the files are there. In a
 * vault of another program without them, they will be created in the app's folder.
 */
async function findOwnFolder(root: string, kind: VaultConventions['kind']): Promise<string> {
  const appFolder = join(root, appFolderName)
  // In a home folder, the app's state folder can have this name.
  if (await isFolder(appFolder)) return existsSync(join(appFolder, 'config.yaml')) ? '' : appFolderName
  return vaults.has(kind) && !agentFileNames.some((name) => existsSync(join(root, name))) ? appFolderName : ''
}

/** Lists notes by name only: reads no metadata and follows no links. */
async function pathsBelow(root: string): Promise<string[]> {
  const paths: string[] = []
  let folders = ['']
  for (let depth = 0; folders.length > 0 && depth < maxObservedDepth; depth += 1) {
    const below: string[] = []
    for (const folder of folders)
      for (const entry of await entriesOf(join(root, folder))) {
        if (isIgnoredFolder(entry.name)) continue
        if (entry.isDirectory()) below.push(`${folder}${entry.name}/`)
        else if (entry.isFile() && isMarkdown(entry.name)) paths.push(folder + entry.name)
      }
    folders = below
  }
  return paths
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (isSystemError(error)) return []
    throw error
  }
}

const defaultDailyNotes: Readonly<Partial<Record<VaultConventions['kind'], DailyNotes>>> = {
  obsidian: { folder: '', format: 'YYYY-MM-DD' },
  logseq: { folder: 'journals', format: 'YYYY_MM_DD' },
  foam: { folder: 'journals', format: 'YYYY-MM-DD' },
}

async function detectProgram(root: string): Promise<DetectedConventions> {
  const names = new Set(await readdir(root).catch(() => []))
  if (names.has('.obsidian') && (await isFolder(join(root, '.obsidian')))) return obsidian(root)
  const logseq = names.has('logseq') ? await readTextFile(root, 'logseq/config.edn') : undefined
  if (logseq !== undefined) return logseqHabits(logseq)
  if (names.has('.foam')) return foam(root)
  if (names.has('.vscode')) {
    const settings = await readJsonFile(root, '.vscode/settings.json')
    const recommended = await readTextFile(root, '.vscode/extensions.json')
    const isFoam =
      /foam\.foam-vscode/.test(recommended ?? '') || Object.keys(settings ?? {}).some((key) => key.startsWith('foam.'))
    return isFoam
      ? foam(root)
      : {
          kind: 'vscode',
          links: 'markdown',
          linkPaths: 'relative',
          readFrom: settings ? ['.vscode/settings.json'] : [],
        }
  }
  if (names.has('SOUL.md') && (names.has('IDENTITY.md') || names.has('HEARTBEAT.md') || names.has('BOOTSTRAP.md')))
    return { kind: 'openclaw' }
  if (names.has('journals') && names.has('pages')) return { kind: 'logseq', ...logseqPages('journals', 'pages') }
  return {}
}

async function obsidian(root: string): Promise<DetectedConventions> {
  const [app, core, periodic] = await Promise.all([
    readJsonFile(root, '.obsidian/app.json'),
    readJsonFile(root, '.obsidian/daily-notes.json'),
    readJsonFile(root, '.obsidian/plugins/periodic-notes/data.json'),
  ])
  const periodicDaily = asObject(periodic?.['daily'])
  const daily = periodicDaily?.['enabled'] === true ? periodicDaily : core
  const newFileLocation = app?.['newFileLocation']
  const format = app?.['newLinkFormat']
  const files = asString(app?.['attachmentFolderPath']) ?? '/'
  return {
    kind: 'obsidian',
    ...(daily
      ? { daily: { folder: folderOf(asString(daily['folder'])), format: asString(daily['format']) || 'YYYY-MM-DD' } }
      : {}),
    attachments: parseAttachmentFolder(files),
    newNotes:
      newFileLocation === 'current'
        ? 'beside'
        : { path: newFileLocation === 'folder' ? folderOf(asString(app?.['newFileFolderPath'])) : '' },
    links: app?.['useMarkdownLinks'] === true ? 'markdown' : 'wiki',
    linkPaths: format === 'relative' || format === 'absolute' ? format : 'shortest',
    lineBreaks: app?.['strictLineBreaks'] !== true,
    ignored: ignoredPrefixes(app?.['userIgnoreFilters']),
    readFrom: [
      ...(app ? ['.obsidian/app.json'] : []),
      ...(daily === undefined
        ? []
        : [daily === core ? '.obsidian/daily-notes.json' : '.obsidian/plugins/periodic-notes/data.json']),
    ],
  }
}

/** `./` is the folder of the note, `./files` a subfolder of it. */
function parseAttachmentFolder(folder: string): VaultConventions['attachments'] {
  if (!folder.startsWith('./')) return { path: folderOf(folder) }
  const below = folderOf(folder)
  return below === '' ? 'beside' : { below }
}

function logseqHabits(config: string): DetectedConventions {
  const journals = asString(ednValue(config, 'journals-directory')) ?? 'journals'
  const pages = asString(ednValue(config, 'pages-directory')) ?? 'pages'
  const format = asString(ednValue(config, 'journal/file-name-format'))
  return {
    kind: 'logseq',
    ...logseqPages(folderOf(journals), folderOf(pages), format === undefined ? undefined : fromJavaFormat(format)),
    ignored: ignoredPrefixes(ednValue(config, 'hidden')),
    readFrom: ['logseq/config.edn'],
  }
}

function logseqPages(journals: string, pages: string, format = 'YYYY_MM_DD'): DetectedConventions {
  return {
    daily: { folder: journals, format },
    attachments: { path: 'assets' },
    newNotes: { path: pages },
    isFlat: true,
    lineBreaks: true,
  }
}

async function foam(root: string): Promise<DetectedConventions> {
  const [settings, template] = await Promise.all([
    readJsonFile(root, '.vscode/settings.json'),
    readTextFile(root, '.foam/templates/daily-note.md'),
  ])
  const path = /^\s*filepath:\s*['"]?([^'"\n]+?)['"]?\s*$/m.exec(template ?? '')?.[1]
  const folder = asString(settings?.['foam.openDailyNote.directory'])
  const mask = asString(settings?.['foam.openDailyNote.filenameFormat'])
  const hasSettings = folder !== undefined || mask !== undefined
  return {
    kind: 'foam',
    links: settings?.['foam.completion.linkFormat'] === 'link' ? 'markdown' : 'wiki',
    linkPaths: settings?.['foam.completion.linkFormat'] === 'link' ? 'relative' : 'shortest',
    ...(path === undefined
      ? hasSettings
        ? { daily: { folder: folderOf(folder), format: fromMaskFormat(mask ?? 'isoDate') } }
        : {}
      : { daily: { folder: '', format: fromFoamPath(path.replace(/^\/+/, '')) } }),
    readFrom: [
      ...(settings ? ['.vscode/settings.json'] : []),
      ...(path === undefined ? [] : ['.foam/templates/daily-note.md']),
    ],
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** Returns undefined if the file is missing or cannot be read, so that the vault still opens. */
async function readTextFile(root: string, path: string): Promise<string | undefined> {
  return readSmallText(join(root, ...path.split('/')), maxSettings).catch(() => undefined)
}

/** Parses JSON with comments and trailing commas, as in the settings of VS Code. Undefined if that fails. */
async function readJsonFile(root: string, path: string): Promise<Record<string, unknown> | undefined> {
  const text = await readTextFile(root, path)
  if (text === undefined) return undefined
  const plain = text
    .replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (found) => (found.startsWith('/') ? '' : found))
    .replaceAll(/,(?=\s*[}\]])/g, '')
  try {
    return asObject(JSON.parse(plain))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns a folder relative to the workspace; the top for a hidden one. */
function folderOf(path = ''): string {
  const steps = path.split(/[\\/]/).filter((step) => step !== '' && step !== '.')
  return steps.some(isHidden) ? '' : steps.join('/')
}

/** Returns path prefixes. Skips regular expressions (`/…/`), which only Obsidian supports. */
function ignoredPrefixes(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value
    .filter((one): one is string => typeof one === 'string' && !/^\/.*\/$/.test(one))
    .map((one) => one.replace(/^\/+/, ''))
    .filter((one) => one !== '')
}

/** Converts Java's date format, which Logseq uses (`yyyy_MM_dd`, `MMM do, yyyy`), to Moment.js format. */
export function fromJavaFormat(format: string): string {
  const known: Readonly<Record<string, string>> = {
    yyyy: 'YYYY',
    yy: 'YY',
    dd: 'DD',
    do: 'Do',
    d: 'D',
    EEEE: 'dddd',
    EEE: 'ddd',
    EE: 'ddd',
    E: 'ddd',
  }
  return format.replaceAll(/'([^']*)'|do|([a-zA-Z])\2*/g, (found, quoted?: string) =>
    quoted === undefined ? (known[found] ?? found) : `[${quoted}]`,
  )
}

/**
 * Converts the format of the package dateformat, which Foam's settings use (`yyyy-mm-dd`, `isoDate`), to Moment.js
 * format.
 */
export function fromMaskFormat(format: string): string {
  if (format === 'isoDate') return 'YYYY-MM-DD'
  const known: Readonly<Record<string, string>> = {
    yyyy: 'YYYY',
    yy: 'YY',
    mmmm: 'MMMM',
    mmm: 'MMM',
    mm: 'MM',
    m: 'M',
    dddd: 'dddd',
    ddd: 'ddd',
    dd: 'DD',
    d: 'D',
    dS: 'Do',
  }
  return format.replaceAll(/'([^']*)'|dS|([a-zA-Z])\2*/g, (found, quoted?: string) =>
    quoted === undefined ? (known[found] ?? found) : `[${quoted}]`,
  )
}

/**
 * Converts the path of a Foam template (`/journal/${FOAM_DATE_YEAR}-$FOAM_DATE_MONTH-$FOAM_DATE_DATE.md`) to a
 * Moment.js format.
 */
export function fromFoamPath(path: string): string {
  const known: Readonly<Record<string, string>> = {
    YEAR: 'YYYY',
    YEAR_SHORT: 'YY',
    MONTH: 'MM',
    MONTH_NAME: 'MMMM',
    MONTH_NAME_SHORT: 'MMM',
    DATE: 'DD',
    DAY_NAME: 'dddd',
    DAY_NAME_SHORT: 'ddd',
  }
  return path
    .replace(/\.md$/, '')
    .replaceAll(/\$\{?(?:FOAM_DATE|CURRENT)_(\w+?)\b\}?|([A-Za-z]+)/g, (found, name?: string, letters?: string) =>
      letters === undefined ? (known[name ?? ''] ?? found) : `[${letters}]`,
    )
}
