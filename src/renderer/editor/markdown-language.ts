import i18next from 'i18next'
import { isoDate, isoTime } from '#lib/i18n/format.ts'
import { monaco } from '#lib/util/monaco.ts'
import { decodePart } from '#shared/util/decode.ts'
import { type LinkTarget, type NoteLink, parseLinks } from '#shared/markdown/links/parse-links.ts'
import { parseProperties } from '#shared/markdown/properties/parse-properties.ts'
import { sectionsOf } from '#shared/markdown/sections.ts'
import type { NoteLinks } from '../markdown/document/context.ts'

export interface LinkContext extends NoteLinks {
  readonly path: string
}

const scheme = 'commonplace-file'
/** Maximum number of clickable links: each is a decoration that moves with every keystroke. */
const maxLinks = 5000
/** Longer texts have no clickable links. In characters. */
const maxLinkedLength = 2_000_000
/** Characters before the cursor that are searched for the start of a link. */
const maxPrefixLength = 1000
export const linkContexts = new WeakMap<monaco.editor.ITextModel, LinkContext>()
let isRegistered = false

export function registerMarkdown(): void {
  if (isRegistered) return
  isRegistered = true
  // By default, Chinese punctuation is part of a word, and trigger characters have no effect inside words.
  monaco.languages.setLanguageConfiguration('markdown', { wordPattern: /(?:[^\s\p{P}\p{S}]|_)+/gu })
  monaco.languages.registerFoldingRangeProvider('markdown', {
    provideFoldingRanges: (model) =>
      sectionsOf(model.getLinesContent())
        .filter(({ from, to }) => to > from)
        .map(({ from, to }) => ({ start: from, end: to })),
  })
  monaco.languages.registerLinkProvider('markdown', {
    provideLinks(model) {
      const context = linkContexts.get(model)
      if (!context) return { links: [] }
      const tags = tagsOf(model).map(({ name, place: { from, to } }) => ({
        range: monaco.Range.fromPositions(model.getPositionAt(from), model.getPositionAt(to)),
        url: monaco.Uri.from({ scheme, query: JSON.stringify(['tag', name]) }),
      }))
      return {
        links: linksOf(model)
          .map((link): monaco.languages.ILink => {
            const { kind, target, fragment } = link
            const query = JSON.stringify([kind === 'wiki' ? kind : 'inline', { target, fragment }])
            const range = rangeOf(model, link)
            const url = monaco.Uri.from({ scheme, query })
            return isResolved(link, context) ? { range, url } : { range, url, tooltip: i18next.t('links.unresolved') }
          })
          .concat(tags),
      }
    },
  })
  monaco.editor.registerLinkOpener({
    open(address) {
      if (address.scheme !== scheme) return false
      const model = monaco.editor.getModels().find((candidate) => linkContexts.has(candidate))
      const context = model && linkContexts.get(model)
      const [kind, target] = JSON.parse(address.query) as ['wiki' | 'inline', LinkTarget] | ['tag', string]
      if (kind === 'tag') context?.openTag(target)
      else context?.open(kind, target)
      return context !== undefined
    },
  })
  monaco.languages.registerCompletionItemProvider('markdown', {
    triggerCharacters: ['[', '【', '(', '/', '／', '、', '#', '^'],
    async provideCompletionItems(model, position) {
      const prefix = model
        .getLineContent(position.lineNumber)
        .slice(Math.max(0, position.column - 1 - maxPrefixLength), position.column - 1)
      const links = await linkSuggestions(model, position, prefix)
      // `incomplete` requests new suggestions after each keystroke, since only the fifty best matches are listed.
      return { suggestions: [...links, ...dateSuggestions(position, prefix)], incomplete: links.length > 0 }
    },
  })
}

function linksOf(model: monaco.editor.ITextModel): readonly NoteLink[] {
  return model.getValueLength() > maxLinkedLength ? [] : parseLinks(model.getValue()).links.slice(0, maxLinks)
}

