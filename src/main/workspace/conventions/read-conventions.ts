/**
 * Reads the conventions of a vault from the settings of the program that created it. Never writes settings. Sources:
 * https://help.obsidian.md (Configuration folder, Daily notes, Attachments),
 * https://github.com/liamcain/obsidian-periodic-notes, https://docs.logseq.com (config.edn), https://docs.foamnotes.com
 * (Daily notes, Note templates).
 */
import { existsSync, globSync, statSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parse as parseJsonc, type ParseError } from 'jsonc-parser'
import type { VaultConventions } from '#shared/contract/index.ts'
import { type DailyNotes, isDailyFormat } from '#shared/markdown/daily-notes.ts'
import { agentFileNames, appFolderName, longTermNames } from '#shared/util/agent-files.ts'
import { isRecord } from '#shared/util/json.ts'
import { readSmallText } from '#platform'
import { isHidden } from '../files/file-names.ts'
import { defaultDaily, isIgnoredFolder, isMarkdown, memoryFolderPath } from '../files/layout.ts'
import { ednValue, inferDailyNotes, fromFoamPath, fromJavaFormat, fromMaskFormat } from './vault-formats.ts'

const maxSettingsBytes = 1024 * 1024
/** Deepest level at which daily notes are searched: `Journal/2024/05/2024-05-21.md`. */
const maxDailyNoteDepth = 6

/** Conventions of a folder without settings of a program. The type describes the values. */
const defaultConventions: VaultConventions = {
  kind: 'plain',
  daily: defaultDaily(''),
  hasDaily: false,
  own: '',
  longTermFiles: [],
  attachments: 'beside',
  newNotes: 'beside',
  hasFlatPages: false,
  links: 'wiki',
  linkPaths: 'shortest',
  lineBreaks: false,
  ignored: [],
}

type DetectedConventions = Partial<Omit<VaultConventions, 'daily' | 'hasDaily' | 'own' | 'longTermFiles'>> & {
  readonly daily?: DailyNotes | undefined
}

/**
 * Returns the conventions in the settings of the vault's program, or else the defaults. Without settings for daily notes,
 * infers their location from the names of the notes.
 * @param paths workspace-relative paths of the notes, if known
 * @param configuredOwnFolder folder of the agent's own files in this app's settings
 */
export async function readConventions(
  root: string,
  paths?: readonly string[],
  configuredOwnFolder?: string,
): Promise<VaultConventions> {
  const detected = await detectProgram(root)
  const kind = detected.kind ?? 'plain'
  const detectedOwnFolder = await findOwnFolder(root, kind)
  // `applyOverrides` replaces the detected folder by the configured one, but keeps this list.
  const longTermFiles = longTermFilesIn(join(root, normalizeFolder(configuredOwnFolder ?? detectedOwnFolder)))
  let daily = detected.daily && isDailyFormat(detected.daily.format) ? detected.daily : undefined
  // A workspace that this app created has its daily logs at the default location.
  if ((kind === 'plain' || kind === 'openclaw') && (await isFolder(join(root, memoryFolderPath()))))
    daily ??= defaultDaily('')
  daily ??= inferDailyNotes(paths ?? (await listNotePaths(root))) ?? defaultDailyNotesByKind[kind]
  const hasDaily = daily !== undefined
  daily ??= defaultDaily(detectedOwnFolder)
  return { ...defaultConventions, ...detected, own: detectedOwnFolder, longTermFiles, daily, hasDaily }
}

const vaultKinds: ReadonlySet<VaultConventions['kind']> = new Set(['obsidian', 'logseq', 'foam'])

/**
 * Returns the folder of the agent's own files: the app's folder if it exists, else the workspace folder itself ('').
 * In a vault of another program without such files, returns the app's folder, where they will be created.
 */
async function findOwnFolder(root: string, kind: VaultConventions['kind']): Promise<string> {
  const appFolder = join(root, appFolderName)
  // A folder with this name and a `config.yaml` is the app's state folder in the home folder.
  if (await isFolder(appFolder)) return existsSync(join(appFolder, 'config.yaml')) ? '' : appFolderName
  return vaultKinds.has(kind) && !agentFileNames.some((name) => existsSync(join(root, name))) ? appFolderName : ''
}

