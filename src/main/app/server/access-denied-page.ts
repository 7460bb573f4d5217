import { createHash } from 'node:crypto'

export type AccessDeniedReason = 'none' | 'wrong'

type Language = 'en' | 'zh-CN' | 'zh-TW'

const english = {
  title: 'This browser has no access yet',
  reason: {
    none: 'Commonplace is running but does not know this browser. Each start requires a new sign-in.',
    wrong: 'This key is wrong or has expired. Each start of Commonplace creates a new key.',
  },
  instruction: 'Open the address that the terminal printed when Commonplace started, or paste it here:',
  field: 'Address or key',
  enter: 'Enter',
  storedText: 'Nothing is lost: notes, chats and drafts are stored on this computer and are available after you enter.',
}

const textsByLanguage: Readonly<Record<Language, typeof english>> = {
  en: english,
  'zh-CN': {
    title: '此浏览器尚未登录',
    reason: {
      none: 'Commonplace 正在运行，但此浏览器还没有登录。每次启动后都需要重新登录。',
      wrong: '密钥不正确或已失效。Commonplace 每次启动都会生成新的密钥。',
    },
    instruction: '请打开 Commonplace 启动时在终端中显示的地址，或将它粘贴到这里：',
    field: '地址或密钥',
    enter: '登录',
    storedText: '笔记、对话和草稿都保存在本机，登录后即可查看，不会丢失。',
  },
  'zh-TW': {
    title: '此瀏覽器尚未登入',
    reason: {
      none: 'Commonplace 正在執行，但此瀏覽器尚未登入。每次啟動後都需要重新登入。',
      wrong: '金鑰不正確或已失效。Commonplace 每次啟動都會產生新的金鑰。',
    },
    instruction: '請開啟 Commonplace 啟動時在終端機中顯示的位址，或將它貼到這裡：',
    field: '位址或金鑰',
    enter: '登入',
    storedText: '筆記、對話和草稿都存放在本機，登入後即可檢視，不會遺失。',
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

/** No scripts, no requests; the form submits only to this server. */
export const accessDeniedPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** @param languages `Accept-Language` @param queryParameters parameters for the form */
export function accessDeniedPage(
  reason: AccessDeniedReason,
  languages: string | undefined,
  queryParameters: URLSearchParams,
): string {
  const language = preferredLanguage(languages)
  const { title, reason: reasons, instruction, field, enter, storedText } = textsByLanguage[language]
  const hidden = [...queryParameters]
    .filter(([name]) => name !== 'token')
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Commonplace</title><style>${style}</style></head>
<body><main><h1>${title}</h1><p class="${reason === 'none' ? 'why' : 'bad'}" role="status">${reasons[reason]}</p>
<p>${instruction}</p>
<form method="get">${hidden.join('')}<input name="token" aria-label="${field}" placeholder="${field}" autocomplete="off" spellcheck="false" autofocus required><button>${enter}</button></form>
<p><small>${storedText}</small></p></main></body></html>
`
}

export function keyFromInput(input: string): string {
  const trimmed = input.trim()
  return /[?&]token=([\w-]+)/.exec(trimmed)?.[1] ?? trimmed
}

/** Browsers list the preferred language first. */
function preferredLanguage(header = ''): Language {
  const tag = /\b(?:zh|en)\b[\w-]*/i.exec(header)?.[0] ?? ''
  if (/^zh-(TW|HK|MO|Hant)/i.test(tag)) return 'zh-TW'
  return /^zh/i.test(tag) ? 'zh-CN' : 'en'
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
