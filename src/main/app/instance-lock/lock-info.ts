/** What an owner leaves for others to read, and what they tell it of themselves. */
import { z } from 'zod'
import { readIfThere } from '#platform'
import { isSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'

export const ownerNoteSchema = z.object({
  pid: z.number().int(),
  version: z.string(),
  /** Milliseconds since the epoch. */
  since: z.number(),
  address: z.string(),
  key: z.string(),
})
export type OwnerNote = z.infer<typeof ownerNoteSchema>

/** A command ends by itself, so an owner that wants to go waits for it; one that stays will find another owner. */
export type GuestKind = 'command' | 'resident'

export const guestHeader = 'x-commonplace-guest'

/** Undefined where there is none, or none that can be read (yet). */
export async function readNote(file: string): Promise<OwnerNote | undefined> {
  try {
    const parsed = ownerNoteSchema.safeParse(parseJson((await readIfThere(file)) ?? ''))
    return parsed.success ? parsed.data : undefined
  } catch (error) {
    // Something else has its name; its owner will see to that.
    if (isSystemError(error)) return undefined
    throw error
  }
}
