import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import ReactMarkdown from 'react-markdown'
import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkGfm from 'remark-gfm'
import { describe, expect, it } from 'vitest'

const html = (text: string, isCjk = true) =>
  renderToStaticMarkup(
    createElement(ReactMarkdown, { remarkPlugins: isCjk ? [remarkGfm, remarkCjk] : [remarkGfm] }, text),
  ).replaceAll(/^<p>|<\/p>$/g, '')

describe('bold next to Chinese, Japanese and Korean', () => {
  it.each([
    ['**“重要”**的', '<strong>“重要”</strong>的'],
    ['**“甲”**和**“乙”**的', '<strong>“甲”</strong>和<strong>“乙”</strong>的'],
    ['这是**（注）**。', '这是<strong>（注）</strong>。'],
    ['他说**「是」**了', '他说<strong>「是」</strong>了'],
    ['**テスト。**テスト', '<strong>テスト。</strong>テスト'],
    ['**한국어(Korean)**를', '<strong>한국어(Korean)</strong>를'],
    ['**`code`**的', '<strong><code>code</code></strong>的'],
    ['*“强调”*的', '<em>“强调”</em>的'],
    ['***“都”***的', '<em><strong>“都”</strong></em>的'],
    ['2 ** 3 ** 4', '2 ** 3 ** 4'],
    ['** 空 **的', '** 空 **的'],
    ['\\*\\*“字”\\*\\*的', '**“字”**的'],
    ['`**“码”**的`', '<code>**“码”**的</code>'],
  ])('renders %s', (text, shown) => {
    expect(html(text)).toBe(shown)
  })

  it('changes nothing in text without CJK characters', () => {
    const part = fc.constantFrom(
      'a',
      'b ',
      ' ',
      '*',
      '**',
      '***',
      '_',
      '__',
      '.',
      '"',
      '(',
      ')',
      '\\*',
      '`',
      '~~',
      '\n',
      '1',
      'é',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
        const text = `x${parts.join('')}`
        expect(html(text)).toBe(html(text, false))
      }),
      { numRuns: 300, seed: 7 },
    )
  })
})