async function listNotePaths(root: string): Promise<string[]> {
  const paths: string[] = []
  let folders = ['']
  for (let depth = 0; folders.length > 0 && depth < maxDailyNoteDepth; depth += 1) {
    const subfolders: string[] = []
    for (const folder of folders)
      for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
        if (isIgnoredFolder(entry.name)) continue
        if (entry.isDirectory()) subfolders.push(`${folder}${entry.name}/`)
        else if (entry.isFile() && isMarkdown(entry.name)) paths.push(folder + entry.name)
      }
    folders = subfolders
  }
  return paths
}

const defaultDailyNotesByKind: Readonly<Partial<Record<VaultConventions['kind'], DailyNotes>>> = {
  obsidian: { folder: '', format: 'YYYY-MM-DD' },
  logseq: { folder: 'journals', format: 'YYYY_MM_DD' },
  foam: { folder: 'journals', format: 'YYYY-MM-DD' },
}

async function detectProgram(root: string): Promise<DetectedConventions> {
  const names = new Set(await readdir(root).catch(() => []))
  if (names.has('.obsidian') && (await isFolder(join(root, '.obsidian')))) return readObsidian(root)
  const logseqConfig = names.has('logseq') ? await readTextFile(root, 'logseq/config.edn') : undefined
  if (logseqConfig !== undefined) return parseLogseqConfig(logseqConfig)
  if (names.has('.foam')) return readFoam(root)
  if (names.has('.vscode')) {
    const settings = await readJsonFile(root, '.vscode/settings.json')
    const extensions = await readTextFile(root, '.vscode/extensions.json')
    const isFoam =
      /foam\.foam-vscode/.test(extensions ?? '') || Object.keys(settings ?? {}).some((key) => key.startsWith('foam.'))
    if (isFoam) return readFoam(root)
    return { kind: 'vscode', links: 'markdown', linkPaths: 'relative' }
  }
  // OpenClaw, a program for agents, creates these files.
  if (names.has('SOUL.md') && (names.has('IDENTITY.md') || names.has('HEARTBEAT.md') || names.has('BOOTSTRAP.md')))
    return { kind: 'openclaw' }
  if (names.has('journals') && names.has('pages')) return { kind: 'logseq', ...logseqLayout('journals', 'pages') }
  return {}
}

async function readObsidian(root: string): Promise<DetectedConventions> {
  const [app, dailyNotes, periodicNotes] = await Promise.all([
    readJsonFile(root, '.obsidian/app.json'),
    readJsonFile(root, '.obsidian/daily-notes.json'),
    readJsonFile(root, '.obsidian/plugins/periodic-notes/data.json'),
  ])
  const periodicDaily = periodicNotes?.['daily']
  const daily = isRecord(periodicDaily) && periodicDaily['enabled'] === true ? periodicDaily : dailyNotes
  const newFileLocation = app?.['newFileLocation']
  const linkFormat = app?.['newLinkFormat']
  const attachmentFolder = asString(app?.['attachmentFolderPath']) ?? '/'
  return {
    kind: 'obsidian',
    daily: daily && {
      folder: visibleFolder(asString(daily['folder'])),
      format: asString(daily['format']) || 'YYYY-MM-DD',
    },
    attachments: parseAttachmentFolder(attachmentFolder),
    newNotes:
      newFileLocation === 'current'
        ? 'beside'
        : { path: newFileLocation === 'folder' ? visibleFolder(asString(app?.['newFileFolderPath'])) : '' },
    links: app?.['useMarkdownLinks'] === true ? 'markdown' : 'wiki',
    linkPaths: linkFormat === 'relative' || linkFormat === 'absolute' ? linkFormat : 'shortest',
    lineBreaks: app?.['strictLineBreaks'] !== true,
    ignored: ignoredPrefixes(app?.['userIgnoreFilters']),
  }
}

/** `./` is the folder of the note, `./files` a subfolder of it. */
function parseAttachmentFolder(folder: string): VaultConventions['attachments'] {
  if (!folder.startsWith('./')) return { path: visibleFolder(folder) }
  const below = visibleFolder(folder)
  return below === '' ? 'beside' : { below }
}

