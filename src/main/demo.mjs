/**
 * Makes the sample memory that `npm start -- --demo` opens: the notes of a fictional person, of the set that recall is
 * measured with. Its dates are moved by whole weeks, so that the last log is a few days old.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sets = join(dirname(fileURLToPath(import.meta.url)), '../../test/recall')
const weekMs = 7 * 86_400_000
const date = /\b\d{4}-\d{2}-\d{2}\b/g

/**
 * Creates the home with its notes, unless it exists. The user can edit it; deleting the folder resets it.
 * @param language `en` or `zh`
 * @param more further lines of `config.yaml`
 * @returns the home
 */
export function makeDemo({ home = join(homedir(), '.commonplace-demo'), language = systemLanguage(), more = '' } = {}) {
  if (existsSync(join(home, 'config.yaml'))) return home
  const notes = join(home, 'notes')
  rmSync(notes, { recursive: true, force: true })
  cpSync(join(sets, `everyday-${language}`, 'workspace'), notes, { recursive: true })
  const files = readdirSync(notes, { recursive: true }).filter((path) => path.endsWith('.md'))
  const logs = files.flatMap((path) => basename(path).match(date) ?? []).sort()
  const weeks = Math.floor((Date.now() - Date.parse(logs.at(-1) ?? '')) / weekMs)
  const move = (text) =>
    text.replace(date, (day) => new Date(Date.parse(day) + weeks * weekMs).toISOString().slice(0, 10))
  // The last logs first: an earlier one may get the name of a later one.
  for (const path of files.sort().reverse()) {
    const file = join(notes, path)
    writeFileSync(file, move(readFileSync(file, 'utf8')))
    renameSync(file, join(dirname(file), move(basename(file))))
  }
  mkdirSync(home, { recursive: true })
  const list = `  list: [{ id: main, name: Demo, workspace: ${JSON.stringify(notes)} }]`
  writeFileSync(join(home, 'config.yaml'), `agents:\n${list}\n${more}`)
  return home
}

function systemLanguage() {
  return new Intl.DateTimeFormat().resolvedOptions().locale.startsWith('zh') ? 'zh' : 'en'
}
