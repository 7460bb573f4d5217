import { z } from 'zod'
import type { LogLine } from '#shared/contract/index.ts'
import { onSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { withFile } from '../fs/durable-write.ts'

const maxBytes = 256 * 1024

const lineSchema = z.looseObject({ level: z.number(), time: z.string(), msg: z.string().default('') })

/** Returns up to `maxLines` lines from the last 256 KB of the log, oldest first; none if there is no log. */
export async function readLog(file: string, maxLines: number): Promise<LogLine[]> {
  const text = await tailOf(file)
  return text
    .split('\n')
    .flatMap((line) => {
      const parsed = lineSchema.safeParse(parseJson(line))
      if (!parsed.success) return []
      const { level, time, msg, ...details } = parsed.data
      const levelName = level >= 50 ? 'error' : level >= 40 ? 'warning' : 'info'
      const detailsText = Object.keys(details).length === 0 ? '' : JSON.stringify(details)
      return [{ level: levelName, time, message: msg, details: detailsText } as const]
    })
    .slice(-maxLines)
}

async function tailOf(file: string): Promise<string> {
  const tail = withFile(file, 'r', async (handle) => {
    const { size } = await handle.stat()
    const bytes = Buffer.alloc(Math.min(size, maxBytes))
    await handle.read(bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8')
  })
  return tail.catch(onSystemError('', 'ENOENT'))
}
