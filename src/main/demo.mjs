/**
 * The home that `npm start -- --demo` opens: notes, chats, suggestions, saved searches and a second agent of a fictional
 * person, up to the day of the first start. `resources/demo/README.md` describes the templates it is made from.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

const markName = 'demo.json'
const oldAfterMs = 7 * 86_400_000

/**
 * Returns the folder of the demo: `COMMONPLACE_HOME`, or a folder beside it if it holds other data.
 * @throws Error if that folder holds other data, too
 */
export function demoHome(env = process.env) {
  const own = resolve(env.COMMONPLACE_HOME || join(homedir(), '.commonplace'))
  const folders = env.COMMONPLACE_HOME ? [own, `${own}-demo`] : [`${own}-demo`]
  const home = folders.find((folder) => isFree(folder) || isMade(folder))
  if (home !== undefined) return home
  throw new Error(
    `there is other data in ${folders.join(' and in ')}; move it, or set COMMONPLACE_HOME to an empty folder`,
  )
}

/**
 * Makes the demo unless it exists: the user may have edited it.
 * @param language `en` or `zh`
 * @returns lines to show to the user
 * @throws Error if the folder holds other data, or the demo cannot be made
 */
export async function openDemo(home, { language = systemLanguage(), now = new Date() } = {}) {
  if (!isMade(home)) {
    if (!isFree(home)) throw new Error(`${home} holds other data`)
    rmSync(home, { recursive: true, force: true })
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, markName), JSON.stringify({ isComplete: false }))
    process.stderr.write('commonplace: making the demo (once) …\n')
    const { playStory } = await import('../../resources/demo/story.mjs')
    await playStory({ home, language, now })
    writeFileSync(join(home, markName), JSON.stringify({ isComplete: true, madeAt: now.getTime() }))
  }
  const isOld = now.getTime() - readMark(home).madeAt > oldAfterMs
  return [
    `this is a demo; its folder is ${home}.`,
    ...(isOld ? [`the demo is more than a week old; delete ${home} to start with a new one.`] : []),
  ]
}

/** True for a folder that is missing or empty, and for a demo whose making was interrupted. */
function isFree(folder) {
  return !existsSync(folder) || readdirSync(folder).length === 0 || readMark(folder).isComplete === false
}

function isMade(folder) {
  return readMark(folder).isComplete === true
}

/** Returns an empty object for a folder that is no demo. */
function readMark(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, markName), 'utf8'))
  } catch {
    return {}
  }
}

function systemLanguage() {
  return new Intl.DateTimeFormat().resolvedOptions().locale.startsWith('zh') ? 'zh' : 'en'
}

if (import.meta.main) {
  try {
    for (const note of await openDemo(process.argv[2])) process.stderr.write(`commonplace: ${note}\n`)
  } catch (error) {
    process.stderr.write(`commonplace: the demo could not be made: ${error.stack}\n`)
    process.exitCode = 1
  }
}
