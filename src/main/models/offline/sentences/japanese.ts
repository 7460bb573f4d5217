/** The offline model's Japanese. */
import { dayIn, weekdayIn } from './day.ts'
import type { Sentences } from './sentences.ts'

export const japanese: Sentences = {
  greeting:
    'こんにちは！お話しいただいたことを書き留め、探し出します。「覚えて：……」と言えば書き留めます。探したいことは、そのまま聞いてください。',
  thanks: 'どういたしまして。',
  assent: 'わかりました。',
  heard:
    'これはまだ書き留めていません。言語モデルが接続されていないので、頼まれたことだけを書き留めます。「覚えておいて、……」と言えば、すぐに今日のログに書きます。',
  help: '言語モデルが接続されていないので、できることは二つです。「覚えて：……」と言えば今日のログに書き留め、質問（誰、何、いつ）には記憶を検索して、出典とともに原文を引用します。「先週何をした？」「今日のまとめ」「ファイル一覧」も使えます。会話をするには、設定でモデルを接続してください。',
  nothingToRemember: '何を覚えましょうか。「覚えて：会議は木曜の15時」のように、続けて書いてください。',
  remembered: (path) => `今日のログに書き留めました [${path}]。`,
  nothingIn: (span) => `${span} の記録はありません。`,
  periodHas: (span) => `${span} の記録：`,
  more: (count) => `ほかに ${count} 件あります。`,
  filesAre: '記憶にあるファイル：',
  noFiles: '記憶にはまだファイルがありません。',
  needsModel:
    'それには言語モデルが必要ですが、今は接続されていません。できるのは書き留めることと、メモの引用だけです。入力欄の下でモデルを選ぶか、設定で接続してください。',
  clock: (isToday, day, time) =>
    isToday ? `${dayIn('ja', day)} ${time} です。` : `${day} は${weekdayIn('ja', day)}です。`,
  cannotChange:
    '書かれていることを消したり変えたりはできません。言語モデルが接続されていないので、書き足すことしかできません。',
  changeThere: '関係する箇所はこちらです。開いて、その行をご自分で直すか消してください：',
  changeInLog: (path) => `今日のログを開いて、その行をご自分で直すか消してください：[${path}]。`,
  nothingToChange: '記憶にも見つかりませんでした。その行にある言葉を挙げるか、「記憶」の画面で探してください。',
  notKept:
    'はい、これは書き留めません。この会話には残っています。消すには、会話の一覧からこの会話を、またはメッセージを削除してください。',
  counted: (notes, files) => `記憶には ${notes} 件の記録があります。ファイルは全部で ${files} 個です：`,
  countedFiles: (files) => `記憶には ${files} 個のファイルがあります：`,
  digest:
    '要約には言語モデルが必要ですが、今は接続されていません。書き留めてあるのは次のとおりです（新しいものが最後）：',
  noNotes: '記憶にはまだ何も書き留められていません。',
  aboutYou: 'あなたとあなたの決めたことについて、記憶にはこうあります：',
  nothingAboutYou: 'あなたについては、まだ何も書かれていません。「覚えて：……」と言うか、[USER.md] に書いてください。',
  found: '記憶にはこう書かれています：',
  foundClosest: 'ぴったりの内容はありません。最も近いのはこちらです：',
  saidEarlier: 'メモにはありませんが、以前の会話でこう話していました：',
  whenWritten: '日時は本文に書かれています：',
  whenNoted: (dates) => `本文に日付はありません。書き留めたのは ${dates} です：`,
  notedOn: (date) => `${date} に記録`,
  nothingFound: (query) =>
    `「${query}」について、記憶には何も見つかりませんでした。言語モデルが接続されていないので、書かれていることの引用しかできません。`,
  noModel: '*言語モデルは接続されていません。これはメモの原文であり、私の答えではありません。*',
  toolFailed: (reason) => `うまくいきませんでした：${reason}`,
  kept: '会話から残した内容',
  ending: (path) => `会話の終わり（${path}）。`,
  user: 'ユーザー',
  assistant: 'アシスタント',
  summary: {
    goal: '目的',
    decisions: '決定事項',
    facts: '事実と識別子',
    open: '未解決の質問',
    files: '関係したファイル',
    none: 'なし',
    alsoSpokenOf: 'ほかに話したこと',
  },
}
