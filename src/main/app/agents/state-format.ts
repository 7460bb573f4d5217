import { join } from 'node:path'
import { z } from 'zod'
import { readIfExists, writeDurably } from '#platform'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'

/**
 * Version of the files in the state folder. The version before reads and writes the files of this one: it may add files,
 * fields and kinds of lines in JSONL files, which the version before keeps. Every other change needs a step of two.
 */
export const stateFormat = 1

const fileSchema = z.object({ format: z.number().int() })

/**
 * Returns the version of a state folder; 1 without a readable `format.json`. Changes nothing.
 * @throws AppError `state_newer` if the files are not readable for `supported`
 */
export async function readStateFormat(home: string, supported = stateFormat): Promise<number> {
  // If the folder itself cannot be used, the next step says so.
  const text = await readIfExists(join(home, 'format.json')).catch(onSystemError(undefined))
  const format = fileSchema.safeParse(parseJson(text ?? '')).data?.format ?? 1
  if (format <= supported + 1) return format
  const message = `${home} was written by a newer version of Commonplace. Install that version. Nothing was changed.`
  throw new AppError('state_newer', message, { path: home, format })
}

/** Raises the version of a state folder; never lowers it. Only for the process that has the memory open. */
export async function raiseStateFormat(home: string, to = stateFormat): Promise<void> {
  if ((await readStateFormat(home, to)) < to)
    await writeDurably(join(home, 'format.json'), JSON.stringify({ format: to }))
}
