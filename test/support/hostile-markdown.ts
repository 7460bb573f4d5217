/**
 * Hostile Markdown and file names: constructs with quadratic parse time, extreme depth and size, bytes that are not
 * text, and normal documents with pieces cut, duplicated and moved. Deterministic for a seed.
 */
import { randomOf } from './random.ts'

export interface HostileDocument {
  readonly name: string
  readonly text: string
}

const many = (count: number, make: (index: number) => string, between = '') =>
  Array.from({ length: count }, (_, index) => make(index)).join(between)

/** Returns one document per construct that is known to be expensive to parse. */
export function pathologicalDocuments(): HostileDocument[] {
  const documents: Record<string, string> = {
    'a citation that cannot be decoded': 'See [x](#cite:%E0) and [y](#name:%E0%A4%A) and [z](a%.md).',
    'citations of all kinds': `[a.md:1] [a.md:1-2] [${'a'.repeat(3000)}.md:99999999999999999999] [%E0.md] [[%]] [[a|b]] [[a#b|c]]`,
    'quotes, 5,000 deep': `${'>'.repeat(5000)} x`,
    'quotes, 5,000 deep, with spaces': `${'> '.repeat(5000)}x`,
    'lists, 2,000 deep, on one line': `${'- '.repeat(2000)}x`,
    'lists, 2,000 deep': many(2000, (index) => `${'  '.repeat(index)}- x`, '\n'),
    'lists, 29 deep, 2,000 items': many(2000, (index) => `${'  '.repeat(index % 29)}- item **${index}**`, '\n'),
    'an outline of 6,000 lines under one item': `- all\n${many(6000, (index) => `${'  '.repeat(1 + (index % 6))}- item ${index}`, '\n')}`,
    'lists and quotes in turn, 3,000 deep': `${'- > '.repeat(3000)}x`,
    'numbers, 2,000 deep': `${'1. '.repeat(2000)}x`,
    'link definitions, 1,500': many(1500, (index) => `[a${index}]: https://example.com/${index}`, '\n'),
    'link definitions, 1,500, and paragraphs that use them': `${many(1500, (index) => `See [a${index}].`, '\n\n')}\n\n${many(1500, (index) => `[a${index}]: https://example.com/${index}`, '\n')}`,
    'link definitions with the same name': '[a]: b\n'.repeat(20_000),
    'uses of one definition': `[a]: b\n\n${'[a] '.repeat(30_000)}`,
    'a table of 10,000 columns': `${'|a'.repeat(10_000)}|\n${'|-'.repeat(10_000)}|\n${'|b'.repeat(10_000)}|`,
    'a table of 10,000 rows': `| a | b |\n|---|---|\n${many(10_000, (index) => `| ${index} | **x** |`, '\n')}`,
    'pipes alone': '|'.repeat(100_000),
    'lines of pipes': 'a|b\n'.repeat(30_000),
    'markers that open, 100,000': '*a '.repeat(100_000),
    'markers of three kinds': '*a**b_c~~'.repeat(20_000),
    'markers on both sides': `${'*'.repeat(50_000)}a${'*'.repeat(50_000)}`,
    'underscores within words': 'a_b'.repeat(50_000),
    'strikes that never end': '~~a '.repeat(50_000),
    'emphasis within emphasis': `${'*a **b '.repeat(900)}x${'** *'.repeat(900)}`,
    'brackets that open, 100,000': '['.repeat(100_000),
    'brackets in pairs': `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    'links within links': `${'['.repeat(5000)}a${'](b)'.repeat(5000)}`,
    'pictures within pictures': `${'!['.repeat(3000)}a${'](b)'.repeat(3000)}`,
    'links that never end': '[a](<b'.repeat(30_000),
    'link titles that never end': '[a](b "'.repeat(20_000),
    'names of notes that never end': '[['.repeat(60_000),
    'citations that never end': '[a.md:'.repeat(30_000),
    'backticks of every length': many(1500, (index) => '`'.repeat(index + 1), ' '),
    'backticks, 200,000': '`'.repeat(200_000),
    'a fence of 100,000 signs': `${'`'.repeat(100_000)}\nx\n`,
    'fences, 30,000': '```\n'.repeat(30_000),
    'fences within lists': many(2000, (index) => `- a\n  \`\`\`js\n  let x${index}\n`, '\n'),
    'code of 1 MB': `\`\`\`ts\n${many(26_000, (index) => `export const value${index} = ${index} // note`, '\n')}\n\`\`\``,
    'code of one line of 1 MB': `\`\`\`js\n${'[{"a":1},'.repeat(110_000)}\n\`\`\``,
    'code in a hundred languages': many(100, (index) => `\`\`\`lang${index}\nx = ${index}\n\`\`\``, '\n\n'),
    'closing brackets alone': ']'.repeat(20_000),
    'comments that never end, within a line': `a ${'<!-- '.repeat(8000)}`,
    'addresses one upon the other': 'a@b.c'.repeat(9000),
    'commands outside of formulas': `a ${'\\frac'.repeat(8000)} \\]`,
    'fences that are none': `\`\`\` a \` b\n${']'.repeat(8000)}\n- ~~~\n${']'.repeat(8000)}`,
    'less-than signs': '<'.repeat(100_000),
    'tags that never end': '<a href="'.repeat(20_000),
    'comments that never end': '<!-- '.repeat(50_000),
    'tags within tags': `${'<div>'.repeat(5000)}x`,
    'HTML with scripts':
      '<script>document.body.innerHTML=""</script><img src=x onerror="document.body.remove()">\n\n<style>body{display:none}</style>\n\n<iframe src="/"></iframe>',
    'addresses without end': `https://example.com/${'a/('.repeat(50_000)}`,
    'mail addresses': 'a@b.c '.repeat(20_000),
    'a mail address that never comes': 'a.'.repeat(60_000),
    'www.': 'www.'.repeat(50_000),
    'scripts in links': '[a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x) <javascript:x>',
    'a picture of 2 MB': `![a](data:image/png;base64,${'iVBORw0KGgo'.repeat(180_000)})`,
    entities: '&amp;&#x1F600;&#0;&#xD800;&nosuch;'.repeat(8000),
    escapes: '\\*\\_\\`\\[\\'.repeat(20_000),
    'lines that break': 'a  \nb\\\n'.repeat(20_000),
    'a lazy continuation of a quote': `> a\n${'b\n'.repeat(30_000)}`,
    'a heading underlined after 30,000 lines': `${'a\n'.repeat(30_000)}===`,
    'headings, 20,000': '# a\n'.repeat(20_000),
    'a heading of 200,000 spaces': `# ${' '.repeat(200_000)}x`,
    'rules, 30,000': '---\n'.repeat(30_000),
    'empty lines, 500,000': '\n'.repeat(500_000),
    tabs: `${'\t'.repeat(100_000)}x`,
    'one line of 5 MB': 'word '.repeat(1_000_000),
    'one word of 1 MB': 'x'.repeat(1_000_000),
    'one word of 300,000 emoji': '👩‍👩‍👧‍👦'.repeat(30_000),
    'marks on one letter': `a${'\u0301'.repeat(60_000)}`,
    'a paragraph of 40,000 lines': 'a line of text\n'.repeat(40_000),
    'a list of 30,000 items': many(30_000, (index) => `${index + 1}. item`, '\n'),
    'a loose list of 15,000 items': '- item\n\n'.repeat(15_000),
    'tasks, 10,000': '- [ ] do\n- [x] done\n'.repeat(5000),
    'footnotes, 3,000': `${many(3000, (index) => `x[^${index}]`, ' ')}\n\n${many(3000, (index) => `[^${index}]: note ${index}`, '\n')}`,
    'a footnote within itself': 'a[^1]\n\n[^1]: b[^1] [^2]\n[^2]: c[^1]',
    'formulas, 4,000': 'so $x_1$ is \\(y\\). '.repeat(4000),
    'a formula that never ends': '\\('.repeat(60_000),
    dollars: '$'.repeat(100_000),
    'dollars between words': '$a '.repeat(40_000),
    'macros that double': `$$\\def\\a{xxxxxxxxxx}\\def\\b{\\a\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b}\\def\\d{\\c\\c\\c\\c\\c\\c\\c\\c}\\d\\d\\d\\d\\d\\d$$`,
    'a macro of itself': '$$\\def\\a{\\a\\a}\\a$$',
    'a long macro used often': `$$\\def\\a{${'x'.repeat(900)}}${'\\a'.repeat(500)}$$`,
    'roots within roots': `$$${'\\sqrt'.repeat(400)} x$$`,
    'braces, 3,000 deep': `$$${'{'.repeat(3000)}x${'}'.repeat(3000)}$$`,
    'fractions within fractions': `$$${'\\frac{1}{'.repeat(200)}x${'}'.repeat(200)}$$`,
    'a rule of 100,000 em': '$$\\rule{100000em}{100000em} \\kern100000em x \\\\[100000em] y$$',
    'a large matrix': `$$\\begin{matrix}${'a & b & c & d \\\\ '.repeat(2000)}\\end{matrix}$$`,
    'a formula that is wrong': '$$\\frac{$$ and $$\\nosuch{a}$$ and $$}$$ and $$\\left($$',
    'control characters': many(32, (code) => `a${String.fromCharCode(code)}b`),
    'half characters': '\ud800 \udc00 [\ud800](\udc00) `\ud83d` #\ud800',
    directions: '\u202eevil\u202c \u2066[a](b)\u2069 \u200f'.repeat(2000),
    'byte order marks and separators': '\ufeff# a\u2028b\u2029c\u0085d\u0000e',
    'front matter without end': `---\n${'a: b\n'.repeat(20_000)}`,
    'returns alone': 'a\rb\r\rc\r\n'.repeat(5000),
    nothing: '',
    spaces: ' '.repeat(100_000),
  }
  return Object.entries(documents).map(([name, text]) => ({ name, text }))
}

