import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../../src/renderer/markdown/parse/parse-document.ts'
import { noteHtml } from '../../support/note-html.ts'

describe('HTML in notes', () => {
  it.each([
    [
      '<table>\n<tr><td align="center" onclick="x()">a &amp; b<td colspan=2 class="y"><b>c</b>\n</table>',
      '<table><tbody><tr><td style="text-align:center">a &amp; b</td><td colSpan="2"><b>c</b>\n</td></tr></tbody></table>',
    ],
    ['<div><a href="javascript:x">no</a></div>', '<div><a>no</a></div>'],
    ['<pre>\na\n\n  b\n</pre>\n\n*after*', '<pre>a\n\n  b\n</pre>\n<p><em>after</em></p>'],
    ['a <span style="color: red">b</span> <font color=red>c</font>', '<p>a <span>b</span> <font>c</font></p>'],
    [
      '<iframe width="100%" src="https://a.b/c?d&amp;e" title="Film"></iframe>',
      '<p><web-page data-address="https://a.b/c?d&amp;e" data-label="Film"></web-page></p>',
    ],
    [
      '<iframe src="a.html"></iframe>',
      '<p><quiet-macro data-text="&lt;iframe src=&quot;a.html&quot;&gt;"></quiet-macro></p>',
    ],
    ['a <b data-line="1" style="color:red" class="x" onclick="y()">b</b>', '<p>a <b>b</b></p>'],
    ['<img src="data:image/svg+xml,x" width="20">', '<p><img alt="|20"/></p>'],
  ])('renders %j', (text, expected) => {
    expect(noteHtml(text)).toBe(expected)
  })

  it('renders deep or large HTML, or shows its source', () => {
    expect(noteHtml(`${'<div>'.repeat(5000)}x`)).toContain('&lt;div&gt;')
    const unclosed = '<font><i><u><sub><sup><b><s><kbd><var><cite>' // oxfmt-ignore
    expect(noteHtml(unclosed + '<p>x'.repeat(2000))).toContain('&lt;font&gt;')
  })

  it('splits a long HTML table between rows into tables', () => {
    const row = '<tr>\n<td>a <b>b</b> <a href="https://a.b/c">c</a></td>\n<td>d</td>\n</tr>'
    const rows = parseDocument(`<table>\n${Array.from({ length: 400 }, () => row).join('\n')}\n</table>`)
    expect(rows.length).toBeGreaterThan(3)
    for (const { text } of rows.slice(1)) expect(text).toMatch(/^<tr>/)
    for (const { text } of rows) expect(noteHtml(text)).toMatch(/^<table>(?:<tbody>)?<tr>[^]*<\/table>\s*$/)
  })
})
