/** Checks an unpacked package: the files of the app, native modules, fuses, integrity, icons and what the system reads. */
import { extractFile, getRawHeader, uncache, type DirectoryRecord } from '@electron/asar'
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { FuseState } from '@electron/fuses/dist/constants.js'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { NtExecutable, NtExecutableResource, Resource } from 'resedit'
import { builderConfig } from './builder.config.ts'
import { vectorPackage, type Processor } from './native-packages.ts'
import { shippedPackages } from './shipped-packages.ts'
import type { System } from './stub-runtime.ts'

export interface Target {
  readonly system: System
  readonly processor: Processor
}

/** Limit for the app itself, compressed, without Electron's runtime, in bytes. */
export const maxPayload = 25e6

const root = new URL('../../', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }

/** Workers are started as files, so each has a name that the app knows. */
const workers = [
  'curation/suggestions/curation',
  'interop/import/import',
  'platform/diff/diff',
  'search/indexing/indexer',
  'search/indexing/prepare',
  'search/ranking/searcher',
  'workspace/changes/changes',
  'workspace/deletion/deletion',
  'workspace/find-replace/find',
  'workspace/links/links',
]

const required = [
  'LICENSE',
  'package.json',
  'out/main/index.js',
  'out/main/cli/index.js',
  ...workers.map((name) => `out/main/${name}.worker.js`),
  'out/preload/index.cjs',
  'out/renderer/index.html',
  'resources/icons/icon.png',
  'resources/icons/tray.png',
  'resources/models/builtin/model.bin',
  'resources/prompts/system.md',
  ...shippedPackages().map((name) => `node_modules/${name}/package.json`),
]

/** Everything else of the project is not for users. */
const allowed = [
  /^(LICENSE|package\.json)$/,
  /^out\/(main|preload)\/.*\.c?js$/,
  /^out\/renderer\/.*\.(css|html|js|json|svg|ttf|txt|wasm|webp|woff2?)$/,
  /^resources\/icons\/[\w@]+\.png$/,
  /^resources\/(models\/builtin|prompts|templates)\//,
  /^node_modules\//,
]
const refused =
  /\.(map|d\.[cm]?ts|tsx?|md|flow|gyp|c|cpp|h)$|\/(\.[^/]*|__tests__|bench(mark)?|docs?|examples?|tests?)(\/|$)|\.test\.|eslint|tsconfig/

const native = /\.(node|so|dylib|dll)$/
const nativeExtensions: Readonly<Record<System, string>> = { linux: 'so', darwin: 'dylib', win32: 'dll' }

/** @returns the problems of the unpacked package; empty if it is right */
export async function findPackageProblems(folder: string, target: Target): Promise<string[]> {
  const { app, resources, program } = placesOf(folder, target.system)
  const archive = join(resources, 'app.asar')
  if (!existsSync(archive)) return [`${archive} is missing`]
  const problems = [
    ...findArchiveProblems(archive, target),
    ...(await findFuseProblems(program)),
    ...findIntegrityProblems(archive, target.system, program, app),
    ...findMetadataProblems(resources, target.system, program, app),
  ]
  if (!existsSync(join(resources, 'LICENCES.txt'))) problems.push('LICENCES.txt is missing')
  const size = await payloadSize(resources)
  if (size > maxPayload) problems.push(`the app has ${size} bytes, compressed; the limit is ${maxPayload}`)
  return problems
}

interface Places {
  readonly app: string
  readonly resources: string
  readonly program: string
}

/** Returns the paths that differ between the systems. */
export function placesOf(folder: string, system: System): Places {
  if (system !== 'darwin') {
    const program = join(folder, system === 'linux' ? 'commonplace' : 'Commonplace.exe')
    return { app: folder, resources: join(folder, 'resources'), program }
  }
  const app = join(folder, 'Commonplace.app')
  return { app, resources: join(app, 'Contents/Resources'), program: app }
}

interface ArchivedFile {
  readonly path: string
  readonly isUnpacked: boolean
}

function filesIn(directory: DirectoryRecord, prefix = ''): ArchivedFile[] {
  return Object.entries(directory.files).flatMap(([name, entry]) =>
    'files' in entry
      ? filesIn(entry, `${prefix}${name}/`)
      : [{ path: `${prefix}${name}`, isUnpacked: 'unpacked' in entry && entry.unpacked }],
  )
}

