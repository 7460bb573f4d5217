import { z } from 'zod'
import type { ErrorData } from './errors.ts'

export const errorDataSchema: z.ZodType<ErrorData> = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]),
)
