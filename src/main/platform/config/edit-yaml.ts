import { isDeepStrictEqual } from 'node:util'
import { Document, isCollection, isMap, isNode, isPair, isScalar, isSeq, parseDocument, Scalar, YAMLMap } from 'yaml'

type Path = readonly (string | number)[]

/**
 * Sets the value at a path (`['agents', 'list', 0, 'model']`); `undefined` removes it. For a number, text, yes or no,
 * or null, the rest of the text stays as it is. For other values, comments, order and line ends stay.
 */
export function editYaml(text: string, path: Path, value: unknown): string {
  const document = parseDocument(text)
  const edited = isSimple(value) ? withSimpleValue(text, document, path, value) : undefined
  // A value such as `weights: auto` gives way to the map with the new value.
  const parents = path.map((_key, at) => path.slice(0, at)).slice(1)
  const replaced = parents.find((parent) => document.hasIn(parent) && !isCollection(document.getIn(parent, true)))
  if (replaced && value !== undefined) document.deleteIn(replaced)
  if (value === undefined) deleteValue(document, path)
  else if (!updateStringList(document, path, value)) document.setIn(path, value)
  // Rare forms, such as block scalars, are not edited as text: the result is wrong then.
  const reparsed = edited === undefined ? undefined : parseDocument(edited)
  const isCorrect = reparsed?.errors.length === 0 && isDeepStrictEqual(reparsed.toJSON(), document.toJSON())
  if (isCorrect && edited !== undefined) return edited
  return document.toString().replaceAll(/\r?\n/g, lineEndOf(text))
}

function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

type SimpleValue = string | number | boolean | null

function isSimple(value: unknown): value is SimpleValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Returns undefined if the value cannot be replaced or added as text. */
function withSimpleValue(text: string, document: Document, path: Path, value: SimpleValue): string | undefined {
  const node = document.getIn(path, true)
  if (node === undefined) return withAddedValue(text, document, path, value)
  if (!isScalar(node) || !node.range) return undefined
  const [start, end] = node.range
  const gap = start === end ? ' ' : ''
  return `${text.slice(0, start)}${gap}${yamlOf(value, node.type)}${text.slice(end)}`
}

/** Adds the value, and the maps around it that do not exist, to the last map of the path that exists. */
function withAddedValue(text: string, document: Document, path: Path, value: SimpleValue): string | undefined {
  const depth = path.findLastIndex((_key, at) => document.hasIn(path.slice(0, at)) || at === 0)
  const map = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
  const keys = path.slice(depth).filter((key) => typeof key === 'string')
  if (!isMap(map) || !map.range || keys.length < path.length - depth) return undefined
  const end = endOf(map.items.at(-1))
  if (map.flow) {
    const pair = keys.reduceRight(
      (inner, key, at) => `${yamlOf(key)}: ${at < keys.length - 1 ? `{ ${inner} }` : inner}`,
      yamlOf(value),
    )
    return end === undefined
      ? `${text.slice(0, map.range[0])}{ ${pair} }${text.slice(map.range[1])}`
      : `${text.slice(0, end)}, ${pair}${text.slice(end)}`
  }
  const [first] = map.items
  if (end === undefined || !isNode(first?.key) || !first.key.range) return undefined
  const [keyStart] = first.key.range
  const column = keyStart - (text.lastIndexOf('\n', keyStart - 1) + 1)
  const newLine = lineEndOf(text)
  const lines = keys.map((key, at) => `${' '.repeat(column + 2 * at)}${yamlOf(key)}:`).join(newLine)
  const lineEnd = text.indexOf('\n', end) + 1
  const before = lineEnd === 0 ? `${text}${newLine}` : text.slice(0, lineEnd)
  return `${before}${lines} ${yamlOf(value)}${newLine}${lineEnd === 0 ? '' : text.slice(lineEnd)}`
}

function endOf(node: unknown): number | undefined {
  if (isPair(node)) return endOf(node.value) ?? endOf(node.key)
  if (isCollection(node) && !node.flow) return endOf(node.items.at(-1))
  return isNode(node) ? node.range?.[1] : undefined
}

/** Formats a value on one line, so that it is valid in block and flow style. @param style of the previous value */
function yamlOf(value: SimpleValue, style?: Scalar['type']): string {
  const scalar = new Scalar(value)
  if (typeof value === 'string' && (style === 'QUOTE_DOUBLE' || style === 'QUOTE_SINGLE')) scalar.type = style
  const map = new YAMLMap()
  map.flow = true
  map.set('a', scalar)
  return new Document(map).toString({ lineWidth: 0 }).trimEnd().slice('{ a: '.length, -' }'.length)
}

/** Keeps the comments of entries that stay. @returns false, without a change, if there is no list of strings */
function updateStringList(document: Document, path: Path, value: unknown): boolean {
  const list = document.getIn(path, true)
  if (!isSeq(list) || !Array.isArray(value)) return false
  const previous: unknown[] = list.toJSON()
  if ([...previous, ...value].some((item) => typeof item !== 'string')) return false
  const nodes = new Map(previous.map((item, at) => [item, list.items[at]]))
  list.items = value.map((item) => nodes.get(item) ?? document.createNode(item))
  return true
}

/** Deletes a value and the parent maps that become empty. Keeps empty list entries and maps with comments. */
function deleteValue(document: Document, path: Path): void {
  if (!document.hasIn(path)) return
  document.deleteIn(path)
  for (let parent = path.slice(0, -1); typeof parent.at(-1) === 'string'; parent = parent.slice(0, -1)) {
    const map = document.getIn(parent, true)
    if (!isMap(map) || map.items.length > 0 || map.comment || map.commentBefore) return
    document.deleteIn(parent)
  }
}
