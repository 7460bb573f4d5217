/** Pictures that notes name by an address on the web, fetched when the reader asks for one. */
import { z } from 'zod'
import { base } from './base.ts'

export const pictures = {
  /** `data` is base64; `type` is that of the bytes, not what was said of them. */
  remote: base
    .input(z.object({ address: z.string().min(1).max(4000) }))
    .output(z.object({ type: z.string(), data: z.string() })),
}
