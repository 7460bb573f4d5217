import i18next from 'i18next'
import { monaco } from '#lib/util/monaco.ts'
import { decodePart } from '#shared/util/decode.ts'
import { parseLinks, type NoteLink } from '#shared/markdown/links/parse-links.ts'
import type { LinkTarget } from '#shared/markdown/links/link-target.ts'
import { parseProperties } from '#shared/markdown/properties/parse-properties.ts'
import { sectionsOf } from '#shared/markdown/sections.ts'
import type { NoteLinks } from '../markdown/citations/use-note-links.ts'

export interface LinkContext extends NoteLinks {
  readonly path: string
}

const scheme = 'commonplace-file'
/** Maximum number of clickable links: each is a decoration that moves with every key. */
const maxLinks = 5000
/** Longer texts have no clickable links, in characters. */
const maxLinked = 2_000_000
/** Characters before the cursor that are searched for the start of a link. */
const maxBefore = 1000
const surroundings = new WeakMap<monaco.editor.ITextModel, LinkContext>()
let isRegistered = false

export function setLinkContext(model: monaco.editor.ITextModel, value: LinkContext): void {
  surroundings.set(model, value)
}

export function registerMarkdown(): void {
  if (isRegistered) return
  isRegistered = true
  monaco.languages.registerFoldingRangeProvider('markdown', {
    provideFoldingRanges: (model) =>
      sectionsOf(model.getLinesContent())
        .filter(({ from, to }) => to > from)
        .map(({ from, to }) => ({ start: from, end: to })),
  })
  monaco.languages.registerLinkProvider('markdown', {
    provideLinks(model) {
      const place = surroundings.get(model)
      if (!place) return { links: [] }
      const tags = tagsOf(model).map(({ name, place: { from, to } }) => ({
        range: monaco.Range.fromPositions(model.getPositionAt(from), model.getPositionAt(to)),
        url: monaco.Uri.from({ scheme, query: JSON.stringify(['tag', name]) }),
      }))
      return {
        links: linksOf(model)
          .map((link): monaco.languages.ILink => {
            const kind = link.kind === 'wiki' ? 'wiki' : 'inline'
            const query = JSON.stringify([kind, targetOf(link)])
            const isResolved = place.resolve(kind, targetOf(link)) !== undefined
            return {
              range: rangeOf(model, link),
              url: monaco.Uri.from({ scheme, query }),
              ...(isResolved ? {} : { tooltip: i18next.t('links.unresolved') }),
            }
          })
          .concat(tags),
      }
    },
  })
  monaco.editor.registerLinkOpener({
    open(address) {
      if (address.scheme !== scheme) return false
      const model = monaco.editor.getModels().find((known) => surroundings.has(known))
      const place = model && surroundings.get(model)
      const [kind, named] = JSON.parse(address.query) as ['wiki' | 'inline', LinkTarget] | ['tag', string]
      if (kind === 'tag') place?.openTag(named)
      else place?.open(kind, named)
      return place !== undefined
    },
  })
  monaco.languages.registerCompletionItemProvider('markdown', {
    triggerCharacters: ['[', '(', '/', '#', '^'],
    async provideCompletionItems(model, position) {
      const before = model
        .getLineContent(position.lineNumber)
        .slice(Math.max(0, position.column - 1 - maxBefore), position.column - 1)
      const links = await linkSuggestions(model, position, before)
      // Requests new suggestions on each key, since only the fifty best matches are listed.
      return { suggestions: [...links, ...dateSuggestions(position, before)], incomplete: links.length > 0 }
    },
  })
}

function linksOf(model: monaco.editor.ITextModel): readonly NoteLink[] {
  return model.getValueLength() > maxLinked ? [] : parseLinks(model.getValue()).links.slice(0, maxLinks)
}

function targetOf({ target, fragment }: NoteLink): LinkTarget {
  return { target, ...(fragment === undefined ? {} : { fragment }) }
}

function tagsOf(model: monaco.editor.ITextModel) {
  if (model.getValueLength() > maxLinked) return []
  const { tags } = parseProperties(model.getValue())
  return tags.flatMap(({ name, place }) => (place ? { name, place } : []))
}

function rangeOf(model: monaco.editor.ITextModel, link: NoteLink): monaco.Range {
  const isWiki = link.kind === 'wiki'
  const start = model.getPositionAt(isWiki ? link.from : link.targetFrom)
  const end = model.getPositionAt(isWiki ? link.to : (link.fragmentTo ?? link.targetTo))
  return monaco.Range.fromPositions(start, end)
}

/** Returns the ranges of links without a target. */
export function unresolvedRanges(model: monaco.editor.ITextModel, { resolve }: LinkContext): monaco.Range[] {
  return linksOf(model)
    .filter((link) => resolve(link.kind === 'wiki' ? 'wiki' : 'inline', targetOf(link)) === undefined)
    .map((link) => rangeOf(model, link))
}

async function linkSuggestions(
  model: monaco.editor.ITextModel,
  position: monaco.Position,
  before: string,
): Promise<monaco.languages.CompletionItem[]> {
  const place = surroundings.get(model)
  const wiki = /\[\[([^[\]|\n]*)$/.exec(before)?.[1]
  const inline = /\]\(([^()\n]*)$/.exec(before)?.[1]
  const typed = wiki ?? inline
  if (!place || typed === undefined) return []
  const { lineNumber, column } = position
  const after = model.getLineContent(lineNumber).slice(column - 1)
  const closing = wiki === undefined ? ')' : ']]'
  const end = after.startsWith(closing) ? '' : closing
  const names = await place.names(wiki ?? decodePart(inline ?? '')).catch(() => [])
  const { File, Reference } = monaco.languages.CompletionItemKind
  // `[[` can also complete to a Markdown link: in vaults that use them, and for names that `[[…]]` cannot
  // contain.
  const isOther = wiki !== undefined && names.some(({ link }) => !link.startsWith('[['))
  const rest = isOther && end === '' ? closing.length : 0
  const begin = column - typed.length - (isOther ? 2 : 0)
  return names.map((name, index) => ({
    label: { label: name.label, description: name.path },
    kind: name.kind === 'heading' || name.kind === 'block' ? Reference : File,
    insertText: isOther ? name.link : (wiki === undefined ? name.inline : (name.wiki ?? '')) + end,
    // The server has ranked and filtered the suggestions already.
    sortText: String(index).padStart(3, '0'),
    filterText: isOther ? `[[${typed}` : typed,
    range: new monaco.Range(lineNumber, begin, lineNumber, column + rest),
  }))
}

function dateSuggestions(position: monaco.Position, before: string): monaco.languages.CompletionItem[] {
  const typed = /(?:^|\s)(\/[a-z]*)$/.exec(before)?.[1]
  if (typed === undefined) return []
  const now = new Date()
  const pad = (value: number) => String(value).padStart(2, '0')
  const date = `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`
  const time = `${pad(now.getHours())}:${pad(now.getMinutes())}`
  const range = new monaco.Range(
    position.lineNumber,
    position.column - typed.length,
    position.lineNumber,
    position.column,
  )
  return [
    { label: '/date', insertText: date },
    { label: '/time', insertText: time },
    { label: '/now', insertText: `${date} ${time}` },
    { label: '/entry', insertText: `## ${time} - ` },
  ].map((item) => ({ ...item, detail: item.insertText, kind: monaco.languages.CompletionItemKind.Snippet, range }))
}
