import { AppError } from '#shared/util/errors.ts'
import { scanBlocks } from '#shared/markdown/blocks/scan-blocks.ts'
import { strikeThrough } from '#shared/markdown/superseded.ts'
import { TextLines } from './line-edits.ts'
import { lineFinding, type Finding } from './proposal.ts'

/**
 * Builds the finding that strikes an outdated line or removes a wrong one.
 * @param line 1-based; from an empty line or front matter, the next non-empty line counts
 * @param today `YYYY-MM-DD`
 * @throws AppError `edit_no_match` if there is no such line
 */
export function flagLine(
  path: string,
  text: string,
  line: number,
  fault: 'wrong' | 'outdated',
  today: string,
): Finding {
  const { lines } = new TextLines(text)
  const [firstBlock] = scanBlocks(lines)
  // Front matter is metadata and cannot be flagged.
  const from = Math.max(line, (firstBlock?.kind === 'frontMatter' ? firstBlock.to : 0) + 1)
  const offset = lines.slice(from - 1).findIndex((one) => one.trim() !== '')
  const flaggedLine = from + offset
  const lineText = lines[flaggedLine - 1]
  if (offset < 0 || lineText === undefined)
    throw new AppError('edit_no_match', `${path} no longer has line ${line}`, { path })
  const after = fault === 'wrong' ? [] : [strikeThrough(lineText, { until: today, by: undefined })]
  return lineFinding(fault, { path, line: flaggedLine, raw: lineText }, after, { day: today })
}
