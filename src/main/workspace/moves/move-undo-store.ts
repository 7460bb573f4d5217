/** What it takes to take moves and tags' new names back, kept in the state folder. */
import { join } from 'node:path'
import { z } from 'zod'
import { KeptUndos } from '#platform'

/** Moves and renamed tags that can be taken back at once; older ones stand in the history. */
const maxDone = 20

const placesSchema = z.object({ from: z.string(), to: z.string() })

const doneSchema = z.object({
  /** ms since 1970. */
  at: z.number(),
  /** Absent for another name of a tag, … */
  move: placesSchema.optional(),
  /** … which is here. */
  tag: placesSchema.optional(),
  rewrites: z
    .array(z.object({ path: z.string(), newPath: z.string(), before: z.string(), after: z.string() }))
    .readonly(),
  /** Folders that were made for it, the innermost first. */
  made: z.array(z.string()).readonly(),
})
export type Done = Readonly<z.infer<typeof doneSchema>>

/** @param undos only for as long as the app runs when left out */
export function keptMoves(undos: string | undefined): KeptUndos<Done> {
  return new KeptUndos({
    folder: undos === undefined ? undefined : join(undos, 'moves'),
    most: maxDone,
    parse: (json) => doneSchema.safeParse(json).data,
  })
}