function findArchiveProblems(archive: string, target: Target): string[] {
  uncache(archive)
  const files = filesIn(getRawHeader(archive).header)
  const paths = new Set(files.map(({ path }) => path))
  const problems = required.filter((path) => !paths.has(path)).map((path) => `app.asar lacks ${path}`)
  for (const { path } of files) {
    const isOurs = /^resources\/(models|prompts|templates)\//.test(path)
    if (!allowed.some((pattern) => pattern.test(path)) || (!isOurs && refused.test(path)))
      problems.push(`app.asar contains ${path}`)
  }
  return [...problems, ...findForeignContent(archive, files, target), ...findNativeProblems(archive, files, target)]
}

/** Compares the archived files with those of the project, and the packages with the list of shipped ones. */
function findForeignContent(archive: string, files: readonly ArchivedFile[], { system, processor }: Target): string[] {
  const packages = new Set([...shippedPackages(), vectorPackage(system, processor)])
  const problems: string[] = []
  for (const { path, isUnpacked } of files) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
    if (name !== undefined && !packages.has(name)) problems.push(`app.asar contains the package ${name}`)
    if (isUnpacked || name !== undefined) continue
    const content = readArchived(archive, path)
    if (!content) problems.push(`app.asar: ${path} cannot be read`)
    // electron-builder shortens package.json.
    else if (path === 'package.json') {
      if (!content.includes(`"version": "${version}"`))
        problems.push(`package.json has another version than ${version}`)
    } else if (!existsSync(new URL(path, root)) || !content.equals(readFileSync(new URL(path, root))))
      problems.push(`app.asar: ${path} differs from the project`)
  }
  return problems
}

function readArchived(archive: string, path: string): Buffer | undefined {
  try {
    return extractFile(archive, path)
  } catch {
    return undefined
  }
}

