/** Notes as other programs export them: names without ids, text bundles of Bear, and notes of Google Keep. */
import { CsvError, parse as parseCsv } from 'csv-parse/sync'
import { z } from 'zod'
import { decodePart } from '#shared/util/decode.ts'
import { localDate, toFileName } from '#workspace'
import {
  linkToFile,
  tagsProperty,
  textOfNote,
  toDate,
  type CountOmitted,
  type FileOf,
  type SourceText,
} from './chats.ts'

/** A link without a scheme. */
const linkToPage = /(\]\()(?![a-z][a-z\d+.-]*:)((?:[^()\s]|\([^()\s]*\))*?)(?:_all)?\.(?:html?|csv)(?=[#)])/gi
/** Notion adds an id to the names of pages and tables and of their folders. */
const notionId = / [0-9a-f]{32}(?=\.[^./]+$|$)/
const inBundle = /([^/]+)\.textbundle\/(?:text\.(?:md|markdown)|assets\/(.+))$/i
/** Names that Bear gives to bundles of notes with equal titles. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns new paths, by path in the source, for files whose path has an id or is within a text bundle. */
export function exportedNames(texts: readonly SourceText[], others: readonly string[]): Map<string, string> {
  const titles = new Map(
    texts.flatMap(({ path, text }) => {
      const bundle = inBundle.exec(path)?.[1]
      const title = /^#{1,6}[ \t]+(.+)$/m.exec(text)?.[1]
      return bundle !== undefined && uuid.test(bundle) && title !== undefined
        ? [[bundle, toFileName(title, bundle)]]
        : []
    }),
  )
  const newName = (path: string) =>
    path
      .split('/')
      .map((name) => name.replace(notionId, ''))
      .join('/')
      .replace(inBundle, (_whole, bundle: string, asset?: string) => {
        const title = titles.get(bundle) ?? bundle
        return asset === undefined ? `${title}.md` : `${title}/${asset}`
      })
  const names = [...texts.map(({ path }) => path), ...others].map((path) => [path, newName(path)] as const)
  return new Map(names.filter(([path, name]) => name !== path))
}

const keepSchema = z.looseObject({
  title: z.string().catch(''),
  textContent: z.string().optional(),
  listContent: z.array(z.looseObject({ text: z.string().catch(''), isChecked: z.boolean().catch(false) })).optional(),
  createdTimestampUsec: z.number().optional().catch(undefined),
  isTrashed: z.boolean().catch(false),
  labels: z.array(z.looseObject({ name: z.string() })).catch([]),
  annotations: z.array(z.looseObject({ url: z.string().optional(), title: z.string().optional() })).catch([]),
  attachments: z.array(z.looseObject({ filePath: z.string() })).catch([]),
})

/** File of a note in a Google Takeout. */
export const isKeepFile = (path: string) => /(?:^|\/)Keep\/[^/]+\.json$/.test(path)

/**
 * @param path of the JSON file
 * @returns the note, and its path with day and title; undefined if the value is no note, or an empty one or one in the trash
 */
export function readKeepNote(
  path: string,
  value: unknown,
  count: CountOmitted,
  fileOf: FileOf,
): SourceText | undefined {
  const { data: note } = keepSchema.safeParse(value)
  if (!note || (note.textContent === undefined && note.listContent === undefined)) return void count('unreadable')
  if (note.isTrashed) return void count('trash')
  const { title, textContent = '', listContent = [], labels, annotations, attachments } = note
  const items = listContent.map(({ text, isChecked }) => `- [${isChecked ? 'x' : ' '}] ${text.replaceAll(/\s+/g, ' ')}`)
  const links = annotations.flatMap(({ url, title: name }) => (url ? [`[${name || url}](${url})`] : []))
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  // The file can have another ending of the same type: `.jpg` and `.jpeg`.
  const pictures = attachments.flatMap(({ filePath }) => {
    const file = fileOf(filePath) ?? fileOf(filePath.replace(/\.[^.]*$/, ''))
    return linkToFile(file?.slice(folder.length), filePath, count)
  })
  const body = [textContent.trim(), items.join('\n'), links.join('\n'), pictures.join('\n')].filter(Boolean)
  if (title.trim() === '' && body.length === 0) return void count('empty')
  const created = toDate((note.createdTimestampUsec ?? Number.NaN) / 1e6)
  const heading = title.trim() || textContent.trim().split('\n', 1)[0] || (listContent[0]?.text ?? '')
  const day = created === undefined ? '' : `${localDate(created)} `
  const properties = tagsProperty(labels.map(({ name }) => name))
  const text = textOfNote({
    properties,
    heading: title.trim() && `# ${title.trim()}`,
    createdAt: undefined,
    parts: body,
  })
  return { path: path.replace(/\.json$/, '.md'), text, name: `${folder}${day}${toFileName(heading, 'Note')}.md` }
}

/** A block of Logseq that has an id, and other properties below it. */
const block = /^[ \t]*- (.*)\n(?:[ \t]+[\w-]+:: .*\n)*?[ \t]+id:: (\S+)$/gm

/** Returns pages of Logseq with the texts of blocks in place of their ids. The preview shows its states of tasks. */
export function fromLogseq(texts: readonly SourceText[]): SourceText[] {
  const found = texts.flatMap(({ text }) =>
    Array.from(text.matchAll(block), ([, shown = '', id = '']) => [id, shown] as const),
  )
  const blocks = new Map(found)
  return texts.map(({ text, ...note }) => ({
    ...note,
    text: text
      .replaceAll(/(?:\{\{embed )?\(\(([\w-]+)\)\)(?:\}\})?/g, (whole, id: string) => blocks.get(id) ?? whole)
      .replaceAll(/^[ \t]+(?:id|collapsed):: .*\n?/gm, ''),
  }))
}

/** Table of a database of Notion. */
export const isTable = (path: string) => / [0-9a-f]{32}(?:_all)?\.csv$/.test(path)

/** Returns a table of the properties, without the line ends in them; undefined if the text is damaged. */
export function readTable(path: string, csv: string): SourceText | undefined {
  const rows = parseRows(csv)
  const [head = [], ...body] = rows
  const width = Math.max(...rows.map((row) => row.length), 0)
  if (width === 0) return undefined
  const cells = (row: readonly string[]) =>
    Array.from({ length: width }, (_, at) =>
      (row[at] ?? '')
        .trim()
        .replaceAll(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|'),
    )
  const lines = [cells(head), Array.from({ length: width }, () => '---'), ...body.map(cells)].map(
    (row) => `| ${row.join(' | ')} |`,
  )
  const note = path.replace(/(?:_all)?\.csv$/, '.md')
  const title = note.replace(notionId, '').replaceAll(/^.*\/|\.md$/g, '')
  return { path: note, text: `# ${title}\n\n${lines.join('\n')}\n` }
}

function parseRows(csv: string): string[][] {
  try {
    return parseCsv(csv, { bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true })
  } catch (error) {
    if (error instanceof CsvError) return []
    throw error
  }
}

/** Makes links to pages and tables lead to their notes. @param converted paths of the notes */
export function withNoteLinks(text: string, converted: ReadonlySet<string>): string {
  return text.replaceAll(linkToPage, (whole, before: string, target: string) => {
    const name = decodePart(target).replace(/^.*\//, '')
    return converted.has(`${name}.md`) ? `${before}${target}.md` : whole
  })
}