function parseLogseqConfig(config: string): DetectedConventions {
  const journals = asString(ednValue(config, 'journals-directory')) ?? 'journals'
  const pages = asString(ednValue(config, 'pages-directory')) ?? 'pages'
  const format = asString(ednValue(config, 'journal/file-name-format'))
  return {
    kind: 'logseq',
    ...logseqLayout(
      visibleFolder(journals),
      visibleFolder(pages),
      format === undefined ? undefined : fromJavaFormat(format),
    ),
    ignored: ignoredPrefixes(ednValue(config, 'hidden')),
  }
}

function logseqLayout(journals: string, pages: string, format = 'YYYY_MM_DD'): DetectedConventions {
  return {
    daily: { folder: journals, format },
    attachments: { path: 'assets' },
    newNotes: { path: pages },
    hasFlatPages: true,
    lineBreaks: true,
  }
}

async function readFoam(root: string): Promise<DetectedConventions> {
  const [settings, template] = await Promise.all([
    readJsonFile(root, '.vscode/settings.json'),
    readTextFile(root, '.foam/templates/daily-note.md'),
  ])
  const templatePath = /^\s*filepath:\s*['"]?([^'"\n]+?)['"]?\s*$/m.exec(template ?? '')?.[1]
  const folder = asString(settings?.['foam.openDailyNote.directory'])
  const mask = asString(settings?.['foam.openDailyNote.filenameFormat'])
  let daily: DailyNotes | undefined
  if (templatePath !== undefined) daily = { folder: '', format: fromFoamPath(templatePath.replace(/^\/+/, '')) }
  else if (folder !== undefined || mask !== undefined)
    daily = { folder: visibleFolder(folder), format: fromMaskFormat(mask ?? 'isoDate') }
  return {
    kind: 'foam',
    links: settings?.['foam.completion.linkFormat'] === 'link' ? 'markdown' : 'wiki',
    linkPaths: settings?.['foam.completion.linkFormat'] === 'link' ? 'relative' : 'shortest',
    daily,
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** Returns undefined if the file is missing or cannot be read, so that the vault still opens. */
async function readTextFile(root: string, path: string): Promise<string | undefined> {
  return readSmallText(join(root, ...path.split('/')), maxSettingsBytes).catch(() => undefined)
}

/** Reads JSON with comments and trailing commas, as in the settings of VS Code. Returns undefined if that fails. */
async function readJsonFile(root: string, path: string): Promise<Record<string, unknown> | undefined> {
  const text = await readTextFile(root, path)
  if (text === undefined) return undefined
  const errors: ParseError[] = []
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true })
  return errors.length === 0 && isRecord(value) ? value : undefined
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Normalizes a workspace-relative folder path. Returns '' (the workspace folder) if a folder of it is hidden. */
function visibleFolder(path = ''): string {
  const folder = normalizeFolder(path)
  return folder.split('/').some(isHidden) ? '' : folder
}

export function normalizeFolder(path: string): string {
  const segments = path.split(/[\\/]/).filter((segment) => segment !== '' && segment !== '.')
  return segments.join('/')
}

/** Returns the path prefixes of a list. Skips regular expressions (`/…/`), which only Obsidian supports. */
function ignoredPrefixes(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value
    .filter((pattern): pattern is string => typeof pattern === 'string' && !/^\/.*\/$/.test(pattern))
    .map((pattern) => pattern.replace(/^\/+/, ''))
    .filter((prefix) => prefix !== '')
}

/**
 * Returns the names in a folder (absolute) that can be the long-term memory, the one in use first. Names of the same
 * file, such as links, count once. Compares with the listed names, because on a disk that ignores case `statSync` would
 * also find differently spelled names.
 */
export function longTermFilesIn(folder: string): string[] {
  const entries = globSync('*.md', { cwd: folder })
  const ids = longTermNames.map((name) => {
    const info = entries.includes(name)
      ? statSync(join(folder, name), { bigint: true, throwIfNoEntry: false })
      : undefined
    return info?.isFile() ? `${info.dev} ${info.ino}` : undefined
  })
  return longTermNames.filter((_, at) => ids[at] !== undefined && ids.indexOf(ids[at]) === at)
}