/** Returns a normal long note of about this many characters. */
export function longNote(characters: number): string {
  const sections: string[] = []
  for (let number = 0, length = 0; length < characters; number += 1) {
    const section = [
      `## ${number}. A day in the project`,
      `We met [Ana](people/ana.md) and decided on **plan ${number}**; see [MEMORY.md:${number}] and \`npm run build\`. ${'The rest of it is written down below, in the words of the people who were there. '.repeat(3)}`,
      many(8, (index) => `- point ${index} with *some* weight\n  - and what follows from it`, '\n'),
      `| Who | What | When |\n|---|---|---|\n${many(5, (index) => `| P${index} | task ${number} | 2026-01-${10 + index} |`, '\n')}`,
      `\`\`\`ts\nexport const answer${number} = ${number}\n\`\`\``,
      `> ${'A remark that somebody made. '.repeat(4)}`,
    ].join('\n\n')
    sections.push(section)
    length += section.length + 2
  }
  return sections.join('\n\n')
}

const starts = [
  '> ',
  '- ',
  '1. ',
  '* ',
  '    ',
  '\t',
  '# ',
  '###### ',
  '- [ ] ',
  '[^1]: ',
  '[a]: ',
  '|',
  '+ ',
  '9) ',
  '',
]
const inlines = [
  '*', '**', '_', '__', '~~', '`', '``', '[', ']', '](', ')', '![', '<', '>', '</a>', '&amp;', '&#x0;', '\\', '$', '$$', '\\(', '\\)', '\\[', '\\]',
  'word', ' ', '  ', '你好', '👍🏽', 'a@b.c', 'https://x.y/%E0', 'www.a.b', '[[', ']]', '[a.md:3]', '[a]', '[^1]', '|', ':-:', '---', '===', '```', '~~~',
  '\u0000', '\u202e', '\ufeff', '\ud800', '{', '}', '\\frac', '#cite:%', '%', '<!--', '-->', '<div>', '\r',
] // oxfmt-ignore

