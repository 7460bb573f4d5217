import { describe, expect, it } from 'vitest'
import { plainTitle } from '../../../src/renderer/lib/notes/note-titles.ts'

describe('plain titles', () => {
  it.each([
    ['[Astro](https://astro.build/)', 'Astro'],
    ['See [a (b)](x_(y)) and [[Note|label]], [[Other]]', 'See a (b) and label, Other'],
    ['**Bold** and *soft* and `code` ==marked== ~~gone~~', 'Bold and soft and code marked gone'],
    ['Title ^block-1', 'Title'],
  ])('strips Markdown from %j', (title, shown) => expect(plainTitle(title)).toBe(shown))
})
