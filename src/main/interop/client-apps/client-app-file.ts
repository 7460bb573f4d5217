/** What is kept of the programs that use this memory; of a token its hash, which opens nothing. */
import { z } from 'zod'
import { agentIdSchema } from '#shared/contract/base.ts'
import { clientIdSchema, clientPermissionSchema } from '#shared/contract/clients.ts'
import { parseJson } from '#shared/util/json.ts'
import { readKept, writePrivately } from '#platform'

const keptClientSchema = z.object({
  id: clientIdSchema,
  name: z.string(),
  agent: agentIdSchema,
  permission: clientPermissionSchema,
  /** SHA-256, in hex; null where it has none. */
  tokenHash: z.string().nullable(),
  /** Milliseconds since the epoch. */
  usedAt: z.number().nullable(),
  writes: z.number().int(),
  isLocal: z.boolean().default(false),
  mayKeep: z.boolean().default(false),
})
export type KeptClient = z.infer<typeof keptClientSchema>

const fileSchema = z.union([
  z.array(keptClientSchema),
  z.object({ isCautious: z.boolean(), clients: z.array(keptClientSchema) }),
])

export interface KeptClients {
  readonly clients: readonly KeptClient[]
  /** What programs may was lost once: those that come anew ask first. */
  readonly isCautious: boolean
}

/** @param onDamaged told where a file is now that could not be understood */
export async function readClients(file: string, onDamaged: (aside: string) => void): Promise<KeptClients> {
  let isCautious = false
  const kept = await readKept(
    file,
    (text) => fileSchema.safeParse(parseJson(text)).data,
    (aside) => {
      isCautious = true
      onDamaged(aside)
    },
  )
  return kept === undefined || Array.isArray(kept) ? { clients: kept ?? [], isCautious } : kept
}

export async function writeClients(file: string, { clients, isCautious }: KeptClients): Promise<void> {
  const kept = isCautious ? { isCautious, clients } : clients
  await writePrivately(file, `${JSON.stringify(kept, null, 2)}\n`)
}
