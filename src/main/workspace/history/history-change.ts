import { z } from 'zod'
import { causes } from '#shared/contract/history.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import { parseJson } from '#shared/util/json.ts'

/** One file of a commit. Paths are relative to the workspace; `added` and `removed` are numbers of lines. */
const fileSchema = z.object({
  path: z.string(),
  /** Previous path; undefined if the file was not moved. */
  from: z.string().optional(),
  added: z.number().int(),
  removed: z.number().int(),
  /** Blob ids of the texts before and after the change; null if the file did not exist then. */
  before: z.string().nullable(),
  after: z.string().nullable(),
})
export type FileRecord = Readonly<z.infer<typeof fileSchema>>

export interface CommitRecord extends WriteOrigin {
  readonly commit: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly files: readonly FileRecord[]
  /** Id of the last journal line that this commit contains. */
  readonly journal?: string | undefined
}

/** Builds a commit message: a subject for users of Git, trailers for `parseMessage`. */
export function commitMessage(
  { cause, session, turn, client, sources = [], isUndo = false }: WriteOrigin,
  files: readonly FileRecord[],
  journal?: string,
): string {
  const [first] = files
  const subject = files.length === 1 && first ? first.path : `${files.length} files`
  const trailers = [
    `Cause: ${cause}`,
    ...(session === undefined ? [] : [`Session: ${session}`]),
    ...(turn === undefined ? [] : [`Turn: ${turn}`]),
    ...(client === undefined ? [] : [`Client: ${client}`]),
    ...sources.map((source) => `Source: ${source}`),
    ...(isUndo ? ['Undo: yes'] : []),
    ...(journal === undefined ? [] : [`Journal: ${journal}`]),
    ...files.map((file) => `File: ${JSON.stringify(file)}`),
  ]
  return `${cause}: ${subject}\n\n${trailers.join('\n')}\n`
}

/** Parses a commit message. A commit of another program has the cause `outside` and no files. */
export function parseMessage(message: string): WriteOrigin & Pick<CommitRecord, 'files' | 'journal'> {
  const files: FileRecord[] = []
  const values = new Map<string, string>()
  const sources: string[] = []
  for (const line of message.split('\n')) {
    const [, name, value] = /^(Cause|Session|Turn|Client|Source|Undo|Journal|File): (.+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    if (name === 'Source') sources.push(value)
    else if (name !== 'File') values.set(name, value)
    else {
      const file = fileSchema.safeParse(parseJson(value))
      if (file.success) files.push(file.data)
    }
  }
  const cause = causes.find((name) => name === values.get('Cause')) ?? 'outside'
  return {
    cause,
    session: values.get('Session'),
    turn: values.get('Turn'),
    client: values.get('Client'),
    ...(sources.length > 0 ? { sources } : {}),
    isUndo: values.has('Undo'),
    journal: values.get('Journal'),
    files,
  }
}