function tagsOf(model: monaco.editor.ITextModel) {
  if (model.getValueLength() > maxLinkedLength) return []
  const { tags } = parseProperties(model.getValue())
  return tags.flatMap(({ name, place }) => (place ? { name, place } : []))
}

function rangeOf(model: monaco.editor.ITextModel, link: NoteLink): monaco.Range {
  const isWiki = link.kind === 'wiki'
  const start = model.getPositionAt(isWiki ? link.from : link.targetFrom)
  const end = model.getPositionAt(isWiki ? link.to : (link.fragmentTo ?? link.targetTo))
  return monaco.Range.fromPositions(start, end)
}

const isResolved = ({ kind, target, fragment }: NoteLink, { resolve }: LinkContext) =>
  resolve(kind === 'wiki' ? kind : 'inline', { target, fragment }) !== undefined

export function unresolvedRanges(model: monaco.editor.ITextModel, context: LinkContext): monaco.Range[] {
  return linksOf(model)
    .filter((link) => !isResolved(link, context))
    .map((link) => rangeOf(model, link))
}

async function linkSuggestions(model: monaco.editor.ITextModel, position: monaco.Position, prefix: string) {
  const context = linkContexts.get(model)
  // Chinese input methods type `【【` for `[[`, and `／` or `、` for `/`.
  const [, ascii, wide] = /(?:\[\[([^[\]|\n]*)|【【([^【】|\n]*))$/.exec(prefix) ?? []
  const wiki = ascii ?? wide
  const inline = /\]\(([^()\n]*)$/.exec(prefix)?.[1]
  const typed = wiki ?? inline
  if (!context || typed === undefined) return []
  const { lineNumber, column } = position
  const after = model.getLineContent(lineNumber).slice(column - 1)
  const closing = wiki === undefined ? ')' : ']]'
  const end = after.startsWith(closing) ? '' : closing
  const names = await context.complete(wiki ?? decodePart(inline ?? '')).catch(() => [])
  const { File, Reference } = monaco.languages.CompletionItemKind
  // `[[` completes to a Markdown link in vaults that use them, and for names that `[[…]]` cannot contain.
  const isMarkdownLink = wiki !== undefined && names.some(({ link }) => !link.startsWith('[['))
  const replacesBrackets = isMarkdownLink || wide !== undefined
  const replacedAfter = replacesBrackets && /^(?:\]\]|】】)/.test(after) ? 2 : 0
  const startColumn = column - typed.length - (replacesBrackets ? 2 : 0)
  return names.map((name, index) => ({
    label: { label: name.label, description: name.path },
    kind: name.kind === 'heading' || name.kind === 'block' ? Reference : File,
    insertText: replacesBrackets ? name.link : (wiki === undefined ? name.inline : (name.wiki ?? '')) + end,
    // The server has ranked and filtered the suggestions already.
    sortText: String(index).padStart(3, '0'),
    filterText: prefix.slice(startColumn - column),
    range: new monaco.Range(lineNumber, startColumn, lineNumber, column + replacedAfter),
  }))
}

function dateSuggestions(position: monaco.Position, prefix: string): monaco.languages.CompletionItem[] {
  const typed = /(?:^|\s)([/／、][a-z]*)$/.exec(prefix)?.[1]
  if (typed === undefined) return []
  const slash = typed.charAt(0)
  const now = new Date()
  const date = isoDate(now)
  const time = isoTime(now).slice(0, 5)
  const { lineNumber, column } = position
  const range = new monaco.Range(lineNumber, column - typed.length, lineNumber, column)
  return [
    { label: `${slash}date`, insertText: date },
    { label: `${slash}time`, insertText: time },
    { label: `${slash}now`, insertText: `${date} ${time}` },
    { label: `${slash}entry`, insertText: `## ${time} - ` },
  ].map((item) => ({ ...item, detail: item.insertText, kind: monaco.languages.CompletionItemKind.Snippet, range }))
}
