/** Notes of an Evernote export (`.enex`). Evernote documents the form as `evernote-export4.dtd` and `enml2.dtd`. */
import { parseXml, XmlError, type XmlElement } from '@rgrove/parse-xml'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { attachmentType } from '#shared/util/attachments.ts'
import { toFileName } from '#workspace'
import { tagsProperty, textOfNote, toDate, type CountOmitted, type SourceFile, type SourceText } from './chats.ts'
import { toNote } from './html-notes.ts'

const noteEnd = '</note>'

/** Yields the XML of each note, so that a file with many attachments is not in memory as a whole. */
async function* notesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    const from = Math.max(0, text.length - noteEnd.length)
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf(noteEnd, from); end >= 0; end = text.indexOf(noteEnd)) {
      yield text.slice(Math.max(0, text.indexOf('<note>')), end + noteEnd.length)
      text = text.slice(end + noteEnd.length)
    }
  }
  if (text.includes('<note>')) yield text
}

/**
 * Reads a notebook. A note that is not complete XML is counted.
 * @param path of the file, whose name is the notebook's; notes and attachments get paths in a folder of that name
 * @param temporary folder for the attachments
 */
export async function readEvernote(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { count, temporary }: { readonly count: CountOmitted; readonly temporary: string },
): Promise<{ notes: SourceText[]; attachments: SourceFile[] }> {
  const notes: SourceText[] = []
  const attachments: SourceFile[] = []
  const folder = path.replace(/\.enex$/i, '')
  for await (const xml of notesIn(chunks)) {
    const note = parseNote(xml)
    if (!note) {
      count('unreadable')
      continue
    }
    const names = new Map<string, string>()
    for (const resource of childrenOf(note, 'resource')) {
      const bytes = Buffer.from(textOf(resource, 'data'), 'base64')
      const hash = createHash('md5').update(bytes).digest('hex')
      const given = textOf(childrenOf(resource, 'resource-attributes')[0], 'file-name')
      const ofType = `.${textOf(resource, 'mime').replace(/^.*\/(?:x-)?|\+.*$/g, '')}`
      const [ofName] = /\.[a-z\d]+$/i.exec(given) ?? []
      // The part of a name after its last dot can be another word: "Screenshot 10.30".
      const isType =
        ofName === undefined || (attachmentType(ofType) !== undefined && attachmentType(ofName) === undefined)
      const ending = isType ? ofType : ofName
      const stem = ending === ofName ? given.slice(0, -ending.length) : given
      const name = `files/${toFileName(stem, 'file')}-${hash.slice(0, 4)}${ending}`
      const file = join(temporary, hash)
      await writeFile(file, bytes)
      names.set(hash, name)
      attachments.push({ path: `${folder}/${name}`, size: bytes.length, chunks: () => createReadStream(file) })
    }
    notes.push(convertNote(note, { folder, index: notes.length, names, count }))
  }
  return { notes, attachments }
}

function parseNote(xml: string): XmlElement | undefined {
  try {
    return parseXml(xml).root ?? undefined
  } catch (error) {
    if (error instanceof XmlError) return undefined
    throw error
  }
}

function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return (element?.children ?? []).filter((child): child is XmlElement => 'name' in child && child.name === name)
}

function textOf(element: XmlElement | undefined, name: string): string {
  return childrenOf(element, name)[0]?.text.trim() ?? ''
}

function convertNote(
  note: XmlElement,
  {
    folder,
    index,
    names,
    count,
  }: { folder: string; index: number; names: ReadonlyMap<string, string>; count: CountOmitted },
): SourceText {
  const title = textOf(note, 'title').replaceAll(/\s+/g, ' ')
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/.exec(textOf(note, 'created')) ?? []
  const createdAt = toDate(`${year}-${month}-${day}T${hour}:${minute}Z`)
  const tags = childrenOf(note, 'tag').map(({ text }) => text.trim())
  const source = textOf(childrenOf(note, 'note-attributes')[0], 'source-url')
  const tasks = childrenOf(note, 'task').map((task) => {
    return `- [${textOf(task, 'taskStatus') === 'completed' ? 'x' : ' '}] ${textOf(task, 'title')}`
  })
  const body = toNote(toHtml(textOf(note, 'content'), names, count))
  const parts = [body, tasks.join('\n'), /^https?:/.test(source) ? `<${source}>` : '']
  return {
    path: `${folder}/${index}.md`,
    name: `${folder}/${toFileName(title, 'Untitled')}.md`,
    text: textOfNote({ properties: tagsProperty(tags), heading: `# ${title || 'Untitled'}`, createdAt, parts }),
  }
}

/** Replaces the elements of ENML that HTML does not have. @param names of attachments by MD5 */
function toHtml(enml: string, names: ReadonlyMap<string, string>, count: CountOmitted): string {
  const counted = (reason: 'file' | 'unreadable') => {
    count(reason)
    return ''
  }
  return enml
    .replaceAll(/^[^]*?<en-note[^>]*>|<\/en-note>[^]*$/g, '')
    .replaceAll(/<en-crypt\b[^>]*>[^]*?<\/en-crypt>/g, () => counted('unreadable'))
    .replaceAll(/<en-media\b([^>]*?)\/?>(?:<\/en-media>)?/g, (_whole, attributes: string) => {
      const name = names.get(/\bhash="(\w+)"/.exec(attributes)?.[1] ?? '')
      if (name === undefined) return counted('file')
      const isImage = /\btype="image\//.test(attributes)
      return `<div>${isImage ? `<img src="${name}">` : `<a href="${name}">${name.slice('files/'.length)}</a>`}</div>`
    })
    .replaceAll(/<en-todo\b([^>]*?)\/>/g, '<en-todo$1></en-todo>')
    .replaceAll(/<li\b[^>]*--en-checked:\s*(true|false)[^>]*>/g, (item, state: string) => {
      return `${item}<input type="checkbox"${state === 'true' ? ' checked' : ''}>`
    })
}
