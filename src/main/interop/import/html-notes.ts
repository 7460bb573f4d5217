/** Notes in HTML: pages as Apple Notes, Notion and other programs export them, and the memos of a Flomo export. */
import type { Element, Root } from 'hast'
import { fromHtml } from 'hast-util-from-html'
import { select, selectAll } from 'hast-util-select'
import { toMdast, type Handle } from 'hast-util-to-mdast'
import { toText } from 'hast-util-to-text'
import type { Nodes, PhrasingContent } from 'mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { toMarkdown, type Options } from 'mdast-util-to-markdown'
import { toFileName } from '#workspace'
import type { SourceText } from './chats.ts'

const inlineTypes: readonly string[] = [
  'text',
  'emphasis',
  'strong',
  'delete',
  'inlineCode',
  'break',
  'image',
  'link',
] satisfies PhrasingContent['type'][]

/** Note programs write each line as a `div`. Returns its content as a line of a paragraph, and an empty line as its end. */
const line: Handle = (state, element, parent) => {
  const children = state.all(element)
  if (children.every(({ type }) => type === 'break')) return { type: 'paragraph', children: [] }
  const isLast = parent?.children.at(-1) === element
  const isLine = !isLast && children.every(({ type }) => inlineTypes.includes(type))
  return isLine ? [...children, { type: 'break' }] : children
}

/** Stands for a checkbox, whose brackets would be escaped. A control character is not in HTML. */
const checkbox = { open: '\u0001 ', done: '\u0001x' }
const todo: Handle = (_state, { properties }) => ({
  type: 'text',
  value: properties['checked'] === 'true' ? checkbox.done : checkbox.open,
})

/** A highlight, as most Markdown editors write it. */
const mark: Handle = (state, element) => [
  { type: 'text', value: '==' },
  ...(state.all(element) as PhrasingContent[]),
  { type: 'text', value: '==' },
]

const markdownOptions: Options = {
  extensions: [gfmToMarkdown()],
  bullet: '-',
  rule: '-',
  emphasis: '_',
  join: [
    (_left, right, { type }) => (type === 'list' || (type === 'listItem' && right.type === 'list') ? 0 : undefined),
  ],
  // A backslash or two spaces at the end of a line would be shown in the editor.
  handlers: { break: (_node, _parent, state) => (state.stack.includes('tableCell') ? ' ' : '\n') },
}

/** @param html a page, a part of one, or its nodes @returns Markdown without a final line end */
export function toNote(html: string | Element | Root): string {
  const nodes = typeof html === 'string' ? fromHtml(html) : html
  // Code of Evernote, whose spaces would be lost.
  for (const block of selectAll('[style*="-en-codeblock"]', nodes)) {
    const value = toText(block, { whitespace: 'pre' })
    const code: Element = { type: 'element', tagName: 'code', properties: {}, children: [{ type: 'text', value }] }
    Object.assign(block, { tagName: 'pre', children: [code] })
  }
  nestLists(nodes)
  const markdown = toMdast(nodes, {
    handlers: { div: line, 'en-todo': todo, mark, u: (state, element) => state.all(element) },
  }) as Nodes
  return (
    toMarkdown(markdown, markdownOptions)
      .replaceAll(checkbox.open, '- [ ] ')
      .replaceAll(checkbox.done, '- [x] ')
      // An address needs no escape, and a recording gets its name as label.
      .replaceAll(/\b(https?)\\:(?=\/\/)/g, '$1:')
      .replaceAll(/(?<!!)\[\]\(([^)]*?([^/)]*))\)/g, '[$2]($1)')
      // A tag is no heading.
      .replaceAll(/^\\#(?=[^\s#])/gm, '#')
      .replaceAll(/[ \t]+$/gm, '')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim()
  )
}

/** Moves a list between two items into the first of them, and puts the items of a list in a cell on one line. */
function nestLists(nodes: Element | Root): void {
  for (const list of selectAll('ul, ol', nodes)) {
    const items: Element['children'] = []
    for (const child of list.children) {
      const item = items.findLast((one) => one.type === 'element' && one.tagName === 'li')
      const isList = child.type === 'element' && /^[uo]l$/.test(child.tagName)
      if (isList && item?.type === 'element') item.children.push(child)
      else items.push(child)
    }
    list.children = items
  }
  const text = (value: string) => ({ type: 'text' as const, value })
  for (const item of selectAll(':is(td, th) li:not(:last-child)', nodes)) item.children.push(text('; '))
  for (const list of selectAll(':is(td, th) li :is(ul, ol)', nodes)) list.children.unshift(text(': '))
  for (const block of selectAll(':is(td, th) :is(ul, ol, li, pre), :is(td, th) li div', nodes)) block.tagName = 'span'
}

export const isHtml = (path: string) => /\.html?$/i.test(path)

/** Returns the notes of a page: its memos if it is an export of Flomo, else one note; [] for a page without text. */
export function readHtml(path: string, html: string): SourceText[] {
  const page = fromHtml(html)
  // Boxes of Notion, which a checkbox stands for.
  for (const box of selectAll('.checkbox', page)) {
    const checked = String(box.properties['className']).includes('checkbox-on')
    Object.assign(box, { tagName: 'input', properties: { type: 'checkbox', checked } })
  }
  for (const cell of selectAll('td > input[type="checkbox"]', page))
    Object.assign(cell, {
      tagName: 'span',
      children: [{ type: 'text', value: cell.properties['checked'] ? '☑' : '☐' }],
    })
  for (const value of selectAll('.selected-value + .selected-value', page))
    value.children.unshift({ type: 'text', value: ', ' })
  for (const icon of selectAll('img.user-icon', page)) Object.assign(icon, { tagName: 'span', children: [] })
  for (const formula of selectAll('.katex', page)) {
    const source = select('annotation', formula)
    if (source) formula.children = [{ type: 'text', value: `$${toText(source).trim()}$` }]
  }
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const memos = selectAll('.memo', page).filter((memo) => select('.time', memo) && select('.content', memo))
  if (memos.length > 0) return memos.map((memo, index) => readMemo(folder, memo, index))
  const title = toText(select('title', page) ?? { type: 'root', children: [] }).trim()
  const body = toNote(page)
  if (body === '') return []
  const hasTitle = title === '' || body.startsWith('# ') || body.includes(`\n# ${title}\n`)
  return [{ path: path.replace(/\.html?$/i, '.md'), text: `${hasTitle ? '' : `# ${title}\n\n`}${body}\n` }]
}

/** A memo has a time such as `2026-01-05 09:30:12`, a content, and files below it. */
function readMemo(folder: string, memo: Element, index: number): SourceText {
  const time = toText(select('.time', memo) ?? memo).trim()
  const parts = ['.content', '.files'].flatMap((name) => selectAll(name, memo).map(toNote))
  const body = parts.filter(Boolean).join('\n\n')
  const day = /^\d{4}-\d\d-\d\d/.exec(time)?.[0] ?? ''
  const [first = ''] = toText(select('.content', memo) ?? memo)
    .replaceAll(/#[^\s#]+/g, '')
    .trim()
    .split('\n', 1)
  const name = `${folder}${day} ${toFileName(first.slice(0, 60), 'Memo')}.md`
  return { path: `${folder}memo ${index}.md`, name, text: `*${time}*\n\n${body}\n` }
}
