/** What of a workspace is searched, and why something is not (M2, M23). */
import { z } from 'zod'

/** All notes of the workspace, or `MEMORY.md` and what lies in `memory/`. */
export const memoryScopeSchema = z.enum(['workspace', 'memory'])
export type MemoryScope = z.infer<typeof memoryScopeSchema>

/** Why a file, or a line of one, is never found. */
export const unsearchedSchema = z.object({
  /**
   * `project`: part of every request anyway · `scope`: the setting leaves it out · `ignored`: the vault's own habit does ·
   * `hidden`: in a hidden folder, the
   * trash or `node_modules` · `notMarkdown` · `unreadable`: see `message` · `sessionsOff`: conversations are not searched ·
   * `outside`: no folder of this memory · `missing`: no such file · `pending`: not in the index yet · `emptyLine`: the
   * file is searched, and there is nothing on that line.
   */
  reason: z.enum([
    'project',
    'scope',
    'ignored',
    'hidden',
    'notMarkdown',
    'unreadable',
    'sessionsOff',
    'outside',
    'missing',
    'pending',
    'emptyLine',
  ]),
  /** Of whoever could not read it. */
  message: z.string().optional(),
})
export type Unsearched = z.infer<typeof unsearchedSchema>
