/** The settings of OpenClaw and Clawdbot on this machine: found, read, never written. */
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ForeignSettings } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { readText } from '#workspace'
import type { TakenOver } from './settings-migration-report.ts'
import { takeOver } from './openclaw.ts'

type Found = ForeignSettings & Pick<TakenOver, 'changes'>
type Agents = readonly { readonly id: string; readonly workspace: string }[]

const folders = ['.openclaw', '.clawdbot']
const names = ['openclaw.json', 'clawdbot.json']

/** Those that can be read. @param agents who has a place here already */
export async function foreignSettings(agents: Agents, home: string = homedir()): Promise<Found[]> {
  const files = folders.flatMap((folder) => names.map((name) => join(home, folder, name)))
  const found: Found[] = []
  for (const file of files) {
    try {
      if ((await stat(file)).isFile()) found.push(await readForeign(file, agents))
    } catch {
      // Not there, or nothing that can be read: there is nothing to offer.
    }
  }
  return found
}

/** One of those that were found. @throws AppError `file_not_found` for any other */
export async function foreignSettingsOf(file: string, agents: Agents, home: string = homedir()): Promise<Found> {
  const found = (await foreignSettings(agents, home)).find((one) => one.file === file)
  if (found) return found
  throw new AppError('file_not_found', `${file} holds no settings of OpenClaw`, { path: file })
}

/** @throws AppError `file_not_found`, `import_unknown` */
async function readForeign(file: string, agents: Agents): Promise<Found> {
  const { text } = await readText(file)
  const taken = takeOver(text, agents)
  if (!taken) throw new AppError('import_unknown', `${file} holds no settings that can be read`, { path: file })
  return { file, ...taken }
}
