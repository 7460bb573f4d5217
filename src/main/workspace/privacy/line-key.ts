import { hash } from 'node:crypto'
import { comparableLine, isTellingLine } from '#shared/markdown/comparable-line.ts'

/** Returns the keys of a text's lines. Equal lines have equal keys. Leaves out lines that many texts have in common. */
export function lineKeys(text: string): string[] {
  return text
    .split('\n')
    .map(comparableLine)
    .filter(isTellingLine)
    .map((line) => hash('sha1', line, 'base64url').slice(0, 14))
}
