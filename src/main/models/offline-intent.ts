/** What a message to the offline model asks for, in English and Chinese. Pure. */

export type Intention =
  | { readonly kind: 'remember'; readonly text: string }
  | { readonly kind: 'today' }
  | { readonly kind: 'greeting' }
  | { readonly kind: 'help' }
  | { readonly kind: 'question'; readonly query: string }

const remember = [
  /^(?:please\s+|can you\s+|could you\s+)?(?:remember|note|write down|make a note|keep in mind|don'?t forget)(?:\s+(?:that|this|down))?\s*[:,]?\s*(?<text>[\s\S]*)$/i,
  /^(?:请|請|麻烦你?|麻煩你?|帮我|幫我)?(?:记住|記住|记一下|記一下|记下来?|記下來?|记得|記得|备忘|備忘|别忘了|別忘了)(?:，|,|：|:|\s)*(?<text>[\s\S]*)$/,
]
const today =
  /^(?:summari[sz]e|sum up|list|show(?: me)?|what(?:'s| is| did (?:i|we) (?:note|write|do)| happened)).{0,20}\btoday\b|^(?:总结|總結|列出|看看|显示|顯示)?(?:一下)?今天(?:的|有|都|记|記|写|寫|发生|發生)/i
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
  if (today.test(text)) return { kind: 'today' }
  if (help.test(text)) return { kind: 'help' }
  if (greeting.test(text)) return { kind: 'greeting' }
  return { kind: 'question', query: text }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
