/** What goes with the code of a failure (`errors.ts`), as it is checked where it comes in. */
import { z } from 'zod'
import type { ErrorData } from './errors.ts'

export const errorDataSchema: z.ZodType<ErrorData> = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]),
)
