function any(...patterns: readonly string[]): string {
  return `(?:${patterns.join('|')})`
}

const please = '(?:please|pls|plz|kindly)'
const remember = 'rem\\w{0,4}ber'
const pointed = '(?:this|that|it|these|those|the following|down|for me|of this|of that)'
const forget = "(?:(?:do not|don'?t|dont|never) (?:ever )?forget)"
const keepSomewhere =
  '(?:keep|save|store|put|note|write) (?:this|that|it)(?: down)? (?:somewhere|some place|someplace)(?: safe)?'
const saveVerb = any(
  `(?:always |also )?${remember}|${forget}|${keepSomewhere}|note to self|remind me|memori[sz]e|for the record`,
  'not(?:e|ing)(?! ?s\\b| about\\b| on\\b| from\\b| taking\\b| to self\\b)',
  '(?:write|jot|writ?ing|jotting|take|get|put) (?:this |that |it )?down',
  '(?:make|take|add|leave) (?:me )?an? (?:mental )?(?:note|memo|reminder)|(?:keep|bear)(?: this| that| it)? in mind',
  '(?:save|log|record|store|capture)(?= (?:this|that|the following|it)\\b|:)',
  'add (?:this |that |it )?to (?:my |the |your )?(?:notes?|logs?|memory|memo|todos?|journal)',
  '(?:memo|to-?do|reminder|nb|n\\.b\\.)(?=\\s*[:-])',
)
const saveEnd = `(?:${remember}|${forget}|${keepSomewhere}|note|write|save|record|log|keep|jot|keep in mind|make a (?:mental )?note of|take note(?: of)?)`
const noteVerb = '(?:remember|note|save|keep|record|write|log|store|memori[sz]e|jot|put)'
const refuse = "(?:don'?t|do not|dont|never|no need to|you (?:don'?t|do not) (?:have|need) to)(?: ever)?"
const asking = 'what|whats|when|where|who|whos|whose|whom|which|why|how|hows|wich'
const auxiliary =
  "is|are|was|were|am|do|does|did|have|has|had|can|could|should|would|will|shall|may|might|isn'?t|aren'?t|wasn'?t|weren'?t|don'?t|doesn'?t|didn'?t|haven'?t|hasn'?t|can'?t|couldn'?t|shouldn'?t|won'?t"

