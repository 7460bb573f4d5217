import { createHash } from 'node:crypto'
import { hostTexts } from '#shared/i18n/host-texts.ts'
import { localeOf } from '#shared/i18n/locale.ts'

export type AccessDeniedReason = 'none' | 'wrong'

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
  languages: string,
  queryParameters: URLSearchParams,
): string {
  const language = localeOf('system', languages.split(/[,\s]+/))
  const { title, reason: reasons, instruction, field, enter, storedText } = hostTexts[language].access
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
