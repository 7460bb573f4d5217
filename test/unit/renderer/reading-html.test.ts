import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../../src/renderer/markdown/parse/parse-document.ts'
import { noteHtml } from '../../support/note-html.ts'

describe('HTML in notes', () => {
  it.each([
    [
      '<table>\n<tr><td align="center" onclick="x()">a &amp; b<td colspan=2 class="y"><b>c</b>\n</table>',
      '<table><tbody><tr><td style="text-align:center">a &amp; b</td><td colSpan="2"><b>c</b>\n</td></tr></tbody></table>',
    ],
    ['<h1>One</h1>\n<h2>Two</h2>', '<h1>One</h1>\n<h2>Two</h2>'],
    ['<p>one</p>\n<p>two **plain**', '<p>one</p>\n<p>two **plain**</p>'],
    [
      '<div>\nwith <a href="https://a.b/c">link</a><br>\n</div>',
      '<div>\nwith <a href="https://a.b/c">link</a><br/>\n</div>',
    ],
    ['<div><a href="javascript:x">no</a></div>', '<div><a>no</a></div>'],
    ['<ul><li>a<li>b <ul><li>c</ul></ul>', '<ul><li>a</li><li>b <ul><li>c</li></ul></li></ul>'],
    [
      '<details open><summary>More</summary>\nwords</details>',
      '<details open=""><summary>More</summary>\nwords</details>',
    ],
    ['<pre>\na\n\n  b\n</pre>\n\n*after*', '<pre>a\n\n  b\n</pre>\n<p><em>after</em></p>'],
    ['<div>one\n\ntwo **bold**', '<div>one\n<p>two <strong>bold</strong></p></div>'],
    ['</div>', ''],
    ['<!-- a --> b', '<p> b</p>'],
    ['<td>rest</td>\n</tr>', '<table><tbody><tr><td>rest</td></tr></tbody></table>'],
    [
      '<tr><td>a</td></tr>\n<tr>\n<td>b</td>\n</tr>',
      '<table><tbody><tr><td>a</td></tr><tr><td>b</td></tr></tbody></table>',
    ],
    ['a <span style="color: red">b</span> <font color=red>c</font>', '<p>a <span>b</span> <font>c</font></p>'],
    [
      '**<u>a</u>** <code>b</code> <a href="x">c</a>',
      '<p><strong><u>a</u></strong> <code>b</code> <a href="x">c</a></p>',
    ],
    [
      '<iframe width="100%" src="https://a.b/c?d&amp;e" title="Film"></iframe>',
      '<p><web-page data-address="https://a.b/c?d&amp;e" data-label="Film"></web-page></p>',
    ],
    [
      '<video controls>\n  <source src="https://a.b/c.mp4">\nYour browser is old.\n</video>',
      '<p><web-page data-address="https://a.b/c.mp4"></web-page></p>',
    ],
    ['- <audio controls src="../files/a.mp3"></audio>', '<ul>\n<li><img src="../files/a.mp3" alt=""/></li>\n</ul>'],
    [
      '<iframe src="a.html"></iframe>',
      '<p><quiet-macro data-text="&lt;iframe src=&quot;a.html&quot;&gt;"></quiet-macro></p>',
    ],
    ['<div align="center" id="x">a</div>', '<div align="center">a</div>'],
    [
      '<details>\n<summary>More</summary>\n\n- **b** [[c]]\n\n</details>',
      '<details>\n<summary>More</summary>\n<ul>\n<li><strong>b</strong> <a href="#name:c">c</a></li>\n</ul>\n</details>',
    ],
    ['a <b data-line="1" style="color:red" class="x" onclick="y()">b</b>', '<p>a <b>b</b></p>'],
    [
      '<web-page data-address="https://a.b"></web-page> <input type="text"> <svg/onload=x>',
      '<p>&lt;web-page data-address=&quot;https://a.b&quot;&gt;&lt;/web-page&gt; &lt;input type=&quot;text&quot;&gt; &lt;svg/onload=x&gt;</p>',
    ],
    ['<img src="data:image/svg+xml,x" width="20">', '<p><img alt="|20"/></p>'],
    [
      '<form action="https://a.b">\n<input name="c">\n</form>',
      '<pre><code class="language-html">&lt;form action=&quot;https://a.b&quot;&gt;\n&lt;input name=&quot;c&quot;&gt;\n&lt;/form&gt;\n</code></pre>',
    ],
  ])('renders %j', (text, expected) => {
    expect(noteHtml(text)).toBe(expected)
  })

  it('continues code and style blocks past empty lines, but no other HTML', () => {
    const rowsOf = (text: string) => parseDocument(text).map((row) => row.text)
    expect(rowsOf('<pre>\na\n\nb\n</pre>\n\nc')).toEqual(['<pre>\na\n\nb\n</pre>', 'c'])
    expect(rowsOf('<style>\na\n\nb </style>\n\nc')).toEqual(['<style>\na\n\nb </style>', 'c'])
    expect(rowsOf('<div>\na\n\nb\n</div>')).toEqual(['<div>\na', 'b\n</div>'])
  })

  it('keeps details as one row with its Markdown and line count', () => {
    const text = '<details><summary>More</summary>\n\n\n- [a]\n\n</details>\n\n<details>\n\nopen\n\n[a]: b'
    const rows = parseDocument(text)
    expect(rows.map((row) => row.text)).toEqual([
      '<details><summary>More</summary>\n\n\n- [a]\n\n</details>\n\n[a]: b',
      '<details>',
      'open',
    ])
    expect(rows.map((row) => row.line)).toEqual([1, 8, 10])
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
