/** Patterns of sentences that state facts, and of those that do not, for summaries without a language model. */

const interjection = [
  'hey|hi|hiya|hello|yeah|yep|yup|yes|nope?|nah|wow|whoa|woah|oh|ah+|aw+|haha\\w*|lol|omg|well|okay|ok|sure|cool|great',
  'thanks(?: a lot| so much| again)?|thank you(?: so much)?|thx|nice|awesome|amazing|absolutely|definitely|totally',
  'exactly|agreed|right|congrats|congratulations|cheers|no worries|no problem|of course|by the way|btw|anyway',
  'good (?:morning|evening|afternoon)|hallo|ja|nein|naja|na ja|ach|danke(?: dir)?|super|toll|genau|klar|übrigens',
  'guten (?:tag|morgen|abend)|嗯+|[哦噢喔]+|啊+|哇+|哈+|嗨|[你您]好|好的?|是的|[对對][啊呀的了]?|[谢謝]{2}[你您啦]?|不客[气氣]',
  '[没沒]事|[话話][说說]|はい|うん|ええ|いや|ああ|わあ|へえ|えっと|えーと|そうですね?|そうそう|ありがとう(?:ございます)?',
  'こんにちは|こんばんは|おはよう(?:ございます)?|ところで|ちなみに|네|예|응|아|오|와|음|안녕(?:하세요)?|고마워요?|감사합니다',
  '그런데|근데|참',
].join('|')
/** The name of the person addressed. A full stop can end an answer: "Yes, Berlin." */
const vocative = '[\\s,，、]+(?:\\p{Lu}\\p{L}+|man|dude|guys|everyone|all|there)(?=\\s*(?:[!！]|[,，、]\\s*\\p{L}))'

const separator = String.raw`\s*(?:(?:[,，、.。!！~～…–—:]|-\s)+\s*|$)`
const opening = new RegExp(`^(?:(?:${interjection})${separator}|(?:actually\\b|其[实實])[\\s,，、]*)`, 'iu')
const openingWithName = new RegExp(`^(?:${interjection})(${vocative})${separator}`, 'iu')

/** Removes openings without content: "Yeah, ", "Wow, Anna! ". */
export function withoutInterjections(text: string): string {
  // The word ignores the case, a name does not. V8 sometimes ignores `(?i:…)`, so the case is checked here.
  const [start = '', name = ''] = openingWithName.exec(text) ?? []
  const isName = /^[\s,，、]+(?:\p{Lu}|(?:man|dude|guys|everyone|all|there)$)/u.test(name)
  const length = isName ? start.length : (opening.exec(text)?.[0].length ?? 0)
  return length === 0 ? text : withoutInterjections(text.slice(length))
}

/** Endings without content: laughter and emoji. */
export const trailingFiller =
  /(?:[,，、]?\s*(?:\byou know|\bhaha\w*|\blol|\bxd|哈{2,}|呵{2,}|嘻{2,}|[(（]笑[)）]|ㅋ+|ㅎ+|\p{Extended_Pictographic}\p{Variation_Selector}?))+(?=[.!。！~～]*$)/iu

/** Questions, with or without a question mark. `parseIntent` recognizes further ones in English and Chinese. */
export const question =
  /^(?:what|which|who|where|why|how)\b.*\b(?:did|do|have|am|are|was|were|can|could|should|will|would) (?:i|we)\b|[?？][\s"'”’」』）)*_\p{Extended_Pictographic}]*$|(?:です|ます|でした|ました|だろう|でしょう)か[\s。.!！]*$|(?:습니까|입니까|합니까|까요|나요|인가요)[\s.!]*$/iu

/** Thanks and farewells. */
export const pleasantry =
  /^(?:thank(?:s(?! to\b)| you)\b|thx\b|ha\b|good to know\b|got it\b|alles klar\b|schönes wochenende\b|[学學]到|明白|danke\b|vielen dank|bye\b|tschüss|see you\b|take care|talk (?:to you )?(?:soon|later)|have (?:fun|a (?:nice|good|great))|good (?:night|luck)|congrat|bis (?:bald|später|morgen)|gute nacht|[谢謝]|感[谢謝]|再[见見]|拜拜|晚安|ありがと|さようなら|おやすみ|よろしく|고마|감사|안녕|잘\s?자)/iu

export const request =
  /^(?:please|pls|bitte|let me know|(?:and )?(?:one (?:more )?version|a bit |shorter|more about)|(?:tell|show) (?:me|us)\b|(?:find|search|look up|look for)\b|(?:give|show|send|write|draft|make|plan|describe|compare|recommend|suggest|explain|translate|summari[sz]e)(?: me| it| this| us)? (?:a |an |the |some|something|that |two |three |what|how|both|\w+er\b)|(?:schreib|erklär|mach|gib|zeig|empfiehl)e? (?:mir|es|das|eine?n?)\b|keep (?:me posted|it up)|[请請]|麻[烦煩]|拜托|告[诉訴]我|跟我[说說]|[查找搜](?:一[下找查]|[查找搜索])|[帮幫給给替]我)|(?:\bplease|ください|下さい|お願い(?:し|いたし)ます|해\s?줘요?|주세요|부탁\S{0,6})[\s.!。！~]*$/iu

export const firstPerson =
  /\b(?:i|im|ive|my|mine|me|we|our|ours|us|ich|mein\p{L}*|mir|mich|wir|unse?re?[mnrs]?|uns)(?!\p{L})|[我咱私僕俺]|(?<!\p{L})(?:나|내|저|제|우리)(?:는|의|가|도|에게)?(?!\p{L})/iu

export const secondPerson = /\b(?:you|your|yours|du|dein\p{L}*|dir|dich)\b|[你您]|あなた|당신/iu

export const pastTense =
  /\b(?:was|were|had|did|went|got|made|took|came|saw|met|found|bought|gave|told|said|began|ran|won|lost|left|sent|paid|ate|wrote|(?!need)\w{2,}ed|hatten?|war|waren|wurden?|habe|ging|kam)\b|[了过過]|(?:ました|でした|った|した|んだ)(?!ら)|[었았했였갔왔샀]/iu

/** Times that `parseTemporalExpressions` leaves out: in the future, or with a meaning that varies. */
export const otherTime =
  /\b(?:(?:next|this|for|since|in|every) (?:\w+ )?(?:day|week|weekend|month|year|summer|winter|spring|fall|autumn|morning|evening|\w+day)s?|tomorrow|tonight|recently|just|ago|morgen|gestern|heute|nächste\p{L}*|letzte\p{L}*|seit|jede\p{L}*)\b|[明后後今昨前去][天年日]|[下上这這每][个個]?[周週月星]|[毎来先]週|[毎来先]月|昨日|明日|어제|내일|오늘|다음|지난|매주|매일/iu

/** Words that judge and state nothing. */
export const opinions = `
amazing awesome great good nice cool fantastic wonderful incredible beautiful lovely gorgeous super fun happy glad proud excited exciting
inspiring inspiration impressive interesting perfect special sweet important crucial thankful grateful appreciate support supportive motivate
motivation positive impact difference peaceful powerful meaningful amaze experience journey moment memory enjoy cherish definitely absolutely
totally truly always luck lucky welcome better best bad worry believe true wow yeah hey congrats sound look hear pic photo sure
super toll schön gut klasse wunderbar prima gerne freut freue
太好 真好 很好 不错 太棒 真棒 厉害 开心 高兴 哈哈 加油 期待 可惜 すごい 素敵 いい 楽しみ よかった 嬉しい 좋아 좋네 좋다 대단 멋지 멋져 기뻐 재밌`
