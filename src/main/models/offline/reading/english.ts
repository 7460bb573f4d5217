/** How English asks, tells and thanks; with the usual slips of the keyboard. */
import { any, type Reading } from './reading.ts'

const please = '(?:please|pls|plz|kindly)'
const remember = 'rem\\w{0,4}ber'
const this_ = '(?:this|that|it|these|those|the following|down|for me|of this|of that)'
const forget = "(?:(?:do not|don'?t|dont|never) (?:ever )?forget)"
/** A wh-word after the verb asks, unless a note is plainly announced. */
const verb = any(
  `(?:always |also )?${remember}`,
  forget,
  'not(?:e|ing)(?! ?s\\b| about\\b| on\\b| from\\b| taking\\b| to self\\b)',
  'note to self',
  '(?:write|jot|writ?ing|jotting|take|get|put) (?:this |that |it )?down',
  '(?:make|take|add|leave) (?:me )?an? (?:mental )?(?:note|memo|reminder)',
  '(?:keep|bear)(?: this| that| it)? in mind',
  'remind me',
  'memori[sz]e',
  '(?:save|log|record|store|capture)(?= (?:this|that|the following|it)\\b|:)',
  'add (?:this |that |it )?to (?:my |the |your )?(?:notes?|logs?|memory|memo|todos?|journal)',
  'for the record',
  '(?:memo|to-?do|reminder|nb|n\\.b\\.)(?=\\s*[:-])',
)
const ending = any(
  `${remember}`,
  forget,
  'note',
  'write',
  'save',
  'record',
  'log',
  'keep',
  'make a (?:mental )?note of',
  'keep in mind',
  'take note(?: of)?',
  'jot',
)
const asking = 'what|whats|when|where|who|whos|whose|whom|which|why|how|hows|wich|whats'
const auxiliary =
  "is|are|was|were|am|do|does|did|have|has|had|can|could|should|would|will|shall|may|might|isn'?t|aren'?t|wasn'?t|weren'?t|don'?t|doesn'?t|didn'?t|haven'?t|hasn'?t|can'?t|couldn'?t|shouldn'?t|won'?t"

