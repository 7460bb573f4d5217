/**
 * Puts the packages of all runners into one folder, as the release will have them: `node assemble.mjs PACKAGES PREVIOUS
 * RELEASE NOTES_FILE`. PACKAGES has a folder for each runner, PREVIOUS the latest*.yml of the release before, if there
 * is one. Checks the set, the names, the sizes and the descriptions for the updater, then writes SHA256SUMS.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse, stringify } from 'yaml'
import { isMain, run } from './run.mjs'

/** Number of files of each kind in a release. Windows has an installer and a portable program. */
const expected = { AppImage: 2, deb: 2, exe: 2, dmg: 2, zip: 2, mcpb: 1 }

/** Limit for one package, bytes: 25 MB of the app and about 130 MB of Electron's runtime, compressed. */
export const maximumSize = 160e6

/** Ends of the names of descriptions; Windows has none. */
const systems = ['', '-linux', '-linux-arm64', '-mac']

/**
 * @typedef {object} Description a latest*.yml of electron-builder
 * @property {string} version
 * @property {{ url: string, sha512: string, size?: number }[]} files
 * @property {string} path the first file, for old updaters
 * @property {string} sha512 of `path`, in base64
 */

/**
 * @param {object} options
 * @param {string} options.packages folder with a folder for each runner
 * @param {string} options.previous folder with the descriptions of the release before; may be empty
 * @param {string} options.release folder that gets all files
 * @param {string} options.address of all releases; each has a folder with the name of its tag
 * @param {string} options.version
 * @param {string} options.notes Markdown that the updater shows
 * @param {number} [options.limit] bytes
 * @throws Error that lists all problems
 */
export function assemble({ packages, previous, release, address, version, notes, limit = maximumSize }) {
  mkdirSync(release, { recursive: true })
  /** @type {string[]} */
  const problems = []
  /** @type {Map<string, Description[]>} */
  const descriptions = new Map()
  for (const path of readdirSync(packages)
    .toSorted()
    .flatMap((runner) => filesOf(join(packages, runner)))) {
    const name = basename(path)
    if (name.endsWith('.yml'))
      descriptions.set(name, [...(descriptions.get(name) ?? []), parse(readFileSync(path, 'utf8'))])
    else if (existsSync(join(release, name))) problems.push(`two runners built ${name}`)
    else copyFileSync(path, join(release, name))
  }
  for (const [name, parts] of descriptions) write(join(release, name), { ...merge(parts), releaseNotes: notes })
  problems.push(...checkFiles(release, limit), ...checkDescriptions(release, version))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  describeOtherVersions({ previous, release, address, version })
  writeFileSync(join(release, 'SHA256SUMS'), checksums(release))
}

/**
 * Writes descriptions that the updater finds beside those of the newest release: `beta` for users who want every
 * version, `previous` for users who go back.
 * @param {{ previous: string, release: string, address: string, version: string }} options
 */
function describeOtherVersions({ previous, release, address, version }) {
  const isBeta = version.includes('-')
  for (const system of systems) {
    const own = read(join(release, `${isBeta ? 'beta' : 'latest'}${system}.yml`))
    // A published beta copies this file into the newest release, where its packages are not.
    if (own) write(join(release, `beta${system}.yml`), withAddresses(own, address))
    const before = read(join(previous, `latest${system}.yml`))
    const isOther = before !== undefined && before.version !== version
    if (isOther && !isBeta) write(join(release, `previous${system}.yml`), withAddresses(before, address))
  }
}

/**
 * @param {Description} description
 * @param {string} address
 * @returns {Description} with files that can be found from every release
 */
function withAddresses(description, address) {
  const find = (/** @type {string} */ name) => `${address}/v${description.version}/${basename(name)}`
  const files = description.files.map((file) => ({ ...file, url: find(file.url) }))
  return { ...description, files, path: find(description.path) }
}

/**
 * @param {string} path
 * @returns {Description | undefined} undefined if the file is missing
 */
function read(path) {
  return existsSync(path) ? parse(readFileSync(path, 'utf8')) : undefined
}

/**
 * The updater reads YAML 1.1, in which a date without quotes is no text.
 * @param {string} path
 * @param {Description & { releaseNotes?: string }} description
 */
