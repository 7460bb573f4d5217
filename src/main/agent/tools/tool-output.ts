/** Tool results that are too long to be shown to a model whole: kept beside the transcript, read from there in pages. */
import { join } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import { readIfThere, writeDurably } from '#platform'
import { outputsPrefix } from './read-file-tool.ts'

/** In the name of what comes of local notes (M64). */
const localEnding = '-local.txt'

/** @returns the path by which `read` finds it */
export async function keepOutput(folder: string, call: string, text: string, isLocal: boolean): Promise<string> {
  const name = `${call.replaceAll(/[^\w-]/g, '_').slice(0, 100)}${isLocal ? localEnding : '.txt'}`
  await writeDurably(join(folder, name), text)
  return outputsPrefix + name
}

/** @param isLocal whoever reads it may see local notes @throws AppError `file_not_found`, `local_only` */
export async function readOutput(folder: string, name: string, isLocal: boolean): Promise<string> {
  const missing = () => new AppError('file_not_found', `there is no ${outputsPrefix}${name}`, { path: name })
  if (!/^[\w-]+\.txt$/.test(name)) throw missing()
  if (name.endsWith(localEnding) && !isLocal)
    throw new AppError('local_only', `${outputsPrefix}${name} stays on this machine`, { path: name })
  const text = await readIfThere(join(folder, name))
  if (text === undefined) throw missing()
  return text
}