/** Returns lines of random nested constructs, some repeated very often. */
export function randomDocument(seed: number): string {
  const random = randomOf(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const lines: string[] = []
  const count = 1 + Math.floor(random() ** 3 * 400)
  let prefix = ''
  for (let line = 0; line < count; line += 1) {
    if (random() < 0.3) prefix = random() < 0.4 ? '' : prefix.slice(0, 200) + pick(starts)
    if (random() < 0.15) lines.push('')
    let text = ''
    for (let part = Math.floor(random() * 12); part >= 0; part -= 1)
      text += pick(inlines).repeat(random() < 0.03 ? Math.floor(random() ** 4 * 8000) : 1)
    lines.push(prefix + text)
  }
  return lines.join(random() < 0.1 ? '\r\n' : '\n')
}

/** Returns odd names of Markdown files that common file systems accept; without folders. */
export function hostileNames(): string[] {
  const odd = [
    '100% done', '%', '%%', '%E0', '%E0%A4%A', '%2F', '%2e%2e', '%25', '%41', '100%25', 'a#b', '#', '#L12', 'a?b=c', '?', 'a&b=c', 'a+b', 'a b', ' a', 'a;b',
    'a\\b', '\\', "it's", '"quoted"', '`', '<b>', '<script>', 'a|b', 'a*b', 'a:b', 'a:12', '[a]', '[[a]]', '(a)', 'a]', '{a}', '{{a}}', '$&', '$1', '^', '~', '@a', 'a@b',
    '...', '..a', 'a..', '. .', '-', '--help', '-rf', 'con', 'nul', 'a\nb', 'a\tb', 'a\rb', '\u0001', '\u007f', '\u0085', '\u2028', '\u200b', '\ufeffa',
    '\u202egpj', '\u05d0\u05d1\u05d2', '\u0627\u0644', 'é', 'e\u0301', '\u00a0', '\u3000', '你好', '日本語 メモ', '👍🏽', '👩‍👩‍👧‍👦', '𝕏', 'ﬀ', 'İ', 'ß', 'ı',
    'a'.repeat(240), '長'.repeat(80), 'a.md', 'a.jsonl', '.md', 'L12', 'undefined', 'null', '__proto__', 'constructor', 'toString', 'a%0Ab', 'a%00b', 'a=b', 'a,b', 'a!', 'chat', 'file',
    'search', 'a%', '%a', 'a%zz', '%C3%28', '%F0%9F', '%u0041', '&amp;', '&lt;', '%3Cscript%3E', '..%2f', '%5c', '%23', '%3f', '%20', 'a%20b', '+%2B+', 'ａ', 'a\u0300\u0301',
  ] // oxfmt-ignore
  return odd.map((name) => `${name}.md`)
}

/** Returns the transcript of a chat with the given answers. */
export function transcriptOf(id: string, answers: readonly string[]): string {
  const timestamp = '2026-01-20T10:00:00.000Z'
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
  const lines: object[] = [{ type: 'session', version: 3, id, timestamp }]
  let parentId: string | null = null
  const add = (message: object) => {
    const entry = `m${lines.length}`
    lines.push({
      type: 'message',
      id: entry,
      parentId,
      timestamp,
      message: { ...message, timestamp: 1_768_903_200_000 },
    })
    parentId = entry
  }
  for (const text of answers) {
    add({ role: 'user', content: 'Show me' })
    add({ role: 'assistant', content: [{ type: 'text', text }], provider: 'p', model: 'm', usage, stopReason: 'stop' })
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
}