export const english: Reading = {
  opening: new RegExp(
    `^(?:hi|hello|hey|hiya|ok|okay|so|uh|um|uhm|well|right|oh|ah|fyi|btw|also|and|then|now|just|actually|${please}|would you mind|(?:can|could|would|will) (?:you|u|ya)|(?:i(?:'d| would| just)?|we) (?:want|need|like|love) (?:you )?to|i'd like you to|let'?s|lets|there|mate|commonplace)\\b[\\s,!.:;-]*`,
    'i',
  ),
  greeting:
    /^(?:(?:hi|hello|hey|hiya|heya|yo|howdy|greetings|sup|good (?:morning|afternoon|evening|day)|morning|evening)(?: there| again| you| all| everyone| commonplace| buddy| mate)?)(?:[\s,!.]+(?:how are (?:you|u|things)|how'?s it going|what'?s up|whats up|nice to meet you)[^a-z]*)?$/i,
  thanks:
    /^(?:(?:ok|okay|great|cool|perfect|nice|awesome|super|got it|good|oh)[\s,!.]+)*(?:many thanks|thanks?|thank (?:you|u|ya)|thanx|thx|tx|ty|tysm|tyvm|cheers|much appreciated|appreciate it|appreciated|ta)\b(?:[\s,!.]+(?:a lot|so much|very much|a bunch|a million|again|mate|man|buddy|you|for (?:that|this|the help|your help|everything)|that (?:really )?(?:helped|helps|was helpful)|really|appreciate it|very helpful))*$/i,
  assent:
    /^(?:(?:ok|okay|k|kk|yes|yep|yeah|yup|no|nope|nah|sure|fine|alright|all right|right|cool|nice|great|good|perfect|awesome|wow|lol|lmao|haha+|hehe+|hm+|oh|ah|i see|got it|understood|noted|never ?mind|nvm|forget it|sounds good|makes sense|no problem|np|no worries|bye|goodbye|bye bye|see (?:you|ya)(?: later| soon| tomorrow)?|later|cya|good night|gn|that'?s all|that is all|done|stop|wait)[\s,!.]*)+$/i,
  help: /^(?:help(?: me)?|what (?:can|do) (?:you|u) do|how (?:do(?:es)? (?:this|it|you)|do i use (?:this|you)|can i use (?:this|you)) ?(?:work)?|who (?:are|r) (?:you|u)|what are you|commands|usage|instructions)$/i,
  files:
    /^(?:list|show(?: me)?|see|view|open|what|which|give me)?\s*(?:are |is )?(?:all |all of )?(?:the |my |your )?(?:files|notes|memories|memory files|documents)(?: (?:please|do (?:you|i|we) have|are there|exist|list))*$|^(?:list|show)(?: me)? (?:everything|all)$/i,
  task: /^(?:write(?! (?:this|that|it|down))|draft|compose|translate|rewrite|rephrase|proofread|explain|code|implement|generate|brainstorm|calculate|compute|convert|design|invent|imagine|tell me an? (?:joke|story|riddle|poem)|sing|play|draw|paint|make me an? (?:list|plan|picture|poem|song))\b(?! down)/i,
  save: [
    new RegExp(
      `^${verb}\\b(?:[\\s,]+${this_}\\b)*(?:[\\s,]+(?:about|to|for me|please|too|in (?:my|your) (?:notes?|memory|log)|in mind)\\b)*(?:[^\\S\\n]|[:,.!?;–—-])*\\n*(?<text>[\\s\\S]*)$`,
      'i',
    ),
    new RegExp(
      `^(?<text>[\\s\\S]+?)[\\s]*[,.;!:–—-]+\\s*(?:so |and |but )?(?:${please} |can you |could you |you should |just )*${ending}(?: ${this_})*(?: in mind)?(?: too| please| pls)?$`,
      'i',
    ),
  ],
  surelySave: /^(?:memo|to-?do|reminder|note|note to self|for the record)\s*[:-]/i,
  noteEnds: [
    [/[\s,]*(?:please|pls|plz|thanks|thank you|ok|okay)$/i, ''],
    [/\?$/, ''],
  ],
  asksForNote: new RegExp(
    `^(?:me |us |again,? |,? ?)*(?:(?:${asking})\\b|if\\b|whether\\b|the (?:name|time|day|date|thing|place|person|one|way|guy)\\b|anything\\b|something\\b)`,
    'i',
  ),
  asks: new RegExp(
    [
      '[?]\\s*$',
      `^(?:${asking})\\b`,
      `^(?:${auxiliary})\\b(?! (?:not|n't))`,
      `[,.;:] *(?:and |but |so )?(?:${asking})\\b`,
      `\\b(?:forgot(?:ten)?|forget|can'?t (?:recall|${remember})|don'?t (?:recall|know|${remember})|trying to (?:recall|${remember})|wonder(?:ing)?|not sure|no idea)\\b`,
      '^(?:tell me|find|search|look (?:up|for)|check|show(?: me)?|give me|get me|any|anything|remind me|you remember|read|open|where.?s|who.?s|what.?s|when.?s|how.?s)\\b',
    ].join('|'),
    'i',
  ),
  states:
    /^(?:i|i'm|im|i've|ive|i'll|i'd|we|we're|we've|we'll|my|our|the|it|it's|its|he|she|they|there|this|that|today|yesterday|tomorrow|everyone|someone|[a-z]+)\b.*\b(?:am|i'm|im|is|are|was|were|be|been|have|has|had|i've|we've|we're|it's|he's|she's|they're|will|won't|can't|don't|doesn't|didn't|isn't|wasn't|need|needs|want|wants|like|likes|love|loves|hate|hates|prefer|prefers|use|uses|work|works|live|lives|think|went|got|made|did|said|told|came|took|found|met|saw|gave|bought|paid|sent|wrote|chose|began|ran|ate|kept|left|lost|won|\w{2,}ed)\b/i,
  asksForLog:
    /\b(?:what|whats|what's|summari[sz]e|summary|sum up|recap|review|list|show|tell|give|anything|everything|notes?|logs?|entries|journal|look back)\b/i,
  logWords:
    /\b(?:please|pls|can|could|you|what|whats|what's|s|is|was|were|are|did|do|does|doing|done|have|has|had|been|up|to|i|we|me|us|my|our|the|a|of|from|for|on|in|at|about|all|everything|anything|things?|stuff|note|notes|noted|log|logs|logged|entries|entry|journal|diary|write|wrote|written|down|record|recorded|save|saved|say|said|tell|told|talk|talked|discuss|discussed|work|worked|working|happen|happened|happens|going|went|get|got|there|here|show|list|give|see|summari[sz]e|summary|sum|recap|review|look|back|over|during|that|day|days|again|so|ok|hey|hi|and|last|past)\b/gi,
  weekday: /\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/gi,
  weekdays: 'monday tuesday wednesday thursday friday saturday sunday',
  hollow:
    /\b(?:the|an?|of|to|in|on|at|is|are|was|were|be|been|do|does|did|have|has|had|i|you|we|they|he|she|it|my|your|our|what|whats|which|who|when|where|why|how|and|or|for|with|about|that|this|me|us|please|tell|remind|know|remember|find|search|again|any|there|s)\b/gi,
}
