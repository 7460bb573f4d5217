/**
 * Recognizes replies to a flush that say that there is nothing to save, such as “好的，没有需要保存的内容。”. Every clause
 * must consist of the words below, or explain the refusal. Other replies are notes: a kept refusal does less harm than
 * a lost note.
 */

interface Vocabulary {
  /** One of these negates a clause. */
  readonly none: string
  /** Saving, and what would be saved. */
  readonly saving: string
  /** Words of polite openings. They may stand alone. */
  readonly polite: string
  /** Other words of a refusal. */
  readonly other: string
  /** A clause with one of these may explain a refusal. */
  readonly about: string
}

const english: Vocabulary = {
  none: `nothing|none|no|not|nor|n't|don't|doesn't|didn't|isn't|wasn't|aren't|weren't|haven't|hasn't|can't|couldn't|cannot`,
  saving: `sav(?:e|ed|ing)|stor(?:e|ed|ing)|not(?:e|es|ed|ing)|record(?:s|ed|ing)?|keep(?:ing)?|kept|remember(?:ed|ing)?|persist(?:ed|ing)?|writ(?:e|ing|ten)|add(?:ed|ing|itions?)?|captur(?:e|ed|ing)|preserv(?:e|ed|ing)|log(?:ged|ging)?|flush(?:ed|ing)?|memor(?:y|ies|able)|information|info|facts?|details?|noteworthy|entr(?:y|ies)|updates?|decisions?|preferences?|todos?|items?`,
  polite: `ok|okay|sure|understood|done|noted|saved|alright|right|got it|thanks|thank you|all set|all done|all saved|of course`,
  other: `the|a|an|any|anything|everything|something|there|is|was|are|were|be|been|being|i|we|it|this|that|these|see|saw|find|found|identif(?:y|ied)|has|have|had|having|do|did|does|to|of|in|into|from|for|with|at|as|or|and|that's|i've|there's|here|here's|so|now|new|further|other|else|more|additional|durable|lasting|important|relevant|significant|meaningful|useful|worth|worthy|worthwhile|warrants?|needs?|needed|need|require[sd]?|requiring|necessary|should|must|contain(?:s|ed|ing)?|includ(?:e|ed|es)|conversation|chat|session|exchange|discussion|part|messages?|older|earlier|today|today's|long-term|term|later|future|time|yet|point|stage|action|actions|which|beyond|what|already`,
  about: `(?:this|the|our|whole) (?:conversation|chat|exchange|discussion|session) (?:so far |part )?(?:was|is|were|only|just|merely|contain(?:s|ed)|consist(?:s|ed)|did|does|has|had)(?: only| just| merely| not)?|small talk|greetings?|chit-?chat|trivial|ephemeral|transient|routine|already (?:been |in |stored|saved|recorded|noted|captured|logged)|(?:today's|the|daily) log|notes? (?:is|are) (?:up to date|complete)`,
}

const chinese: Vocabulary = {
  none: '没有|沒有|并无|並無|暂无|暫無|无需|無需|毋需|不需要|不需|不用|不必|没什么|沒什麼|没啥|没|沒|无|無',
  saving:
    '保存|储存|儲存|存储|存儲|存入|存下来|存|记录|記錄|紀錄|记住|記住|记下来|記下來|记下|記下|记|記|写入|寫入|写进|寫進|写|寫|保留|留存|补充|補充|更新|添加|新增|笔记|筆記|备忘|備忘|记忆|記憶|信息|資訊|资讯|訊息|内容|內容|事项|事項|事实|事實|东西|東西|要点|要點|条目|條目',
  polite:
    '好的|好|行|嗯|是的|明白了?|了解了?|瞭解了?|收到|知道了?|谢谢|謝謝|已经?(?:全部)?(?:保存|记录|记下|完成)|已經?(?:全部)?(?:儲存|保存|記錄|記下|完成)|完成了?',
  other:
    '需要|值得|可以|应该|應該|必须|必須|必要|有待|可|要|该|該|任何|什么|什麼|其他|其它|额外|額外|新的|新|更多|更|重要|持久|长期|長期|有用|有价值|有價值|特别|特別|特殊|本次|这次|這次|此次|这段|這段|本段|上面|以上|上述|目前|当前|當前|现在|現在|暂时|暫時|今天|后续|後續|对话|對話|聊天|会话|會話|谈话|談話|日志|日誌|因此|所以|另外|我|你|您|认为|認為|觉得|覺得|发现|發現|看|到|中|里|裡|内|內|的|地|得|了|是|有|在|再|也|都|并|並|且|和|与|與|或|被|来|來|去|为|為|值|进|進|一步|而|故|此|这|這|些|个|個|吗|嗎|呢|啊|哦',
  about:
    '(?:对话|對話|聊天|会话|會話|谈话|談話).{0,3}(?:只|仅|僅|都|没|沒)|闲聊|閒聊|问候|問候|寒暄|打招呼|日志里|日誌裡|日志中|日誌中|已经?(?:在|都|全部|保存|记录|记下|写)|已經?(?:在|都|全部|儲存|保存|記錄|記下|寫)|都已',
}

