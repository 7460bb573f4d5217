/** What was learnt about the cosines of one index and model (M17), as it is kept with the index. Pure. */
import { z } from 'zod'
import { scriptSchema } from '#shared/contract/search.ts'
import { scriptOf } from './pseudo-questions.ts'

const scriptCalibrationSchema = z.object({
  script: scriptSchema,
  /** How well the model finds texts that belong together: 0 no better than chance, 1 always. */
  worth: z.number(),
  /** Mean cosine of a question and any passage that does not answer it. */
  background: z.number(),
  /** Mean cosine of a question that memory does not answer and the passage nearest to it, and its deviation. */
  unanswered: z.number(),
  spread: z.number(),
  /** In deviations: where the threshold stands above what unanswered questions get. The usual one where none is given. */
  margin: z.object({ surest: z.number(), leastSure: z.number() }).optional(),
})

const calibrationSchema = z.object({
  /** Passages that the index had. */
  passages: z.number(),
  scripts: z.array(scriptCalibrationSchema),
})

export type ScriptCalibration = Readonly<z.infer<typeof scriptCalibrationSchema>>
export type Calibration = Readonly<z.infer<typeof calibrationSchema>>

export const calibrationKey = 'calibration'

/** Fewer passages with vectors than this say nothing. */
export const minPassages = 4

/** Undefined for none. */
export function parseCalibration(text: string | undefined): Calibration | undefined {
  return text === undefined || text === '' ? undefined : calibrationSchema.parse(JSON.parse(text))
}

/** What holds for a question: of its own script where that was measured, else of the one that most is known of. */
export function calibrationFor(query: string, calibration: Calibration | undefined): ScriptCalibration | undefined {
  const script = scriptOf(query)
  return calibration?.scripts.find((one) => one.script === script) ?? calibration?.scripts[0]
}
