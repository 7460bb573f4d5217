/** The kind of answer that a question asks for. */
export interface QuestionForm {
  readonly asksTime: boolean
  readonly asksNumber: boolean
  /** True if the answer is likely a name: of a person, a place, a thing. */
  readonly asksName: boolean
}

const time =
  /\bwhen\b|what (?:date|day|month|year|time)|how long|什么时候|几[月号点日]|哪[天年月]|何时|多久|いつ|何[時日月年]|언제/
const number = /how (?:many|much|often|old|big|long|far|tall)|多少|几[个次岁块]|いくつ|いくら|何[人回個円歳]|몇|얼마/
const name = /\b(?:who|whose|whom|where|which|name)\b|谁|哪里|哪儿|哪个|叫什么|誰|どこ|누구|어디/

export function questionForm(question: string): QuestionForm {
  const folded = question.toLowerCase()
  return { asksTime: time.test(folded), asksNumber: number.test(folded), asksName: name.test(folded) }
}