function write(path, description) {
  writeFileSync(path, stringify(description, { version: '1.1', lineWidth: 0 }))
}

/** @param {string} folder */
function filesOf(folder) {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

/**
 * The two macOS runners each describe their own files; the updater reads one description and picks by processor.
 * @param {Description[]} parts
 * @returns {Description}
 */
export function merge(parts) {
  // Files without "arm64" in their name come first: `path` is for updaters that do not know processors.
  const files = parts
    .flatMap((part) => part.files)
    .toSorted((one, other) => Number(one.url.includes('arm64')) - Number(other.url.includes('arm64')))
  const part = parts.find(({ path }) => !path.includes('arm64')) ?? parts[0]
  if (part === undefined) throw new Error('nothing to merge')
  const versions = [...new Set(parts.map(({ version }) => version))]
  if (versions.length > 1) throw new Error(`the runners built different versions: ${versions.join(', ')}`)
  return { ...part, files }
}

/**
 * @param {string} release
 * @param {number} limit
 */
function checkFiles(release, limit) {
  const names = readdirSync(release)
  const counts = Object.entries(expected).flatMap(([kind, count]) => {
    const found = names.filter((name) => name.endsWith(`.${kind}`))
    return found.length === count ? [] : [`expected ${count} × .${kind}, found ${found.join(', ') || 'none'}`]
  })
  const unsafe = names
    .filter((name) => !/^[\w.+-]+$/.test(name))
    .map((name) => `GitHub would rename "${name}", and the updater would not find it`)
  const large = names.flatMap((name) => {
    const { size } = statSync(join(release, name))
    return size <= limit ? [] : [`${name} has ${megabytes(size)}; the limit is ${megabytes(limit)}`]
  })
  return [...counts, ...unsafe, ...large]
}

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`

/**
 * @param {string} release
 * @param {string} version
 */
function checkDescriptions(release, version) {
  const channel = version.includes('-') ? 'beta' : 'latest'
  return systems.flatMap((system) => {
    const name = `${channel}${system}.yml`
    const description = read(join(release, name))
    if (!description) return [`${name} is missing: installed apps would not see this version`]
    const { files, path, sha512 } = description
    const other = description.version === version ? [] : [`${name} describes version ${description.version}`]
    const wrong = [...files, { url: path, sha512 }].flatMap((file) => {
      const place = join(release, decodeURIComponent(file.url))
      if (!existsSync(place)) return [`${name} names a missing file: ${file.url}`]
      return hash('sha512', place, 'base64') === file.sha512 ? [] : [`${name} has a wrong SHA-512 for ${file.url}`]
    })
    // The updater on macOS needs a zip for the processor.
    const zips = files.filter(({ url }) => url.endsWith('.zip')).length
    return [...other, ...wrong, ...(system === '-mac' && zips !== 2 ? [`${name} names ${zips} zip files`] : [])]
  })
}

/**
 * Leaves out the descriptions that change after the release: with a beta, or if the maintainer withdraws a release.
 * @param {string} folder
 * @returns {string} the lines that `sha256sum --check` reads
 */
export function checksums(folder) {
  return readdirSync(folder)
    .filter((name) => name !== 'SHA256SUMS' && !/^(beta|previous).*\.yml$/.test(name))
    .toSorted()
    .map((name) => `${hash('sha256', join(folder, name), 'hex')}  ${name}\n`)
    .join('')
}

/**
 * @param {'sha256' | 'sha512'} algorithm
 * @param {string} path
 * @param {'hex' | 'base64'} encoding
 */
function hash(algorithm, path, encoding) {
  return createHash(algorithm).update(readFileSync(path)).digest(encoding)
}

if (isMain(import.meta))
  run(() => {
    const [packages, previous, release, notes] = process.argv.slice(2)
    if (!packages || !previous || !release || !notes)
      throw new Error('usage: assemble.mjs PACKAGES PREVIOUS RELEASE NOTES_FILE')
    const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env
    if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) throw new Error('GITHUB_SERVER_URL or GITHUB_REPOSITORY is not set')
    const address = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/releases/download`
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    assemble({ packages, previous, release, address, version, notes: readFileSync(notes, 'utf8').trim() })
    for (const path of filesOf(release)) process.stdout.write(`${megabytes(statSync(path).size)}  ${basename(path)}\n`)
  })
