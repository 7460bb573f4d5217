/** The tool that says which files there are. */
import { z } from 'zod'
import { namedFiles } from './shown-text.ts'
import { defineTool } from './tool.ts'

const maxEntries = 500

export const list = defineTool({
  name: 'list',
  description: 'Lists the Markdown files of the workspace, or of one of its folders, with their size.',
  readOnly: true,
  parameters: z.object({
    path: z.string().optional().describe('A folder; the whole workspace when left out'),
    from: z.number().int().min(1).optional().describe('First entry of the page, 1-based'),
  }),
  async run({ path = '', from = 1 }, context) {
    const { workspace, signal, eyes } = context
    // Anything else is refused where `read` would refuse it: a lone slash is the whole disk, not the workspace.
    const isWhole = ['', '.', './'].includes(path.trim())
    const all = isWhole ? (await workspace.list(signal)).files : await workspace.listFolder(path, signal)
    const found = await namedFiles(all, context)
    const page = found.slice(from - 1, from - 1 + maxEntries)
    const lines = page.map(({ path, size }) => `${path} (${size} bytes)`)
    const last = from + page.length - 1
    if (last < found.length) lines.push(`[${from}–${last} of ${found.length}; go on with from=${last + 1}]`)
    // Always the same, wherever it looks: it is not told how many there are, nor where.
    if (await eyes.missesAny()) lines.push('[notes that are marked local stay on this machine and are not listed]')
    return { text: lines.length > 0 ? lines.join('\n') : 'no files' }
  },
})
