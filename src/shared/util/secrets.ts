/** Recognises passwords, keys, card numbers and account numbers. All patterns run in linear time. */

export type SecretKind = 'key' | 'password' | 'card' | 'account'

const privateKey = /-----(?:BEGIN|END) (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/
/** Keys with `sk-` must have a digit, because names of packages begin like this too. */
const knownKey =
  /(?<![\w-])(?:sk-(?=[\w-]{0,60}\d)[\w-]{20,}|[srp]k_(?:live|test)_\w{10,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|A[KS]IA[A-Z\d]{16}(?!\w)|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|AIza[\w-]{30,}|hf_[A-Za-z]{30,}|npm_[A-Za-z\d]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|AGE-SECRET-KEY-1\w{20,}|cp-[\w-]{43}(?![\w-])|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})/
const assignment =
  /(?<![A-Za-z\d])[A-Z\d_]{0,40}(?:API_?KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|ACCESS_KEY|PRIVATE_KEY)(?:_[A-Z\d_]{1,40})?=["']?([^\s"'$<>[\](){}*…]{6,})/
const labelledKey =
  /\b(?:api|access|secret|auth|client|bearer|private)[ _-]?(?:key|token|secret)["'`]?\s{0,3}(?:[:：=]|\bis\b)\s{0,3}["'`]?(?=[+/.~=-]{0,9}[\w+/.~=-]{0,60}\d)([\w+/.~=-]{16,})/i
const labelledPassword =
  /(?:\b(?:pass(?:word|wd|code|phrase|wort)|pwd?|contraseña|kennwort|mot de passe)\b|passwor[dt]\b|密码|密碼|口令|パスワード|비밀번호)["'`]?\s{0,3}(?:([:：=])|(is\b|ist\b|lautet\b|es\b|est\b|是|为|為|は))?\s{0,3}(.{0,200})/iu
const phrase =
  /(?:\b(?:pass|seed|recovery) ?phrase\b|助记词|助記詞)\s{0,3}(?:[:：=]|is\b|是|为|為)\s{0,3}["'`]?(?:\p{Ll}{3,10}[ ,]{1,2}){3,}\p{Ll}{3,10}/iu
const pin =
  /(?:\b(?:PINs?|[Pp]in)(?:[- ](?:code|number))?\s{0,3}(?:[:：=]|is\b|ist\b|lautet\b|是|为|為)|\bPIN|\bCV[VC]2?\b\s{0,3}[:：=]?|暗証番号\s{0,3}[:：=は]?|(?:密码|密碼|비밀번호|\b[Pp]in code)\s{0,3})\s{0,3}\d(?:[ -]?\d){2,7}(?![\d\p{L}-])/u
const codeNames =
  'access|alarm|backup|bike|building|door|entry|garage|gate|house|lock|locker|padlock|recovery|safe|security|unlock|verification'
const chineseCodeNames = '[门門]禁[码碼]|[开開]门[码碼]|恢[复復][码碼]|解[锁鎖][码碼]|[验驗][证證][码碼]|密[码碼]'
/** A code in a sentence: "alarm code 8832 for the house", "PIN for the bank card 4471". The groups are verb and code. */
const statedCode = new RegExp(
  `(?:\\b(?:${codeNames})(?: lock)? codes?\\b|\\b(?:PIN|passcode|combination)\\b|${chineseCodeNames})` +
    '[^.!?。！？]{0,40}?((?:\\bis|[:：=是])\\s*)?(?<!\\d:|[\\w.,/€$£¥+-])((?=[\\w-]{0,24}\\d)[\\w-]{3,24})' +
    '(?![\\w%/]|[.,:]\\d| ?[€年月天次位个岁])',
  'iu',
)
/** "The code for the bike shed is 4519". */
const codeOfThing = /\b[Cc]ode (?:for|to|of) (?:the|my|our) [\w ]{2,24} is \d{3,8}(?=[.,;!?)]|$)/
/** A year, a date, a count or a measure. */
const notACode =
  /^(?:(?:19|20)\d\d(?:-\d+)*|\d+(?:st|nd|rd|th|kg|km|cm|mm|ml|am|pm|min|h|x|gb|mb)|\d+-\d{1,2}|\D{1,3}\d)$/i
/** "The wifi password at the office is lamp-77". */
const statedPassword =
  /(?:\b(?:[Pp]ass(?:word|code|phrase)|(?:network|wifi|Wi-Fi) key)\b|密[码碼]|口令)[^.!?。！？]{0,50}?(?:[:：]|\bis now\b|\bis\b|\bto\b|是|为|為|改成|[换換]成)\s{0,3}["'“「]?([!-~]{4,40})/u
const addressWithPassword = /\b[a-z][a-z+.-]{1,20}:\/\/[^\s:/@]{1,60}:[^\s/@]{3,100}@[\w.-]/i
const cardNumber = /(?<![\w.,+-])\d(?:[ -]?\d){12,18}(?![\w-]|[,.]\d)/g
const cardPrefix = /^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12}|62\d{14,17})$/
const accountNumber = /(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,4})?(?!\w)/g
const placeholder =
  /^(?:1password|your|my[-_]|x+$|\.+$|\[|<|\$|process\.|none|null|true|false|undefined|unknown|required|optional|https?:)|example|changed?|placeholder|bitwarden|keepass/i

/** Returns the lines (0-based) that look like secrets. The kind of an account number (IBAN) is `account`. */
export function secretsIn(text: string): { readonly kind: SecretKind; readonly line: number }[] {
  let isInKey = false
  return text.split(/\r?\n/).flatMap((lineText, line) => {
    const isKey = privateKey.test(lineText) || (isInKey && continuesKey(lineText))
    isInKey = isKey && !lineText.includes('-----END ')
    const kind = isKey ? 'key' : kindOf(lineText)
    return kind ? [{ kind, line }] : []
  })
}

/** Returns false for prose. A line of a key can have marks of a quote, list or patch, and a header such as `Proc-Type: `. */
function continuesKey(line: string): boolean {
  return !/\S /.test(line.replace(/^[>+ -]*|[\w-]*: /g, ''))
}

function kindOf(line: string): SecretKind | undefined {
  const value = assignment.exec(line)?.[1] ?? labelledKey.exec(line)?.[1]
  if (knownKey.test(line) || (value !== undefined && !placeholder.test(value))) return 'key'
  if (pin.test(line) || phrase.test(line) || addressWithPassword.test(line) || hasPassword(line) || statesSecret(line))
    return 'password'
  if (line.match(cardNumber)?.some((number) => isCard(number.replaceAll(/\D/g, '')))) return 'card'
  if (line.match(accountNumber)?.some((number) => isAccount(number.replaceAll(' ', '')))) return 'account'
  return undefined
}

/** Returns true for a sentence that states a code or a password. */
function statesSecret(line: string): boolean {
  if (codeOfThing.test(line)) return true
  const [, verb, code = ''] = statedCode.exec(line) ?? []
  // A year after "is" can be a code. In 密码用 argon2 加密, the value is no code.
  const isCode = (verb !== undefined || !notACode.test(code)) && (/^[\d-]+$/.test(code) || !/密[码碼]/.test(line))
  if (code !== '' && isCode && !placeholder.test(code)) return true
  const password = statedPassword.exec(line)?.[1]?.replace(/[.,;:!?)"']+$/, '') ?? ''
  return password.length >= 4 && /\d/.test(password) && !notACode.test(password) && !placeholder.test(password)
}

function hasPassword(line: string): boolean {
  const [, colon, verb, rest = ''] = labelledPassword.exec(line) ?? []
  const isStated = (colon ?? verb) !== undefined
  const quoted = /^["'`“「]([^\s"'`”」]{4,})["'`”」]/.exec(rest)?.[1]
  const value = quoted ?? /^[!-~]+/.exec(rest)?.[0].replace(/[.,;:!?)]+$/, '') ?? ''
  if (value.length < 4 || placeholder.test(value)) return false
  if (isStated && (quoted !== undefined || /\d/.test(value))) return true
  // Without a colon or verb, the value needs a letter and a digit, and is no path or call.
  if (!isStated) return /^\w[^/(]{5,}$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value)
  // A value without a digit must end the line, as in a form.
  return colon !== undefined && rest.trim() === value && value.length >= 6
}

/** Luhn's checksum. @param digits without spaces */
function isCard(digits: string): boolean {
  const values = [...digits].reverse().map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2))
  const sum = values.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return cardPrefix.test(digits) && sum % 10 === 0
}

/** Tests the checksum of ISO 13616. @param number IBAN without spaces */
function isAccount(number: string): boolean {
  const digits = [...(number.slice(4) + number.slice(0, 4))].map((character) => Number.parseInt(character, 36)).join('')
  return number.length >= 15 && number.length <= 34 && BigInt(digits) % 97n === 1n
}