export const english = {
  /** Said before what is meant; taken off the beginning, again and again. */
  opening: new RegExp(
    `^(?:hi|hello|hey|hiya|ok|okay|so|uh|um|uhm|well|right|oh|ah|fyi|btw|also|and|then|now|just|actually|${please}|would you mind|(?:can|could|would|will) (?:you|u|ya)|(?:i(?:'d| would| just)?|we) (?:want|need|like|love) (?:you )?to|i'd like you to|let'?s|lets|there|mate|commonplace)\\b[\\s,!.:;-]*`,
    'i',
  ),
  /** Of a whole sentence: a greeting, thanks, yes and no, good-bye, or a question about this model itself. */
  civil:
    /^(?:(?:hi|hello|hey|hiya|heya|yo|howdy|there|again|all|everyone|commonplace|mate|man|buddy|good|morning|afternoon|evening|day|night|3q|how are (?:you|u|things)|how'?s it going|what'?s up|thanks?|thank (?:you|u)|thx|ty|tysm|cheers|appreciated|a lot|so much|very much|for (?:that|the help|your help)|(?:(?:that|this|it)(?:'s| is| was)? )?(?:really |very |so )?(?:helped|helpful|great|cool|perfect|nice|awesome|fine|good)|ok|okay|k|yes|yep|yeah|yup|no|nope|nah|sure|alright|right|wow|lol|haha+|hm+|oh|ah|i see|got it|understood|never ?mind|nvm|sounds good|makes sense|no problem|np|bye|goodbye|see you|later|that'?s all|done|stop|wait|help(?: me)?)(?=$|\W)[\s,!.:;)]*)+$|^what (?:all )?(?:can|do|could) (?:you|u) (?:do|help(?: me)? with)(?: for me)?$|^how can you help(?: me)?$|^how (?:do|does|can) (?:this|it|you|i use (?:this|you)) ?(?:work)?$|^(?:who|what) (?:are|r) (?:you|u)$/i,
  /** Something that only a language model can do, or that the user does in the files. */
  command:
    /^(?:(?:write|draft|compose|translate|rewrite|rephrase|proofread|explain|generate|calculate|convert|invent|sing|draw|paint|make|summari[sz]e|recap|list|delete|remove|erase|forget|unlearn|change|update|edit|correct|replace|rename)\s+(?:an?|the|my|your|me|this|that|these|what|all|every\w*|files|notes)\b|tell me an? (?:joke|story|riddle|poem)\b|explain\b|translate\b|write code\b)/i,
  /** What is said is not to be kept. */
  notThis: new RegExp(
    `^(?:${please}\\s+)?(?:${refuse} ${noteVerb}(?: down)? (?:a (?:note|record) of )?(?:this|that|it|these|those|any of (?:this|that|it)|the following|what i)\\b|forget (?:this|that|it|what i (?:just )?said)$|(?:(?:this|that|what i said) (?:is|was|stays) )?off the record|(?:this|that) (?:should not|shouldn'?t|must not|need not|needn'?t|is not to) be (?:noted|saved|kept|remembered|stored|recorded|written))|[,.;:–—-]\\s*(?:but |so |and )?(?:${please} )?(?:${refuse} ${noteVerb}(?: (?:this|that|it))?(?: down)?|off the record)$`,
    'i',
  ),
  /** Ways to have something noted; the group `text` is what. Tried in order. */
  save: [
    new RegExp(
      `^${saveVerb}\\b(?:[\\s,]+${pointed}\\b)*(?:[\\s,]+(?:about|to|for me|please|too|in (?:my|your) (?:notes?|memory|log)|in mind)\\b)*(?:[^\\S\\n]|[:,.!?;–—-])*\\n*(?<text>[\\s\\S]*)$`,
      'i',
    ),
    new RegExp(
      `^(?<text>[\\s\\S]+?)[\\s]*[,.;!:–—-]+\\s*(?:so |and |but )?(?:${please} |can you |could you |you should |just )*${saveEnd}(?: ${pointed})*(?: in mind)?(?: too| please| pls)?$`,
      'i',
    ),
  ],
  /** In what looks like a note to save: it is asked for. */
  asksForNote: new RegExp(
    `^(?:me |us |again,? |,? ?)*(?:(?:${asking})\\b|if\\b|whether\\b|the (?:name|time|day|date|thing|place|person|one|way|guy)\\b|anything\\b|something\\b)`,
    'i',
  ),
  /** A question, or a request to look something up. */
  asks: new RegExp(
    any(
      `[?]\\s*$|^(?:${asking})\\b|[,.;:] *(?:and |but |so )?(?:${asking})\\b|^(?:${auxiliary})\\b(?! (?:not|n't))`,
      `\\b(?:forgot(?:ten)?|forget|(?:can'?t|don'?t|trying to) (?:recall|know|${remember})|wonder(?:ing)?|not sure|no idea)\\b`,
      '^(?:tell me|find|search|look (?:up|for)|check|show(?: me)?|give me|get me|any|anything|remind me|you remember|read|open|where.?s|who.?s|what.?s|when.?s|how.?s)\\b',
    ),
    'i',
  ),
  states:
    /^(?:i|i'm|im|i've|ive|i'll|i'd|we|we're|we've|we'll|my|our|the|it|it's|its|he|she|they|there|this|that|today|yesterday|tomorrow|everyone|someone|[a-z]+)\b.*\b(?:am|i'm|im|is|are|was|were|be|been|have|has|had|i've|we've|we're|it's|he's|she's|they're|will|won't|can't|don't|doesn't|didn't|isn't|wasn't|need|needs|want|wants|like|likes|love|loves|hate|hates|prefer|prefers|use|uses|work|works|live|lives|think|went|got|made|did|said|told|came|took|found|met|saw|gave|bought|paid|sent|wrote|chose|began|ran|ate|kept|left|lost|won|\w{2,}ed)\b|^(?:i'm|im|i've|i'll|we're|we've|we'll|he's|she's|they're)\b/i,
  /** With `hollow`, what there is beside the time in a message that asks for the notes of a day. */
  logWords:
    /\b(?:pls|can|could|what's|doing|done|up|me|us|from|all|everything|anything|things?|stuff|notes?|noted|log|logs|logged|entries|entry|journal|diary|write|wrote|written|down|record|recorded|save|saved|say|said|told|talk|talked|discuss|discussed|work|worked|working|happen|happened|happens|going|went|get|got|here|show|list|give|see|summari[sz]e|summary|sum|recap|review|look|back|over|during|day|days|so|ok|hey|hi|last|past)\b/gi,
  /** Words that say nothing of what a question is about. */
  hollow:
    /\b(?:the|an?|of|to|in|on|at|is|are|was|were|be|been|do|does|did|have|has|had|i|you|we|they|he|she|it|my|your|our|what|whats|which|who|when|where|why|how|and|or|for|with|about|that|this|me|us|please|tell|remind|know|remember|find|search|again|any|there|s)\b/gi,
}

export type Patterns = typeof english

const particle = '[啊哈呀哦喔噢啰喽呗呢吧嘛哒咯ㄛ~]'
const place = '(?:今天的?|我的?|你的?)?(?:日志|日记|笔记|备忘录?|记忆|待办|清单)(?:里面?|中|上)?'
const verb = any(
  '记住(?:了)?|记得|[记纪]录|记着点?|记(?:个|条|笔)(?:事|笔记|账)?|做(?:个|一个)?(?:笔记|记录|备忘)|记',
  '(?:别|不要|勿|莫)(?:忘记了?|忘了?)|提醒(?:一下)?(?:我|本人)|备忘录?|待办(?:事项)?|note',
  `(?:存|保存|储存)(?=一下|起来|下来|好|这|个|[:,])|(?:写|存|记|加|添加|放)(?:进|到|入|在)${place}`,
)
const after = `(?:一下下?|下来|起来|低|好|着|录|了|吗|下(?![个周月次午班一二三四五六七八九十])|以下内容|这个|这件事|这点|${particle})`
/** 这个地址: what follows is the note. */
const label = '(?:(?:这个?|以下|下面)?[^,:。\\s]{0,6}(?=:))?'
const saved = '(?:记一下|记下来?|记住|记得|备忘|存一下|记个?笔记|[记纪]录(?:一下|下来)|别忘了?|(?:别|不要)忘记?了?)'
const wh =
  '什么|甚么|神马|啥|哪|谁|几(?!乎)|多少|多久|多大|多长|多远|怎么|怎样|如何|何时|何处|为何|咩|边度|点解|是不是|有没有|有无|能不能|可不可以|记不记得|对不对'
const this_ = '(?:这|那)(?:个|条|些|件事情?|段话?|句话?|话)?'
const just = '(?:刚刚|刚才|刚)(?:我)?(?:说|讲)?的?(?:那|这)?[个条句]?话?'

export const chinese: Patterns = {
  opening: new RegExp(
    `^(?:${any(
      '你好|您好|嗨|哈[喽啰罗]|嗯+|诶|欸|呃',
      '(?:麻烦|请|拜托)(?:你|您)?|帮忙|劳烦|唔该|给我|帮我|替我',
      '我(?:想|要|希望|需要)(?:请|让|要)?(?:你|您)',
      '可不可以|能不能|可以|能否|可否|一定要?|务必|千万要?|都?要',
      '那个|对了|另外|还有|顺便|以后|往后|再|先|也|你|您|能|帮',
    )}[,!、\\s~]*)`,
  ),
  civil:
    /^(?:(?:你们?好|您好|大家好|嗨+|嘿+|哈[喽啰罗]|hello|hi|ok|okay|在吗|在不在|早安?|(?:早上|上午|中午|下午|晚上)好|[午晚]安|最近(?:怎么样|如何)|好久不见|谢谢|谢|多谢|感谢|感恩|感激|3q|thx|thanks|唔该晒?|辛苦|麻烦你了|帮忙|的帮助|非常|十分|真的?|太|很|好的?|棒|厉害|不错|嗯+|哦+|喔+|行|可以|对|是的?|不是|没有|不用了?|算了|没事|没关系|收到|知道了?|明白|懂了|了解|[哈呵]+|笑死|再见|拜拜?|掰掰|明天见|就这样|停|你们?|您|大家|啦|了|啊|呀|吧|吗)[,!~。\s]*)+$|^(?:帮助|说明|使用说明|用法|你会啥|(?:你|您)是(?:谁|什么)|(?:这个?)?(?:怎么|如何)(?:用|使用)你?|有什么功能|(?:你|您)?都?(?:能|会|可以)(?:帮我)?(?:做|干)?(?:什么|啥|些什么|哪些事))$/i,
  command:
    /^(?:写(?:一|个|首|篇|封|段|点)|作(?:一|首|个)|画(?:一|个|张|幅)|翻译|改写|润色|校对|解释|生成|计算|讲(?:一)?(?:个|段)|说个|唱|设计|总结|概括|归纳|列出|删|清除|清空|抹|忘掉|忘记(?!了)|忘了关于|修改|更正|更新|把.{1,40}(?:翻译|译成|删|改|换成|忘|清掉))|(?:帮我|给我|麻烦|请)(?:删|改|忘)/,
  notThis: new RegExp(
    `^(?:${this_}|以下|${just}|我(?:刚才?)?(?:说|讲)的|它)?(?:内容|信息|事情?|都)*[,\\s]*(?:请你?|你)?(?:就|都|可|也)*(?:不要|别|不用|不必|无需|不需要|勿|甭|莫|唔好)(?:再)?(?:帮我|给我)?(?:把(?:这|它|那).{0,5}?)?(?:记录?(?:住|下来?|进去)?|记得|存(?:起来|下来|档)?|保存|储存|写(?:下来?|进.{0,4}|入.{0,4})|留(?:下|存|底))(?:在.{1,6}|到.{1,6}|了|${particle})*(?:${this_}|它|(?:我(?:刚才?)?(?:说|讲)的)?话?)?(?:$|[:,。!\\s].*$)|.[,。;\\s](?:这(?:个|条|句|些)?|你|请)*(?:不要|别|不用|不必)(?:再)?(?:记录?|存|保存)(?:了|住|下来?|进去|${particle})*$|^(?:把)?${just}(?:都|吧|给我)*(?:忘掉|忘了|忘记|删掉|删了|删除|不要了|不算)(?:好了|算了|${particle})*$`,
  ),
  save: [
    new RegExp(
      `^把(?:这个|这些|这|下面|以下|它)[^,:。]{0,8}?(?:记|存|写)(?:录|住|下|一下|下来|起来|进去)*${particle}*[:,。!\\s]*(?<text>[\\s\\S]*)$`,
    ),
    new RegExp(
      `^把(?<text>[\\s\\S]+?)(?:这件事情?|这事儿?|这点|这个)?(?:都|也)?(?:给我|帮我)?${any(`记(?:录)?(?:下来|下|住|一下|好)`, `(?:记|写|存|加)(?:到|进|在)${place}`, '存(?:下来|起来|一下)')}${particle}*$`,
    ),
    new RegExp(`^${verb}${after}*${label}[?]?[:,。!\\s]*(?<text>[\\s\\S]*)$`, 'i'),
    new RegExp(
      `^(?<text>[\\s\\S]+?)[\\s]*[,。;!\\s]+(?:所以|请|麻烦|你|您|要|帮我|帮忙|给我|一定|千万|可要|都)*${saved}(?:一下|${particle})*$`,
    ),
  ],
  asksForNote: new RegExp(`${wh}|[吗么]$|[?]\\s*$|来着$`),
  asks: new RegExp(
    any(
      `[?]\\s*$|${wh}|[吗么]${particle}*$|来着|到底|究竟|还记得|记得吗|呢$|还是.{1,12}$`,
      '^(?:请问|查|找|搜|告诉我|跟我说|提醒我|看看|看一下|我?想问|我?想知道)',
      '忘了|忘记了|不记得|记不得|记不清|想不起来?|不知道',
    ),
  ),
  states: /.[。!]$|了[。!]?$|(?:[是在有用对把被叫住喜爱讨要想]|会(?!议))./,
  logWords: new RegExp(
    any(
      '咱们?|你们|请|帮|有|过|些|点|一下|干嘛|嘛|这|那|里|下|对|那天|当天|所有|全部|怎么样',
      '事情?|东西|内容|情况|工作|活动|[记纪]录|日志|日记|笔记',
      '做|干|忙|弄|搞|记下|记|写|告诉|说|聊|讨论|谈|讲|提到?|发生|过得',
      '总结|整理|回顾|复盘|概括|汇总|看看|看|查看|查|显示|列出',
      particle,
    ),
    'g',
  ),
  hollow:
    /什么时候|什么|为什么|甚么|啥|哪里|哪个|哪些|哪儿|哪天|哪|谁|多少|怎么|怎样|如何|几|吗|呢|吧|啊|来着|请问|告诉我|帮我|查一下|找一下|记得|还记得|我们|我的|你的|我|你|您|的|了|是|在|和|跟|与|就|都|也|还|有没有|是不是|叫|把|被|给|到底|究竟|上次|之前|那个|这个/g,
}
