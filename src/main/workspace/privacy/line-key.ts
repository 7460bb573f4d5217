import { hash } from 'node:crypto'
import { comparableForms } from '#shared/markdown/marks.ts'

/** Returns the keys of a text's lines, without lines that many texts have in common, and its links to messages. */
export function lineKeys(text: string): string[] {
  const forms = text.split('\n').flatMap(comparableForms)
  const links = text.match(/sessions\/[\w.-]+\.jsonl:\d+/g) ?? []
  return [...forms.map((form) => hash('sha1', form, 'base64url').slice(0, 14)), ...links]
}
