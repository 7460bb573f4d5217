/** What the editor knows of Markdown besides its colours: folding, links, completion. Registered once for all editors. */
import { monaco } from '../ui/monaco.ts'
import { sectionsOf } from '../../shared/sections.ts'
import { linksIn } from './markdown-edits.ts'

/** What the open file needs to know of the others. */
export interface Surroundings {
  readonly path: string
  readonly files: readonly string[]
  /** Where a link leads; undefined for nowhere. */
  readonly resolve: (target: string) => string | undefined
  readonly open: (path: string) => void
}

const scheme = 'commonplace-file'
/** Links that are followed from the editor; each is a mark that moves with every keystroke. */
const maxLinks = 5000
/** Characters before the cursor among which a link can have begun. */
const maxBefore = 1000
const surroundings = new WeakMap<monaco.editor.ITextModel, Surroundings>()
let isRegistered = false

export function setSurroundings(model: monaco.editor.ITextModel, value: Surroundings): void {
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
      const links: monaco.languages.ILink[] = []
      for (const [index, line] of model.getLinesContent().entries()) {
        for (const { target, column, length } of linksIn(line)) {
          const path = place.resolve(target)
          const range = new monaco.Range(index + 1, column, index + 1, column + length)
          if (path !== undefined) links.push({ range, url: monaco.Uri.from({ scheme, path: `/${path}` }) })
        }
        if (links.length >= maxLinks) break
      }
      return { links }
    },
  })
  monaco.editor.registerLinkOpener({
    open(address) {
      if (address.scheme !== scheme) return false
      const path = address.path.slice(1)
      const model = monaco.editor.getModels().find((known) => surroundings.has(known))
      const place = model && surroundings.get(model)
      place?.open(path)
      return place !== undefined
    },
  })
  monaco.languages.registerCompletionItemProvider('markdown', {
    triggerCharacters: ['[', '(', '/'],
    provideCompletionItems(model, position) {
      const before = model
        .getLineContent(position.lineNumber)
        .slice(Math.max(0, position.column - 1 - maxBefore), position.column - 1)
      return { suggestions: [...linkSuggestions(model, position, before), ...momentSuggestions(position, before)] }
    },
  })
}

/** `[[` and `](` name files. */
function linkSuggestions(
  model: monaco.editor.ITextModel,
  position: monaco.Position,
  before: string,
): monaco.languages.CompletionItem[] {
  const place = surroundings.get(model)
  const wiki = /\[\[([^\]\n]*)$/.exec(before)?.[1]
  const inline = /\]\(([^)\n]*)$/.exec(before)?.[1]
  const typed = wiki ?? inline
  if (!place || typed === undefined) return []
  const after = model.getLineContent(position.lineNumber).slice(position.column - 1)
  const range = new monaco.Range(
    position.lineNumber,
    position.column - typed.length,
    position.lineNumber,
    position.column,
  )
  const closing = wiki === undefined ? ')' : ']]'
  return place.files.map((path) => ({
    label: path,
    kind: monaco.languages.CompletionItemKind.File,
    insertText: `${wiki === undefined ? encodeURI(relativeTo(place.path, path).toWellFormed()) : path.replace(/\.md$/, '')}${after.startsWith(closing) ? '' : closing}`,
    range,
  }))
}

function relativeTo(here: string, path: string): string {
  const from = here.split('/').slice(0, -1)
  const to = path.split('/')
  while (from.length > 0 && to.length > 1 && from[0] === to[0]) {
    from.shift()
    to.shift()
  }
  return [...from.map(() => '..'), ...to].join('/')
}

/** `/date`, `/time`, `/entry`: the moment, as daily logs have it. */
function momentSuggestions(position: monaco.Position, before: string): monaco.languages.CompletionItem[] {
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
