/**
 * The page for a browser that is not let in: what to do, in the browser's language, and a field for the key. It comes
 * without the interface (which only those get who are in), so it brings its own few styles, and it needs no script: a
 * form leads to the address that lets in.
 */
import { createHash } from 'node:crypto'

/** Why somebody stands there: with no key, with one that opens nothing, or after too many of those. */
export type DoorReason = 'none' | 'wrong' | 'wait'

type Language = 'en' | 'zh-CN' | 'zh-TW'

interface Words {
  readonly title: string
  readonly reason: Readonly<Record<DoorReason, string>>
  readonly how: string
  readonly field: string
  readonly enter: string
  readonly kept: string
}

const words: Readonly<Record<Language, Words>> = {
  en: {
    title: 'This browser is not let in yet',
    reason: {
      none: 'Commonplace runs, but does not know this browser. After each start it is let in anew.',
      wrong: 'This key opens nothing (any more): each start of Commonplace makes a new one.',
      wait: 'Too many wrong keys. Wait a minute, then try again.',
    },
    how: 'Open the address that the terminal shows where Commonplace was started, or paste it here:',
    field: 'The address, or the key in it',
    enter: 'Enter',
    kept: 'Nothing is lost: notes, conversations and drafts are on the disk of this computer, and so are there again at once.',
  },
  'zh-CN': {
    title: '此浏览器还没有获准进入',
    reason: {
      none: 'Commonplace 正在运行，但不认识这个浏览器。每次启动后都要重新获准。',
      wrong: '这个密钥不对，或者已经失效：Commonplace 每次启动都会换一个新的。',
      wait: '错误的密钥太多了。请等一分钟再试。',
    },
    how: '请打开启动 Commonplace 的终端里显示的地址，或者把它粘贴到这里：',
    field: '地址，或其中的密钥',
    enter: '进入',
    kept: '什么都没有丢失：笔记、对话和草稿都保存在这台电脑的磁盘上，进入后立刻可见。',
  },
  'zh-TW': {
    title: '此瀏覽器尚未獲准進入',
    reason: {
      none: 'Commonplace 正在執行，但不認得這個瀏覽器。每次啟動後都要重新獲准。',
      wrong: '這把金鑰不對，或已經失效：Commonplace 每次啟動都會換一把新的。',
      wait: '錯誤的金鑰太多了。請等一分鐘再試。',
    },
    how: '請開啟啟動 Commonplace 的終端機中顯示的位址，或把它貼到這裡：',
    field: '位址，或其中的金鑰',
    enter: '進入',
    kept: '什麼都沒有遺失：筆記、對話和草稿都存在這台電腦的磁碟上，進入後立刻可見。',
  },
}

const style = `
:root{color-scheme:light dark;--paper:#fdfcfa;--raised:#fff;--line:#e8e4dd;--text:#211f1c;--muted:#645e57;--accent:#3f5bd9;--on:#fff;--warning:#8f5c0c}
@media(prefers-color-scheme:dark){:root{--paper:#1a1917;--raised:#242320;--line:#35322d;--text:#ece8e1;--muted:#a19a8f;--accent:#8ea2ff;--on:#16182a;--warning:#e0b052}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;align-items:center;justify-content:center;padding:24px 16px;background:var(--paper);color:var(--text);font:15px/1.6 Inter,-apple-system,'Segoe UI',system-ui,'PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif}
:lang(zh-TW) body{font-family:Inter,-apple-system,'Segoe UI',system-ui,'PingFang TC','Microsoft JhengHei','Noto Sans CJK TC',sans-serif}
main{width:100%;max-width:480px}
h1{margin:0 0 8px;font-size:20px;line-height:1.35;font-weight:600}
p{margin:0 0 12px;overflow-wrap:anywhere}
.why{color:var(--muted)}
.bad{color:var(--warning)}
form{display:flex;flex-wrap:wrap;gap:8px;margin:0 0 20px}
input{flex:1 1 220px;min-width:0;min-height:36px;padding:0 12px;border:1px solid var(--line);border-radius:7px;background:var(--raised);color:inherit;font:inherit}
button{min-height:36px;padding:0 18px;border:0;border-radius:7px;background:var(--accent);color:var(--on);font:inherit;font-weight:500;cursor:pointer}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
small{color:var(--muted);font-size:13px}
`

/** Nothing runs, nothing is fetched, and the form leads nowhere but here. */
export const doorPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** @param kept what else the address asked for: it is asked for again with the key */
export function doorPage(reason: DoorReason, languages: string | undefined, kept: URLSearchParams): string {
  const language = preferred(languages)
  const { title, reason: reasons, how, field, enter, kept: isKept } = words[language]
  const hidden = [...kept]
    .filter(([name]) => name !== 'token')
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Commonplace</title><style>${style}</style></head>
<body><main><h1>${title}</h1><p class="${reason === 'none' ? 'why' : 'bad'}" role="status">${reasons[reason]}</p>
<p>${how}</p>
<form method="get">${hidden.join('')}<input name="token" aria-label="${field}" placeholder="${field}" autocomplete="off" spellcheck="false" autofocus required><button>${enter}</button></form>
<p><small>${isKept}</small></p></main></body></html>
`
}

/** The key itself, whether it was given alone or in the whole address. */
export function keyOf(given: string): string {
  const typed = given.trim()
  return /[?&]token=([\w-]+)/.exec(typed)?.[1] ?? typed
}

/** The first of the browser's languages that is one of ours, as it weighs them. */
function preferred(header = ''): Language {
  const wanted = header
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const weight = parameters.find((parameter) => parameter.trim().startsWith('q='))
      return { tag, weight: weight === undefined ? 1 : Number(weight.trim().slice(2)) }
    })
    .toSorted((one, other) => other.weight - one.weight)
  for (const { tag } of wanted) {
    if (/^zh-(TW|HK|MO|Hant)/i.test(tag)) return 'zh-TW'
    if (/^zh/i.test(tag)) return 'zh-CN'
    if (/^en/i.test(tag)) return 'en'
  }
  return 'en'
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