/** Each native module is there once, for the right system and processor, beside the archive. No other file is there. */
function findNativeProblems(archive: string, files: readonly ArchivedFile[], target: Target): string[] {
  const { system, processor } = target
  const wanted = [
    `node_modules/better-sqlite3/prebuilds/${system}-${processor}.node`,
    `node_modules/${vectorPackage(system, processor)}/vec0.${nativeExtensions[system]}`,
  ]
  const problems: string[] = []
  for (const path of wanted) {
    const file = files.find((one) => one.path === path)
    const unpacked = join(`${archive}.unpacked`, path)
    if (!file) problems.push(`app.asar lacks ${path}`)
    else if (!file.isUnpacked || !existsSync(unpacked)) problems.push(`${path} is not unpacked`)
    else if (machineOf(readFileSync(unpacked)) !== `${system}-${processor}`)
      problems.push(`${path} is for ${machineOf(readFileSync(unpacked))}`)
  }
  const beside = existsSync(`${archive}.unpacked`)
    ? readdirSync(`${archive}.unpacked`, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(`${archive}.unpacked`, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    : []
  const natives = files.flatMap(({ path, isUnpacked }) => (isUnpacked || native.test(path) ? path : []))
  for (const path of new Set([...natives, ...beside]))
    if (!wanted.includes(path)) problems.push(`${path} must not be in this package`)
  return problems
}

const elfProcessors: Readonly<Record<number, string>> = { 0x3e: 'x64', 0xb7: 'arm64' }
const machProcessors: Readonly<Record<number, string>> = { 0x01_00_00_07: 'x64', 0x01_00_00_0c: 'arm64' }
const peProcessors: Readonly<Record<number, string>> = { 0x86_64: 'x64', 0xaa_64: 'arm64' }

/** Returns the system and processor of a native library, from its first bytes. */
function machineOf(library: Buffer): string {
  const start = library.readUInt32BE(0)
  if (start === 0x7f_45_4c_46) return `linux-${elfProcessors[library.readUInt16LE(18)]}`
  if (start === 0xcf_fa_ed_fe) return `darwin-${machProcessors[library.readUInt32LE(4)]}`
  if (start >>> 16 === 0x4d_5a) return `win32-${peProcessors[library.readUInt16LE(library.readUInt32LE(0x3c) + 4)]}`
  return 'an unknown system'
}

async function findFuseProblems(program: string): Promise<string[]> {
  const { resetAdHocDarwinSignature: _, ...wanted } = builderConfig().electronFuses ?? {}
  const states = await getCurrentFuseWire(program)
  return Object.entries(wanted).flatMap(([name, isOn]) => {
    const position = FuseV1Options[`${name[0]?.toUpperCase()}${name.slice(1)}` as keyof typeof FuseV1Options]
    const state = isOn ? FuseState.ENABLE : FuseState.DISABLE
    return states[position] === state ? [] : [`the fuse ${name} is not ${isOn ? 'on' : 'off'}`]
  })
}

/** Electron compares the head of the archive with this hash before it reads from it; on Linux it does not. */
function findIntegrityProblems(archive: string, system: System, program: string, app: string): string[] {
  if (system === 'linux') return []
  const hash = createHash('sha256').update(getRawHeader(archive).headerString).digest('hex')
  const recorded = system === 'darwin' ? propertyListOf(app) : integrityOf(program)
  return recorded.includes(hash) ? [] : ['the hash of app.asar is not recorded in the program']
}

function integrityOf(program: string): string {
  const resources = NtExecutableResource.from(NtExecutable.from(readFileSync(program)))
  const entry = resources.entries.find(({ type, id }) => type === 'INTEGRITY' && id === 'ELECTRONASAR')
  return entry ? Buffer.from(entry.bin).toString() : ''
}

function propertyListOf(app: string): string {
  return readFileSync(join(app, 'Contents/Info.plist'), 'utf8').replaceAll(/>\s+</g, '><')
}

function findMetadataProblems(resources: string, system: System, program: string, app: string): string[] {
  if (system === 'darwin') return findMacProblems(resources, app)
  if (system === 'win32') return findWindowsProblems(program)
  const updates = existsSync(join(resources, 'app-update.yml'))
    ? readFileSync(join(resources, 'app-update.yml'), 'utf8')
    : ''
  return updates.includes('updaterCacheDirName: commonplace-updater') ? [] : ['app-update.yml names no folder']
}

function findMacProblems(resources: string, app: string): string[] {
  const list = propertyListOf(app)
  const wanted = {
    CFBundleIdentifier: '<string>app.commonplace.desktop</string>',
    CFBundleShortVersionString: `<string>${version}</string>`,
    CFBundleURLSchemes: '<array><string>commonplace</string></array>',
    CFBundleIconFile: '<string>icon.icns</string>',
    CFBundleTypeExtensions: '<array><string>md</string>',
    LSHandlerRank: '<string>Alternate</string>',
  }
  const problems = Object.entries(wanted)
    .filter(([key, value]) => !list.includes(`<key>${key}</key>${value}`))
    .map(([key, value]) => `Info.plist lacks ${key} ${value}`)
  if (!isSame(join(resources, 'icon.icns'), 'icon.icns')) problems.push('the icon is not ours')
  const languages = readdirSync(resources).filter((name) => name.endsWith('.lproj'))
  if (languages.sort().join() !== 'en.lproj,zh_CN.lproj,zh_TW.lproj')
    problems.push(`the languages are ${languages.join()}`)
  return problems
}

function findWindowsProblems(program: string): string[] {
  const { entries } = NtExecutableResource.from(NtExecutable.from(readFileSync(program)))
  const [information] = Resource.VersionInfo.fromEntries(entries)
  const [language] = information?.getAllLanguagesForStringValues() ?? []
  const texts = information && language ? information.getStringValues(language) : {}
  const problems = Object.entries({ ProductName: 'Commonplace', FileDescription: 'Commonplace', FileVersion: version })
    .filter(([name, text]) => texts[name] !== text)
    .map(([name]) => `${name} is ${texts[name]}`)
  const [icons] = Resource.IconGroupEntry.fromEntries(entries)
  // 0 stands for 256 pixels.
  const widths = new Set(icons?.icons.map(({ width }) => width || 256))
  for (const width of [16, 32, 48, 256]) if (!widths.has(width)) problems.push(`there is no icon of ${width} pixels`)
  return problems
}

function isSame(path: string, icon: string): boolean {
  return existsSync(path) && readFileSync(path).equals(readFileSync(new URL(`resources/packaging/icons/${icon}`, root)))
}

/** Returns the size of the app's archive and native modules, compressed, in bytes. */
export async function payloadSize(resources: string): Promise<number> {
  const unpacked = join(resources, 'app.asar.unpacked')
  const files = [
    join(resources, 'app.asar'),
    ...readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  ]
  let size = 0
  for (const file of files)
    await pipeline(createReadStream(file), createGzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) size += chunk.length
    })
  return size
}
