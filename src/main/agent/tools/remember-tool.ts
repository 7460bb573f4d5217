import { z } from 'zod'
import { addLogEntry, dailyLogPath, localDate } from '#workspace'
import { defineTool } from './tool.ts'
import { changeOutcome, editNote } from './write-file-tool.ts'

/** Replaces the file tools for models with a small context window. */
export const rememberTool = defineTool({
  name: 'remember',
  description: "Appends a note to today's log.",
  readOnly: false,
  parameters: z.object({ text: z.string().trim().min(1) }),
  async run({ text }, context) {
    const at = context.now()
    const path = dailyLogPath(localDate(at), context.workspace.layout)
    const write = await editNote(path, context, (log) => addLogEntry(log, text, at).text)
    return changeOutcome(write, context)
  },
})
