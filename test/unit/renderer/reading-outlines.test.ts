/** Logseq's tab-indented outlines keep their depth in the preview, wherever they are split. */
import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../../src/renderer/markdown/parse/parse-document.ts'
import { noteHtml } from '../../support/note-html.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'

/** Returns the rendered depth of each `item 1`. */
function depthsOf(parts: readonly { readonly text: string; readonly depth?: number }[]): Map<string, number> {
  const depths = new Map<string, number>()
  for (const { text, depth: above = 0 } of parts) {
    let depth = above
    for (const [found] of noteHtml(text).matchAll(/<[ou]l\b|<\/[ou]l>|item \d+/g)) {
      if (found.startsWith('item')) depths.set(found, depth)
      else depth += found.startsWith('</') ? -1 : 1
    }
  }
  return depths
}

function outline(random: () => number, count: number, isBelowHeadings: boolean) {
  const lines: string[] = []
  const expected = new Map<string, number>()
  let depth = 0
  for (let number = 0; number < count; number += 1) {
    if (isBelowHeadings && number % 40 === 0) {
      lines.push(`## Part ${number}`, 'id:: 692d8283-7f1d-44cf-81b0-bb25c469a64e')
      depth = 0
    } else depth = number === 0 ? 0 : Math.min(6, Math.floor(random() * (depth + 2)))
    const indent = '\t'.repeat(depth + Number(isBelowHeadings))
    lines.push(`${indent}- item ${number} with **some** words and [[a link]]`)
    if (random() < 0.2) lines.push(`${indent}  and a line more`)
    if (random() < 0.1) lines.push(`${indent}  \`\`\`js`, `${indent}  - code`, `${indent}  \`\`\``)
    expected.set(`item ${number}`, depth + 1)
  }
  return { text: lines.join('\n'), expected }
}

describe('tab-indented outlines', () => {
  it.each([
    ['a list', false],
    ['lists below headings without a bullet', true],
  ])('%s: every item keeps its depth, also when a long outline is split', (_, isBelowHeadings) => {
    const random = seededRandom()
    for (const count of [12, 300, 900].slice(0, rounds(2, 3))) {
      const { text, expected } = outline(random, count, isBelowHeadings)
      const rows = parseDocument(text)
      if (count > 100) expect(rows.length).toBeGreaterThan(3)
      expect(depthsOf(rows)).toEqual(expected)
      if (!isBelowHeadings) expect(depthsOf(parseDocument(text, 'answer'))).toEqual(expected)
      // The rows together have all lines.
      expect(rows.reduce((sum, row) => sum + row.text.split('\n').length, 0)).toBe(text.split('\n').length)
    }
  })

  it.each([
    ['## A\n\t- b\n\t\t- c', '<h2>A</h2>\n<ul>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>'],
    ['text\n\t- b', '<p>text</p>\n<ul>\n<li>b</li>\n</ul>'],
    ['- a\n# B\n\t1. c', '<ul>\n<li>a</li>\n</ul>\n<h1>B</h1>\n<ol>\n<li>c</li>\n</ol>'],
    // After an empty line, or without a list marker, it is a code block.
    ['## A\n\n\t- b', '<h2>A</h2>\n<pre><code>- b\n</code></pre>'],
    ['```\na\n\t- b\n```', '<pre><code>a\n\t- b\n</code></pre>'],
  ])('renders %j', (text, expected) => {
    const rows = parseDocument(text)
    expect(rows.map((row) => noteHtml(row.text)).join('\n')).toBe(expected)
  })
})
