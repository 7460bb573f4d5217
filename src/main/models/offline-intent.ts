/** What a message to the offline model asks for, in English and Chinese. Pure. */

export type Intention =
  | { readonly kind: 'remember'; readonly text: string }
  /** What a day's log has; `days` back from today, or a date. */
  | { readonly kind: 'day'; readonly daysBack: number; readonly date?: string }
  | { readonly kind: 'files' }
  /** Something that only a language model can do. */
  | { readonly kind: 'task' }
  | { readonly kind: 'greeting' }
  | { readonly kind: 'help' }
  | { readonly kind: 'question'; readonly query: string; readonly asks: 'when' | 'anything' }

const remember = [
  /^(?:please\s+|can you\s+|could you\s+)?(?:remember|note|write down|make a note|keep in mind|don'?t forget)(?:\s+(?:that|this|down))?\s*[:,]?\s*(?<text>[\s\S]*)$/i,
  /^(?:请|請|麻烦你?|麻煩你?|帮我|幫我)?(?:记住|記住|记一下|記一下|记下来?|記下來?|记得|記得|备忘|備忘|别忘了|別忘了)(?:，|,|：|:|\s)*(?<text>[\s\S]*)$/,
]
/** Words that ask for what was noted, before the day that is meant. */
const asksForDay =
  /^(?:please\s+)?(?:summari[sz]e|sum up|recap|list|show(?: me)?|what(?:'s| is| did (?:i|we) (?:note|write|do)| happened| was noted))\b|^(?:请|請)?(?:总结|總結|列出|看看|显示|顯示|回顾|回顧)|(?:有什么|有什麼|做了什么|做了什麼|记了什么|記了什麼|写了什么|寫了什麼|发生了什么|發生了什麼|的(?:记录|記錄|日志|日誌|笔记|筆記))/i
const days: readonly (readonly [pattern: RegExp, daysBack: number])[] = [
  [/\btoday\b|今天|今日/i, 0],
  [/\byesterday\b|昨天|昨日/i, 1],
  [/\bday before yesterday\b|前天|前日/i, 2],
]
const isoDate = /\b\d{4}-\d{2}-\d{2}\b/
const files =
  /^(?:list|show(?: me)?|what)\b.{0,12}\b(?:files|notes|memories)\b[\s?？!.。]*(?:do you have|are there|exist)?[\s?？!.。]*$|^(?:列出|显示|顯示|看看|有哪些)(?:所有|全部|我的)?(?:文件|檔案|笔记|筆記|记忆|記憶)[\s?？!。]*$/i
const task =
  /^(?:please\s+|can you\s+|could you\s+)?(?:write|draft|compose|translate|rewrite|explain|code|implement|generate|brainstorm|calculate|tell me a (?:joke|story))\b|^(?:请|請|帮我|幫我)*(?:写(?:一|个|首|篇|封)|寫(?:一|個|首|篇|封)|翻译|翻譯|改写|改寫|解释|解釋|生成|计算|計算|编(?:一|个|写)|編(?:一|個|寫)|讲个|講個)/i
const when = /\bwhen\b|\bwhat (?:day|date)\b|什么时候|什麼時候|何时|何時|哪天|几号|幾號/i
const greeting =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|你好|您好|嗨|哈[喽囉]|早上好|早安|晚上好)(?:[\s,!.。！，～~]|$)[^?？]{0,20}$/i
const help =
  /^(?:help|what can you do|how do(?:es)? (?:this|it|you) work|who are you|帮助|幫助|你能做什么|你能做什麼|你会什么|你會什麼|你是谁|你是誰)[\s?？!！.。]*$/i

export function understand(message: string): Intention {
  const text = message.trim()
  for (const pattern of remember) {
    const match = pattern.exec(text)
    // "Remember when we …?" asks; it does not tell.
    if (match && !/[?？]\s*$/.test(text))
      return { kind: 'remember', text: capitalized(match.groups?.['text']?.trim() ?? '') }
  }
  const day = dayIn(text)
  if (day) return day
  if (files.test(text)) return { kind: 'files' }
  if (help.test(text)) return { kind: 'help' }
  if (greeting.test(text)) return { kind: 'greeting' }
  if (task.test(text)) return { kind: 'task' }
  return { kind: 'question', query: text, asks: when.test(text) ? 'when' : 'anything' }
}

function dayIn(text: string): Intention | undefined {
  if (!asksForDay.test(text)) return undefined
  const date = isoDate.exec(text)?.[0]
  if (date !== undefined) return { kind: 'day', daysBack: 0, date }
  // "The day before yesterday" names yesterday too.
  const named = days.findLast(([pattern]) => pattern.test(text))
  return named && { kind: 'day', daysBack: named[1] }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