const japanese: Vocabulary = {
  none: 'ありません(?:でした)?|ございません(?:でした)?|見当たりません(?:でした)?|見つかりません(?:でした)?|必要ない|不要|なし|ない|無し|無い|ません',
  saving:
    '保存|記録|記憶|メモ|ノート|書き込む?|書き留める|書く|残す|残して|追記|追加|保持|覚えて|覚える|情報|内容|事項|事実|項目|もの|こと|事柄|データ',
  polite:
    'はい|わかりました|分かりました|承知(?:いた)?しました|了解(?:いた|です|しました)*|かしこまりました|ありがとうございます|完了(?:しました|です)?|保存(?:しました|済みです)|記録しました',
  other:
    '必要|べき|価値|重要|新しい|新た|新規|長期的|永続的|特に|特別|今回|この|その|会話|チャット|やり取り|やりとり|対話|現在|現時点|今のところ|今|今日|ログ|ここ|以上|他|ほか|さらに|追加|のある|の|に|は|が|を|で|と|も|へ|から|まで|な|する|した|して|しておく|おく|すべき|しなくて|いい|よい|です|でした|だ|ある|あり|ありま|含まれて|含まれ|いる|い|ため|ので|なる|ような|よう|後|後で|何|何も',
  about:
    '(?:会話|チャット|やり取り|やりとり|対話).*(?:だけ|のみ)|挨拶|あいさつ|雑談|世間話|ログに|既に(?:保存|記録|メモ)|すでに(?:保存|記録|メモ)|(?:保存|記録)済み',
}

const korean: Vocabulary = {
  none: '없습니다|없었습니다|없어요|없네요|없음|없다|없는|없으므로|없어서|않습니다|않아요|않음|필요\\s*없',
  saving: '저장|기록|기억|메모|노트|보관|남길|남겨|적을|적어|추가|작성|내용|정보|사항|사실|항목|것|게|데이터',
  polite:
    '네|예|알겠습니다|알겠어요|확인했습니다|이해했습니다|좋습니다|감사합니다|완료(?:했습니다|되었습니다)?|저장(?:했습니다|되었습니다)|기록(?:했습니다|되었습니다)',
  other:
    '할|될|해야|되어야|필요|가치|만한|만|중요|새로운|새로|새|특별히|특별한|특히|따로|별도로|별도의|더|다른|그|이|이번|저|대화|채팅|세션|현재|지금|오늘|장기|장기적|지속적인|유용한|에서는|에서|에는|에는|에|은|는|가|을|를|의|도|로|으로|와|과|한|하는|하지|지|있는|있을|보이지|발견되지|찾지|못했습니다|아무|아무것|이상|로그|장기적으로|추가로|둘|두|하|됩니다|합니다|입니다',
  about: '(?:대화|채팅|세션).*뿐|인사|잡담|로그에|이미\\s*(?:저장|기록|메모)',
}

const isWords = (text: string) => /[\p{L}\p{N}]/u.test(text)

/** Returns a test of whether all clauses are in the language and together a refusal. */
function refusalTest(vocabulary: Vocabulary) {
  const { none, saving, polite, other, about } = vocabulary
  const isSpaced = vocabulary === english
  const pattern = (words: string, flags = 'iu') =>
    new RegExp(isSpaced ? `(?<![\\p{L}\\p{N}'])(?:${words})(?![\\p{L}\\p{N}'])` : words, flags)
  // The longest word first, as words contain others.
  const all = [none, saving, polite, other].flatMap((words) => words.split(/\|(?![^(]*\))/))
  const [nonePattern, savingPattern, aboutPattern] = [pattern(none), pattern(saving), pattern(about)]
  const politePattern = pattern(polite, 'giu')
  const wordPattern = pattern(all.toSorted((a, b) => b.length - a.length).join('|'), 'giu')
  const isPolite = (clause: string) => !isWords(clause.replace(politePattern, ''))
  const explains = (clause: string) => aboutPattern.test(clause) && !/\p{N}/u.test(clause)
  return (clauses: readonly string[]): boolean => {
    const refusals = clauses.filter((clause) => nonePattern.test(clause) && !isWords(clause.replace(wordPattern, '')))
    if (refusals.length === 0) return clauses.every(isPolite)
    return (
      (refusals.some((clause) => savingPattern.test(clause)) || refusals.length === clauses.length) &&
      clauses.every((clause) => refusals.includes(clause) || isPolite(clause) || explains(clause))
    )
  }
}

const refusalTests = [english, chinese, japanese, korean].map(refusalTest)

/** Maximum characters of a refusal with its explanation. */
const maxRefusal = 400

/** Returns true if a reply only says that there is nothing to save, or confirms the request. */
export function isRefusal(reply: string): boolean {
  if (reply.length > maxRefusal) return false
  const clauses = reply
    .replaceAll('’', "'")
    .split(/[.。！？!?;；,，、:：\n()（）]+|\s[-–—]+\s|[—–]+|\b(?:because|since|as|but)\b/iu)
    .filter(isWords)
  return refusalTests.some((isRefusalIn) => isRefusalIn(clauses))
}
