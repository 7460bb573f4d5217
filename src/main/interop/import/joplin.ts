/**
 * Items of a Joplin export (`.jex`, a tar archive, or a RAW folder): a file for each note, notebook, tag and attachment,
 * with a title, a body and properties such as `type_: 1`. Source: `BaseItem.serialize` of Joplin.
 */
import { dirname, extname, relative } from 'node:path/posix'
import { attachmentType } from '#shared/util/attachments.ts'
import { toFileName } from '#workspace'
import { tagsProperty, textOfNote, toDate, type CountOmitted, type SourceText } from './chats.ts'
import { toNote } from './html-notes.ts'

const itemName = /(?:^|\/)[0-9a-f]{32}\.md$/
const propertiesAtEnd = /(?:^|\n)((?:[a-z_]+: ?.*\n)*type_: \d+)\s*$/
const htmlLink = /<a\b[^>]*\bhref="(:\/[0-9a-f]{32})"[^>]*>([^<]*)<\/a>/g
const linkToItem = /(\]\(|\]:[ \t]+):\/([0-9a-f]{32})|<img\b[^>]*\bsrc=":\/([0-9a-f]{32})"[^>]*>/g

interface Item {
  readonly title: string
  readonly body: string
  readonly path: string
  readonly properties: Readonly<Record<string, string>>
}

const types = { note: '1', attachment: '4', taggedNote: '6' }
/** A damaged export can name a notebook as its own parent. */
const maxDepth = 20

export function isJoplinItem({ path, text }: SourceText): boolean {
  return itemName.test(path) && propertiesAtEnd.test(text)
}

function parseItem({ path, text }: SourceText): Item {
  const [block = '', lines = ''] = propertiesAtEnd.exec(text) ?? []
  const [title = '', ...body] = text.slice(0, text.length - block.length).split('\n')
  const pairs = lines
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
  return {
    title: title.trim(),
    body: body.join('\n').trim(),
    path,
    properties: Object.fromEntries(pairs) as Item['properties'],
  }
}

/**
 * @param texts items, see `isJoplinItem` @param files paths of the attachments
 * @returns the notes in folders of their notebooks, and names of attachments by path
 */
export function readJoplin(texts: readonly SourceText[], files: Iterable<string>, count: CountOmitted) {
  const items = texts.map(parseItem)
  const byId = new Map(items.map((item) => [item.properties['id'] ?? '', item]))
  const ofType = (type: string) => items.filter(({ properties }) => properties['type_'] === type)
  const fileOf = new Map(Array.from(files, (file) => [/([0-9a-f]{32})(?:\.[^./]+)?$/.exec(file)?.[1] ?? '', file]))
  const names = new Map<string, string>()
  for (const { title, properties } of ofType(types.attachment)) {
    const file = fileOf.get(properties['id'] ?? '')
    const extension = properties['file_extension'] || extname(file ?? '').slice(1)
    const ending = attachmentType(title) === undefined && extension !== '' ? `.${extension}` : ''
    if (file !== undefined && title !== '') names.set(file, `${dirname(file)}/${title}${ending}`)
  }
  const foldersOf = (id = '', depth = 0): string[] => {
    const notebook = depth < maxDepth ? byId.get(id) : undefined
    if (!notebook) return []
    return [...foldersOf(notebook.properties['parent_id'], depth + 1), toFileName(notebook.title, 'Notebook')]
  }
  const tagged = ofType(types.taggedNote)
  const convert = (item: Item): SourceText[] => {
    const { body, path, properties } = item
    const title = item.title || 'Untitled'
    const isTrashed = Number(properties['deleted_time']) > 0
    if (isTrashed || properties['encryption_applied'] === '1') {
      count(isTrashed ? 'trash' : 'unreadable')
      return []
    }
    const tags = tagged.flatMap(({ properties: { note_id: note, tag_id: tag = '' } }) =>
      note === properties['id'] && byId.has(tag) ? [byId.get(tag)?.title ?? ''] : [],
    )
    const markdown = properties['markup_language'] === '2' ? toNote(body) : body
    const linked = markdown
      .replaceAll(htmlLink, '[$2]($1)')
      .replaceAll(linkToItem, (whole, before?: string, id = '', picture?: string) => {
        const target = fileOf.get(picture ?? id) ?? byId.get(id)?.path
        if (target === undefined) count('file')
        if (target === undefined) return whole
        const link = encodeURI(relative(dirname(path), target))
        return before === undefined ? `![](${link})` : `${before}${link}`
      })
    const createdAt = toDate(properties['user_created_time'] || properties['created_time'])
    const done = Number(properties['todo_completed']) > 0 ? 'x' : ' '
    const heading = properties['is_todo'] === '1' ? `- [${done}] ${title}` : `# ${title}`
    const source = properties['source_url'] ?? ''
    const parts = [linked, /^https?:/.test(source) ? `<${source}>` : '']
    const name = [...foldersOf(properties['parent_id']), `${toFileName(title, 'Untitled')}.md`].join('/')
    return [{ path, name, text: textOfNote({ properties: tagsProperty(tags), heading, createdAt, parts }) }]
  }
  return { notes: ofType(types.note).flatMap(convert), names }
}
