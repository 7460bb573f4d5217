/**
 * Licences of everything that is shipped with the app. `npm run licences` writes docs/licences.md from the lockfile;
 * `--check` fails if the file is outdated or a licence is not permitted.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)
const list = new URL('docs/licences.md', root)

/** Licences that are permitted in an MIT app. */
const allowed =
  /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|CC0-1\.0|CC-BY-4\.0|Python-2\.0|Unlicense|WTFPL|MPL-2\.0|OFL-1\.1|LGPL-3\.0-or-later|Zlib)\b/

export interface Licence {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Folder of the package, relative to the project. */
  readonly folder: string
}

interface LockedPackage {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: string[]
}

/** Third-party data in the sources. */
const data =
  'The built-in embedding model was made for this project; ' +
  '`resources/models/builtin/README.md` names its teacher (all-MiniLM-L6-v2, Apache-2.0), the texts and dictionaries it was ' +
  'trained with, and their licences.'

/** Returns the packages in the app: dependencies, and packages bundled into the interface. */
export function collectLicences(): Licence[] {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const found = new Map<string, Licence>()
  for (const [folder, entry] of Object.entries(packages)) {
    if (folder === '' || (entry.dev === true && !isBundled(folder))) continue
    // One platform-specific package stands for all of them.
    if (entry.os !== undefined && entry.optional === true) continue
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
    found.set(`${name}@${entry.version}`, {
      name,
      version: entry.version,
      licence: entry.license ?? licenceOf(folder),
      folder,
    })
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

function isBundled(folder: string): boolean {
  const bundled =
    /node_modules\/(react|react-dom|@base-ui\/react|@tanstack\/[\w-]+|@orpc\/[\w-]+|cmdk|i18next|react-i18next|lucide-react|monaco-editor|pinyin-pro|react-markdown|sonner|wouter|katex|mermaid|shiki|@shikijs\/[\w-]+)$/
  return bundled.test(folder)
}

function licenceOf(folder: string): string {
  const file = new URL(`${folder}/package.json`, root)
  if (!existsSync(file)) return 'unknown'
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8')) as {
    license?: string | { type?: string }
    licenses?: { type?: string }[]
  }
  return typeof license === 'string' ? license : (license?.type ?? licenses?.[0]?.type ?? 'unknown')
}

/** Returns the licence texts that must be distributed with the app, verbatim. */
export function noticesText(licences: readonly Licence[]): string {
  return licences
    .map(({ name, version, licence, folder }) => {
      const path = new URL(`${folder}/`, root)
      const file = existsSync(path)
        ? readdirSync(path).find((one) => /^(licen[cs]e|copying|notice)/i.test(one))
        : undefined
      const text = file === undefined ? '' : readFileSync(new URL(file, path), 'utf8').trim()
      return `${name} ${version} (${licence})\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(72)}\n\n`)
}

function asMarkdown(licences: readonly Licence[]): string {
  const rows = licences.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
  return `# Licences\n\nWhat the app is shipped with, by the lockfile (\`npm run licences\`). The app itself is MIT.\n\n| package | version | licence |\n|---|---|---|\n${rows.join('\n')}\n\n${data}\n`
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const licences = collectLicences()
  const refused = licences.filter(({ licence }) => !allowed.test(licence))
  for (const { name, licence } of refused)
    process.stderr.write(`${name}: ${licence} may not be shipped without a look\n`)
  if (argv.includes('--check')) {
    const isCurrent = existsSync(list) && readFileSync(list, 'utf8') === asMarkdown(licences)
    if (!isCurrent) process.stderr.write('docs/licences.md is out of date: run npm run licences\n')
    process.exitCode = isCurrent && refused.length === 0 ? 0 : 1
  } else writeFileSync(list, asMarkdown(licences))
}
