/** Tool results that are too long to be shown to a model whole: kept beside the transcript, read from there in pages. */
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { readIfThere, writeDurably } from '../files/index.ts'
import { outputsPrefix } from './tools/read.ts'

/** @returns the path by which `read` finds it */
export async function keepOutput(folder: string, call: string, text: string): Promise<string> {
  const name = `${call.replaceAll(/[^\w-]/g, '_').slice(0, 100)}.txt`
  await writeDurably(join(folder, name), text)
  return outputsPrefix + name
}

/** @throws AppError `file_not_found` */
export async function readOutput(folder: string, name: string): Promise<string> {
  const missing = () => new AppError('file_not_found', `there is no ${outputsPrefix}${name}`, { path: name })
  if (!/^[\w-]+\.txt$/.test(name)) throw missing()
  const text = await readIfThere(join(folder, name))
  if (text === undefined) throw missing()
  return text
}
