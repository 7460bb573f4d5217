/** How English asks, tells and thanks; with the usual slips of the keyboard. */
import { any, type Reading } from './reading-patterns.ts'

const please = '(?:please|pls|plz|kindly)'
const remember = 'rem\\w{0,4}ber'
const this_ = '(?:this|that|it|these|those|the following|down|for me|of this|of that)'
const forget = "(?:(?:do not|don'?t|dont|never) (?:ever )?forget)"
const keepSomewhere =
  '(?:keep|save|store|put|note|write) (?:this|that|it)(?: down)? (?:somewhere|some place|someplace)(?: safe)?'
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
  keepSomewhere,
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
  keepSomewhere,
)
/** Said before what is to be forgotten, and no part of it. */
const thing =
  '(?:(?:about|the|my|all|any|every)\\s+)*(?:(?:notes?|entry|entries|lines?|everything|anything|stuff) (?:about|on|of|with|regarding)\\s+)?(?:(?:the|my)\\s+)*'
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
    /^(?:(?:ok|okay|k|kk|yes|yep|yeah|yup|no|nope|nah|sure|fine|alright|all right|right|cool|nice|great|good|perfect|awesome|wow|lol|lmao|haha+|hehe+|hm+|oh|ah|i see|got it|understood|noted|never ?mind|nvm|forget it|sounds good|makes sense|no problem|np|no worries|bye|goodbye|bye bye|see (?:you|ya)(?: later| soon| tomorrow)?|later|cya|good night|gn|that'?s all|that is all|done|stop|wait|(?:that|this|it)(?:'?s| is| was) (?:really |very |so |just |all )?(?:great|good|nice|cool|perfect|awesome|amazing|wonderful|lovely|brilliant|fantastic|helpful|right|fine))[\s,!.]*)+$/i,
  help: /^(?:help(?: me)?|(?:so |and )?what (?:all )?(?:can|do|could) (?:you|u) (?:do|help(?: me)? with)(?: for me| here)?|what are you able to do|what can i (?:do|ask|say)(?: here| you)?|how can you help(?: me)?|how (?:do(?:es)? (?:this|it|you)|do i use (?:this|you)|can i use (?:this|you)) ?(?:work)?|who (?:are|r) (?:you|u)|what are you|commands|usage|instructions)$/i,
  files:
    /^(?:list|show(?: me)?|see|view|open|what|which|give me)?\s*(?:are |is )?(?:all |all of )?(?:the |my |your )?(?:files|notes|memories|memory files|documents)(?: (?:please|do (?:you|i|we) have|are there|exist|list))*$|^(?:list|show)(?: me)? (?:everything|all)$/i,
  task: /^(?:write(?! (?:this|that|it|down))|draft|compose|translate|rewrite|rephrase|proofread|explain|code|implement|generate|brainstorm|calculate|compute|convert|design|invent|imagine|tell me an? (?:joke|story|riddle|poem)|sing|play|draw|paint|make me an? (?:list|plan|picture|poem|song))\b(?! down)/i,
  clock: new RegExp(
    `^(?=.*\\b(?:time|date|day|weekday|year)\\b)(?:(?:do you know|tell me|give me|what'?s|what is|what|whats|which|the|current|exact|today'?s|todays|time|date|day|weekday|month|year|is|was|will|be|it|now|today|right|of|week|at|moment|currently|here|we|have|are|in|on|again|s|please|pls|me|to|know|i|need|want)\\b|@|[\\s,']+)+$|^is (?:it|today) (?:already )?(?:a )?\\w+day(?: today| @)?$`,
    'i',
  ),
  amend: [
    new RegExp(
      `^(?:forget|delete|remove|erase|wipe|unlearn|unremember|strike|scratch|discard|get rid of|undo)\\b(?!\\s+(?:it|about it)?$)\\s*${thing}(?<text>.*?)(?:[\\s,]+(?:${please}|thanks|thank you|for me|again|now))*$`,
      'i',
    ),
    /^(?:change|update|correct|edit|modify|replace|rename|amend|overwrite)\s+(?=(?:my|the|that|this|your|our|what|it|all|every|note|line|entry)\b)(?<text>.+?)(?:\s+(?:in|from) (?:your|my|the) (?:memory|notes?|logs?))?(?:\s+(?:to|with|into|so that|from)\b.*)?$/i,
    /^(?:take|cross|strike|leave) (?<text>.+?) (?:out|off)(?: (?:of|from)? ?(?:your|my|the) (?:memory|notes?|logs?|list))?$/i,
  ],
  pointing:
    /^(?:(?:that|this|it|these|those)(?: (?:last|latest))?(?: (?:one|note|entry|line|thing|bit))?|(?:last|latest|previous)(?: (?:one|note|entry|line|thing|bit))?|note|entry|line|(?:what|that|the thing|thing) (?:i|you) (?:(?:have|had) )?just (?:said|told you|noted|wrote|saved)(?: down)?)$/i,
  notThis: new RegExp(
    `^(?:${please}\\s+)?(?:(?:don'?t|do not|dont|never|no need to|you (?:don'?t|do not) (?:have|need) to) (?:ever )?(?:remember|note|save|keep|record|write|log|store|memori[sz]e|jot|put)(?: down)? (?:a (?:note|record) of )?(?:this|that|it|these|those|any of (?:this|that|it)|the following|what i)\\b|(?:keep|leave) (?:this|that|it) (?:off the record|out of (?:your|my|the) (?:memory|notes?|logs?))|(?:(?:this|that|what i said) (?:is|was|stays) )?off the record|(?:this|that) (?:should not|shouldn'?t|must not|need not|needn'?t|is not to) be (?:noted|saved|kept|remembered|stored|recorded|written))|[,.;:–—-]\\s*(?:but |so |and )?(?:${please} )?(?:don'?t|do not|dont|no need to) (?:remember|note|save|keep|record|write|log|store|memori[sz]e)(?: (?:this|that|it))?(?: down)?$|[,.;:–—-]\\s*off the record$`,
    'i',
  ),
  count:
    /^(?:(?:do you know|tell me) )?(?:how many|(?:what'?s|what is|tell me|give me) the (?:total )?(?:number|count|amount) of|(?:total )?number of|count)\s+(?:(?:of|all|my|the|different|separate)\s+)*(?:notes?|files?|entries|memories|documents|logs?|things)\b(?:\s+(?:do|does|have|has|are|did|i|you|we|there|in|my|the|your|memory|got|stored|saved|kept|written|made|noted|so|far|now|currently|total|all|together|of|mine))*$/i,
  digest:
    /^(?:(?:summari[sz]e|sum up|recap|review|condense|digest|go over|(?:give|show|tell)(?: me)? (?:an? )?(?:short |quick |brief )?(?:summary|overview|digest|recap|rundown) of|(?:an? )?(?:summary|overview|recap|digest) of)\s+(?:(?:all|of|my|the|your|everything in|what'?s in)\s+)*(?:notes?|memory|memories|files|logs?|journal|diary)(?: (?:please|for me|so far|you have|i have|i made))*|(?:give me )?(?:a )?(?:summary|overview|recap) of (?:everything|all|what)(?: that)?(?: (?:you have|i have|i|you|was|i've|you've))? (?:noted|saved|told you|know|written(?: down)?)|what do (?:all )?my notes say|what(?:'?s| is) (?:written )?in (?:all )?(?:your|my|the) (?:memory|notes)|what have i (?:noted|told you|saved|written)(?: down)?(?: so far)?|what (?:all )?do you (?:know|remember|have)(?: so far)?|what(?: all)? have you (?:noted|saved|stored|remembered|got)(?: so far)?)$/i,
  aboutMe:
    /^(?:(?:(?:so |and )?what|tell me|show me)(?: (?:do|all|else|exactly|that|everything|what|have|things|facts))* (?:you|u|ya)(?: (?:know|remember|have|noted|learned|learnt|stored|saved|kept|got|on file|written|down|already|so far))+ (?:about|on|of) (?:me|myself)(?: so far| already| now)?|who am i|what(?:'?s| is) (?:in )?my profile|tell me about (?:me|myself)|(?:summari[sz]e|describe) me|what am i like)$/i,
  plan: /\b\d{1,2}(?::\d{2}|\s?[ap]\.?m)\b|\b(?:at|by|from) \d{1,2}\b|\b(?:noon|midnight|meeting|call|lunch|dinner|appointment|dentist|doctor|flight|interview|exam|deadline|review|party)\b/i,
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
  turns: new RegExp(
    `[,;]?\\s+(?:and|but|so|also|then|btw|by the way|plus)[,\\s]+(?=(?:also |then |please )?(?:(?:can|could|would|will) (?:you|u)\\b|tell me\\b|do you know\\b|(?:${asking})\\b))|,\\s*(?=(?:can|could|would|will) (?:you|u) (?:also |please )?(?:tell|find|look|check|show|remind)\\b)`,
    'gi',
  ),
  states:
    /^(?:i|i'm|im|i've|ive|i'll|i'd|we|we're|we've|we'll|my|our|the|it|it's|its|he|she|they|there|this|that|today|yesterday|tomorrow|everyone|someone|[a-z]+)\b.*\b(?:am|i'm|im|is|are|was|were|be|been|have|has|had|i've|we've|we're|it's|he's|she's|they're|will|won't|can't|don't|doesn't|didn't|isn't|wasn't|need|needs|want|wants|like|likes|love|loves|hate|hates|prefer|prefers|use|uses|work|works|live|lives|think|went|got|made|did|said|told|came|took|found|met|saw|gave|bought|paid|sent|wrote|chose|began|ran|ate|kept|left|lost|won|\w{2,}ed)\b|^(?:i'm|im|i've|i'll|we're|we've|we'll|he's|she's|they're)\b/i,
  asksForLog:
    /\b(?:what|whats|what's|summari[sz]e|summary|sum up|recap|review|list|show|tell|give|anything|everything|notes?|logs?|entries|journal|look back)\b/i,
  logWords:
    /\b(?:please|pls|can|could|you|what|whats|what's|s|is|was|were|are|did|do|does|doing|done|have|has|had|been|up|to|i|we|me|us|my|our|the|a|of|from|for|on|in|at|about|all|everything|anything|things?|stuff|note|notes|noted|log|logs|logged|entries|entry|journal|diary|write|wrote|written|down|record|recorded|save|saved|say|said|tell|told|talk|talked|discuss|discussed|work|worked|working|happen|happened|happens|going|went|get|got|there|here|show|list|give|see|summari[sz]e|summary|sum|recap|review|look|back|over|during|that|day|days|again|so|ok|hey|hi|and|last|past)\b/gi,
  weekday: /\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/gi,
  weekdays: 'monday tuesday wednesday thursday friday saturday sunday',
  hollow:
    /\b(?:the|an?|of|to|in|on|at|is|are|was|were|be|been|do|does|did|have|has|had|i|you|we|they|he|she|it|my|your|our|what|whats|which|who|when|where|why|how|and|or|for|with|about|that|this|me|us|please|tell|remind|know|remember|find|search|again|any|there|s)\b/gi,
}
