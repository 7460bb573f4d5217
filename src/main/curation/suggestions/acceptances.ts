import { join } from 'node:path'
import { z } from 'zod'
import { lineEditSchema } from '#shared/contract/upkeep.ts'
import { UndoStore } from '#workspace'

const maxStored = 100

const acceptanceSchema = z.object({
  id: z.string(),
  at: z.number(),
  proposals: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string() })),
  /** Edits per proposal, so that each can be undone separately; `line` refers to the text before. */
  edits: z.array(lineEditSchema.extend({ proposal: z.string(), path: z.string() })),
})
export type AcceptedEdit = Acceptance['edits'][number]
export type Acceptance = Readonly<z.infer<typeof acceptanceSchema>>

export type Acceptances = UndoStore<Acceptance>

export function openAcceptances(folder: string): Acceptances {
  return new UndoStore({ folder: join(folder, 'acceptances'), limit: maxStored, schema: acceptanceSchema })
}
